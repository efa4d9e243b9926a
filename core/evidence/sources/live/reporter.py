"""NIH RePORTER: grants by words of title, abstract and terms, the newest award first.

Site: api.reporter.nih.gov/v2/projects/search, a POST of JSON; United States government, public
domain; no key; one request a second. Answers were recorded, the question's form is that of the
published description.
"""

import json
from typing import Any

from core.evidence.sources.files.dealmaking.reporter import NAME, describe_answer
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import CountedSource, Page, live_file
from core.evidence.sources.live.json_reading import (
    count,
    inner,
    objects,
    quoted,
    read_object,
)
from core.evidence.sources.live.web import changed

ADDRESS = "https://api.reporter.nih.gov"
ORIGIN = "NIH RePORTER.json"
PAUSE_S = 1.0
PAGE = 200
_SEARCH = "/v2/projects/search"
_INCLUDED = (
    *("ApplId", "ProjectNum", "ProjectTitle", "Organization", "FiscalYear", "AwardAmount"),
    *("AwardNoticeDate", "PhrText", "ProjectDetailUrl"),
)


class ReporterConnector(CountedSource):
    """The database: grants whose title, abstract or terms name each group."""

    name = NAME
    noun = "grants"

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return the one question."""
        return [*filter(None, [write_text(query)])]

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


def write_text(query: SourceQuery) -> str:
    """Return the words of a question; "" for one without any.

    >>> write_text(SourceQuery([["KRAS G12D", "KRAS"], ["pancreatic cancer"]]))
    '("KRAS G12D" OR "KRAS") AND ("pancreatic cancer")'
    """
    groups = [*query.groups, *filter(None, (query.drugs, query.diseases))]
    phrases = [quoted(list(group)) for group in groups]
    return " AND ".join(f"({words})" for words in phrases if words)
