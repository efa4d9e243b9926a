"""openFDA and DailyMed as sources whose changes are walked: US labels, letters, shortages.

openFDA: api.fda.gov; a blank between two conditions means OR, so they are always joined by AND; a
404 that says NOT_FOUND means no hits; deep pages follow `search_after` of the Link header. Its
labels are dated by their labelers, hence the long overlap, and DailyMed tells which ones are gone.
DailyMed: dailymed.nlm.nih.gov/dailymed/services/v2; lists by day of publication, then one document
(SPL XML) a label. A parameter that it does not know is ignored in silence: days are checked.
The pack needs labels of originals (NDA, BLA). United States government, CC0 and public domain.
"""

import json
import re
import tempfile
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from core.errors import UnreadableTable
from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.fda_shortages import number_shortage, read_shortages
from core.evidence.sources.files.forms.importers import Reader
from core.evidence.sources.files.labels import read_labels
from core.evidence.sources.files.letters import read_letters
from core.evidence.sources.files.spl import read_spl
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    inner,
    objects,
    read_object,
    word,
    words,
)
from core.evidence.sources.live.web import NoAnswer, Reply, changed
from core.evidence.sources.sync.reports import Announce
from core.evidence.sources.sync.walking import Page, Walked
from core.records.evidence import Parsed
from core.records.mirrors import SourceCopy
from core.tables.rows import SourceFile
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

PRESCRIPTION = "34391-3"
"""LOINC code of labels of prescription drugs."""
PAGE, FEW = 100, 25
"""Records of one answer; of DailyMed, where each is a request of its own."""
_NEXT = re.compile(r'<([^>]+)>;\s*rel="?next"?')
_ORIGINALS = ("NDA", "BLA")
_SPLS = "/dailymed/services/v2/spls"


class _Labels(Walked):
    """What both services have in common: an importer that reads what they send."""

    portion = 200
    reader: Reader

    def read(self, copies: Sequence[SourceCopy]) -> Sequence[Parsed | None]:
        """Return what the importer reads of each copy; None where it reads nothing."""
        read: list[Parsed | None] = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self.origin
            for copy in copies:
                path.write_bytes(copy.body)
                source = SourceFile(path, copy.as_of, self.today.isoformat(), lambda *_: None)
                try:
                    read.append(next(iter(self.reader(source)), None))
                except UnreadableTable:
                    read.append(None)
        return read

    def is_needed(self, parsed: Parsed) -> bool:
        """Return whether a label is that of an original."""
        return any(
            fact.predicate == Predicate.APPLICATION and fact.object.startswith(_ORIGINALS)
            for fact in parsed.facts
        )

    def unlisted(self, numbers: Sequence[str], announce: Announce) -> Sequence[str]:
        """Return which records are no longer listed, by a look at the whole list."""
        listed: set[str] = set()
        token, counted = "", 0
        while True:
            page = self._listed(token)
            listed |= set(page.numbers)
            counted = counted if page.counted is None else page.counted
            announce(f"checking {len(listed):,} of {counted:,} {self.noun}")
            if not page.next_token or page.next_token == token:
                break
            token = page.next_token
        if len(listed) < counted:
            raise NoAnswer("partial", f"{self.name} listed fewer {self.noun} than it counts")
        return sorted(set(numbers) - listed)

    @abstractmethod
    def _listed(self, token: str) -> Page:
        """Return a page of all records that are listed. Raises NoAnswer."""


