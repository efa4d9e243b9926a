"""Press releases and papers that a person gives: to findings, and findings to the evidence."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import PurePath

from core.briefs.entities.identifying import Library
from core.briefs.web import WebFindingRow
from core.checking.page_names import PageNames
from core.checking.web_findings import make_row
from core.documents.guard import check_pages, check_size, estimate_pages
from core.documents.reading import read_document
from core.drafting.findings import Finding, Focus, find_on_page
from core.drafting.marking import show_only
from core.drafting.relations import Part, PartRole
from core.drafting.web.fetch import Fetched
from core.drafting.web.page_text import join_paragraphs
from core.drafting.web.pages import REVERSED, page_of_text, read_page
from core.errors import InvalidInput
from core.evidence.names.companies import sharing_name
from core.evidence.proof.claims import unmark
from core.evidence_ports import EvidenceReader
from core.model_ports import PageRefused
from core.records.accepted import AcceptedFile, AcceptedFinding, PageStatement
from core.records.evidence import Record
from core.records.web import WebPage
from core.vocabulary.sources import ACCEPTED

MOST_LISTED = 1_000
_COMPANIES: tuple[PartRole, ...] = ("company", "partner")
MARKDOWN_ENDINGS = (".md", ".markdown", ".mkd")
_HEAD, _PDF = 1_024, b"%PDF-"
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|meta|div|article)\b", re.IGNORECASE)


@dataclass(frozen=True)
class GivenPage:
    """What a given text came to.

    Attributes:
        title: Name of the file, or its first words.
        rows: Findings with their quotes.
        findings: The same, as they are accepted.
        refused: Statements that failed their proof, by reason.
    """

    title: str
    rows: tuple[WebFindingRow, ...]
    findings: tuple[AcceptedFinding, ...]
    refused: tuple[tuple[str, int], ...]


def read_given(
    name: str, content: bytes, url: str, published_on: date | None, library: Library, now: datetime
) -> GivenPage:
    """Return what a text or document states about drugs and companies, by rules alone.

    Raises:
        InvalidInput: The document cannot be read.
    """
    given = _read(name, content, now)
    page = replace(given, url=url, published_on=published_on or given.published_on)
    result = find_on_page(page, Focus(), PageNames(library))
    rows = tuple(make_row(result, finding, library) for finding in result.findings)
    pairs = zip(rows, result.findings, strict=True)
    findings = tuple(_accept(row, finding, page.text) for row, finding in pairs)
    return GivenPage(page.title, rows, findings, tuple(result.refused.most_common()))


def _read(name: str, content: bytes, now: datetime) -> WebPage:
    """Return a text as a page; signs that nobody sees are no part of it.

    Raises:
        InvalidInput: The document cannot be read.
    """
    title = PurePath(name).name
    check_size(content)
    if _HTML.search(content[:_HEAD]) or title.casefold().endswith((".html", ".htm")):
        try:
            page = read_page(Fetched("", content, "text/html"), now)
        except PageRefused as refusal:
            raise InvalidInput(str(refusal)) from None
        return replace(page, title=page.title or title)
    text = _decode(content)
    if REVERSED.search(text):
        raise InvalidInput(
            "The text shows its letters in another order than it has them (U+202D, U+202E). Save "
            "it without these signs."
        )
    is_marked_up = title.casefold().endswith(MARKDOWN_ENDINGS)
    if not text or is_marked_up:
        content = show_only(text).encode() if text else content
        paragraphs = join_paragraphs(read_document(name, content).sentences)
        return page_of_text("\n\n".join(paragraphs), title, now)
    check_pages(estimate_pages(len(text)))
    return page_of_text(text.replace("\t", " | "), title, now)


def _decode(content: bytes) -> str:
    """Return a text in UTF-8; "" for a document of another form, which its own reader reads."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text or _PDF in content[:_HEAD] else text


def _accept(row: WebFindingRow, finding: Finding, text: str) -> AcceptedFinding:
    amount = finding.part("amount")
    shared = row.model_dump(include={*PageStatement.model_fields})
    companies = {role: _name_company(finding.part(role), text) for role in _COMPANIES}
    amounts = {"amount": amount.value, "currency": amount.unit}
    return AcceptedFinding.model_validate({**shared, **companies, **amounts})


def _name_company(company: Part, text: str) -> str:
    """Return a company as the page writes it; of a name that several share the one it means.

    Where the page names another one of them in full, nobody can be sure.
    """
    sharing = {*sharing_name(company.text)} - {company.key}
    if not sharing or any(other in text for other in sharing):
        return unmark(company.text)
    return company.key or unmark(company.text)


def write_accepted(
    findings: Sequence[AcceptedFinding], by: str, now: datetime
) -> tuple[str, bytes]:
    """Return name and content of the file by which statements are accepted, or removed."""
    at = now.isoformat(timespec="seconds")
    signed = [finding.model_copy(update={"by": by, "at": at}) for finding in findings]
    content = AcceptedFile(accepted_findings=signed).model_dump_json().encode()
    return f"accepted-{at[:10]}-{hashlib.sha256(content).hexdigest()[:12]}.json", content


def make_removal(record_id: str) -> AcceptedFinding:
    """Return what takes an accepted statement back."""
    number = record_id.removeprefix(f"{ACCEPTED}:")
    return AcceptedFinding(
        number=number, relation="", statement="", quote="removed", is_removed=True
    )


def list_accepted(evidence: EvidenceReader) -> list[Record]:
    """Return the accepted statements that were not taken back, the newest first."""
    ids = evidence.changed(ACCEPTED, "", limit=MOST_LISTED)
    records = [record for each in ids if (record := evidence.record(each)) and record.spans]
    return sorted(records, key=lambda record: (record.fetched_at, record.id), reverse=True)
