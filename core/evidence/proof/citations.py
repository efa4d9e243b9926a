"""Numbers, marks and addresses of sources, in the order in which text cites them."""

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from core.errors import WorkbenchError
from core.records.evidence import Record
from core.records.sources import Source


def record_page(record_id: str) -> str:
    """Return the address, on this instance, of the page that shows a record.

    >>> record_page("pack:roles/a b")
    '/record?id=pack%3Aroles%2Fa%20b'
    """
    return f"/record?id={quote(record_id, safe='')}"


class UncitedClaim(WorkbenchError):
    """A text cites a source that is not there."""

    code = "uncited_claim"


class Citations:
    """Gives each record its number when it is first cited, from "1" on."""

    def __init__(self) -> None:
        """Begin with no source."""
        self._numbers: dict[str, str] = {}

    def cite(self, record_id: str) -> str:
        """Return the number of a record as it stands in `source_ids`."""
        return self._numbers.setdefault(record_id, str(len(self._numbers) + 1))

    def number(self, record_id: str) -> str:
        """Return the number of a record that is cited already; "" for any other."""
        return self._numbers.get(record_id, "")

    @property
    def cited(self) -> list[str]:
        """Return the cited records in the order of their numbers."""
        return list(self._numbers)

    def mark(self, record_ids: Iterable[str]) -> str:
        """Return the mark for a text, such as "[2][5]"; without records nothing."""
        numbers = sorted({int(self.cite(record_id)) for record_id in record_ids})
        return "".join(f"[{number}]" for number in numbers)

    def sources(self, records: Mapping[str, Record]) -> list[Source]:
        """Return the cited sources in order; one without a title is called by its identifier.

        Raises:
            UncitedClaim: A cited record is not among them.
        """
        missing = [number for number in self._numbers if number not in records]
        if missing:
            raise UncitedClaim(f"cited records are not in the evidence: {', '.join(missing[:5])}")
        return [
            Source(
                id=number,
                title=records[record_id].title or records[record_id].source_id,
                url=records[record_id].url or record_page(record_id),
                source_type=records[record_id].kind,
            )
            for record_id, number in self._numbers.items()
        ]


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
