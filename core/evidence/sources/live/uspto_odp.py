"""USPTO Open Data Portal: applications and patents by title, with continuity and assignments.

Site: api.uspto.gov/api/v1/patent/applications/search, key in `X-API-KEY` (BPW_USPTO_ODP_API_KEY).
United States government, public domain. Shapes as in the portal's own examples; not called live
yet. 404 means no hit. It holds no text and no structures: titles find, weekly files draw.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from core.evidence.readers.patents.numbers import (
    PROVISIONAL,
    Filing,
    FilingKind,
    read_day,
    split_number,
    write_number,
    write_pct,
)
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    inner,
    objects,
    quoted,
    read_object,
    word,
    words,
)
from core.evidence.sources.live.patent_records import LiveDocument, parse_document
from core.evidence.sources.live.web import NoAnswer, Site, changed, unanswered
from core.records.evidence import Parsed

ADDRESS = "https://api.uspto.gov"
LICENCE = "public domain (United States government)"
PAGE = 100
NAME = "uspto_odp"
_SEARCH = "/api/v1/patent/applications/search"
_META = "applicationMetaData"


class UsptoOdpConnector:
    """The portal as a source."""

    name = NAME

    def __init__(self, site: Site, key: str, today: date) -> None:
        """Keep the site.

        Args:
            site: How it is asked.
            key: The user's key; "" turns the source off.
            today: Day of asking.
        """
        self._site = site
        self._key = key
        self._today = today.isoformat()

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return applications and patents whose title has an alternative of every group."""
        phrases = [quoted(list(group)) for group in query.groups]
        title = f"{_META}.inventionTitle"
        expression = " AND ".join(f"{title}:({phrase})" for phrase in phrases if phrase)
        return self._search(expression, query.cursor, min(PAGE, query.limit))

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one document by its publication number."""
        office, digits, kind = split_number(source_id)
        if office != "US" or not digits:
            return SourceAnswer(NAME, "empty", message=f"{NAME} holds US documents only")
        if kind[:1] == "A":
            field, value = "earliestPublicationNumber", f"{office}{digits}{kind}"
        else:
            field, value = "patentNumber", digits
        return self._search(f'{_META}.{field}:"{value}"', "", 1)

    def _search(self, expression: str, cursor: str, size: int) -> SourceAnswer:
        if not self._key:
            return SourceAnswer(NAME, "not_configured", message=f"no key for {NAME} is set")
        offset = int(cursor) if cursor.isdecimal() else 0
        query = {"q": expression, "offset": str(offset), "limit": str(size)}
        try:
            reply = self._site.ask("GET", _SEARCH, query=query, headers={"X-API-KEY": self._key})
            if reply.is_missing:
                return SourceAnswer(NAME, "empty", (), "live", self._today, 0)
            answer = read_object(NAME, reply)
            if "patentFileWrapperDataBag" not in answer:
                raise changed(NAME)
        except NoAnswer as failure:
            return unanswered(NAME, failure)
        bag = objects(answer, "patentFileWrapperDataBag")
        parseds = tuple(parsed for entry in bag for parsed in self._read(entry))
        total = count(answer, "count")
        end = offset + len(bag)
        more = str(end) if bag and total is not None and end < total else ""
        return SourceAnswer(
            NAME, "answered" if parseds else "empty", parseds, "live", self._today, total, more
        )

    def _read(self, entry: Object) -> Iterator[Parsed]:
        """Yield the newest publication of an application; nothing for an unpublished one."""
        meta = inner(entry, _META)
        earlier = _number_of(word(meta, "earliestPublicationNumber"))
        patent = word(meta, "patentNumber")
        # B1 is a patent whose application was not published before, B2 one whose was
        number = write_number("US", patent, "B2" if earlier else "B1") if patent else earlier
        if not number:
            return
        day = word(meta, "grantDate") if patent else word(meta, "earliestPublicationDate")
        applied = word(entry, "applicationNumberText").replace("/", "").replace(",", "")
        assigned = objects(entry, "assignmentBag")
        yield parse_document(
            LiveDocument(
                NAME,
                number,
                word(meta, "inventionTitle"),
                LICENCE,
                self._today,
                assignees=_owners(assigned),
                applicants=[
                    word(entry, "applicantNameText") for entry in objects(meta, "applicantBag")
                ],
                filed_on=read_day(word(meta, "filingDate")[:10]),
                published_on=read_day(day[:10]),
                members=[earlier] if patent and earlier else [],
                application=f"US{applied}" if applied else "",
                relatives=list(_relatives(entry)),
                cpc=["".join(code.split()) for code in words(meta, "cpcClassificationBag")],
            )
        )


def _number_of(text: str) -> str:
    """Return the number of an earlier publication ("US 2014-0167116 A1")."""
    return write_number(*split_number(text.replace(" ", "").replace("-", "").upper()))


def _owners(assigned: Sequence[Object]) -> list[str]:
    """Return the owners after the newest assignment of interest."""
    dated = [
        (word(entry, "assignmentRecordedDate"), entry)
        for entry in assigned
        if "INTEREST" in word(entry, "conveyanceText").upper()
    ]
    if not dated:
        return []
    newest = max(dated, key=lambda entry: entry[0])[1]
    return [word(entry, "assigneeNameText") for entry in objects(newest, "assigneeBag")]


def _relatives(entry: Object) -> Iterator[Filing]:
    for parent in objects(entry, "parentContinuityBag"):
        number = word(parent, "parentApplicationNumberText")
        day = read_day(word(parent, "parentApplicationFilingDate")[:10])
        digits = "".join(filter(str.isalnum, number))
        pct = write_pct(number)
        if pct:
            yield Filing("WO", pct, day, "pct")
        elif digits:
            is_provisional = bool(PROVISIONAL.fullmatch(digits))
            kind: FilingKind = "provisional" if is_provisional else "application"
            yield Filing("US", f"US{digits}", day, kind)
    for priority in objects(entry, "foreignPriorityBag"):
        digits = "".join(filter(str.isalnum, word(priority, "applicationNumberText")))
        office = word(priority, "ipOfficeName")[:20]
        if digits:
            yield Filing(
                office, f"{office} {digits}", read_day(word(priority, "filingDate")[:10]), "foreign"
            )
