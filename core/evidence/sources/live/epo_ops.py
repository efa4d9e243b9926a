"""EPO Open Patent Services: documents of all offices by title and abstract, with DOCDB families.

Site: ops.epo.org/3.2/rest-services, OAuth2 client credentials (BPW_EPO_OPS_API_KEY, "key:secret"),
a weekly quota, 403 when it is used up. Terms of the EPO: facts may be used, texts not resold.
Shapes as in the services' reference guide; not called live yet. 404 means no hit; a search
reaches 2,000 documents, 100 at once.
"""

import base64
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import date

from core.evidence.readers.patents.numbers import Filing, read_day, split_number, write_number
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.json_reading import quoted, read_object, word
from core.evidence.sources.live.patent_records import LiveDocument, parse_document
from core.evidence.sources.live.web import NoAnswer, Reply, Site, changed, unanswered
from core.records.evidence import Parsed

ADDRESS = "https://ops.epo.org"
LICENCE = "EPO Open Patent Services, terms of use (facts; texts not for resale)"
PAGE = 100
LAST = 2_000
NAME = "epo_ops"
_REST = "/3.2/rest-services/published-data"
_EXCHANGE = "{http://www.epo.org/exchange}"
_OPS = "{http://ops.epo.org}"
_GRANTED = re.compile(r"search=\w+:(\d{1,4})")
"""Searches a minute that the services grant now, in the header of each answer."""


class EpoOpsConnector:
    """The services as a source."""

    name = NAME

    def __init__(self, site: Site, key: str, today: date) -> None:
        """Keep the site.

        Args:
            site: How it is asked.
            key: The user's "key:secret"; "" turns the source off.
            today: Day of asking.
        """
        self._site = site
        self._key = key
        self._today = today.isoformat()
        self._token = ""

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return documents whose title or abstract has an alternative of every group."""
        groups = [
            " or ".join(
                f"ta={phrase}" for phrase in quoted(list(group), "\n").split("\n") if phrase
            )
            for group in query.groups
        ]
        expression = " and ".join(f"({group})" for group in groups if group)
        return self._search(expression, query.cursor, min(PAGE, query.limit))

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return one document by its publication number."""
        office, digits, kind = split_number(source_id)
        if not (office and kind):
            return SourceAnswer(NAME, "empty", message="no publication number with its kind")
        path = f"{_REST}/publication/docdb/{office}.{digits}.{kind}/biblio,abstract"
        return self._ask(path, {}, 0, 1)

    def _search(self, expression: str, cursor: str, size: int) -> SourceAnswer:
        begin = int(cursor) if cursor.isdecimal() else 1
        span = {"q": expression, "Range": f"{begin}-{min(LAST, begin + size - 1)}"}
        return self._ask(f"{_REST}/search/biblio,abstract", span, begin, size)

    def _ask(self, path: str, query: dict[str, str], begin: int, size: int) -> SourceAnswer:
        if self._key.count(":") != 1:
            message = f'no "key:secret" for {NAME} is set'
            return SourceAnswer(NAME, "not_configured", message=message)
        try:
            reply = self._ask_signed_in(path, query)
            if reply.is_missing:
                return SourceAnswer(NAME, "empty", (), "live", self._today, 0)
            root = _read_xml(reply)
        except NoAnswer as failure:
            return unanswered(NAME, failure)
        parseds = tuple(
            parsed
            for each in root.iter(f"{_EXCHANGE}exchange-document")
            for parsed in self._read(each)
        )
        counted = next(
            (
                element.get("total-result-count", "")
                for element in root.iter(f"{_OPS}biblio-search")
            ),
            "",
        )
        total = int(counted) if counted.isdecimal() else None
        if not parseds and total:
            message = f"{NAME} counts {total:,} hits and sent no document of them"
            return SourceAnswer(NAME, "partial", (), "live", self._today, total, message=message)
        end = begin + size
        more = (
            str(end) if begin and parseds and total is not None and end <= min(total, LAST) else ""
        )
        return SourceAnswer(
            NAME, "answered" if parseds else "empty", parseds, "live", self._today, total, more
        )

    def _ask_signed_in(self, path: str, query: dict[str, str]) -> Reply:
        """Return an answer; a token that has ended is renewed once. Raises NoAnswer."""
        try:
            reply = self._site.ask("GET", path, query=query, headers=self._headers())
        except NoAnswer as failure:
            if "invalid_access_token" not in failure.detail:
                raise
            self._token = ""
            reply = self._site.ask("GET", path, query=query, headers=self._headers())
        granted = _GRANTED.search(reply.headers.get("x-throttling-control", ""))
        if granted and int(granted[1]):
            self._site.pause_s = 60 / int(granted[1])
        return reply

    def _headers(self) -> dict[str, str]:
        """Return what a question needs; the token is asked for once. Raises NoAnswer."""
        if not self._token:
            secret = base64.b64encode(self._key.encode()).decode("ascii")
            reply = self._site.ask(
                "POST",
                "/3.2/auth/accesstoken",
                headers={
                    "Authorization": f"Basic {secret}",
                    "Content-Type": "application/x-www-form-urlencoded",
                },
                body=b"grant_type=client_credentials",
            )
            self._token = word(read_object(NAME, reply), "access_token")
            if not re.fullmatch(r"[\w.~+/=-]{1,500}", self._token):
                self._token = ""
                raise changed(NAME)
        return {"Authorization": f"Bearer {self._token}", "Accept": "application/xml"}

    def _read(self, document: ET.Element) -> Iterator[Parsed]:
        numbers = [document.get(name, "") for name in ("country", "doc-number", "kind")]
        number = write_number(*numbers)
        front = document.find(f"{_EXCHANGE}bibliographic-data")
        if not number or not numbers[2] or front is None:
            return
        family = document.get("family-id", "")
        yield parse_document(
            LiveDocument(
                NAME,
                number,
                _in_english(front.findall(f"{_EXCHANGE}invention-title")),
                LICENCE,
                self._today,
                abstract=_in_english(document.findall(f"{_EXCHANGE}abstract")),
                applicants=_applicants(front),
                filed_on=_day(front, "application-reference"),
                published_on=_day(front, "publication-reference"),
                family=f"DOCDB {family}" if family.isdecimal() else "",
                relatives=list(_priorities(front)),
                cpc=list(_classes(front)),
            )
        )


