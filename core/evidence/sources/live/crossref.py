"""Crossref: abstracts of meetings, by the titles of supplements of the journals that print them.

Site: api.crossref.org/works; metadata CC0; no key; a mail address in the User-Agent is welcome. Its
search takes any of the words and counts millions of works, so only titles that name everything that
was asked for are kept, and only from supplements of the journals in `conference_journals.csv`:
what is found is a part of what was shown. Sorting by day would spoil its ranking and is not asked
for. Answers of the search were recorded, none with these filters.
"""

import re
from collections.abc import Sequence
from datetime import date

from core.evidence.sources.files.dealmaking.papers import plain_text
from core.evidence.sources.files.forms.importers import read_from
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.counted import CountedSource, Page, live_file
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    inner,
    objects,
    past_date,
    read_object,
    words,
)
from core.evidence.sources.live.web import changed
from core.records.evidence import Parsed, Record
from core.tables.rows import SourceFile
from core.vocabulary.conference_journals import meetings_by_journal

NAME = "crossref"
ORIGIN = "Crossref.json"
LICENCE = "Crossref, metadata CC0"
PAGE = 200
YEARS = 3
"""Years of meetings that are asked for."""
PARTIAL = "coverage of meetings is partial"
_WORKS = "/works"
_FIELDS = "DOI,title,container-title,issue,published"
_DOI = re.compile(r"10\.\d{4,9}/[-._;()/:A-Za-z0-9]+", re.ASCII)
_SIGN = re.compile(r"\w+")
_SUPPLEMENT = re.compile(r"suppl", re.IGNORECASE)


class CrossrefConnector(CountedSource):
    """The register of works: abstracts whose title names each group, the most relevant first."""

    name = NAME
    address = "https://api.crossref.org"
    pause_s = 0.5
    noun = "works"

    @classmethod
    def questions(cls, query: SourceQuery) -> list[str]:
        """Return the words of a question, each thing by its first name; none without any.

        >>> CrossrefConnector.questions(SourceQuery([["KRAS G12D", "KRAS"]], diseases=["PDAC"]))
        ['KRAS G12D PDAC']
        """
        names = [" ".join(_SIGN.findall(group[0])) for group in _groups(query)]
        return [" ".join(names)] if names else []

    def read(self, query: SourceQuery, question: str, start: int) -> Page:
        """Return the abstracts among the most relevant works."""
        del start
        journals = [f"container-title:{journal}" for journal in meetings_by_journal()]
        first_day = query.since or f"{self.today.year - YEARS}-01-01"
        asked = {
            "query.bibliographic": question,
            "filter": ",".join((f"from-pub-date:{first_day}", *journals)),
            "rows": str(min(query.limit, PAGE)),
            "select": _FIELDS,
        }
        answer = read_object(NAME, self.site.ask("GET", _WORKS, query=asked))
        message = inner(answer, "message")
        if not isinstance(message.get("items"), list):
            raise changed(NAME, "message / items")
        if answer.get("status", "ok") != "ok":
            raise changed(NAME, "status")
        source, entries = live_file(ORIGIN, self.today), objects(message, "items")
        known = [each for each in entries if words(each, "title") and "DOI" in each]
        groups = _groups(query)
        read = [
            _describe(each, groups, source, n, self.today) for n, each in enumerate(known, start=1)
        ]
        total, field = count(message, "total-results"), "message / total-results"
        return Page([*filter(None, read)], total, len(known), field=field, note=PARTIAL)


def _groups(query: SourceQuery) -> list[Sequence[str]]:
    groups = (*query.groups, query.drugs, query.diseases)
    return [group for group in groups if group and _SIGN.search(group[0])]


def _describe(
    entry: Object, groups: Sequence[Sequence[str]], source: SourceFile, place: int, today: date
) -> Parsed | None:
    """Return the record of an abstract; None for what is none, or names something else."""
    doi = str(entry["DOI"])
    title = plain_text(" ".join(words(entry, "title")), 400)
    journals = [name for name in words(entry, "container-title") if name in meetings_by_journal()]
    is_supplement = _SUPPLEMENT.search(str(entry.get("issue") or ""))
    if not _DOI.fullmatch(doi) or not journals or not is_supplement:
        return None
    text = _folded(title)
    if not all(any(_folded(name) in text for name in group) for group in groups):
        return None
    day = past_date(_day(entry), today)
    record = Record(
        NAME,
        doi,
        f"https://doi.org/{doi}",
        "conference_abstract",
        title,
        published_on=day,
        updated_on=day,
        **read_from(source, place, LICENCE),
    )
    return Parsed(record, ())


def _folded(text: str) -> str:
    return f" {' '.join(_SIGN.findall(text.casefold()))} "


def _day(entry: Object) -> str:
    """Return the day, month or year of publication; "" where none is given."""
    dates = inner(entry, "published").get("date-parts")
    parts = dates[0] if isinstance(dates, list) and dates and isinstance(dates[0], list) else []
    numbers = [part for part in parts[:3] if type(part) is int]
    return "-".join(f"{number:02}" for number in numbers) if len(numbers) == len(parts) else ""
