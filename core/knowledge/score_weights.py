"""Weights of scores, one row a weight with its rationale."""

from functools import cache

from core.errors import KnowledgeError
from core.vocabulary.tables import TableRow, load_rows


class WeightRow(TableRow):
    """A weight."""

    key: str
    value: float
    rationale: str


@cache
def _weights() -> dict[str, float]:
    return {row.key: row.value for row in load_rows("score_weights", WeightRow)}


def weight(key: str) -> float:
    """Return a weight by its key. Raises KnowledgeError."""
    try:
        return _weights()[key]
    except KeyError:
        raise KnowledgeError(f"score_weights.csv has no row {key!r}") from None
