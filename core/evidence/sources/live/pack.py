"""A source as the evidence pack holds it (local; as old as the last import)."""

from collections.abc import Sequence
from datetime import date

from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence_ports import EvidenceReader
from core.records.evidence import Parsed
from core.records.evidence_pack import FactQuery, TextQuery

PORTION = 100
"""Changed records in one answer."""


class PackConnector:
    """One source of the pack."""

    def __init__(self, name: str, evidence: EvidenceReader) -> None:
        """Keep the pack.

        Args:
            name: Source as its records carry it, such as "ctgov".
            evidence: The pack.
        """
        self.name = name
        self._evidence = evidence

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return records for words, best first."""
        begin = _place(query.cursor)
        end = begin + query.limit
        asked = TextQuery(query.groups, sources=(self.name,), limit=end + 1)
        ids = [hit.record_id for hit in self._evidence.search(asked)]
        return self._page(ids[begin:], end, query.limit)

    def since(self, day: date, cursor: str = "") -> SourceAnswer:
        """Return records that changed on this day or later, the oldest first."""
        begin = _place(cursor)
        ids = self._evidence.changed(self.name, day.isoformat(), limit=PORTION + 1, offset=begin)
        return self._page(ids, begin + PORTION, PORTION)

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one record by its identifier in the source."""
        return self._page([f"{self.name}:{source_id}"], 1, 1)

    def _page(self, ids: Sequence[str], end: int, size: int) -> SourceAnswer:
        """Return the records of one page; an id beyond it says that there are more."""
        held = next((one for one in self._evidence.sources() if one.source == self.name), None)
        if held is None:
            message = f"no record of {self.name} was imported"
            return SourceAnswer(self.name, "not_configured", message=message)
        records = self._read(ids[:size])
        if not records:
            message = f"{self.name} holds no such record"
            return SourceAnswer(self.name, "empty", (), "local", held.newest, 0, message=message)
        more = str(end) if len(ids) > size else ""
        return SourceAnswer(self.name, "answered", records, "local", held.newest, None, more)

    def _read(self, ids: Sequence[str]) -> tuple[Parsed, ...]:
        """Return records with their facts, in the order asked for; unknown ids miss."""
        stored = self._evidence.facts(FactQuery(record_ids=ids)) if ids else []
        found = [record for one in ids if (record := self._evidence.record(one))]
        return tuple(
            Parsed(one, tuple(fact.fact for fact in stored if fact.fact.record_id == one.id))
            for one in found
        )


def _place(cursor: str) -> int:
    """Return where a cursor points; anything else begins."""
    return int(cursor) if cursor.isdecimal() else 0
