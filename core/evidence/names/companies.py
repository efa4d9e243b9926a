"""Which company a name belongs to, and whether it is a company's at all.

Names are never joined because they are alike.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from core.evidence.names.identity.vocabularies import legal_forms, strip_legal_form
from core.records.names import fold_name
from core.vocabulary.companies import CompanyName, load_companies
from core.vocabulary.label_words import alternatives


@lru_cache(maxsize=1)
def _groups() -> dict[str, str]:
    """Return groups by folded name; a bare name that two groups share ("Merck") has none."""
    exact: dict[str, str] = {}
    bare: dict[str, set[str]] = {}
    for row in load_companies():
        for name in (row.name, row.group):
            exact[fold_name(name)] = row.group
            bare.setdefault(fold_name(strip_legal_form(name)), set()).add(row.group)
    return {key: min(groups) for key, groups in bare.items() if len(groups) == 1} | exact


@lru_cache(maxsize=20_000)
def company_group(name: str) -> str:
    """Return the company under which a name counts; the name without its form if in no table.

    Registers write some names in capitals: "APOTEX TECHNOLOGIES".

    >>> company_group("Merck Sharp & Dohme LLC"), company_group("Acme Bio, Inc.")
    ('Merck & Co.', 'Acme Bio')
    """
    groups = _groups()
    for shorter in _shorter(name):
        group = groups.get(fold_name(shorter))
        if group:
            return group
    bare = _PLACE.sub("", strip_legal_form(_PLACE.sub("", name)))
    bare = _AND.sub("", bare) or name
    return _CAPITALS.sub(lambda word: word[0].capitalize(), bare) if bare.isupper() else bare


@lru_cache(maxsize=20_000)
def row_of(name: str) -> CompanyName | None:
    """Return the row of the table that a name stands for, whole: legal forms and places aside.

    A name that only begins like one of the table is another company's.
    """
    rows = _rows()
    return next(
        (rows[key] for shorter in _shorter(name) if (key := fold_name(shorter)) in rows), None
    )


@lru_cache(maxsize=1)
def _rows() -> dict[str, CompanyName]:
    """Return the rows by the folded name; of several the first."""
    company_names: dict[str, CompanyName] = {}
    for row in load_companies():
        company_names.setdefault(fold_name(row.name), row)
    return company_names


@lru_cache(maxsize=20_000)
def is_known(name: str) -> bool:
    """Return whether the table has a name or what it is short for."""
    return any(fold_name(shorter) in _groups() for shorter in _shorter(name))


@lru_cache(maxsize=20_000)
def sharing_name(name: str) -> tuple[str, ...]:
    """Return the groups whose name this is without its legal form: two have "Merck"."""
    folded = fold_name(strip_legal_form(name))
    return tuple(
        sorted(
            {
                row.group
                for row in load_companies()
                for name in (row.name, row.group)
                if fold_name(strip_legal_form(name)) == folded
            }
        )
    )


def starts_of(group: str) -> tuple[str, ...]:
    """Return how the folded names of a company begin; whatever counts under it begins so.

    Only endings are ever taken off a name (legal forms, places, general words).
    """
    folded = fold_name(group)
    keys = [key for key, group in _groups().items() if fold_name(group) == folded]
    return tuple(dict.fromkeys([folded, *keys]))


_PLACE = re.compile(
    rf"(?<!\bof)(?<!\bnew)(?<!\bsouth)(?<!\bnorth)[\s,]+(?:{alternatives('place of a company')})$",
    re.IGNORECASE,
)
_GENERIC = re.compile(rf"[\s,]+(?:{alternatives('general word of companies')})\.?$", re.IGNORECASE)
_FORM = re.compile(r"[\s,]+(?:UC|DAC|N\.?V\.?|L\.L\.C\.|G\.m\.b\.H)\.?$", re.IGNORECASE)
_CAPITALS = re.compile(r"[A-Z]{5,}")
"""Words of a name that is written in capitals; shorter ones may be initials."""
_AND = re.compile(r"\s+(?:and|&)$", re.IGNORECASE)


def _shorter(name: str) -> Iterator[str]:
    """Yield a name, then without legal form, place and general words, from its end.

    What is left must be a name of the table to count, so that nothing is joined by likeness.
    """
    yield from legal_forms(name)
    name_read = name.strip(" .")
    while name_read:
        shorter = name_read
        for strip in (_strip_form, _strip_place, _strip_generic):
            shorter = strip(shorter)
            yield shorter
        if shorter == name_read:
            return
        name_read = shorter


def _strip_form(name: str) -> str:
    return strip_legal_form(_FORM.sub("", name))


def _strip_place(name: str) -> str:
    return _PLACE.sub("", name)


def _strip_generic(name: str) -> str:
    return _AND.sub("", _GENERIC.sub("", name))


_COMPANY = (
    *("pharm", "bio", "therapeutic", "medicine", "laborator", "scienc", "gene", "vaccine"),
    *("immun", "cell", "thera", "health", "life", "chem"),
)
_NO_COMPANY = (
    *("universi", "hospital", "institut", "college", "cent", "clinic", "foundation", "school"),
    *("ministry", "department", "nih", "national", "group", "society", "trust", "academy"),
    *("council", "association", "assistance", "medical", "oncology", "research", "network"),
)


@lru_cache(maxsize=20_000)
def is_company(name: str) -> bool:
    """Return whether a name is a company's: a known one, or one with a legal form."""
    if is_known(name):
        return True
    folded = name.casefold()
    if any(word in folded for word in _NO_COMPANY):
        return False
    has_form = legal_forms(name)[-1] != name.strip()
    return has_form or " " not in name or has_industry_word(name)


def has_industry_word(name: str) -> bool:
    """Return whether a name holds a word of the drug industry."""
    folded = name.casefold()
    return any(word in folded for word in _COMPANY)
