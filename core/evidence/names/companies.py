"""Which company a name belongs to, and whether it is a company's at all.

Names are never joined because they are alike.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.identity.vocabularies import (
    PRIMARY_TICKER,
    legal_forms,
    strip_legal_form,
    strip_state,
)
from core.knowledge.patent_words import owner_words
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


def name_at_fda(name: str) -> str:
    """Return a company of the FDA's lists by a name that means no other one elsewhere.

    >>> name_at_fda("MERCK"), name_at_fda("PFIZER")
    ('MERCK (United States)', 'PFIZER')
    """
    in_full = f"{name} (United States)"
    return in_full if fold_name(in_full) in _rows() else name


def sharing_name(name: str) -> tuple[str, ...]:
    """Return the groups whose name this is without its legal form: two have "Merck"."""
    return _groups_by_bare_name().get(fold_name(strip_legal_form(name)), ())


@lru_cache(maxsize=1)
def _groups_by_bare_name() -> dict[str, tuple[str, ...]]:
    """Return all groups of each folded name without its legal form, sorted."""
    groups: dict[str, set[str]] = {}
    for row in load_companies():
        for name in (row.name, row.group):
            groups.setdefault(fold_name(strip_legal_form(name)), set()).add(row.group)
    return {name: tuple(sorted(each)) for name, each in groups.items()}


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


_INSTITUTIONS = _NO_COMPANY[:8]
_COMMON = re.compile(
    f"{alternatives('general word of companies')}|{alternatives('place of a company')}",
    re.IGNORECASE,
)


@lru_cache(maxsize=20_000)
def distinct_words(name: str) -> frozenset[str]:
    """Return the words of a company's name that are its own; none of an institution's.

    >>> sorted(distinct_words("Shanghai Jemincare Pharmaceuticals Co., Ltd."))
    ['jemincare']
    """
    folded = name.casefold()
    if any(word in folded for word in _INSTITUTIONS):
        return frozenset()
    words = re.findall(r"[a-z]{5,}", strip_legal_form(folded))
    return frozenset(
        word
        for word in words
        if not (_COMMON.fullmatch(word) or owner_words().fullmatch(word) or has_industry_word(word))
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


OWN_NAMES = frozenset(
    {"own name", "legal name", "former name", "new name", "as registers write it"}
)
"""Relations of names that identify a company; a short name ("Vertex") may be another company's."""


def company_of_ticker(ticker: str, resolver: Resolver) -> str:
    """Return the group of a ticker; "" where it is none, or that of two."""
    names_by_text = resolver.identity.lookup("company", [fold_name(ticker)])
    keys = {
        entry.key
        for names in names_by_text.values()
        for entry in names
        if entry.level >= PRIMARY_TICKER and ticker.strip().upper() == entry.name.upper()
    }
    return group_of_key(keys, resolver)


def group_of_key(keys: Collection[str], resolver: Resolver) -> str:
    """Return the group of the one company of these keys; "" where there is none, or two."""
    if len(keys) != 1:
        return ""
    entities = resolver.identity.entities("company", sorted(keys))
    return next((company_group(strip_state(entry.label)) for entry in entities.values()), "")


def find_ticker(group: str, written: Iterable[str], resolver: Resolver) -> str | None:
    """Return the primary ticker of a company; None where no register entry is surely its own.

    The register names no line of business, so its entry counts only where its legal name is one
    of the company's full names in the table of companies, or is the name itself with a word of the
    industry.
    """
    key = find_entry(group, written, resolver)
    tickers = resolver.identity.names("company", key) if key else ()
    return next((entry.name for entry in tickers if entry.level == PRIMARY_TICKER), None)


def find_entry(group: str, written: Iterable[str], resolver: Resolver) -> str | None:
    """Return the key of a company in the SEC's register ("CIK:…"); None where none is surely its.

    Args:
        group: The company.
        written: Names by which records write it.
        resolver: Knows names.
    """
    listed = [row.name for row in load_companies() if row.group == group and is_own_name(row.name)]
    spelled = [name for name in written if is_own_name(name)]
    names = dict.fromkeys(map(fold_name, (group, *listed, *spelled)))
    names_by_text = resolver.identity.lookup("company", list(names))
    keys = {
        entry.key
        for many in names_by_text.values()
        for entry in many
        if entry.level < PRIMARY_TICKER
    }
    labels = resolver.identity.entities("company", sorted(keys))
    sure = [key for key, entry in labels.items() if _is_entry_of(strip_state(entry.label), group)]
    return sure[0] if len(sure) == 1 else None


def is_own_name(name: str) -> bool:
    """Return whether a name is no short name, and not of a company that is part of another."""
    row = row_of(name)
    return row is None or row.relation in OWN_NAMES


def _is_entry_of(label: str, group: str) -> bool:
    """Return whether a legal name of the register is surely that of a company."""
    if fold_name(company_group(label)) != fold_name(group) or not is_own_name(label):
        return False
    return row_of(label) is not None or has_industry_word(label)
