"""Patents that this instance holds: imported weekly files and Red Book documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.evidence.readers.patents.names import FamilyReader, TargetReader
from core.evidence.sources.files.patent_packing import (
    BIBLIOGRAPHY,
    STRUCTURES,
    describe_document,
    read_bibliography,
    unpack_structures,
)
from core.evidence_ports import EvidenceReader
from core.records.evidence import Record, Span
from core.records.evidence_pack import SourceCount, TextQuery
from core.records.patents import (
    Naming,
    PatentDocument,
    PatentText,
    RawStructure,
    Section,
    SourceAnswer,
    TargetNames,
    TextLine,
)
from core.records.sources import AnswerStatus
from core.vocabulary.sources import PATENT_KINDS, PATENT_SOURCES

KINDS: Mapping[str, str] = dict(zip(PATENT_SOURCES, PATENT_KINDS, strict=True))
"""Word of the command line by source."""
MOST_CANDIDATES = 4_000
"""Documents whose words are read; the text index puts the telling ones first."""
MOST_DESCRIPTIONS = 400
"""Descriptions read where neither title nor abstract nor claims name the target."""
CONTEXT = (
    *("inhibitor", "inhibit", "kinase", "receptor", "protein", "gene", "activity", "modulator"),
    "pathway",
)
"""Words of which one must occur in a document that is found by a plain word (index only)."""
TEXTS: tuple[Section, ...] = ("claims", "description")
"""Sections in which names are written."""
RANKS: Mapping[Naming, int] = {"title": 0, "claims": 1, "abstract": 2, "description": 3}
Passages = Mapping[str, Sequence[Span]]


@dataclass
class _Judged:
    """What records name.

    Attributes:
        records: By id.
        texts: Abstract and claims by id.
        mentions: Sections that name the target, or its family alone, by id.
        named_as: Name of the family by id, for those that name the family alone.
        relatives: Name of another member by id, for those that name no more.
    """

    records: Mapping[str, Record]
    texts: Passages
    mentions: dict[str, tuple[Naming, ...]] = field(default_factory=dict)
    named_as: dict[str, str] = field(default_factory=dict)
    relatives: dict[str, str] = field(default_factory=dict)


class HeldPatents:
    """The pool of imported documents (core.patent_ports.PatentPool)."""

    def __init__(self, evidence: EvidenceReader) -> None:
        """Keep the pack."""
        self._evidence = evidence
        self._answers: list[SourceAnswer] = []

    def find(self, names: TargetNames, limit: int) -> Sequence[PatentDocument]:
        """Return at most `limit` documents that name the target, the most relevant first.

        Documents that write only the name of the target's family follow those that name it, and
        say so. Documents that name only relatives of the target in title, abstract and claims are
        left out; those of its family are counted. Of two copies of one document, the one with its
        texts is told.
        """
        documents: dict[str, PatentDocument] = {}
        ids = self._candidates(names)
        read = self._judge(ids, TargetReader(names), FamilyReader(names))
        for document in self._describe(read):
            fuller = documents.get(document.publication_number)
            if fuller is None or _fullness(document) > _fullness(fuller):
                documents[document.publication_number] = document
        ranked = sorted(documents.values(), key=_place)
        left = sorted((key.partition(":")[2], name) for key, name in read.relatives.items())
        self._note(ranked, [entry for entry in dict(left).items() if entry[0] not in documents])
        return ranked[:limit]

    def structures(
        self, publication_numbers: Sequence[str]
    ) -> Mapping[str, Sequence[RawStructure]]:
        """Return raw structures by document, claims first; documents without any are left out."""
        ids = [f"{source}:{number}" for number in publication_numbers for source in PATENT_SOURCES]
        packed = self._evidence.passages(ids, [STRUCTURES])
        structures: dict[str, Sequence[RawStructure]] = {}
        for number in publication_numbers:
            for source in reversed(PATENT_SOURCES):
                spans = packed.get(f"{source}:{number}", ())
                read_structures = [
                    structure
                    for span in spans
                    for structure in unpack_structures(number, span.text)
                ]
                if read_structures:
                    structures[number] = read_structures
                    break
        return structures

    def texts(self, publication_numbers: Sequence[str]) -> Mapping[str, Sequence[PatentText]]:
        """Return claims and description by document; documents without texts are left out."""
        ids = [f"{source}:{number}" for number in publication_numbers for source in PATENT_SOURCES]
        stored_passages = self._evidence.passages(ids, TEXTS)
        texts: dict[str, Sequence[PatentText]] = {}
        for number in publication_numbers:
            spans = next(
                (
                    stored_passages[f"{source}:{number}"]
                    for source in reversed(PATENT_SOURCES)
                    if stored_passages.get(f"{source}:{number}")
                ),
                (),
            )
            if spans:
                texts[number] = read_texts(spans)
        return texts

    def answers(self) -> Sequence[SourceAnswer]:
        """Return what each source answered so far, in the order in which they were asked."""
        return tuple(self._answers)

    def _candidates(self, names: TargetNames) -> list[str]:
        """Return records that may name the target, its family or a relative, best first."""
        words = set(names.contextual)
        word_groups = []
        for name_list in (names.names, names.family, names.members):
            plain = [name for name in name_list if name not in words]
            contextual = [name for name in name_list if name in words]
            word_groups += [[plain]] if plain else []
            word_groups += [[contextual, list(CONTEXT)]] if contextual else []
        ids: dict[str, None] = {}
        for groups in word_groups:
            query = TextQuery(
                groups, kinds=("patent",), sources=PATENT_SOURCES, limit=MOST_CANDIDATES
            )
            ids.update(dict.fromkeys(hit.record_id for hit in self._evidence.search(query)))
        return list(ids)

    def _judge(self, ids: Sequence[str], reader: TargetReader, family: FamilyReader) -> _Judged:
        """Return which records name the target, its family alone, or relatives alone."""
        records = self._evidence.records(ids)
        texts = self._evidence.passages(ids, ["abstract", "claims"])
        judged = _Judged(records, texts)
        unnamed = []
        for record_id in (record_id for record_id in ids if record_id in records):
            above = _texts_above(records[record_id], texts)
            member = family.names_member("\n".join(above.values()))
            if sections := _sections(above, reader.names_target):
                judged.mentions[record_id] = sections
            elif not member and (sections := _sections(above, family.names_family)):
                judged.mentions[record_id] = sections
                judged.named_as[record_id] = family.names_family(above[sections[0]])
            elif member:
                judged.relatives[record_id] = member
            else:
                unnamed.append(record_id)
        described = self._descriptions([*unnamed, *judged.relatives], records, texts, reader)
        judged.mentions.update(dict.fromkeys(described, ("description",)))
        return judged

    def _describe(self, judged: _Judged) -> Iterator[PatentDocument]:
        """Yield the documents that name the target or its family."""
        kept_sections = list(judged.mentions)
        bibliographies = self._evidence.passages(kept_sections, [BIBLIOGRAPHY])
        mentions = self._evidence.mentions(kept_sections)
        for record_id in kept_sections:
            spans = bibliographies.get(record_id, ())
            if spans:
                record = replace(
                    judged.records[record_id], mentions=tuple(mentions.get(record_id, ()))
                )
                abstract = _text(judged.texts, record_id, "abstract")
                document = describe_document(record, read_bibliography(spans[0].text), abstract)
                yield replace(
                    document,
                    mentions=judged.mentions[record_id],
                    named_as=judged.named_as.get(record_id, ""),
                )

    def _descriptions(
        self,
        ids: Sequence[str],
        records: Mapping[str, Record],
        texts: Passages,
        reader: TargetReader,
    ) -> set[str]:
        """Return the records whose description alone names the target, but no relative above."""
        open_ones = [
            record_id
            for record_id in ids
            if not reader.names_relative(f"{records[record_id].title}\n{_joined(texts, record_id)}")
        ]
        chosen = open_ones[:MOST_DESCRIPTIONS]
        passages = self._evidence.passages(chosen, ["description"]) if chosen else {}
        return {
            record_id
            for record_id, spans in passages.items()
            if any(reader.names_target(s.text) for s in spans)
        }

    def _note(
        self, documents: Sequence[PatentDocument], left: Sequence[tuple[str, str]] = ()
    ) -> None:
        stored_counts = {source.source: source for source in self._evidence.sources()}
        files = self._evidence.files()
        for source in PATENT_SOURCES:
            count = sum(document.source == source for document in documents)
            read = [file for file in files if file.format == KINDS[source]]
            if source not in stored_counts:
                message = f"no file imported: evidence import {KINDS[source]} FILE"
                answer = SourceAnswer(source, "local", "not_configured", "", 0, message)
            else:
                message = _say_held(stored_counts[source], len({file.name for file in read}))
                status: AnswerStatus = "answered" if count else "empty"
                when = max((file.imported_at for file in read), default="")
                answer = SourceAnswer(source, "local", status, when, count, message)
            self._answers.append(answer)
        if left:
            self._answers[-1] = replace(self._answers[-1], relatives=tuple(left))


def _texts_above(record: Record, texts: Passages) -> dict[Naming, str]:
    """Return the texts of a record above the description, the strongest first."""
    return {
        "title": record.title,
        "claims": _text(texts, record.id, "claims"),
        "abstract": _text(texts, record.id, "abstract"),
    }


def _sections(
    sections: Mapping[Naming, str], names_it: Callable[[str], bool | str]
) -> tuple[Naming, ...]:
    """Return the sections whose text names something, strongest first."""
    return tuple(section for section, text in sections.items() if names_it(text))


def _say_held(count: SourceCount, n_files: int) -> str:
    """Say how many documents of how many files and of which days are held."""
    number = f"{count.records:,} document{'' if count.records == 1 else 's'}"
    if n_files > 1:
        number += f" of {n_files} files"
    if count.oldest == count.newest:
        return f"{number} of {count.oldest or 'unknown days'}"
    return f"{number} of {count.oldest or '?'} to {count.newest or '?'}"


def read_texts(spans: Sequence[Span]) -> list[PatentText]:
    """Return claims and description of a record line by line."""
    return [
        PatentText(section, tuple(TextLine(line) for line in span.text.split("\n")))
        for section in TEXTS
        for span in spans
        if span.section == section
    ]


def _text(texts: Passages, record_id: str, section: str) -> str:
    return "\n".join(span.text for span in texts.get(record_id, ()) if span.section == section)


def _joined(texts: Passages, record_id: str) -> str:
    return "\n".join(span.text for span in texts.get(record_id, ()))


def _fullness(document: PatentDocument) -> tuple[bool, int]:
    return (document.source == "uspto_redbook", document.n_attachments)


def _place(document: PatentDocument) -> tuple[bool, int, bool, int, str]:
    """Return where a document stands: what names the target itself, drawings, age, number."""
    first = RANKS[document.mentions[0]]
    age = -int((document.published_on or "0000-00-00").replace("-", ""))
    is_kin = bool(document.named_as)
    return (is_kin, first, document.n_attachments == 0, age, document.publication_number)
