"""SureChEMBL: full text of patents and the structures that EMBL-EBI reads from them.

Site: www.surechembl.org/api (EMBL-EBI). CC BY 4.0; link and SCHEMBL ids are kept. No published
limit: five questions a second. Shapes as an open client reads them (2026-09); not called live yet.
A miss is 404 for a document; image-only documents may have no structures.
"""

import csv
import io
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date

from core.evidence.readers.patents.numbers import Filing, read_day, split_number, write_number
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.json_reading import (
    Object,
    count,
    inner,
    objects,
    quoted,
    read_object,
    word,
)
from core.evidence.sources.live.patent_records import LiveDocument, parse_document
from core.evidence.sources.live.web import NoAnswer, Site, changed, unanswered
from core.records.evidence import Parsed
from core.records.patents import RawStructure
from core.records.sources import AnswerStatus

ADDRESS = "https://www.surechembl.org/api"
LICENCE = "CC BY 4.0 (SureChEMBL, EMBL-EBI)"
PAGE = 100
MOST_STRUCTURES = 20_000
LARGEST_TABLE = 60_000_000
LONGEST_STRUCTURE = 8_000
NAME = "surechembl"


class SureChemblConnector:
    """SureChEMBL as a source."""

    name = NAME

    def __init__(self, site: Site, today: date) -> None:
        """Keep the site.

        Args:
            site: How it is asked.
            today: Day of asking.
        """
        self._site = site
        self._today = today.isoformat()

    def search(self, query: SourceQuery) -> SourceAnswer:
        """Return documents that name an alternative of every group in title or claims."""
        phrases = [f"({quoted(list(group))})" for group in query.groups if quoted(list(group))]
        joined = " AND ".join(f"(ttl:{phrase} OR clm:{phrase})" for phrase in phrases)
        page = int(query.cursor) if query.cursor.isdecimal() else 1
        size = min(PAGE, query.limit)
        parameters = {"query": joined, "page": str(page), "itemsPerPage": str(size)}
        try:
            data = self._data("POST", "/search/content", parameters)
            results = inner(data, "results")
            if "documents" not in results:
                raise changed(NAME)
        except NoAnswer as failure:
            return unanswered(NAME, failure)
        hits = tuple(self._read_hits(results))
        total = count(results, "total_hits")
        more = str(page + 1) if hits and total and page * size < total else ""
        return self._answer(hits, total, more)

    def fetch(self, source_id: str) -> SourceAnswer:
        """Return a document with its texts."""
        try:
            data = self._data("GET", f"/document/{_written(source_id)}/contents")
        except NoAnswer as failure:
            return unanswered(NAME, failure)
        document = inner(data, "contents", "patentDocument")
        if not document:
            return self._answer(())
        return self._answer((self._read_document(source_id, document),))

    def chemistry(self, source_id: str) -> SourceAnswer:
        """Return a document that holds its structures alone."""
        try:
            parameters = {"docID": _written(source_id), "output_type": "csv"}
            reply = self._site.ask("POST", "/export/document-chemistry", query=parameters)
            if reply.is_missing:
                return self._answer(())
            structures = tuple(_read_table(source_id, reply.content))
        except NoAnswer as failure:
            return unanswered(NAME, failure)
        document = LiveDocument(NAME, source_id, "", LICENCE, self._today, structures=structures)
        return self._answer((parse_document(document),) if structures else ())

    def _data(self, method: str, path: str, query: dict[str, str] | None = None) -> Object:
        """Return the data inside the envelope of an answer; empty for a miss."""
        reply = self._site.ask(method, path, query=query)
        if reply.is_missing:
            return {}
        envelope = read_object(NAME, reply)
        if word(envelope, "status") != "OK":
            message = word(envelope, "error_message")[:100] or word(envelope, "status")
            raise NoAnswer("unavailable", f"{NAME} answered: {message}")
        return inner(envelope, "data")

    def _read_hits(self, results: Object) -> Iterator[Parsed]:
        for hit in objects(results, "documents"):
            number = write_number(*split_number(word(hit, "docId")))
            meta = inner(hit, "metadata")
            titles = [
                str(entry["titles"][0])
                for entry in objects(meta, "titles")
                if isinstance(entry.get("titles"), list) and entry["titles"]
            ]
            owner = word(hit, "pa")
            if number:
                yield parse_document(
                    LiveDocument(
                        NAME,
                        number,
                        titles[0] if titles else "",
                        LICENCE,
                        self._today,
                        assignees=[owner] if owner not in {"", "null"} else [],
                        published_on=read_day(word(meta, "pd")[:10]),
                        url=_address(number),
                    )
                )

    def _read_document(self, number: str, document: Object) -> Parsed:
        front = inner(document, "bibliographicData")
        technical = inner(front, "technicalData")
        titles = objects(technical, "inventionTitles")
        english = [title for title in titles if word(title, "lang").upper() == "EN"] or titles
        family = document.get("family")
        family = family[0] if isinstance(family, list) and family else family
        return parse_document(
            LiveDocument(
                NAME,
                number,
                word(english[-1], "title") if english else "",
                LICENCE,
                self._today,
                abstract=_section(document, "abstracts"),
                claims=_section(document, "claimResponses"),
                description=_section(document, "descriptions"),
                assignees=_parties(front, "assignees", "assignee"),
                applicants=_parties(front, "applicants", "applicant"),
                published_on=read_day(word(document, "published")[:10]),
                family=f"DOCDB {family}" if isinstance(family, int | str) and family else "",
                relatives=list(_priorities(front)),
                cpc=_classes(technical, "classificationsCpc", "classificationCpc"),
                ipc=_classes(technical, "classificationsIpcr", "classificationIpcr"),
                url=_address(number),
            )
        )

    def _answer(
        self, parseds: tuple[Parsed, ...], total: int | None = None, more: str = ""
    ) -> SourceAnswer:
        status: AnswerStatus = "answered" if parseds else "empty"
        return SourceAnswer(NAME, status, parseds, "live", self._today, total, more)


