"""Europe PMC: papers, preprints and conference abstracts by words of title and abstract.

Site: ebi.ac.uk/europepmc/webservices/rest; metadata open; no key. An error comes with status 200
and `errCode`; a parameter that is not understood is seen in the question that the answer repeats.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from core.evidence.sources.files.dealmaking.papers import EUROPE_PMC, describe_article
from core.evidence.sources.live.base import SourceAnswer, SourceQuery, count_answer
from core.evidence.sources.live.json_reading import count, inner, objects, quoted, read_object, word
from core.evidence.sources.live.web import NoAnswer, Site, changed, unanswered
from core.tables.rows import SourceFile

NAME = EUROPE_PMC
ADDRESS = "https://www.ebi.ac.uk"
ORIGIN = "Europe PMC.json"
PAUSE_S = 0.5
PAGE = 200
_SEARCH = "/europepmc/webservices/rest/search"
_FIELDS = ("TITLE", "ABSTRACT")


@dataclass
class EuropePmcConnector:
    """The library as a source.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = NAME

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return articles whose title or abstract names each group, the newest first."""
        return self._ask(write_query(query), min(query.limit, PAGE))

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one article by its collection and number ("MED/22799487")."""
        collection, _, number = source_id.partition("/")
        return self._ask(f"EXT_ID:{quoted([number])} AND SRC:{quoted([collection])}", 1)

    def _ask(self, words: str, limit: int) -> SourceAnswer:
        asked: Mapping[str, str] = {
            "query": words,
            "format": "json",
            "resultType": "core",
            "pageSize": str(limit),
            "cursorMark": "*",
            "sort": "P_PDATE_D desc",
        }
        try:
            answer = read_object(NAME, self.site.ask("GET", _SEARCH, query=asked))
            total = count(answer, "hitCount")
            if total is None or word(inner(answer, "request"), "queryString") != words:
                raise changed(NAME)
            entries = objects(answer, "resultList", "result")
            source = SourceFile(
                Path(ORIGIN), self.today.isoformat(), self.today.isoformat(), lambda *_: None
            )
            read = [describe_article(each, source, n) for n, each in enumerate(entries, start=1)]
            records = tuple(parsed for parsed in read if parsed)
            if (total > 0) != bool(records):
                raise changed(NAME)
        except NoAnswer as failure:
            return replace(unanswered(NAME, failure), asked=words)
        self.site.accept()
        return count_answer(
            NAME,
            records,
            total=total,
            n_read=len(entries),
            noun="articles",
            as_of=self.today.isoformat(),
            asked=words,
        )


def write_query(query: SourceQuery) -> str:
    """Return the question in the library's language; "" for one without words.

    >>> write_query(SourceQuery([["KRAS"]], since="2026-01-01"))
    '(TITLE:("KRAS") OR ABSTRACT:("KRAS")) AND FIRST_PDATE:[2026-01-01 TO 2099-12-31]'
    """
    groups = [*query.groups, *filter(None, (query.drugs, query.diseases))]
    phrases = [quoted(list(group)) for group in groups]
    parts = [
        f"({' OR '.join(f'{field}:({words})' for field in _FIELDS)})" for words in phrases if words
    ]
    if parts and query.since:
        parts.append(f"FIRST_PDATE:[{query.since} TO 2099-12-31]")
    return " AND ".join(parts)
