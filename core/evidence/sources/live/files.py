"""A file that a user supplied, as a source: what has no interface of its own comes this way."""

from collections.abc import Iterator
from datetime import date
from functools import cached_property
from pathlib import Path

from core.evidence.sources.files.forms.reading import Importer, SourceFile, date_in_name
from core.evidence.sources.importing import recognize
from core.evidence.sources.live.base import AnswerStatus, SourceAnswer, SourceQuery
from core.records.evidence import PACKED_SECTIONS, Parsed
from core.records.names import fold_name

PORTION = 100
"""Changed records in one answer."""


class FileConnector:
    """One file, read by the importer that recognizes it; nothing is stored."""

    def __init__(self, path: Path, *, as_of: str = "", read_on: date) -> None:
        """Keep the path; the file is read on the first question.

        Args:
            path: The file.
            as_of: Date of the state that it shows; else the date in its name.
            read_on: Day of reading.
        """
        self.name = path.name
        self._path = path
        self._as_of = as_of or date_in_name(path)
        self._read_on = read_on
        self._damaged = 0

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return the records in which a name of every group occurs, in the file's order."""
        groups = [[fold_name(name) for name in group] for group in query.groups]
        found = [one for one in self._records if _meets(one, groups)]
        return self._page(found, query.cursor, query.limit)

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one record by its identifier in the source."""
        return self._page([one for one in self._records if one.record.source_id == source_id])

    def since(self, day: date, cursor: str = "") -> SourceAnswer:
        """Return records that changed on this day or later, the oldest first."""
        changed = [one for one in self._records if one.record.updated_on >= day.isoformat()]
        changed.sort(key=lambda one: (one.record.updated_on, one.record.id))
        return self._page(changed, cursor)

    @cached_property
    def _importer(self) -> Importer | None:
        return recognize(self._path) if self._path.exists() else None

    @cached_property
    def _records(self) -> tuple[Parsed, ...]:
        return tuple(self._read())

    def _read(self) -> Iterator[Parsed]:
        if self._importer is None:
            return
        day = self._read_on.isoformat()
        yield from self._importer.read(SourceFile(self._path, self._as_of, day, self._note))

    def _note(self, line: int, reason: str) -> None:
        self._damaged += 1

    def _page(self, found: list[Parsed], cursor: str = "", limit: int = PORTION) -> SourceAnswer:
        """Return a page of what was found, or why there is nothing."""
        if not self._path.exists():
            return SourceAnswer(self.name, "unavailable", message=f"{self.name} is gone")
        if self._importer is None:
            message = f"{self.name} is of no known kind"
            return SourceAnswer(self.name, "not_configured", message=message)
        begin = int(cursor) if cursor.isdecimal() else 0
        page = tuple(found[begin : begin + limit])
        end = begin + len(page)
        status: AnswerStatus = "answered" if page else "empty"
        status = "partial" if self._damaged else status
        message = f"{self._damaged} damaged rows were left out" if self._damaged else ""
        more = str(end) if end < len(found) else ""
        return SourceAnswer(
            self.name, status, page, "local", self._as_of, len(found), more, message
        )


def _meets(one: Parsed, groups: list[list[str]]) -> bool:
    """Return whether every group has a name in the record."""
    names = [fold_name(mention.name) for mention in one.record.mentions]
    texts = (one.text for one in one.record.spans if one.section not in PACKED_SECTIONS)
    whole = fold_name(f"{one.record.title} {' '.join(texts)}")
    return all(any(name in names or name in whole for name in group) for group in groups)
