"""Weekly chemistry of US patents and applications as JSON (ChemDraw attachments as CXSMILES).

Site: eloyfelix.github.io/uspto-chem-YYYY, made from the USPTO Red Book; text of the United States
government, public record; the mirror states no licence of its own. A week holds some hundred
documents of classes C07, A61K, A61P, A01N; a document whose number stands in two weeks
is one record.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.patents.numbers import (
    Filing,
    derive_family,
    read_day,
    read_relatives,
    write_number,
)
from core.evidence.sources.files.forms.importers import Importer, read_from
from core.evidence.sources.files.forms.json_lists import ListReader
from core.evidence.sources.files.patent_packing import (
    Bibliography,
    pack_bibliography,
    pack_structures,
)
from core.records.evidence import Mention, Parsed, Record, Span
from core.records.patents import RawStructure, Section
from core.tables.rows import SourceFile

LICENCE = "US government work (public record), by a third-party mirror"
PERSON = "(individual)"
"""What files without the names of persons write in their place."""
MOST_STRUCTURES = 20_000
"""Strings of one document that are kept."""
LONGEST_STRUCTURE = 8_000
MOST_COMPANIES = 50
MOST_CLASSES = 200
MOST_RELATIVES = 500
LONGEST_NUMBER = 30
LONGEST_ABSTRACT = 10_000
_SECTIONS: Mapping[str, Section] = {
    "claims": "claims",
    "description": "description",
    "abstract": "abstract",
}
_ORDER = ("claims", "abstract", "description", "")
_BEGINNING = re.compile(r'\{\s*"publication"\s*:')
_BLOCK = re.compile(r"[\w.\- ()]{1,100}")
_CLASS = re.compile(r"[A-HY]\d{2}[A-Z]\d{1,4}/\d{2,6}")
Entry = Mapping[str, Any]


def read_weekly(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a document."""
    for number, entry in ListReader(source, _BEGINNING).read():
        try:
            yield _describe(entry, source, number)
        except _Unusable as reason:
            source.report(number, str(reason))


class _Unusable(ValueError):
    """An entry that is no document."""


def _describe(entry: Entry, source: SourceFile, number: int) -> Parsed:
    published = _object(entry, "publication")
    kind = _word(published, "kind").upper()
    country = _word(published, "country").upper()
    written = write_number(country, _word(published, "doc_number"), kind)
    title = clean_text(_word(entry, "title"), 1_000)
    if not written or not kind:
        raise _Unusable("no publication number and kind")
    if not title:
        raise _Unusable(f"{written} has no title")
    day = read_day(published.get("date"))
    abstract = clean_text(_word(entry, "abstract"), LONGEST_ABSTRACT)
    spans = [Span("abstract", abstract, 0, len(abstract))] if abstract else []
    structures = read_structures(written, entry)
    spans.append(pack_bibliography(_read_bibliography(entry, country, written, kind)))
    if structures:
        spans.append(pack_structures(structures))
    record = Record(
        source="uspto_chem",
        source_id=written,
        url=address_of(written),
        kind="patent",
        title=title,
        published_on=day or "",
        updated_on=day or "",
        **read_from(source, number, LICENCE),
        detail=min(len(structures), 30_000),
        spans=tuple(spans),
        mentions=tuple(
            Mention("company", name, relation=relation)
            for relation in ("assignee", "applicant")
            for name in _companies(entry, f"{relation}s")
        ),
    )
    return Parsed(record)


def address_of(written: str) -> str:
    """Return where a reader finds a document: Espacenet, the register of the EPO."""
    return f"https://worldwide.espacenet.com/patent/search?q=pn%3D{quote(written, safe='')}"


def _read_bibliography(entry: Entry, country: str, written: str, kind: str) -> Bibliography:
    applied = _object(entry, "application")
    filed = read_day(applied.get("date"))
    application_number = "".join(filter(str.isalnum, _word(applied, "doc_number")))[:LONGEST_NUMBER]
    number = f"{country}{application_number}" if application_number else written
    rows = [
        (
            _word(relative, "country"),
            _word(relative, "doc_number"),
            _word(relative, "kind"),
            relative.get("date"),
        )
        for name in ("related_docs", "pct_data")
        for relative in islice(_objects(entry, name), MOST_RELATIVES)
    ]
    filing = Filing(country, number, filed, "application")
    family = derive_family(filing, read_relatives(rows), written)
    counted = entry.get("n_external_files")
    n_files = sum(1 for _ in _objects(entry, "external_files"))
    is_counted = isinstance(counted, int) and not isinstance(counted, bool)
    return Bibliography(
        kind,
        country,
        filed,
        family.priority_on,
        family.earliest_nonprovisional_on,
        family.key,
        family.members,
        _classes(entry, "cpc_classes"),
        _classes(entry, "ipc_classes"),
        max(n_files, counted) if is_counted and isinstance(counted, int) else n_files,
    )


def read_structures(written: str, entry: Entry) -> list[RawStructure]:
    """Return the strings of a document as delivered, claims first, at most so many."""
    files = list(_objects(entry, "external_files"))
    files.sort(key=lambda file: _ORDER.index(_SECTIONS.get(_word(file, "section"), "")))
    strings = (
        RawStructure(
            written,
            text[:LONGEST_STRUCTURE],
            section,
            section,
            block if _BLOCK.fullmatch(block) else "",
            "cdx",
        )
        for file in files
        for section in [_SECTIONS.get(_word(file, "section"), "")]
        for block in [_word(file, "file")]
        for text in _texts(file, "compounds")
    )
    return list(islice(strings, MOST_STRUCTURES))


def _companies(entry: Entry, name: str) -> list[str]:
    """Return names of companies or persons, without repeats, in their order."""
    listed = entry.get(name)
    names: list[str] = []
    for party in listed if isinstance(listed, list) else []:
        if isinstance(party, str):
            names.append(party)
        elif isinstance(party, dict):
            person = f"{_word(party, 'first_name')} {_word(party, 'last_name')}"
            names.append(_word(party, "organization") or person)
    cleaned = (clean_text(name, 300) for name in names[:MOST_COMPANIES])
    return list(dict.fromkeys(name for name in cleaned if name and name != PERSON))


def _classes(entry: Entry, name: str) -> tuple[str, ...]:
    plain = (code.replace(" ", "") for code in islice(_texts(entry, name), MOST_CLASSES))
    return tuple(dict.fromkeys(code for code in plain if _CLASS.fullmatch(code)))


def _object(entry: Entry, name: str) -> Entry:
    inner_value = entry.get(name)
    return inner_value if isinstance(inner_value, dict) else {}


def _objects(entry: Entry, name: str) -> Iterator[Entry]:
    inner_value = entry.get(name)
    return (
        entry_object
        for entry_object in (inner_value if isinstance(inner_value, list) else [])
        if isinstance(entry_object, dict)
    )


def _texts(entry: Entry, name: str) -> Sequence[str]:
    inner_value = entry.get(name)
    return [
        text
        for text in (inner_value if isinstance(inner_value, list) else [])
        if isinstance(text, str)
    ]


def _word(entry: Entry, name: str) -> str:
    inner_value = entry.get(name)
    return inner_value.strip() if isinstance(inner_value, str) else ""


def is_weekly(path: Path, head: str) -> bool:
    """Return whether a file begins like a weekly list."""
    signs = ('"publication"', '"doc_number"', '"application"')
    return head.lstrip()[:1] in {"[", "{"} and all(sign in head for sign in signs)


IMPORTERS = (Importer("uspto-chem", is_weekly, read_weekly),)
