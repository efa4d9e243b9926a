"""Systematic names of drugs of which the registers at hand hold none."""

from collections.abc import Mapping
from functools import cache

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows


class SystematicNameRow(TableRow):
    """A drug with its name.

    Attributes:
        drug: Its common name.
        systematic_name: From which its structure is drawn.
        formula: Of the structure, by which the name is checked.
    """

    drug: str
    systematic_name: str
    formula: str


@cache
def own_systematic_names() -> Mapping[str, str]:
    """Return systematic names by the folded common name of the drug."""
    rows = load_rows("systematic_names", SystematicNameRow)
    return {fold_name(row.drug): row.systematic_name for row in rows}
