"""The pool of patents of an instance: imported records, and live sources where allowed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from core.evidence.patents.stored import RANKS, HeldPatents, read_texts
from core.evidence.readers.patents.names import TargetReader
from core.evidence.sources.files.patent_packing import (
    BIBLIOGRAPHY,
    STRUCTURES,
    describe_document,
    read_bibliography,
    unpack_structures,
)
from core.evidence.sources.live import epo_ops, surechembl, uspto_odp
from core.evidence.sources.live.base import Connector, SourceQuery
from core.evidence.sources.live.base import SourceAnswer as Answer
from core.evidence.sources.live.web import Site, open_site
from core.evidence_ports import EvidenceReader
from core.patent_ports import PatentPool
from core.ports import Rates
from core.records.evidence import Parsed
from core.records.patents import (
    Naming,
    PatentDocument,
    PatentText,
    RawStructure,
    SourceAnswer,
    TargetNames,
)
from core.records.sources import AnswerStatus
from core.settings import Settings

MOST_FETCHED = 60
"""Documents whose text is fetched because their title does not name the target."""
PAGE = 100
Chemistry = Callable[[str], Answer]
_SECTIONS: tuple[Naming, ...] = ("claims", "abstract", "description")


class LivePatents:
    """One live source as a pool (core.patent_ports.PatentPool)."""

    def __init__(
        self, connector: Connector, now: datetime, chemistry: Chemistry | None = None
    ) -> None:
        """Keep the source."""
        self._connector = connector
        self._now = now.isoformat(timespec="seconds")
        self._chemistry = chemistry
        self._answers: list[SourceAnswer] = []

    def find(self, names: TargetNames, limit: int) -> Sequence[PatentDocument]:
        """Return at most `limit` documents that name the target, the most relevant first."""
        reader = TargetReader(names)
        documents: dict[str, PatentDocument] = {}
        cursor, fetched, last = "", 0, Answer(self._connector.name, "empty")
        while len(documents) < limit:
            query = SourceQuery([list(names.names)], min(PAGE, limit), cursor)
            last = self._connector.search(query)
            for parsed in last.records:
                document = _describe(parsed, reader)
                if not document.mentions and fetched < MOST_FETCHED:
                    fetched += 1
                    document = self._fetched(document, reader)
                if document.mentions:
                    documents.setdefault(document.publication_number, document)
            cursor = last.next_cursor
            if not cursor:
                break
        self._note(last, len(documents))
        return sorted(documents.values(), key=_place)[:limit]

    def structures(
        self, publication_numbers: Sequence[str]
    ) -> Mapping[str, Sequence[RawStructure]]:
        """Return raw structures by document; it stops when the source stops answering."""
        structures: dict[str, Sequence[RawStructure]] = {}
        answer = None
        for number in publication_numbers if self._chemistry else ():
            answer = self._chemistry(number) if self._chemistry else answer
            read_structures = [
                structure
                for parsed in (answer.records if answer else ())
                for span in parsed.record.spans
                if span.section == STRUCTURES
                for structure in unpack_structures(number, span.text)
            ]
            if read_structures:
                structures[number] = read_structures
            if answer and answer.status not in {"answered", "empty"}:
                break
        if answer:
            self._note(answer, len(structures))
        return structures

    def texts(self, publication_numbers: Sequence[str]) -> Mapping[str, Sequence[PatentText]]:
        """Return claims and description by document; it stops when the source stops answering."""
        texts: dict[str, Sequence[PatentText]] = {}
        for number in publication_numbers[:MOST_FETCHED]:
            answer = self._connector.fetch(number)
            spans = [span for parsed in answer.records[:1] for span in parsed.record.spans]
            read_passages = read_texts(spans)
            if read_passages:
                texts[number] = read_passages
            if answer.status not in {"answered", "empty"}:
                break
        return texts

    def answers(self) -> Sequence[SourceAnswer]:
        """Return what the source answered so far."""
        return tuple(self._answers)

    def _fetched(self, document: PatentDocument, reader: TargetReader) -> PatentDocument:
        """Return a document with its texts read; as it was where there are none."""
        answer = self._connector.fetch(document.publication_number)
        return _describe(answer.records[0], reader) if answer.records else document

    def _note(self, answer: Answer, count: int) -> None:
        status: AnswerStatus = answer.status
        if count and status not in {"answered", "empty"}:
            status = "partial"
        elif count:
            status = "answered"
        name = self._connector.name
        self._answers.append(SourceAnswer(name, "live", status, self._now, count, answer.message))


def _describe(parsed: Parsed, reader: TargetReader) -> PatentDocument:
    """Return the document of a record, with the sections that name the target."""
    texts = {span.section: span.text for span in parsed.record.spans}
    bibliography = read_bibliography(texts[BIBLIOGRAPHY])
    document = describe_document(parsed.record, bibliography, texts.get("abstract", ""))
    named: list[Naming] = ["title"] if reader.names_target(document.title) else []
    named += [section for section in _SECTIONS if reader.names_target(texts.get(section, ""))]
    above = "\n".join([document.title, texts.get("claims", ""), document.abstract])
    if named == ["description"] and reader.names_relative(above):
        named = []
    return replace(document, record_id="", mentions=tuple(named))


def _place(document: PatentDocument) -> tuple[int, int, str]:
    age = -int((document.published_on or "0000-00-00").replace("-", ""))
    return (RANKS[document.mentions[0]], age, document.publication_number)


class JoinedPatents:
    """Several pools as one; of two copies of a document the earlier pool's counts."""

    def __init__(self, pools: Sequence[PatentPool]) -> None:
        """Keep the pools, the most trusted first."""
        self._pools = tuple(pools)

    def find(self, names: TargetNames, limit: int) -> Sequence[PatentDocument]:
        """Return at most `limit` documents that name the target, the most relevant first."""
        documents: dict[str, PatentDocument] = {}
        for pool in self._pools:
            for document in pool.find(names, limit):
                stored_document = documents.setdefault(document.publication_number, document)
                if stored_document is not document and document.family.startswith("DOCDB"):
                    documents[document.publication_number] = _with_family(stored_document, document)
        return sorted(documents.values(), key=_place)[:limit]

    def structures(
        self, publication_numbers: Sequence[str]
    ) -> Mapping[str, Sequence[RawStructure]]:
        """Return raw structures by document; a later pool is asked for what earlier ones miss."""
        structures: dict[str, Sequence[RawStructure]] = {}
        for pool in self._pools:
            missing = [number for number in publication_numbers if number not in structures]
            structures |= pool.structures(missing) if missing else {}
        return structures

    def texts(self, publication_numbers: Sequence[str]) -> Mapping[str, Sequence[PatentText]]:
        """Return claims and description by document; a later pool is asked for the rest."""
        texts: dict[str, Sequence[PatentText]] = {}
        for pool in self._pools:
            missing = [number for number in publication_numbers if number not in texts]
            texts |= pool.texts(missing) if missing else {}
        return texts

    def answers(self) -> Sequence[SourceAnswer]:
        """Return what each source answered so far, pool by pool."""
        return tuple(answer for pool in self._pools for answer in pool.answers())


