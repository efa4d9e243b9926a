"""Europe PMC: papers, preprints and conference abstracts by words of title and abstract.

Site: ebi.ac.uk/europepmc/webservices/rest; metadata open; no key. An error comes with status 200
and `errCode`; a parameter that is not understood is seen in the question that the answer repeats.
"""

from dataclasses import dataclass
from datetime import date

from core.evidence.sources.files.dealmaking.papers import EUROPE_PMC, describe_article
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
    word,
)
from core.evidence.sources.live.web import Site, changed

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
        asked = {
            "query": words,
            "format": "json",
            "resultType": "core",
            "pageSize": str(limit),
            "cursorMark": "*",
            "sort": "P_PDATE_D desc",
        }

        def read(_: int) -> Page:
            answer = read_object(NAME, self.site.ask("GET", _SEARCH, query=asked))
            if word(inner(answer, "request"), "queryString") != words:
                raise changed(NAME, "request / queryString")
            source = live_file(ORIGIN, self.today)
            entries = enumerate(objects(answer, "resultList", "result"), start=1)
            read = [describe_article(each, source, number) for number, each in entries]
            return Page([*filter(None, read)], count(answer, "hitCount"), field="hitCount")

        return ask_pages(Asking(NAME, self.site, self.today, "articles"), words, [read])


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
