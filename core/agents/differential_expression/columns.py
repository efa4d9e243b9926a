"""How names of columns and samples are told in messages."""

from collections.abc import Sequence
from difflib import get_close_matches

_NAMES_SHOWN = 10


def missing_column(name: str, columns: Sequence[str], table: str) -> str:
    """Return a sentence that names the missing column, the nearest one and those present."""
    close_matches = get_close_matches(name, columns, n=1, cutoff=0.6)
    hint = f" Did you mean {close_matches[0]!r}?" if close_matches else ""
    return f"There is no column {name!r} in {table}.{hint} Its columns are {show(columns)}."


def show(names: Sequence[str]) -> str:
    """Return at most ten names as text, saying how many more there are."""
    shown = ", ".join(repr(name[:100]) for name in names[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown or "none"
