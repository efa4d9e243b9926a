"""SEC EDGAR, submissions: 8-K filings of a company with items that tell of deals.

Site: data.sec.gov/submissions/CIK##########.json; United States government; no key, but a contact
in the User-Agent; ten requests a second over all hosts. The list names no words, so a company is
asked for by its number. The list holds the last year at least, of which a question without a first
day is; older filings are in further files, which are not read. Answers were recorded.
"""

from datetime import timedelta

from core.evidence.sources.files.dealmaking.edgar import describe_filings, read_lists
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import CountedSource, Page, live_file
from core.evidence.sources.live.json_reading import inner, objects, read_object, words
from core.evidence.sources.live.web import NoAnswer, changed

NAME = "sec-submissions"
ADDRESS = "https://data.sec.gov"
ORIGIN = "EDGAR submissions.json"
PAUSE_S = 0.25
A_YEAR = 365


class SubmissionsConnector(CountedSource):
    """The lists of filings: those of companies by their numbers."""

    name = NAME
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
            raise NoAnswer("unavailable", f"{NAME} has no list of CIK {question}")
        answer = read_object(NAME, reply)
        read = read_lists(answer)
        if isinstance(read, str):
            raise changed(NAME, "filings / recent")
        since = query.since or (self.today - timedelta(days=A_YEAR)).isoformat()
        days = words(inner(answer, "filings", "recent"), "filingDate")
        is_cut = bool(objects(answer, "filings", "files")) and min(days, default="") > since
        note = f"the list of {read[0][0]} begins on {min(days)}" if is_cut else ""
        records = list(describe_filings(live_file(ORIGIN, self.today), *read, since))
        return Page(records, len(days), len(days), note=note)
