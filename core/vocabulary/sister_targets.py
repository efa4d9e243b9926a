"""Targets whose drugs compete although nobody asks for both in one breath: PD-1 and PD-L1.

A landscape run adds the other end of an axis by itself; the pairs here are offered as a wider
scope, since a question about one end usually means it alone.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from core.vocabulary.tables import TableRow, load_rows
from core.vocabulary.target_axes import load_axes


class SisterTargetRow(TableRow):
    """Two targets, each by its expression in the table of targets."""

    target: str
    sister: str


@cache
def load_sisters() -> Mapping[str, tuple[str, ...]]:
    """Return the sister targets of an expression, those of its axes first."""
    sisters: dict[str, list[str]] = defaultdict(list)
    for expression, others in load_axes().items():
        sisters[expression] += others
    for row in load_rows("sister_targets", SisterTargetRow):
        sisters[row.target].append(row.sister)
        sisters[row.sister].append(row.target)
    return {symbol: tuple(dict.fromkeys(others)) for symbol, others in sisters.items()}
