"""Rare drivers of tumors for which single arms have carried regular US approvals."""

import re
from collections.abc import Iterable

from core.vocabulary.tables import TableRow, load_rows


class SingleArmDriverRow(TableRow):
    """A rare driver for which single arms have carried regular US approvals.

    Attributes:
        biomarker: The driver, as the table of biomarkers names it.
        diseases: Words of the disease in which they did.
    """

    biomarker: str
    diseases: str


def is_regular_on_response(biomarkers: Iterable[str], disease: str) -> bool:
    """Return whether a single arm has carried a regular US approval for a driver in a disease."""
    chosen = set(biomarkers)
    return any(
        row.biomarker in chosen and re.search(row.diseases, disease, re.IGNORECASE)
        for row in load_rows("single_arm_drivers", SingleArmDriverRow)
    )
