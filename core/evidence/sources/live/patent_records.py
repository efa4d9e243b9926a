"""Patent documents of live sources as records, in the form in which imported ones are held."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.patents.numbers import Filing, derive_family, split_number
from core.evidence.sources.files.patent_packing import (
    Bibliography,
    pack_bibliography,
    pack_structures,
)
from core.evidence.sources.files.uspto_chem import address_of
from core.records.evidence import Mention, Parsed, Record, Span
from core.records.patents import RawStructure

LONGEST_CLAIMS = 400_000
LONGEST_DESCRIPTION = 1_500_000
MOST_COMPANIES = 50
MOST_CLASSES = 200


@dataclass(frozen=True, slots=True)
class LiveDocument:
    """What a live source says of a document; empty where it does not say.

    Attributes are those of `PatentDocument`; `relatives` holds applications and priorities.
    """

    source: str
    number: str
    title: str
    licence: str
    fetched_at: str
    abstract: str = ""
    claims: str = ""
    description: str = ""
    assignees: Sequence[str] = ()
    applicants: Sequence[str] = ()
    filed_on: str | None = None
    published_on: str | None = None
    family: str = ""
    members: Sequence[str] = ()
    application: str = ""
    relatives: Sequence[Filing] = ()
    cpc: Sequence[str] = ()
    ipc: Sequence[str] = ()
    structures: Sequence[RawStructure] = ()
    url: str = ""


def parse_document(document: LiveDocument) -> Parsed:
    """Return the record of a document."""
    spans = [
        Span(section, text, 0, len(text))
        for section, longest in (
            ("abstract", 10_000),
            ("claims", LONGEST_CLAIMS),
            ("description", LONGEST_DESCRIPTION),
        )
        if (text := _lines(getattr(document, section), longest))
    ]
    spans.append(pack_bibliography(_bibliography(document)))
    if document.structures:
        spans.append(pack_structures(document.structures))
    return Parsed(
        Record(
            source=document.source,
            source_id=document.number,
            url=document.url or address_of(document.number),
            kind="patent",
            title=clean_text(document.title, 1_000) or document.number,
            published_on=document.published_on or "",
            updated_on=document.published_on or "",
            fetched_at=document.fetched_at,
            licence=document.licence,
            origin=document.source,
            spans=tuple(spans),
            mentions=(
                *_companies(document.assignees, "assignee"),
                *_companies(document.applicants),
            ),
        )
    )


def _bibliography(document: LiveDocument) -> Bibliography:
    """Return what is kept of a document beside its texts and companies."""
    office, _, kind = split_number(document.number)
    filing = Filing(
        office, document.application or document.number, document.filed_on, "application"
    )
    family = derive_family(filing, document.relatives, document.number)
    return Bibliography(
        kind,
        office,
        document.filed_on,
        family.priority_on,
        # what only a priority tells may hide an earlier application
        family.earliest_nonprovisional_on if document.filed_on else None,
        document.family or family.key,
        tuple(sorted({*document.members, *family.members} - {document.number})),
        tuple(dict.fromkeys(document.cpc))[:MOST_CLASSES],
        tuple(dict.fromkeys(document.ipc))[:MOST_CLASSES],
        len(document.structures),
    )


def _lines(text: str, longest: int) -> str:
    cleaned = (clean_text(line) for line in text[: 2 * longest].split("\n"))
    return "\n".join(line for line in cleaned if line)[:longest]


def _companies(names: Sequence[str], relation: str = "applicant") -> list[Mention]:
    cleaned = dict.fromkeys(clean_text(name, 300) for name in names[:MOST_COMPANIES])
    return [Mention("company", name, relation=relation) for name in cleaned if name]
