"""SEC EDGAR, submissions: 8-K filings of a company with items that tell of deals.

Site: data.sec.gov/submissions/CIK##########.json; United States government; no key, but a contact
in the User-Agent; ten requests a second over all hosts. The list names no words, so a company is
asked for by its number. The list holds the last year at least, of which a question without a first
day is; older filings are in further files, which are not read. Answers were recorded.
"""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from core.evidence.sources.files.dealmaking.edgar import describe_filings, read_lists
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.json_reading import inner, live_file, objects, read_object, words
from core.evidence.sources.live.sec_filings import MOST_ASKED, NO_CONTACT, lacks_contact, say_left
from core.evidence.sources.live.web import NoAnswer, Site, changed, unanswered
from core.records.evidence import Parsed

NAME = "sec-submissions"
ADDRESS = "https://data.sec.gov"
ORIGIN = "EDGAR submissions.json"
PAUSE_S = 0.25
A_YEAR = 365


@dataclass
class SubmissionsConnector:
    """The lists of filings as a source.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = NAME

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return filings of companies by their numbers; a list that fails leaves the others."""
        if lacks_contact(self.site):
            return SourceAnswer(NAME, "not_configured", message=NO_CONTACT)
        ciks, records, messages = list(query.ciks), list[Parsed](), list[str]()
        since = query.since or (self.today - timedelta(days=A_YEAR)).isoformat()
        n_lists, failure = 0, None
        for cik in ciks[:MOST_ASKED]:
            try:
                late = self._read(cik, since, records)
                n_lists += 1
            except NoAnswer as problem:
                failure = problem
                continue
            messages += [late] if late else []
        asked = ", ".join(ciks[:MOST_ASKED])
        if failure and not n_lists:
            return replace(unanswered(NAME, failure), asked=asked)
        messages += [failure.message] if failure else []
        answer = SourceAnswer(
            NAME,
            "partial" if messages else "answered",
            tuple(records),
            "live",
            self.today.isoformat(),
            message="; ".join(messages),
            asked=asked,
        )
        return say_left(answer, ciks, ciks[:MOST_ASKED])

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return the filings of one company by its number."""
        return self.search(SourceQuery((), ciks=[source_id]))

    def _read(self, cik: str, since: str, records: list[Parsed]) -> str:
        """Add the filings of a company; return what its list leaves out. Raises NoAnswer."""
        reply = self.site.ask("GET", f"/submissions/CIK{int(cik):010d}.json")
        if reply.is_missing:
            raise NoAnswer("unavailable", f"{NAME} has no list of CIK {cik}")
        answer = read_object(NAME, reply)
        read = read_lists(answer)
        if isinstance(read, str):
            raise changed(NAME, "filings / recent")
        self.site.accept()
        records += describe_filings(live_file(ORIGIN, self.today), *read, since)
        days = words(inner(answer, "filings", "recent"), "filingDate")
        first = min(days, default="")
        has_older = bool(objects(answer, "filings", "files"))
        if has_older and first > since:
            return f"the list of {read[0][0]} begins on {first}"
        return ""


def write_ciks(query: SourceQuery) -> str:
    """Return the numbers that are asked for; "" where none is known."""
    return ", ".join(query.ciks)
