"""Federal Register: notices of the FDA whose text names a drug or a disease.

Site: federalregister.gov/api/v1/documents.json; United States government, public domain; no key. A
notice is told by its title and day of publication: what it announces may happen on another day.
One question does not say which of several names a text has: each is asked for by itself.
Experimental: the request and the fields are those of published clients, no answer was recorded.
"""

from dataclasses import dataclass
from datetime import date
from functools import partial

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import read_from
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.json_reading import (
    Asking,
    Object,
    Page,
    ask_pages,
    count,
    live_file,
    objects,
    quoted,
    read_object,
    word,
)
from core.evidence.sources.live.sec_filings import BY_NAME, IN_TEXT, MOST_ASKED, say_left
from core.evidence.sources.live.web import Site, changed
from core.records.evidence import Fact, Mention, MentionKind, Parsed, Qualifiers, Record
from core.tables.rows import SourceFile
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

NAME = "federal-register"
ADDRESS = "https://www.federalregister.gov"
ORIGIN = "Federal Register.json"
LICENCE = "Federal Register, United States government, public domain"
PAUSE_S = 1.0
PAGE = 100
MOST_HITS = 200
"""Notices of one name that are read."""
A_DAY = len("2026-11-28")
_DOCUMENTS = "/api/v1/documents.json"


@dataclass
class FederalRegisterConnector:
    """The journal as a source.

    Attributes:
        site: How it is asked.
        today: Day of asking.
    """

    site: Site
    today: date
    name: str = NAME

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return notices that name a drug; a disease, where no drug is asked for."""
        kind, names = _names(query)
        questions = [partial(self._read, kind, name, query.since) for name in names[:MOST_ASKED]]
        asking = Asking(NAME, self.site, self.today, "notices", PAGE, MOST_HITS)
        asked = ", ".join(quoted([name]) for name in names[:MOST_ASKED])
        return say_left(ask_pages(asking, asked, questions), names, names[:MOST_ASKED])

    def fetch(self, source_id: str) -> SourceAnswer:
        """Refuse: notices are asked for by name."""
        return SourceAnswer(NAME, "refused", message=f"{source_id[:25]!r}: {BY_NAME}")

    def _read(self, kind: MentionKind, name: str, since: str, start: int) -> Page:
        asked = {
            "conditions[term]": quoted([name]),
            "conditions[agencies][]": "food-and-drug-administration",
            "conditions[type][]": "NOTICE",
            "order": "newest",
            "per_page": str(PAGE),
            "page": str(start // PAGE + 1),
        }
        if since:
            asked["conditions[publication_date][gte]"] = since
        answer = read_object(NAME, self.site.ask("GET", _DOCUMENTS, query=asked))
        total = count(answer, "count")
        if total and not isinstance(answer.get("results"), list):
            raise changed(NAME, "results")
        mentions = (Mention(kind, name, relation=IN_TEXT),)
        source = live_file(ORIGIN, self.today)
        entries = enumerate(objects(answer, "results"), start=start + 1)
        read = [_describe(entry, source, place, mentions) for place, entry in entries]
        records = [*filter(None, read)]
        if any(parsed.record.published_on < since for parsed in records):
            raise changed(NAME, "publication_date")  # a condition was not understood
        return Page(records, total, field="count")


def write_terms(query: SourceQuery) -> str:
    """Return the names that are asked for; "" where no drug and no disease is.

    >>> write_terms(SourceQuery((), diseases=["asthma"], companies=["Novo Nordisk"]))
    '"asthma"'
    """
    return quoted(_names(query)[1])


def _names(query: SourceQuery) -> tuple[MentionKind, list[str]]:
    kind: MentionKind = "drug" if query.drugs else "disease"
    names = dict.fromkeys(query.drugs or query.diseases)
    return kind, [name for name in names if quoted([name])]


def _describe(
    entry: Object, source: SourceFile, place: int, mentions: tuple[Mention, ...]
) -> Parsed | None:
    """Return the record of a notice; None for one without number, title or day."""
    number, day = word(entry, "document_number"), read_date(word(entry, "publication_date"))
    title, url = clean_text(word(entry, "title"), 400), word(entry, "html_url")
    if not number or not title or len(day) != A_DAY:
        return None
    record = Record(
        NAME,
        clean_text(number, 40),
        url if url.startswith(ADDRESS) else "",
        "regulatory_notice",
        title,
        published_on=day,
        updated_on=day,
        mentions=mentions,
        **read_from(source, place, LICENCE),
    )
    about = Qualifiers(region="FDA", population=title)
    where = f"results[{place - 1}]"
    fact = Fact(record.id, "FDA", Predicate.NOTICE_ON, day, qualifiers=about, locator=where)
    return Parsed(record, (fact,))
