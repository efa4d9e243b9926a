"""Numbers of the documents and records that an answer cites, by first citation."""

from collections.abc import Iterable, Mapping

from core.evidence.proof.citations import Citations
from core.knowledge.assays.rows import documents
from core.records.evidence import Record
from core.records.sources import Source
from core.vocabulary.tables import TableRow

DOCUMENT = "document:"


class Numbering:
    """Gives documents of the tables and records of the evidence their numbers."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        """Begin with no number given."""
        self.records = records
        self._citations = Citations()

    def of_document(self, name: str) -> list[str]:
        """Return the number of a document as `source_ids`; nothing for no document."""
        return [self._citations.cite(f"{DOCUMENT}{name}")] if name else []

    def of_records(self, record_ids: Iterable[str]) -> list[str]:
        """Return the numbers of records."""
        return sorted({self._citations.cite(record_id) for record_id in record_ids}, key=int)

    def mark(self, names: Iterable[str]) -> str:
        """Return the mark of documents for a text."""
        return self._citations.mark(f"{DOCUMENT}{name}" for name in names)

    @property
    def documents(self) -> list[str]:
        """Return the documents that are cited, by number."""
        cited = self._citations.cited
        return [
            document.removeprefix(DOCUMENT) for document in cited if document.startswith(DOCUMENT)
        ]

    def sources(self) -> list[Source]:
        """Return everything cited, in order."""
        return [
            self._source(str(n), record_id)
            for n, record_id in enumerate(self._citations.cited, start=1)
        ]

    def _source(self, number: str, key: str) -> Source:
        if not key.startswith(DOCUMENT):
            record = self.records[key]
            return Source(id=number, title=record.title, url=record.url, source_type=record.kind)
        row = documents()[key.removeprefix(DOCUMENT)]
        title = f"{row.document}, {row.title}"
        when = ", ".join(filter(None, (row.year, row.status)))
        kind = "paper" if row.status == "paper" else "regulatory_guidance"
        return Source(id=number, title=f"{title} ({when})", url=row.source_url, source_type=kind)


def basis_of(row: TableRow) -> str:
    """Return what a row rests on, as answers say it; a fitted value counts as published."""
    return "published" if row.basis == "fitted" else row.basis
