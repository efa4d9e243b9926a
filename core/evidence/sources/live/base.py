"""What every source must offer: search, fetch and what is new since a day, answered typed.

A source that does not answer says so; an empty answer is never taken for "nothing found".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.records.evidence import Parsed
from core.records.sources import AnswerStatus

Origin = Literal["live", "local", ""]


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """What to look for.

    Attributes:
        groups: Each group holds alternatives (aliases of a name) of which one must occur.
        limit: Records at most.
        cursor: Where an earlier answer ended; "" begins.
        drugs: Names of drugs, one of which is given.
        diseases: Names of diseases, one of which is treated.
        companies: Names of companies, one of which is responsible.
        since: Records that changed on this day or later (YYYY-MM-DD); "": of any day.
        ciks: Numbers of companies at the SEC.
    """

    groups: Sequence[Sequence[str]]
    limit: int = 100
    cursor: str = ""
    drugs: Sequence[str] = ()
    diseases: Sequence[str] = ()
    companies: Sequence[str] = ()
    since: str = ""
    ciks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """What a source says.

    Attributes:
        source: Its short name.
        status: What became of the question.
        records: Records with their facts, best first.
        origin: Where they came from; "" when there is no answer.
        as_of: Date of the state that they show; "" if unknown.
        n_hits: Hits that the source counts; None where it does not tell.
        next_cursor: Where to go on; "" at the end.
        message: One sentence for a reader when the status is not "answered".
        asked: The words that were sent, as a reader may check them.
    """

    source: str
    status: AnswerStatus
    records: tuple[Parsed, ...] = ()
    origin: Origin = ""
    as_of: str = ""
    n_hits: int | None = None
    next_cursor: str = ""
    message: str = ""
    asked: str = ""


def count_answer(  # noqa: PLR0913
    source: str,
    records: Sequence[Parsed],
    *,
    total: int,
    n_read: int,
    noun: str,
    as_of: str,
    asked: str,
) -> SourceAnswer:
    """Return a live answer of which the source tells how many hits there are.

    Args:
        source: Its short name.
        records: What was read.
        total: Hits that the source counts; 0 where there are none.
        n_read: Hits that it sent.
        noun: What they are, in the plural.
        as_of: Day of its data.
        asked: The words that were sent.
    """
    status: AnswerStatus = "answered" if records else "empty"
    message = ""
    if total > n_read:
        status, message = "partial", f"read {n_read:,} of {total:,} {noun}"
    return SourceAnswer(
        source, status, tuple(records), "live", as_of, total, message=message, asked=asked
    )


class Searchable(Protocol):
    """A source that is asked for words."""

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return records for words."""
        ...


class Connector(Searchable, Protocol):
    """One source."""

    name: str
    """Short name of the source, as its records carry it."""

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one record by its identifier in the source."""
        ...
