"""Sources that count their hits: asked question by question, page by page.

A question or page that fails leaves what came before it. `empty` is said only where the source
itself counts none.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import ClassVar

from core.evidence.sources.live.base import SourceAnswer, SourceQuery, count_answer
from core.evidence.sources.live.json_reading import quoted
from core.evidence.sources.live.web import NO_CONTACT, NoAnswer, Site, changed, unanswered
from core.records.evidence import Parsed
from core.records.sources import AnswerStatus
from core.tables.rows import SourceFile

MOST_ASKED = 4
"""Questions that are sent in one run."""
MOST_FAILURES = 2
"""Questions that fail before no more are sent."""
IN_TEXT = "named in the text"
"""Relation of a thing to a document whose text has its name."""


@dataclass(frozen=True, slots=True)
class Page:
    """One answer as it was read.

    Attributes:
        records: What is kept of it.
        total: Hits that the source counts for the question; None where the field is missing.
        n_read: Hits that were understood; None: one a record.
        as_of: Day of the data; "" for the day of asking.
        field: Field by which the source counts, for a message.
        note: What the answer leaves out; "" for nothing.
    """

    records: Sequence[Parsed]
    total: int | None
    n_read: int | None = None
    as_of: str = ""
    field: str = "total"
    note: str = ""

    @property
    def n_hits(self) -> int:
        """Return how many hits were understood."""
        return len(self.records) if self.n_read is None else self.n_read


@dataclass
class CountedSource(ABC):
    """A source that is asked during a run.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: ClassVar[str]
    address: ClassVar[str]
    pause_s: ClassVar[float]
    """Least seconds between two requests."""
    noun: ClassVar[str]
    """What its hits are, in the plural."""
    size: ClassVar[int] = 0
    """Hits of one page."""
    most: ClassVar[int] = 0
    """Hits of one question that are read; 0: one page."""
    needs_contact: ClassVar[bool] = False
    """Whether it is asked only by somebody who can be reached."""

    def __post_init__(self) -> None:
        """Tell the site whether it needs a contact; a stored answer needs none."""
        self.site.needs_contact = self.needs_contact

    @classmethod
    @abstractmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return what is sent, question by question; nothing for what it cannot be asked."""

    @abstractmethod
    def read(self, query: SourceQuery, question: str, start: int) -> Page:
        """Send a question and return the page that begins with a hit, from 0. Raises NoAnswer."""

    @classmethod
    def write(cls, query: SourceQuery) -> str:
        """Return the words that are sent; "" where nothing is asked."""
        return ", ".join(cls.questions(query)[:MOST_ASKED])

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return what the source has."""
        questions, asked = self.questions(query), self.write(query)
        if not questions:
            message = "the question names nothing to ask for"
            return SourceAnswer(self.name, "refused", message=message)
        pages: list[Page] = []
        failures: list[NoAnswer] = []
        for question in questions[:MOST_ASKED]:
            try:
                for page in self._pages(query, question):
                    pages.append(page)  # noqa: PERF402 - those before a failure are kept
            except NoAnswer as failure:
                failures.append(failure)
                if len(failures) == MOST_FAILURES or failure.status == "not_configured":
                    break
        if failures and not pages:
            sent = "" if failures[0].message == NO_CONTACT else asked
            return replace(unanswered(self.name, failures[0]), asked=sent)
        limits = [failure.message for failure in failures]
        if len(questions) > MOST_ASKED:
            limits.append(f"asked for {MOST_ASKED} of {len(questions)} names")
        return self._sum_up(pages, limits, asked)

    def _pages(self, query: SourceQuery, question: str) -> Iterator[Page]:
        """Yield the pages of a question, the first with the count. Raises NoAnswer."""
        start, seen = 0, set[str]()
        while True:
            page = self.read(query, question, start)
            if (
                page.total is None
                or page.total < 0
                or (not start and (page.total > 0) != (page.n_hits > 0))
            ):
                raise changed(self.name, page.field)
            self.site.accept()
            ids = {parsed.record.id for parsed in page.records}
            if start and ids <= seen:  # the page before once more, or nothing
                return
            yield replace(page, total=0 if start else page.total)
            seen |= ids
            start += self.size
            if start >= min(page.total, self.most):
                return

    def _sum_up(self, pages: Sequence[Page], limits: Sequence[str], asked: str) -> SourceAnswer:
        """Return pages as one answer; a record that several questions found is one."""
        records: dict[str, Parsed] = {}
        for parsed in (parsed for page in pages for parsed in page.records):
            records[parsed.record.id] = _joined(records.get(parsed.record.id), parsed)
        total, n_read = (sum(page.total or 0 for page in pages), sum(page.n_hits for page in pages))
        answer = count_answer(
            self.name,
            list(records.values()),
            total=total,
            n_read=n_read,
            noun=self.noun,
            as_of=max(page.as_of for page in pages) or self.today.isoformat(),
            asked=asked,
        )
        notes = list(dict.fromkeys(page.note for page in pages if page.note))
        nothing = f"none of the {n_read:,} {self.noun} read matches the question"
        parts = [answer.message, nothing if total and not records else "", *notes, *limits]
        status: AnswerStatus = answer.status
        if limits or (total and notes):
            status = "partial"
        elif status == "empty" and total:
            status = "answered"
        return replace(answer, status=status, message="; ".join(filter(None, parts)))


def quoted_groups(query: SourceQuery) -> list[str]:
    """Return the alternatives of each thing that is asked for, as phrases of a query."""
    groups = [*query.groups, *filter(None, (query.drugs, query.diseases))]
    return [words for group in groups if (words := quoted(list(group)))]


def _joined(known: Parsed | None, parsed: Parsed) -> Parsed:
    """Return a record with what an earlier question found that it mentions."""
    if known is None:
        return parsed
    mentions = dict.fromkeys((*known.record.mentions, *parsed.record.mentions))
    return Parsed(replace(parsed.record, mentions=tuple(mentions)), parsed.facts)


def live_file(name: str, today: date, as_of: str = "") -> SourceFile:
    """Return an answer of today as the file by which the same records come; "" is of today."""
    day = today.isoformat()
    return SourceFile(Path(name), as_of or day, day, lambda *_: None)