def _written(number: str) -> str:
    """Return a publication number as SureChEMBL writes it. Raises NoAnswer."""
    parts = split_number(number)
    if not all(parts):
        raise NoAnswer("empty", "no publication number with its kind")
    return "-".join(parts)


def _address(number: str) -> str:
    return f"https://www.surechembl.org/patent/{'-'.join(split_number(number))}"


def _section(document: Object, name: str) -> str:
    """Return the English text of a section, else the first; paragraphs on lines."""
    texts = [
        (word(entry, "lang").upper() != "EN", word(inner(entry, "section"), "content"))
        for entry in objects(document, name)
    ]
    chosen = min((text for text in texts if text[1]), key=lambda text: text[0], default=(True, ""))
    return chosen[1].replace("</p>", "\n").replace("<p>", "").replace("<br/>", "\n")


def _parties(front: Object, outer: str, name: str) -> list[str]:
    """Return names as filed where a party is told in several forms."""
    parties: list[tuple[bool, str]] = []
    for group in objects(front, "parties"):
        for entry in objects(group, outer, name):
            book = inner(entry, "addressbook")
            party_name = word(book, "name") or f"{word(book, 'firstName')} {word(book, 'lastName')}"
            parties.append((word(entry, "format") != "original", " ".join(party_name.split())))
    filed = [name for is_other, name in parties if not is_other and name]
    return list(dict.fromkeys(filed or [name for _, name in parties if name]))


def _priorities(front: Object) -> Iterator[Filing]:
    for group in objects(front, "priorityClaims"):
        for entry in objects(group, "priorityClaims"):
            office, digits, _ = split_number(word(entry, "ucid"))
            if digits:
                day = read_day(word(entry, "date")[:10])
                yield Filing(office, f"{office}{digits}", day, "foreign")


def _classes(technical: Object, outer: str, name: str) -> list[str]:
    codes = []
    for group in objects(technical, outer):
        for entry in objects(group, name):
            symbol = "".join(word(entry, "classification")[:24].split()[:2])
            codes.append(symbol[:20])
    return [code for code in codes if "/" in code]


def _read_table(number: str, content: bytes) -> Iterator[RawStructure]:
    """Yield the structures of the zipped table. Raises NoAnswer."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [name for name in archive.namelist() if name.lower().endswith(".csv")][:1]
            contents = [archive.open(name).read(LARGEST_TABLE) for name in names]
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError):
        raise NoAnswer(
            "unavailable", f"the structures of {NAME} are an incomplete zip file"
        ) from None
    seen: set[str] = set()
    for table in contents:
        try:
            for row in csv.DictReader(io.StringIO(table.decode("utf-8", "replace"))):
                number_of = (row.get("id") or row.get("chemical_id") or "").strip()
                smiles = (row.get("smiles") or "").strip()
                if number_of.isdecimal() and smiles and number_of not in seen:
                    seen.add(number_of)
                    yield RawStructure(
                        number,
                        smiles[:LONGEST_STRUCTURE],
                        "",
                        "document",
                        f"SCHEMBL{number_of}",
                        "surechembl",
                    )
                if len(seen) >= MOST_STRUCTURES:
                    return
        except csv.Error:
            raise NoAnswer("unavailable", f"the structures of {NAME} are no table") from None
