"""ClinicalTrials.gov, API v2: studies by intervention, condition, sponsor and day of change.

Site: clinicaltrials.gov/api/v2; United States government, public domain; no key. Questions name
fields (`AREA[InterventionName]`), because `query.intr` and `query.spons` match the whole record.
Posted results are not asked for: they fill most of a study, and older copies in the evidence keep
theirs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from core.evidence.sources.files.trials import NUMBER, ORIGIN
from core.evidence.sources.files.trials_v2 import read_study
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    objects,
    quoted,
    read_object,
    word,
)
from core.evidence.sources.live.web import NoAnswer, Site, changed, unanswered
from core.records.evidence import Parsed
from core.records.sources import AnswerStatus
from core.tables.rows import SourceFile

ADDRESS = "https://clinicaltrials.gov"
NAME = "ctgov"
PAGE = 200
PAUSE_S = 60 / 46
"""No limit is published; about 50 requests a minute are answered."""
_STUDIES = "/api/v2/studies"
_VERSION = "/api/v2/version"
_FIELDS = "protocolSection|derivedSection|hasResults"
_WITH_RESULTS = f"{_FIELDS}|resultsSection"
FULL_PAGE = 20
"""Studies with their results in one answer: some are megabytes."""
_AREAS = {
    "drugs": ("InterventionName", "InterventionOtherName"),
    "diseases": ("ConditionSearch",),
    "companies": ("LeadSponsorName", "CollaboratorName"),
}


@dataclass(frozen=True, slots=True)
class StudyPage:
    """Studies as the register sent them.

    Attributes:
        studies: The studies.
        next_token: Where the walk goes on; "" at its end.
        counted: Studies that the register counts; None where it was not asked to.
    """

    studies: Sequence[Object]
    next_token: str
    counted: int | None


@dataclass
class ClinicalTrialsConnector:
    """The register as a source.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = NAME

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return studies that meet all parts of a question, the newest change first."""
        expression = write_expression(query)
        if not expression:
            return SourceAnswer(NAME, "empty", message="the question names nothing to ask for")
        return self._ask(expression, query.limit, query.cursor, "LastUpdatePostDate:desc")

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one study by its number; an old number leads to the study that replaced it."""
        if not NUMBER.fullmatch(source_id):
            return SourceAnswer(NAME, "empty", message=f"{source_id[:20]!r} is no trial number")
        path = f"{_STUDIES}/{source_id}"
        try:
            reply = self.site.ask("GET", path, query={"fields": _FIELDS})
            if reply.is_missing:
                return SourceAnswer(NAME, "empty", (), "live", self.today.isoformat(), 0)
            studies = tuple(self._read([read_object(NAME, reply)]))
        except NoAnswer as failure:
            return replace(unanswered(NAME, failure), asked=source_id)
        return SourceAnswer(NAME, "answered", studies, "live", _as_of(studies), 1, asked=source_id)

    def data_version(self) -> str:
        """Return what the register calls its data: an instant. Raises NoAnswer."""
        version = word(read_object(NAME, self.site.ask("GET", _VERSION)), "dataTimestamp")
        if not version:
            raise changed(NAME)
        return version

    def changes(self, since: str, token: str) -> StudyPage:
        """Return a page of studies that changed on a day or later, the oldest change first.

        Args:
            since: The day, YYYY-MM-DD.
            token: Where the page before ended; "" for the first.

        Raises:
            NoAnswer: The register does not answer, or not with studies.
        """
        expression = write_expression(SourceQuery((), since=since))
        asked = {"filter.advanced": expression, "sort": "LastUpdatePostDate:asc"}
        return self._page(asked, token, PAGE)

    def numbered(self, numbers: Sequence[str], *, full: bool = False) -> Sequence[Object]:
        """Return the studies of these numbers that the register lists. Raises NoAnswer.

        Args:
            numbers: At most `PAGE`, with results at most `FULL_PAGE`.
            full: With posted results; otherwise their numbers alone.
        """
        fields = _WITH_RESULTS if full else "NCTId"
        return self._page({"filter.ids": "|".join(numbers), "fields": fields}, "", PAGE).studies

    def _page(self, asked: Mapping[str, str], token: str, size: int) -> StudyPage:
        """Return one page of studies. Raises NoAnswer."""
        query = {"fields": _FIELDS, "pageSize": str(size), **asked}
        query |= {"pageToken": token} if token else {"countTotal": "true"}
        answer = read_object(NAME, self.site.ask("GET", _STUDIES, query=query))
        if not isinstance(answer.get("studies"), list):
            raise changed(NAME)
        counted = count(answer, "totalCount")
        return StudyPage(objects(answer, "studies"), word(answer, "nextPageToken"), counted)

    def _ask(self, expression: str, limit: int, cursor: str, order: str) -> SourceAnswer:
        """Return up to `limit` studies, page by page; a failing page leaves those before it."""
        studies: list[Parsed] = []
        counted: int | None = None
        status: AnswerStatus = "answered"
        message = ""
        while len(studies) < limit:
            asked = {"filter.advanced": expression, "sort": order}
            try:
                page = self._page(asked, cursor, min(PAGE, limit - len(studies)))
                read = list(self._read(page.studies))
                if read or page.counted == 0:
                    self.site.accept()
            except NoAnswer as failure:
                status, message = failure.status, failure.message
                break
            counted = page.counted if counted is None else counted
            studies += read
            cursor = page.next_token
            if not cursor or not read:
                break
        if studies and (status != "answered" or (counted or 0) > len(studies)):
            share = f"read {len(studies):,} of {counted:,} studies" if counted else message
            status, message = "partial", f"{share}; {message}" if message else share
        elif status == "answered" and not studies:
            status = "empty" if counted == 0 else "unavailable"
            message = "" if counted == 0 else changed(NAME).message
        return SourceAnswer(
            NAME,
            status,
            tuple(studies),
            "live" if studies or status == "empty" else "",
            _as_of(studies),
            counted,
            cursor,
            message,
            expression,
        )

    def _read(self, studies: Sequence[Object]) -> Iterator[Parsed]:
        """Yield studies with their facts. Raises NoAnswer where one is of another shape."""
        source = SourceFile(Path(ORIGIN), "", self.today.isoformat(), lambda *_: None)
        for line, study in enumerate(studies, start=1):
            parsed = read_study(study, source, line)
            if isinstance(parsed, str):
                raise changed(NAME)
            yield parsed


def write_expression(query: SourceQuery) -> str:
    """Return the register's expression for a question; "" for one that names nothing.

    >>> write_expression(SourceQuery((), drugs=["MK-3475"], since="2026-11-01"))
    '(AREA[InterventionName]"MK-3475" OR AREA[InterventionOtherName]"MK-3475") AND \
AREA[LastUpdatePostDate]RANGE[2026-11-01, MAX]'
    """
    parts: list[str] = []
    for name, areas in _AREAS.items():
        phrases = quoted(list(getattr(query, name)), "\n").split("\n")
        terms = [f"AREA[{area}]{phrase}" for phrase in phrases if phrase for area in areas]
        parts += [f"({' OR '.join(terms)})"] if terms else []
    parts += [f"({words})" for group in query.groups if (words := quoted(list(group)))]
    if query.since:
        parts.append(f"AREA[LastUpdatePostDate]RANGE[{query.since}, MAX]")
    return " AND ".join(parts)


def _as_of(studies: Sequence[Parsed]) -> str:
    """Return the day of the register's data, as its studies tell it."""
    return max((study.record.copied_on for study in studies), default="")
