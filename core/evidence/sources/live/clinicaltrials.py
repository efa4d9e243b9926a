"""ClinicalTrials.gov, API v2: studies by intervention, condition, sponsor and day of change.

Site: clinicaltrials.gov/api/v2; United States government, public domain; no key. Questions name
fields (`AREA[InterventionName]`), because `query.intr` and `query.spons` match the whole record.
Posted results are not asked for: they fill most of a study, and older copies in the evidence keep
theirs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from core.evidence.sources.files.trials import NUMBER
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
ORIGIN = "ClinicalTrials.gov API v2"
_STUDIES = "/api/v2/studies"
_FIELDS = "protocolSection|derivedSection|hasResults"
_AREAS = {
    "drugs": ("InterventionName", "InterventionOtherName"),
    "diseases": ("ConditionSearch",),
    "companies": ("LeadSponsorName", "CollaboratorName"),
}


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

    def since(self, day: date, cursor: str = "") -> SourceAnswer:
        """Return studies that changed on this day or later, the oldest change first."""
        expression = write_expression(SourceQuery((), since=day.isoformat()))
        return self._ask(expression, PAGE, cursor, "LastUpdatePostDate:asc")

    def _ask(self, expression: str, limit: int, cursor: str, order: str) -> SourceAnswer:
        """Return up to `limit` studies, page by page; a failing page leaves those before it."""
        studies: list[Parsed] = []
        counted: int | None = None
        status: AnswerStatus = "answered"
        message = ""
        while len(studies) < limit:
            query = {
                "filter.advanced": expression,
                "fields": _FIELDS,
                "pageSize": str(min(PAGE, limit - len(studies))),
                "sort": order,
            }
            query |= {"pageToken": cursor} if cursor else {"countTotal": "true"}
            try:
                answer = read_object(NAME, self.site.ask("GET", _STUDIES, query=query))
                if not isinstance(answer.get("studies"), list):
                    raise changed(NAME)
                page = list(self._read(objects(answer, "studies")))
            except NoAnswer as failure:
                status, message = failure.status, failure.message
                break
            counted = count(answer, "totalCount") if counted is None else counted
            studies += page
            cursor = word(answer, "nextPageToken")
            if not cursor or not page:
                break
        if studies and (status != "answered" or (counted or 0) > len(studies)):
            read = f"read {len(studies):,} of {counted:,} studies" if counted else message
            status, message = "partial", f"{read}; {message}" if message else read
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
