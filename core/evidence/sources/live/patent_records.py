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


def parse_document(said: LiveDocument) -> Parsed:
    """Return the record of a document."""
    spans = [
        Span(section, text, 0, len(text))
        for section, longest in (
            ("abstract", 10_000),
            ("claims", LONGEST_CLAIMS),
            ("description", LONGEST_DESCRIPTION),
        )
        if (text := _lines(getattr(said, section), longest))
    ]
    spans.append(pack_bibliography(_bibliography(said)))
    if said.structures:
        spans.append(pack_structures(said.structures))
    return Parsed(
        Record(
            source=said.source,
            source_id=said.number,
            url=said.url or address_of(said.number),
            kind="patent",
            title=clean_text(said.title, 1_000) or said.number,
            published_on=said.published_on or "",
            updated_on=said.published_on or "",
            fetched_at=said.fetched_at,
            licence=said.licence,
            origin=said.source,
            spans=tuple(spans),
            mentions=(*_companies(said.assignees, "assignee"), *_companies(said.applicants)),
        )
    )


def _bibliography(said: LiveDocument) -> Bibliography:
    """Return what is kept of a document beside its texts and companies."""
    office, _, kind = split_number(said.number)
    own = Filing(office, said.application or said.number, said.filed_on, "application")
    family = derive_family(own, said.relatives, said.number)
    return Bibliography(
        kind,
        office,
        said.filed_on,
        family.priority_on,
        # what only a priority tells may hide an earlier application
        family.earliest_nonprovisional_on if said.filed_on else None,
        said.family or family.key,
        tuple(sorted({*said.members, *family.members} - {said.number})),
        tuple(dict.fromkeys(said.cpc))[:MOST_CLASSES],
        tuple(dict.fromkeys(said.ipc))[:MOST_CLASSES],
        len(said.structures),
    )


def _lines(text: str, longest: int) -> str:
    cleaned = (clean_text(line) for line in text[: 2 * longest].split("\n"))
    return "\n".join(line for line in cleaned if line)[:longest]


def _companies(names: Sequence[str], relation: str = "applicant") -> list[Mention]:
    cleaned = dict.fromkeys(clean_text(name, 300) for name in names[:MOST_COMPANIES])
    return [Mention("company", name, relation=relation) for name in cleaned if name]
