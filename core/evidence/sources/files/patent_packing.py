"""Patents in the evidence pack: structures and bibliography of a document, each one passage.

A year of US chemistry holds 100,000 documents with some ten million strings. As rows of their own
they would outweigh all other evidence; packed they take a fifth of the text and are read in one
question. Neither passage is searched (storage.evidence.rows).
"""

import base64
import binascii
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from core.records.evidence import PACKED_SECTIONS, Record, Span
from core.records.patents import Legal, PatentDocument, RawStructure

BIBLIOGRAPHY, STRUCTURES = PACKED_SECTIONS
LARGEST = 60_000_000
"""Characters of one document's structures after unpacking; a pack may come from elsewhere."""


@dataclass(frozen=True, slots=True)
class Bibliography:
    """What is told of a document besides title, abstract and companies.

    Attributes are those of `PatentDocument` of the same names.
    """

    kind: str
    country: str
    filed_on: str | None
    priority_on: str | None
    earliest_nonprovisional_on: str | None
    family: str
    family_members: tuple[str, ...]
    cpc: tuple[str, ...]
    ipc: tuple[str, ...]
    n_attachments: int


def pack_bibliography(bibliography: Bibliography) -> Span:
    """Return it as a passage."""
    values = [getattr(bibliography, field.name) for field in fields(bibliography)]
    text = json.dumps(values, separators=(",", ":"))
    return Span(BIBLIOGRAPHY, text, 0, len(text))


def read_bibliography(text: str) -> Bibliography:
    """Return what a passage of our own holds."""
    values: list[Any] = [
        tuple(field) if isinstance(field, list) else field for field in json.loads(text)
    ]
    return Bibliography(*values)


def pack_structures(structures: Sequence[RawStructure]) -> Span:
    """Return the structures of one document as a passage."""
    rows = [
        [*location, [structure.text for structure in group]]
        for location, group in groupby(structures, key=_place)
    ]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    packed = base64.b85encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii")
    return Span(STRUCTURES, packed, 0, len(structures))


def _place(structure: RawStructure) -> tuple[str, ...]:
    return (
        structure.section,
        structure.location,
        structure.block,
        structure.method,
        structure.label,
        structure.part,
    )


def unpack_structures(publication_number: str, packed: str) -> Iterator[RawStructure]:
    """Yield the structures of a passage; none of what is damaged or too large."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(base64.b85decode(packed), LARGEST)
        rows = json.loads(text) if unpacking.eof else []
    except (ValueError, zlib.error, binascii.Error):
        return
    for section, location, block, method, label, kind, texts in rows:
        for text in texts:
            yield RawStructure(
                publication_number, text, section, location, block, method, label, kind
            )


def legal_of(country: str, kind: str) -> Legal:
    """Return what a document is in law when it is published.

    >>> legal_of("US", "B2"), legal_of("WO", "A1"), legal_of("US", "A1"), legal_of("US", "E1")
    ('granted', 'pct', 'pending', 'granted')
    """
    if country == "WO":
        return "pct"
    return "granted" if kind[:1] in {"B", "C", "E"} else "pending"


def describe_document(record: Record, bibliography: Bibliography, abstract: str) -> PatentDocument:
    """Return the document of a record, whose mentions are its companies."""
    named = {
        relation: tuple(mention.name for mention in record.mentions if mention.relation == relation)
        for relation in ("assignee", "applicant")
    }
    return PatentDocument(
        publication_number=record.source_id,
        kind=bibliography.kind,
        country=bibliography.country,
        title=record.title,
        abstract=abstract,
        assignees=named["assignee"],
        applicants=named["applicant"],
        filed_on=bibliography.filed_on,
        published_on=record.published_on or None,
        priority_on=bibliography.priority_on,
        earliest_nonprovisional_on=bibliography.earliest_nonprovisional_on,
        family=bibliography.family,
        family_members=bibliography.family_members,
        cpc=bibliography.cpc,
        ipc=bibliography.ipc,
        legal=legal_of(bibliography.country, bibliography.kind),
        n_attachments=bibliography.n_attachments,
        record_id=record.id,
        url=record.url,
        source=record.source,
        retrieved_at=record.fetched_at,
        licence=record.licence,
    )
