"""NIH RePORTER: grants by words of title, abstract and terms, the newest award first.

Site: api.reporter.nih.gov/v2/projects/search, a POST of JSON; United States government, public
domain; no key; one request a second. Answers were recorded, the question's form is that of the
published description.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.evidence.sources.files.dealmaking.reporter import NAME, describe_answer
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.json_reading import (
    Asking,
    Page,
    ask_pages,
    count,
    inner,
    live_file,
    objects,
    quoted,
    read_object,
)
from core.evidence.sources.live.web import Site, changed

ADDRESS = "https://api.reporter.nih.gov"
ORIGIN = "NIH RePORTER.json"
PAUSE_S = 1.0
PAGE = 200
_SEARCH = "/v2/projects/search"
_INCLUDED = (
    *("ApplId", "ProjectNum", "ProjectTitle", "Organization", "FiscalYear", "AwardAmount"),
    *("AwardNoticeDate", "PhrText", "ProjectDetailUrl"),
)


@dataclass
class ReporterConnector:
    """The database of grants as a source.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = NAME

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return grants whose title, abstract or terms name each group."""
        criteria: dict[str, Any] = {
            "advanced_text_search": {
                "operator": "advanced",
                "search_field": "projecttitle,abstracttext,terms",
                "search_text": write_text(query),
            }
        }
        if query.since:
            criteria["award_notice_date"] = {
                "from_date": query.since,
                "to_date": self.today.isoformat(),
            }
        return self._ask(criteria, min(query.limit, PAGE), write_text(query))

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one grant and year by its application number."""
        if not source_id.isdecimal():
            return SourceAnswer(NAME, "empty", message=f"{source_id[:20]!r} is no application")
        return self._ask({"appl_ids": [int(source_id)]}, 1, source_id)

    def _ask(self, criteria: Mapping[str, Any], limit: int, asked: str) -> SourceAnswer:
        question = {
            "criteria": criteria,
            "include_fields": _INCLUDED,
            "offset": 0,
            "limit": limit,
            "sort_field": "award_notice_date",
            "sort_order": "desc",
        }
        headers = {"Content-Type": "application/json"}
        body = json.dumps(question).encode()

        def read(_: int) -> Page:
            reply = self.site.ask("POST", _SEARCH, headers=headers, body=body)
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

        return ask_pages(Asking(NAME, self.site, self.today, "grants"), asked, [read])


def write_text(query: SourceQuery) -> str:
    """Return the words of a question; "" for one without any.

    >>> write_text(SourceQuery([["KRAS G12D", "KRAS"], ["pancreatic cancer"]]))
    '("KRAS G12D" OR "KRAS") AND ("pancreatic cancer")'
    """
    groups = [*query.groups, *filter(None, (query.drugs, query.diseases))]
    phrases = [quoted(list(group)) for group in groups]
    return " AND ".join(f"({words})" for words in phrases if words)
