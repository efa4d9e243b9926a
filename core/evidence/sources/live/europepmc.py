"""Europe PMC: papers, preprints and conference abstracts by words of title and abstract.

Site: ebi.ac.uk/europepmc/webservices/rest; metadata open; no key. An error comes with status 200
and `errCode`; a parameter that is not understood is seen in the question that the answer repeats.
"""

from core.evidence.sources.files.dealmaking.papers import EUROPE_PMC, describe_article
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import CountedSource, Page, live_file
from core.evidence.sources.live.json_reading import (
    count,
    inner,
    objects,
    quoted,
    read_object,
    word,
)
from core.evidence.sources.live.web import changed

NAME = EUROPE_PMC
ADDRESS = "https://www.ebi.ac.uk"
ORIGIN = "Europe PMC.json"
PAUSE_S = 0.5
PAGE = 200
_SEARCH = "/europepmc/webservices/rest/search"
_FIELDS = ("TITLE", "ABSTRACT")


class EuropePmcConnector(CountedSource):
    """The library: articles whose title or abstract names each group, the newest first."""

    name = NAME
    noun = "articles"

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return the one question."""
        return [*filter(None, [write_query(query)])]

    def read(self, query: SourceQuery, question: str, start: int) -> Page:
        """Return the newest articles."""
        del start
        asked = {
            "query": question,
            "format": "json",
            "resultType": "core",
            "pageSize": str(min(query.limit, PAGE)),
            "cursorMark": "*",
            "sort": "P_PDATE_D desc",
        }
        answer = read_object(NAME, self.site.ask("GET", _SEARCH, query=asked))
        if word(inner(answer, "request"), "queryString") != question:
            raise changed(NAME, "request / queryString")
        source = live_file(ORIGIN, self.today)
        entries = enumerate(objects(answer, "resultList", "result"), start=1)
        read = [describe_article(each, source, number) for number, each in entries]
        return Page([*filter(None, read)], count(answer, "hitCount"), field="hitCount")


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