def _read_xml(reply: Reply) -> ET.Element:
    """Return the root of an answer. Raises NoAnswer."""
    if b"<!DOCTYPE" in reply.content or b"<!ENTITY" in reply.content or b"\x00" in reply.content:
        raise NoAnswer("unavailable", f"the answer of {NAME} declares a document type: refused")
    try:
        root = ET.fromstring(reply.content)
    except (ET.ParseError, LookupError, ValueError):
        raise NoAnswer("unavailable", f"the answer of {NAME} is incomplete XML") from None
    if root.tag != f"{_OPS}world-patent-data":
        raise changed(NAME)
    return root


def _in_english(elements: list[ET.Element]) -> str:
    """Return the English one of several texts, else the first."""
    ordered = sorted(elements, key=lambda element: element.get("lang", "") != "en")
    return "\n".join("".join(ordered[0].itertext()).split("\n")).strip() if ordered else ""


def _applicants(front: ET.Element) -> list[str]:
    """Return names as filed, else as DOCDB writes them."""
    path = f"{_EXCHANGE}parties/{_EXCHANGE}applicants/{_EXCHANGE}applicant"
    names_by_format: dict[str, list[str]] = {"original": [], "other": []}
    for element in front.iterfind(path):
        form = "original" if element.get("data-format") == "original" else "other"
        name = element.findtext(f"{_EXCHANGE}applicant-name/{_EXCHANGE}name") or ""
        names_by_format[form].append(name.strip().rstrip(","))
    return names_by_format["original"] or names_by_format["other"]


def _day(front: ET.Element, name: str) -> str | None:
    """Return the day of a reference."""
    path = f"{_EXCHANGE}{name}/{_EXCHANGE}document-id/{_EXCHANGE}date"
    days = (read_day((element.text or "").strip()) for element in front.iterfind(path))
    return next((day for day in days if day), None)


def _priorities(front: ET.Element) -> Iterator[Filing]:
    path = f"{_EXCHANGE}priority-claims/{_EXCHANGE}priority-claim"
    for claim in front.iterfind(path):
        for element in claim.iterfind(f"{_EXCHANGE}document-id"):
            number = (element.findtext(f"{_EXCHANGE}doc-number") or "").strip()[:30]
            day = read_day((element.findtext(f"{_EXCHANGE}date") or "").strip())
            if number.isalnum() and day:
                yield Filing(number[:2], number, day, "foreign")
                break


def _classes(front: ET.Element) -> Iterator[str]:
    path = f"{_EXCHANGE}patent-classifications/{_EXCHANGE}patent-classification"
    for element in front.iterfind(path):
        texts = [
            (element.findtext(f"{_EXCHANGE}{level}") or "").strip()
            for level in ("section", "class", "subclass", "main-group", "subgroup")
        ]
        if all(texts):
            yield f"{texts[0]}{texts[1]}{texts[2]}{texts[3]}/{texts[4]}"[:30]
