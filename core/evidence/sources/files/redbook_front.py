"""The front page of a Red Book document: numbers, days, companies, classes, relatives."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.patents.numbers import (
    Family,
    Filing,
    FilingKind,
    derive_family,
    read_day,
    write_number,
    write_pct,
)
from core.evidence.sources.files.patent_packing import Bibliography

MOST_COMPANIES = 50
MOST_CLASSES = 200
MOST_RELATIVES = 500
_PROVISIONAL = "us-provisional-application"
_COMPANIES = {
    "assignee": (".//assignees/assignee/addressbook", ".//assignees/assignee"),
    "applicant": (
        ".//us-applicants/us-applicant/addressbook",
        ".//applicants/applicant/addressbook",
    ),
}


@dataclass(frozen=True, slots=True)
class Front:
    """What the front page says.

    Attributes:
        number: Publication number with kind; "" where there is none.
        country: Office.
        kind: Kind code.
        title: Title.
        published_on: Day of publication.
        filed_on: Day of the application.
        family: What its relatives say.
        cpc: CPC symbols.
        ipc: IPC symbols.
    """

    number: str
    country: str
    kind: str
    title: str
    published_on: str | None
    filed_on: str | None
    family: Family
    cpc: tuple[str, ...]
    ipc: tuple[str, ...]

    def bibliography(self, n_attachments: int) -> Bibliography:
        """Return what is kept of it beside title and companies."""
        return Bibliography(
            self.kind,
            self.country,
            self.filed_on,
            self.family.priority_on,
            self.family.earliest_nonprovisional_on,
            self.family.key,
            self.family.members,
            self.cpc,
            self.ipc,
            n_attachments,
        )


def read_front(root: ET.Element) -> Front:
    """Return the front page of a document."""
    country, number, kind, day = _identify(root.find(".//publication-reference/document-id"))
    written = write_number(country, number, kind) if kind else ""
    own_country, own_number, _, filed = _identify(root.find(".//application-reference/document-id"))
    filing = Filing(
        own_country, f"{own_country}{own_number}" or written, read_day(filed), "application"
    )
    relatives = list(islice(_relatives(root), MOST_RELATIVES))
    title = root.find(".//invention-title")
    return Front(
        written,
        country,
        kind,
        clean_text("".join(title.itertext()), 1_000) if title is not None else "",
        read_day(day),
        read_day(filed),
        derive_family(filing, relatives, written),
        _classes(root, "cpc"),
        _classes(root, "ipcr"),
    )


def _identify(element: ET.Element | None) -> tuple[str, str, str, str]:
    """Return country, number, kind and date of a `document-id`."""
    if element is None:
        return "", "", "", ""
    texts = [
        (element.findtext(name) or "").strip() for name in ("country", "doc-number", "kind", "date")
    ]
    return texts[0].upper(), texts[1], texts[2].upper(), texts[3]


def _relatives(root: ET.Element) -> Iterator[Filing]:
    """Yield what the document names: here every number says what it is."""
    paths: tuple[tuple[str, FilingKind], ...] = (
        (".//pct-or-regional-filing-data/document-id", "application"),
        (".//us-related-documents//parent-pct-document/document-id", "application"),
        (f".//us-related-documents/{_PROVISIONAL}/document-id", "provisional"),
        (".//us-related-documents//parent-doc/document-id", "application"),
        (".//us-related-documents//parent-grant-document/document-id", "publication"),
        (".//us-related-documents/related-publication/document-id", "publication"),
        (".//pct-or-regional-publishing-data/document-id", "publication"),
    )
    for path, what in paths:
        for element in root.iterfind(path):
            yield from _filing(_identify(element), what)
    for claim in root.iterfind(".//priority-claims/priority-claim"):
        yield from _filing(_identify(claim), "foreign")


def _filing(fields: tuple[str, str, str, str], what: FilingKind) -> Iterator[Filing]:
    country, number, kind, day = fields
    plain = "".join(sign for sign in number.upper() if sign.isalnum())
    pct = write_pct(number)
    if pct:
        yield Filing("WO", pct, read_day(day), "pct")
    elif what == "publication" and (written := write_number(country, number, kind)):
        yield Filing(country, written, read_day(day), what)
    elif what != "publication" and plain and country:
        yield Filing(country, f"{country}{plain}"[:40], read_day(day), what)


def read_companies(root: ET.Element, relation: str) -> list[str]:
    """Return names of assignees or applicants, without repeats, in their order."""
    for path in _COMPANIES[relation]:
        names = [_name(element) for element in islice(root.iterfind(path), MOST_COMPANIES)]
        if any(names):
            return list(dict.fromkeys(name for name in names if name))
    return []


def _name(book: ET.Element) -> str:
    """Return the organization of an address, or the person."""
    organization = book.find("orgname")
    if organization is not None:
        return clean_text("".join(organization.itertext()), 300)
    person = f"{book.findtext('first-name') or ''} {book.findtext('last-name') or ''}"
    return clean_text(person, 300)


def _classes(root: ET.Element, scheme: str) -> tuple[str, ...]:
    codes = []
    for element in islice(root.iter(f"classification-{scheme}"), MOST_CLASSES):
        texts = [
            (element.findtext(level) or "").strip()
            for level in ("section", "class", "subclass", "main-group", "subgroup")
        ]
        if all(texts):
            codes.append(f"{texts[0]}{texts[1]}{texts[2]}{texts[3]}/{texts[4]}"[:30])
    return tuple(dict.fromkeys(codes))
