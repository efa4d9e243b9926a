"""Federal Register: notices of the FDA whose text names a drug or a disease.

Site: federalregister.gov/api/v1/documents.json; United States government, public domain; no key. A
notice is told by its title and day of publication: what it announces may happen on another day.
One question does not say which of several names a text has: each is asked for by itself.
Experimental: the request and the fields are those of published clients, no answer was recorded.
"""

import re
from datetime import date

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import read_from
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import IN_TEXT, CountedSource, Page, live_file
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    objects,
    past_date,
    quoted,
    read_object,
    word,
)
from core.evidence.sources.live.web import changed
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.tables.rows import SourceFile
from core.vocabulary.predicates import Predicate

NAME = "federal-register"
ADDRESS = "https://www.federalregister.gov"
ORIGIN = "Federal Register.json"
LICENCE = "Federal Register, United States government, public domain"
PAGE = 100
MOST_HITS = 200
"""Notices of one name that are read."""
A_DAY = len("2026-11-28")
_DOCUMENTS = "/api/v1/documents.json"
_URL = re.compile(re.escape(ADDRESS) + r"""/[^\s"'<>()\[\]{}\\]*""")


class FederalRegisterConnector(CountedSource):
    """The journal: notices that name a drug; a disease, where no drug is asked for."""

    name = NAME
    address = ADDRESS
    pause_s = 1.0
    noun = "notices"
    size = PAGE
    most = MOST_HITS

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return drugs, or else diseases."""
        names = dict.fromkeys(query.drugs or query.diseases)
        return [name for name in names if quoted([name])]

    def read(self, query: SourceQuery, question: str, start: int) -> Page:
        """Return a page of the newest notices that have a name."""
        asked = {
            "conditions[term]": quoted([question]),
            "conditions[agencies][]": "food-and-drug-administration",
            "conditions[type][]": "NOTICE",
            "order": "newest",
            "per_page": str(PAGE),
            "page": str(start // PAGE + 1),
        }
        if query.since:
            asked["conditions[publication_date][gte]"] = query.since
        answer = read_object(NAME, self.site.ask("GET", _DOCUMENTS, query=asked))
        total = count(answer, "count")
        if answer.get("count") and not isinstance(answer.get("results"), list):
            raise changed(NAME, "results")
        mention = Mention("drug" if query.drugs else "disease", question, relation=IN_TEXT)
        source = live_file(ORIGIN, self.today)
        entries = enumerate(objects(answer, "results"), start=start + 1)
        records = [
            *filter(None, (_describe(each, source, n, mention, self.today) for n, each in entries))
        ]
        if any(parsed.record.published_on < query.since for parsed in records):
            raise changed(NAME, "publication_date")  # a condition was not understood
        return Page(records, total, field="count")


def _describe(
    entry: Object, source: SourceFile, place: int, mention: Mention, today: date
) -> Parsed | None:
    """Return the record of a notice; None for one without number, title or past day."""
    number, day = word(entry, "document_number"), past_date(word(entry, "publication_date"), today)
    title, url = clean_text(word(entry, "title"), 400), word(entry, "html_url")
    if not number or not title or len(day) != A_DAY:
        return None
    record = Record(
        NAME,
        clean_text(number, 40),
        url if _URL.fullmatch(url) else "",
        "regulatory_notice",
        title,
        published_on=day,
        updated_on=day,
        mentions=(mention,),
        **read_from(source, place, LICENCE),
    )
    about = Qualifiers(region="FDA", population=title)
    where = f"results[{place - 1}]"
    fact = Fact(record.id, "FDA", Predicate.NOTICE_ON, day, qualifiers=about, locator=where)
    return Parsed(record, (fact,))
