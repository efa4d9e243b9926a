"""NIH RePORTER: grants by words of title, abstract and terms, the newest award first.

Site: api.reporter.nih.gov/v2/projects/search, a POST of JSON; United States government, public
domain; no key; one request a second. Answers were recorded, the question's form is that of the
published description.
"""

import json
from typing import Any

from core.evidence.sources.files.dealmaking.reporter import NAME, describe_answer
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import CountedSource, Page, live_file, quoted_groups
from core.evidence.sources.live.json_reading import (
    count,
    inner,
    objects,
    read_object,
)
from core.evidence.sources.live.web import changed

ORIGIN = "NIH RePORTER.json"
PAGE = 200
_SEARCH = "/v2/projects/search"
_INCLUDED = (
    *("ApplId", "ProjectNum", "ProjectTitle", "Organization", "FiscalYear", "AwardAmount"),
    *("AwardNoticeDate", "PhrText", "ProjectDetailUrl"),
)


class ReporterConnector(CountedSource):
    """The database: grants whose title, abstract or terms name each group."""

    name = NAME
    address = "https://api.reporter.nih.gov"
    pause_s = 1.0
    noun = "grants"

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return the words of a question; none without any.

        >>> ReporterConnector.questions(SourceQuery([["KRAS G12D", "KRAS"], ["pancreas"]]))
        ['("KRAS G12D" OR "KRAS") AND ("pancreas")']
        """
        parts = [f"({words})" for words in quoted_groups(query)]
        return [" AND ".join(parts)] if parts else []

    def read(self, query: SourceQuery, question: str, start: int) -> Page:
        """Return the grants of the newest awards."""
        criteria: dict[str, Any] = {
            "advanced_text_search": {
                "operator": "advanced",
                "search_field": "projecttitle,abstracttext,terms",
                "search_text": question,
            }
        }
        if query.since:
            criteria["award_notice_date"] = {
                "from_date": query.since,
                "to_date": self.today.isoformat(),
            }
        asked = {
            "criteria": criteria,
            "include_fields": _INCLUDED,
            "offset": start,
            "limit": min(query.limit, PAGE),
            "sort_field": "award_notice_date",
            "sort_order": "desc",
        }
        headers = {"Content-Type": "application/json"}
        reply = self.site.ask("POST", _SEARCH, headers=headers, body=json.dumps(asked).encode())
        answer = read_object(NAME, reply)
        if not isinstance(answer.get("results"), list):
            raise changed(NAME, "results")
        source = live_file(ORIGIN, self.today)
        records = [
            parsed
            for index, entry in enumerate(objects(answer, "results"), start=1)
            for parsed in describe_answer(entry, source, index)
        ]
        return Page(records, count(inner(answer, "meta"), "total"), field="meta / total")
