"""Classes of drugs by a word of their own, and what they act on: statins, gepants, SERDs."""

from collections.abc import Mapping
from functools import cache

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows


class ClassWordRow(TableRow):
    """A word.

    Attributes:
        said: As it is written.
        expressions: Expressions of the table of targets, joined by "|".
        mechanism: How they act, as a word of questions; "" where the class tells nothing more.
    """

    said: str
    expressions: str
    mechanism: str


@cache
def load_class_words() -> Mapping[str, tuple[str, ...]]:
    """Return what each folded word stands for."""
    rows = load_rows("class_words", ClassWordRow)
    return {fold_name(row.said): tuple(row.expressions.split("|")) for row in rows}


@cache
def class_mechanisms() -> Mapping[str, str]:
    """Return how the drugs of each folded word act, where it tells that."""
    rows = load_rows("class_words", ClassWordRow)
    return {fold_name(row.said): row.mechanism for row in rows if row.mechanism}
