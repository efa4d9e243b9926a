"""Drugs as analysts call them: brands of combinations and short names."""

from collections.abc import Mapping
from functools import cache

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows


class DrugWordRow(TableRow):
    """A word.

    Attributes:
        said: As it is written.
        drugs: Non-proprietary names, joined by "|".
    """

    said: str
    drugs: str


@cache
def load_drug_words() -> Mapping[str, tuple[str, ...]]:
    """Return what each folded word stands for."""
    rows = load_rows("drug_words", DrugWordRow)
    return {fold_name(row.said): tuple(row.drugs.split("|")) for row in rows}
