"""What curators know of names of drugs that no list of substances and no rule of salts tells.

Forms that are one drug (`same_drugs.csv`): a form joins the short name of the drug where it is
the only one given, so that the short name means nothing else: cefamandole is sold as cefamandole
nafate. An ester beside which another form is sold stays a drug of its own. Names that a list
gives to another drug than the one meant (`false_names.csv`). Substances that registers list and
trials name, but that are nobody's drug (`no_assets.csv`).
"""

from functools import cache
from typing import Literal

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows


class SameDrugRow(TableRow):
    """A form, and the name under which it counts."""

    said: str
    under: str


class FalseNameRow(TableRow):
    """A name, and the drug that it is not."""

    said: str
    is_not: str


class NoAssetRow(TableRow):
    """A substance, or the ending of names of substances, and why it is nobody's drug."""

    kind: Literal["name", "ending"]
    name: str
    reason: str


@cache
def load_same_drugs() -> dict[str, str]:
    """Return the drug under which each form counts, both folded."""
    rows = load_rows("same_drugs", SameDrugRow)
    return {fold_name(row.said): fold_name(row.under) for row in rows}


@cache
def load_false_names() -> frozenset[tuple[str, str]]:
    """Return name and drug, both folded, that are never joined."""
    rows = load_rows("false_names", FalseNameRow)
    return frozenset((fold_name(row.said), fold_name(row.is_not)) for row in rows)


@cache
def _no_assets() -> tuple[dict[str, str], dict[str, str]]:
    """Return the reasons by folded name, and by ending as written."""
    rows = load_rows("no_assets", NoAssetRow)
    names = {fold_name(row.name): row.reason for row in rows if row.kind == "name"}
    return names, {f" {row.name}": row.reason for row in rows if row.kind == "ending"}


def why_no_asset(name: str) -> str:
    """Return why a substance is no drug of anybody; "" for a drug.

    >>> why_no_asset("pembrolizumab")
    ''
    """
    names, endings = _no_assets()
    reasons = (reason for end, reason in endings.items() if name.casefold().endswith(end))
    return names.get(fold_name(name), "") or next(reasons, "")
