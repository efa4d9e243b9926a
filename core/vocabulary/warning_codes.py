"""Codes of warnings that need not stand open beside an answer: what they tell is no fault."""

from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class QuietCodeRow(TableRow):
    """A code whose warning is folded away.

    Attributes:
        code: First word of the warning.
        phrase: What the line of confidence says instead; empty where it says nothing.
    """

    code: str
    phrase: str


@cache
def quiet_codes() -> dict[str, str]:
    """Return what the line of confidence says, by code."""
    return {row.code: row.phrase for row in load_rows("warning_codes", QuietCodeRow)}


def is_quiet(code: str) -> bool:
    """Return whether warnings of a code are folded away."""
    return code in quiet_codes()