class _OpenFda(_Labels):
    """Changes at an endpoint of openFDA."""

    path: str
    search = ""
    """Conditions, with the first day in braces; "": everything is read each time."""
    number: str
    """Field of the identifier."""

    def data_version(self) -> str:
        """Return the day of the data. Raises NoAnswer."""
        return word(inner(self._ask({"limit": "1"})[0], "meta"), "last_updated")

    def changes(self, since: str, token: str, as_of: str) -> Page:
        """Return a page of records dated a day or later, or of all. Raises NoAnswer."""
        query = {"limit": str(PAGE)}
        if self.search:
            query["search"] = self.search.format(since.replace("-", ""))
        if token:
            query |= {"skip": "0", "search_after": token}
        answer, reply = self._ask(query)
        entries = objects(answer, "results")
        if not reply.is_missing and not isinstance(answer.get("results"), list):
            raise changed(self.name)
        days = [read_date(word(entry, "effective_time")) for entry in entries]
        if any(day and day < since for day in days):
            raise NoAnswer("unavailable", f"{self.name} ignores the day from which it is asked")
        copies = [
            copy
            for entry, day in zip(entries, days, strict=True)
            if (copy := self._copy(entry, day or as_of, as_of))
        ]
        if entries and not copies:
            raise changed(self.name)
        counted = 0 if reply.is_missing else count(inner(answer, "meta", "results"), "total")
        numbers = [self._number_of(entry) for entry in entries]
        return Page(copies, numbers, _next_token(reply), counted)

    def _listed(self, token: str) -> Page:
        return self.changes("", token, "")

    def _ask(self, query: Mapping[str, str]) -> tuple[Object, Reply]:
        """Return an answer; one without hits has a 404 that says so. Raises NoAnswer."""
        reply = self.site.ask("GET", self.path, query=query)
        answer = read_object(self.name, reply)
        if reply.is_missing and word(inner(answer, "error"), "code") != "NOT_FOUND":
            raise changed(self.name)
        return answer, reply

    def _number_of(self, entry: Object) -> str:
        return word(entry, self.number)

    def _copy(self, entry: Object, day: str, as_of: str) -> SourceCopy | None:
        number = self._number_of(entry)
        if not number:
            return None
        names = inner(entry, "openfda")
        body = json.dumps(entry, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return SourceCopy(
            number,
            body.encode("utf-8", "surrogatepass"),
            day,
            as_of,
            ", ".join(words(names, "brand_name")) or number,
            drugs="\n".join((*words(names, "substance_name"), *words(names, "brand_name"))),
            companies="\n".join(words(names, "manufacturer_name") or [word(entry, "company_name")]),
        )


class LabelWalk(_OpenFda):
    """Changes of labels at openFDA; which ones are gone, DailyMed tells."""

    name = "openfda-labels"
    noun = "labels"
    origin = "openFDA labels.ndjson"
    overlap_days = 30
    path = "/drug/label.json"
    search = 'openfda.product_type:"HUMAN PRESCRIPTION DRUG" AND effective_time:[{} TO 20991231]'
    number = "set_id"
    reader = staticmethod(read_labels)

    def unlisted(self, numbers: Sequence[str], announce: Announce) -> Sequence[str]:  # noqa: ARG002
        """Return nothing."""
        return []


class LetterWalk(_OpenFda):
    """Complete response letters at openFDA; the pack needs all."""

    name = "openfda-letters"
    noun = "letters"
    origin = "openFDA letters.ndjson"
    path = "/transparency/crl.json"
    number = "file_name"
    reader = staticmethod(read_letters)

    def is_needed(self, parsed: Parsed) -> bool:  # noqa: ARG002
        """Return whether the pack needs a letter."""
        return True


class ShortageWalk(_OpenFda):
    """FDA's drug shortages at openFDA; the pack needs all."""

    name = "openfda-shortages"
    noun = "presentations"
    origin = "openFDA shortages.ndjson"
    path = "/drug/shortages.json"
    reader = staticmethod(read_shortages)

    def is_needed(self, parsed: Parsed) -> bool:  # noqa: ARG002
        """Return whether the pack needs a shortage."""
        return True

    def _number_of(self, entry: Object) -> str:
        return number_shortage(entry)


class DailyMedWalk(_Labels):
    """Changes at DailyMed."""

    name = "dailymed"
    noun = "labels"
    origin = "DailyMed.xml"
    reader = staticmethod(read_spl)

    def data_version(self) -> str:
        """Return the instant of the data. Raises NoAnswer."""
        answer = self._ask({"pagesize": "1"})
        published = word(inner(answer, "metadata"), "db_published_date")
        try:
            at = datetime.strptime(published.rpartition(" ")[0], "%b %d, %Y %I:%M:%S%p")  # noqa: DTZ007
        except ValueError:
            raise changed(self.name) from None
        return at.isoformat()

    def changes(self, since: str, token: str, as_of: str) -> Page:
        """Return a page of labels published on a day or later. Raises NoAnswer."""
        days = {"published_date": since, "published_date_comparison": "gte"}
        answer, page = self._page({"pagesize": str(FEW), **days}, token)
        copies: list[SourceCopy] = []
        for entry in objects(answer, "data"):
            number, day = word(entry, "setid"), read_date(word(entry, "published_date"))
            if day and day < since:
                raise NoAnswer("unavailable", f"{self.name} ignores the day from which it is asked")
            if day and (body := self._document(number)):
                title = clean_text(word(entry, "title"), 300)
                copies.append(SourceCopy(number, body, day, as_of, title, drugs=title))
        return replace(page, copies=copies)

    def _listed(self, token: str) -> Page:
        return self._page({"pagesize": str(PAGE)}, token)[1]

    def _page(self, query: Mapping[str, str], token: str) -> tuple[Object, Page]:
        """Return an answer, and the page of its list without copies. Raises NoAnswer."""
        number = int(token) if token.isdecimal() else 1
        answer = self._ask({"doctype": PRESCRIPTION, **query, "page": str(number)})
        told = inner(answer, "metadata")
        n_pages, counted = count(told, "total_pages"), count(told, "total_elements")
        if n_pages is None:
            raise changed(self.name)
        numbers = [word(entry, "setid") for entry in objects(answer, "data")]
        return answer, Page((), numbers, str(number + 1) if number < n_pages else "", counted)

    def _ask(self, query: Mapping[str, str]) -> Object:
        answer = read_object(self.name, self.site.ask("GET", f"{_SPLS}.json", query=query))
        if not isinstance(answer.get("data"), list):
            raise changed(self.name)
        return answer

    def _document(self, number: str) -> bytes:
        """Return a label; b"" where it is gone or too large. Raises NoAnswer."""
        if not re.fullmatch(r"[0-9a-fA-F-]{36}", number):
            return b""
        try:
            reply = self.site.ask("GET", f"{_SPLS}/{number}.xml")
        except NoAnswer as failure:
            if failure.is_too_large:
                return b""
            raise
        if not reply.is_missing and "xml" not in reply.content_type:
            raise NoAnswer("unavailable", f"{self.name} did not answer with XML")
        return b"" if reply.is_missing else reply.content


def _next_token(reply: Reply) -> str:
    """Return the mark of the next page; of the address in the Link header only that is used."""
    match = _NEXT.search(reply.headers.get("link", ""))
    marks = parse_qs(urlsplit(match[1]).query).get("search_after") if match else None
    return marks[0] if marks else ""
