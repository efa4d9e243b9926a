"""SEC EDGAR, full text: 8-K filings whose text names a drug, or that a company filed.

Site: efts.sec.gov/LATEST/search-index; United States government; no key, but a contact in the
User-Agent; ten requests a second over all hosts; filings since 2001. Its count stops at 10,000. A
hit says that a document has the words, not what it says of them, and one question does not say
which of several names it has: each name is asked for by itself. Experimental: one answer is quoted
by another project, none was recorded.
"""

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from core.evidence.names.cleaning import clean_text
from core.evidence.names.companies import company_group
from core.evidence.names.identity.vocabularies import strip_state
from core.evidence.sources.files.dealmaking.edgar import FILINGS, FORMS, describe_filing
from core.evidence.sources.files.dealmaking.filed import ACCESSION, SEC_LICENCE, Filed
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.json_reading import (
    Asking,
    Object,
    Page,
    ask_pages,
    count,
    inner,
    live_file,
    objects,
    quoted,
    read_object,
    word,
    words,
)
from core.evidence.sources.live.web import Site, changed
from core.records.evidence import Mention, Parsed
from core.records.names import fold_name
from core.tables.rows import SourceFile
from core.tables.values import read_date

NAME = FILINGS
ADDRESS = "https://efts.sec.gov"
ORIGIN = "EDGAR full-text search.json"
PAUSE_S = 0.25
PAGE = 100
MOST_HITS = 300
"""Documents of one name that are read."""
MOST_ASKED = 4
"""Names that are asked for in one run."""
NO_CONTACT = "the SEC asks who is asking: set BPW_CONTACT to an e-mail address"
BY_NAME = "the search of texts is asked by name alone"
IN_TEXT = "named in the text"
"""Relation of a drug to a document whose text has its name."""
A_DAY = len("2026-11-28")
_SEARCH = "/LATEST/search-index"
_BEHIND_NAME = re.compile(r"\s{2,}\(.*|\s*\(CIK.*")
"""Ticker and number behind the name of a filer."""


@dataclass
class FullTextConnector:
    """The search of the texts as a source.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = NAME

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return 8-K filings that name a drug; of companies, where no drug is asked for."""
        return self._ask(_names(query), query)

    def fetch(self, source_id: str) -> SourceAnswer:
        """Refuse: a number finds the filings that cite it."""
        return SourceAnswer(NAME, "refused", message=f"{source_id[:25]!r}: {BY_NAME}")

    def _ask(self, names: list[str], query: SourceQuery) -> SourceAnswer:
        if lacks_contact(self.site):
            return SourceAnswer(NAME, "not_configured", message=NO_CONTACT)
        asked_names = names[:MOST_ASKED]
        asking = Asking(NAME, self.site, self.today, "documents", PAGE, MOST_HITS)
        questions = [partial(self._read, name, query) for name in asked_names]
        answer = ask_pages(asking, ", ".join(map(_phrase, asked_names)), questions)
        return say_left(answer, names, asked_names)

    def _read(self, name: str, query: SourceQuery, start: int) -> Page:
        asked = {"q": _phrase(name), "forms": "8-K", "from": str(start)}
        if query.since:
            days = {"startdt": query.since, "enddt": self.today.isoformat()}
            asked |= {"dateRange": "custom", **days}
        answer = read_object(NAME, self.site.ask("GET", _SEARCH, query=asked))
        hits = inner(answer, "hits")
        if not isinstance(hits.get("hits"), list):
            raise changed(NAME, "hits / hits")
        source = live_file(ORIGIN, self.today)
        mentions = (Mention("drug", name, relation=IN_TEXT),) if query.drugs else ()
        records: dict[str, Parsed] = {}
        n_read = 0
        for place, hit in enumerate(objects(hits, "hits"), start=start + 1):
            parsed = _read_hit(inner(hit, "_source"), source, place, mentions)
            if parsed is None:
                continue
            if query.since and parsed.record.published_on < query.since:
                raise changed(NAME, "_source / file_date")  # a condition was not understood
            n_read += 1
            if query.drugs or _is_of(parsed, query):
                records[parsed.record.id] = parsed
        total = count(inner(hits, "total"), "value")
        return Page([*records.values()], total, n_read, field="hits / total / value")


def lacks_contact(site: Site) -> bool:
    """Return whether a site may not be asked, since nobody could be reached."""
    return "@" not in site.contact


def say_left(answer: SourceAnswer, names: list[str], asked_names: list[str]) -> SourceAnswer:
    """Return an answer that says how many names were not asked for."""
    left = len(names) - len(asked_names)
    if not left or answer.status not in {"answered", "empty", "partial"}:
        return answer
    message = f"asked for {len(asked_names)} of {len(names)} names"
    message = "; ".join(filter(None, (answer.message, message)))
    return replace(answer, status="partial", message=message)


def write_names(query: SourceQuery) -> str:
    """Return the names that are asked for; "" where no drug and no company is.

    >>> write_names(SourceQuery((), drugs=["semaglutide"], companies=["Novo Nordisk"]))
    '"semaglutide"'
    """
    return quoted(_names(query))


def _names(query: SourceQuery) -> list[str]:
    """Return drugs; companies where none is asked for, each by the name it goes by."""
    names = dict.fromkeys(query.drugs or map(company_group, query.companies))
    return [name for name in names if quoted([name])]


def _phrase(name: str) -> str:
    return quoted([name])


def _read_hit(
    filed: Object, source: SourceFile, place: int, mentions: tuple[Mention, ...]
) -> Parsed | None:
    """Return the filing of a hit; None where it lacks number, day or filer. Raises NoAnswer."""
    number, form = word(filed, "adsh"), word(filed, "form")
    day = read_date(word(filed, "file_date"))
    written = [_BEHIND_NAME.sub("", name) for name in words(filed, "display_names")]
    filers = [strip_state(clean_text(name, 150)) for name in written]
    if not ACCESSION.fullmatch(number) or len(day) != A_DAY or not filers or not form:
        return None
    if form not in FORMS:
        raise changed(NAME, "_source / form")  # a condition was not understood
    others = tuple(Mention("company", filer, relation="filer") for filer in filers[1:])
    return describe_filing(
        Filed(source, place, NAME, "filing", SEC_LICENCE),
        (filers[0], next(iter(words(filed, "ciks")), "")),
        number,
        (day, form, []),
        locator=f"hits[{place - 1}]",
        mentions=(*others, *mentions),
    )


def _is_of(parsed: Parsed, query: SourceQuery) -> bool:
    """Return whether a company that is asked for filed it: others may cite its name."""
    groups = {fold_name(company_group(name)) for name in query.companies}
    filers = (each.name for each in parsed.record.mentions if each.kind == "company")
    return any(fold_name(company_group(filer)) in groups for filer in filers)
