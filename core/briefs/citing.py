"""Numbers, marks and addresses of records, in the order in which a reader meets them."""

from collections.abc import Iterable, Mapping

from core.evidence.proof.citations import Citations
from core.records.evidence import Record


class Cite:
    """Gives the parts of an answer the numbers of their records."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        """Begin with no number given."""
        self.records = records
        self.citations = Citations()

    def numbers(self, record_ids: Iterable[str]) -> list[str]:
        """Return the numbers of records, ascending, each once."""
        return sorted({self.citations.cite(record_id) for record_id in record_ids}, key=int)

    def mark(self, record_ids: Iterable[str]) -> str:
        """Return the mark of records for a text, such as "[2][5]"; without records nothing."""
        return self.citations.mark(record_ids)

    def address(self, record_ids: Iterable[str]) -> str | None:
        """Return the address of the first record that has one."""
        urls = (
            self.records[record_id].url for record_id in record_ids if record_id in self.records
        )
        return next((url for url in urls if url), None)
