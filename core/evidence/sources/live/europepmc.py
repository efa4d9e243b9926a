"""Europe PMC: papers, preprints and conference abstracts by words of title and abstract.

Site: ebi.ac.uk/europepmc/webservices/rest; metadata open; no key. An error comes with status 200
and `errCode`; a parameter that is not understood is seen in the question that the answer repeats.
"""

from dataclasses import replace

from core.evidence.sources.files.dealmaking.papers import EUROPE_PMC, describe_article
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import CountedSource, Page, live_file, quoted_groups
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    inner,
    objects,
    past_date,
    read_object,
    word,
)
from core.evidence.sources.live.web import changed
from core.records.evidence import Parsed
from core.tables.rows import SourceFile

NAME = EUROPE_PMC
ORIGIN = "Europe PMC.json"
PAGE = 200
_SEARCH = "/europepmc/webservices/rest/search"
_FIELDS = ("TITLE", "ABSTRACT")


class EuropePmcConnector(CountedSource):
    """The library: articles whose title or abstract names each group, the newest first."""

    name = NAME
    address = "https://www.ebi.ac.uk"
    pause_s = 0.5
    noun = "articles"

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return the question in the library's language; none without words.

        >>> EuropePmcConnector.questions(SourceQuery([["KRAS"]], since="2026-01-01"))
        ['(TITLE:("KRAS") OR ABSTRACT:("KRAS")) AND FIRST_PDATE:[2026-01-01 TO 2099-12-31]']
        """
        parts = [
            f"({' OR '.join(f'{field}:({words})' for field in _FIELDS)})"
            for words in quoted_groups(query)
        ]
        if parts and query.since:
            parts.append(f"FIRST_PDATE:[{query.since} TO 2099-12-31]")
        return [" AND ".join(parts)] if parts else []

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
        read = [self._describe(each, source, number) for number, each in entries]
        return Page([*filter(None, read)], count(answer, "hitCount"), field="hitCount")

    def _describe(self, entry: Object, source: SourceFile, place: int) -> Parsed | None:
        """Return the record of an article, without a day where none up to today is given."""
        day = past_date(word(entry, "firstPublicationDate"), self.today)
        dated = {**entry, "firstPublicationDate": day or self.today.isoformat()}
        parsed = describe_article(dated, source, place)
        if parsed is None or day:
            return parsed
        return Parsed(replace(parsed.record, published_on="", updated_on=""), parsed.facts)
