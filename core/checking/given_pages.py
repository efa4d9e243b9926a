"""Press releases and papers that a person gives: to findings, and findings to the evidence."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby
from pathlib import PurePath

from core.briefs.entities.identifying import Library
from core.briefs.web import WebFindingRow
from core.checking.page_names import PageNames
from core.checking.web_findings import make_row
from core.documents.reading import read_document
from core.documents.sentences import Sentence
from core.drafting.findings import Focus, find_on_page
from core.drafting.web.pages import page_of_text
from core.evidence_ports import EvidenceReader
from core.records.accepted import AcceptedFile, AcceptedFinding
from core.records.evidence import Record
from core.vocabulary.sources import ACCEPTED

MOST_LISTED = 1_000


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
    sentences = read_document(name, content).sentences
    text = "\n".join(_paragraphs(sentences))
    given = page_of_text(text, PurePath(name).name, now)
    page = replace(given, url=url, published_on=published_on or given.published_on)
    result = find_on_page(page, Focus(), PageNames(library))
    rows = tuple(make_row(result, finding, library) for finding in result.findings)
    amounts = [finding.part("amount") for finding in result.findings]
    pairs = zip(rows, amounts, strict=True)
    findings = tuple(_accept(row, part.value, part.unit) for row, part in pairs)
    return GivenPage(page.title, rows, findings, tuple(result.refused.most_common()))


def _paragraphs(sentences: Sequence[Sentence]) -> Iterator[str]:
    """Yield the paragraphs, headings and rows of a document, each on a line of its own."""

    def stand(sentence: Sentence) -> tuple[int, int, int, int]:
        place = sentence.location
        return place.page, place.paragraph, place.table, place.row

    for _, group in groupby(sentences, stand):
        yield " ".join(sentence.text for sentence in group)


def _accept(row: WebFindingRow, amount: float | None, currency: str) -> AcceptedFinding:
    return AcceptedFinding(
        relation=row.relation,
        says=row.statement,
        drug=row.drug_name,
        company=row.company,
        partner=row.partner,
        indication=row.indication,
        stage=row.stage,
        date=row.date,
        amount=amount,
        currency=currency,
        quote=row.quote,
        url=row.url,
        title=row.title,
        published_on=row.published_on,
    )


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
    return AcceptedFinding(number=number, relation="", says="", quote="removed", is_removed=True)


def list_accepted(evidence: EvidenceReader) -> list[Record]:
    """Return the accepted statements that were not taken back, the newest first."""
    ids = evidence.changed(ACCEPTED, "", limit=MOST_LISTED)
    records = [record for each in ids if (record := evidence.record(each)) and record.spans]
    return sorted(records, key=lambda record: (record.fetched_at, record.id), reverse=True)
