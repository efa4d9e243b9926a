"""Whose development code a name is, by its letters: MK-3475 is a code of Merck & Co.

The table is the curators' own knowledge, unverified.
"""

import re
from functools import cache

from core.vocabulary.tables import TableRow, load_rows

_CODE = re.compile(r"([A-Za-z]{2,6})[- ]?\d{2,7}(?:[- ]?[A-Za-z0-9]{1,4})?$")
_COLLECTIONS = frozenset({"NSC", "NCI", "GNF", "CHEMBL", "EC", "WR", "INS"})
"""Prefixes of collections and of numbers in registers of substances."""


class CodeRow(TableRow):
    """Letters with which a company's codes begin."""

    prefix: str
    company: str


@cache
def load_codes() -> dict[str, str]:
    """Return the company of each prefix."""
    return {row.prefix: row.company for row in load_rows("company_codes", CodeRow)}


def owner_of_code(name: str) -> str:
    """Return the company whose code a name is; "" where it is none, or nobody's on record.

    >>> owner_of_code("MK-3475"), owner_of_code("BMN 111"), owner_of_code("pembrolizumab")
    ('Merck & Co.', 'BioMarin', '')
    """
    match = _CODE.fullmatch(name.strip())
    return load_codes().get(match[1].upper(), "") if match else ""


def is_code(name: str) -> bool:
    """Return whether a name is a developer's code; numbers of collections are none.

    >>> is_code("KER050"), is_code("NSC-259242"), is_code("semaglutide")
    (True, False, False)
    """
    match = _CODE.fullmatch(name.strip())
    return match is not None and match[1].upper() not in _COLLECTIONS