def _with_family(document: PatentDocument, other: PatentDocument) -> PatentDocument:
    """Return a document with the DOCDB family and the members that another source tells."""
    members = {*document.family_members, *other.family_members} - {document.publication_number}
    return replace(document, family=other.family, family_members=tuple(sorted(members)))


BUDGET_S = 60.0
"""Seconds for all questions to one live source."""
EPO_PAUSE_S = 2.0
"""Its header grants 30 searches a minute when it is idle."""


def patent_connectors(
    settings: Settings, day: date, rates: Rates | None = None
) -> tuple[uspto_odp.UsptoOdpConnector, surechembl.SureChemblConnector, epo_ops.EpoOpsConnector]:
    """Return the live sources of an instance, the most trusted first; they may lack their key."""

    def site(name: str, address: str, pause_s: float = 0.2) -> Site:
        return open_site(settings, name, address, BUDGET_S, pause_s=pause_s, rates=rates)

    return (
        uspto_odp.UsptoOdpConnector(
            site(uspto_odp.NAME, uspto_odp.ADDRESS), settings.uspto_odp_api_key or "", day
        ),
        surechembl.SureChemblConnector(site(surechembl.NAME, surechembl.ADDRESS), day),
        epo_ops.EpoOpsConnector(
            site(epo_ops.NAME, epo_ops.ADDRESS, EPO_PAUSE_S), settings.epo_ops_api_key or "", day
        ),
    )


def open_patents(
    evidence: EvidenceReader, settings: Settings, now: datetime, rates: Rates | None = None
) -> PatentPool:
    """Return the pool of an instance.

    Live sources are members only where `BPW_LIVE_PATENTS` allows them and the instance is not
    offline; a run that asks them is no longer the same for the same evidence.
    """
    held_patents = HeldPatents(evidence)
    if settings.offline or not settings.live_patents:
        return held_patents
    portal, texts, services = patent_connectors(settings, now.date(), rates)
    return JoinedPatents(
        [
            held_patents,
            LivePatents(portal, now),
            LivePatents(texts, now, texts.chemistry),
            LivePatents(services, now),
        ]
    )
