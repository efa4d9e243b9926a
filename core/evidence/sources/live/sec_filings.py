"""SEC EDGAR: 8-K filings whose text names a drug, those of a company, and its list of filings.

United States government; no key, but a contact in the User-Agent; ten requests a second over all
hosts. efts.sec.gov/LATEST/search-index searches texts since 2001 and counts up to 10,000. A hit
says that a document has the words, not what it says of them, and one question does not say which of
several names it has: each name is asked for by itself. Experimental: one answer is quoted by
another project, none was recorded. data.sec.gov/submissions/CIK##########.json lists the filings of
one company with their items, those of the last year at least; older ones are in further files,
which are not read. Its answers were recorded.
"""

import re
from datetime import date, timedelta

from core.evidence.names.cleaning import clean_text
from core.evidence.names.companies import company_group
from core.evidence.names.identity.vocabularies import strip_state
from core.evidence.sources.files.dealmaking.edgar import (
    FILINGS,
    FORMS,
    describe_filing,
    describe_filings,
    read_lists,
)
from core.evidence.sources.files.dealmaking.filed import ACCESSION, SEC_LICENCE, Filed
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import IN_TEXT, CountedSource, Page, live_file
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    inner,
    objects,
    past_date,
    quoted,
    read_object,
    word,
    words,
)
from core.evidence.sources.live.web import NoAnswer, changed
from core.records.evidence import Mention, Parsed
from core.records.names import fold_name
from core.tables.rows import SourceFile

NAME, SUBMISSIONS = FILINGS, "sec-submissions"
ORIGIN = "EDGAR full-text search.json"
PAGE = 100
MOST_HITS = 300
"""Documents of one name that are read."""
A_DAY = len("2026-11-28")
A_YEAR = timedelta(days=365)
_SEARCH = "/LATEST/search-index"
_BEHIND_NAME = re.compile(r"\s{2,}\(.*|\s*\(CIK.*")
"""Ticker and number behind the name of a filer."""


class FullTextConnector(CountedSource):
    """The search of texts: 8-K filings that name a drug; of companies, where none is asked for."""

    name = NAME
    address = "https://efts.sec.gov"
    pause_s = 0.25
    noun = "documents"
    size = PAGE
    most = MOST_HITS
    needs_contact = True

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return drugs, or else companies, each by the name it goes by."""
        names = dict.fromkeys(query.drugs or map(company_group, query.companies))
        return [name for name in names if quoted([name])]

    def read(self, query: SourceQuery, question: str, start: int) -> Page:
        """Return the filings of a page of documents that have a name."""
        asked = {"q": quoted([question]), "forms": "8-K", "from": str(start)}
        if query.since:
            days = {"startdt": query.since, "enddt": self.today.isoformat()}
            asked |= {"dateRange": "custom", **days}
        answer = read_object(NAME, self.site.ask("GET", _SEARCH, query=asked))
        if answer.get("timed_out") or count(inner(answer, "_shards"), "failed"):
            raise NoAnswer("unavailable", f"{NAME} searched only part of the filings")
        hits = inner(answer, "hits")
        if not isinstance(hits.get("hits"), list):
            raise changed(NAME, "hits / hits")
        source = live_file(ORIGIN, self.today)
        mentions = (Mention("drug", question, relation=IN_TEXT),) if query.drugs else ()
        entries = enumerate(objects(hits, "hits"), start=start + 1)
        read = [
            _read_hit(inner(hit, "_source"), source, n, mentions, self.today) for n, hit in entries
        ]
        filings = [*filter(None, read)]
        if any(filing.record.published_on < query.since for filing in filings):
            raise changed(NAME, "_source / file_date")  # a condition was not understood
        groups = {fold_name(company_group(name)) for name in query.companies}
        kept = [  # others may cite the name of a company
            filing
            for filing in filings
            if query.drugs
            or any(fold_name(company_group(m.name)) in groups for m in filing.record.mentions)
        ]
        total, field = count(inner(hits, "total"), "value"), "hits / total / value"
        return Page(kept, total, len(filings), field=field)


def _read_hit(
    filed: Object, source: SourceFile, place: int, mentions: tuple[Mention, ...], today: date
) -> Parsed | None:
    """Return the filing of a hit; None without number, filer or past day. Raises NoAnswer."""
    number, form = word(filed, "adsh"), word(filed, "form")
    day = past_date(word(filed, "file_date"), today)
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


class SubmissionsConnector(CountedSource):
    """The lists of filings: those of companies by their numbers."""

    name = SUBMISSIONS
    address = "https://data.sec.gov"
    pause_s = 0.25
    noun = "filings"
    needs_contact = True

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return the numbers; none where a drug is asked for, which the list does not name."""
        return [] if query.drugs else list(query.ciks)

    def read(self, query: SourceQuery, question: str, start: int) -> Page:
        """Return the filings of a company that tell of deals."""
        del start
        reply = self.site.ask("GET", f"/submissions/CIK{int(question):010d}.json")
        if reply.is_missing:
            raise NoAnswer("unavailable", f"{SUBMISSIONS} has no list of CIK {question}")
        answer = read_object(SUBMISSIONS, reply)
        read = read_lists(answer)
        if isinstance(read, str):
            raise changed(SUBMISSIONS, "filings / recent")
        if read[0][1] != question.lstrip("0"):
            raise changed(SUBMISSIONS, "cik")  # of another company
        since = query.since or (self.today - A_YEAR).isoformat()
        filed = words(inner(answer, "filings", "recent"), "filingDate")
        days = [day for text in filed if (day := past_date(text, self.today))]
        is_cut = bool(objects(answer, "filings", "files")) and min(days, default="") > since
        note = f"the list of {read[0][0]} begins on {min(days)}" if is_cut else ""
        source = live_file("EDGAR submissions.json", self.today)
        records = [
            parsed
            for parsed in describe_filings(source, *read, since)
            if past_date(parsed.record.published_on, self.today)
        ]
        return Page(records, len(filed), len(days), note=note)
