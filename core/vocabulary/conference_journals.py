"""Journals whose supplements print the abstracts of meetings."""

from collections.abc import Mapping
from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class ConferenceJournalRow(TableRow):
    """A journal.

    Attributes:
        journal: Its title, as Crossref has it.
        meeting: Society or meeting whose abstracts it prints.
    """

    journal: str
    meeting: str


@cache
def meetings_by_journal() -> Mapping[str, str]:
    """Return meetings by title of the journal."""
    rows = load_rows("conference_journals", ConferenceJournalRow)
    return {row.journal: row.meeting for row in rows}
