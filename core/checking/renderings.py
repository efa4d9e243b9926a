"""A check as a file: the marked document with its corrections (docx, md), and the table (csv)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal, get_args

from core.checking.results import (
    VERDICT_WORDS,
    VERDICTS,
    CheckedAssertion,
    CheckedSentence,
    DocumentCheck,
)
from core.reports.document import About, Block, Document, Front, Grid, Heading, Paragraph, Tile

CheckFormat = Literal["docx", "md", "csv", "xlsx"]
FORMATS: tuple[CheckFormat, ...] = get_args(CheckFormat)
_COLUMNS = (
    *("sentence", "place", "verdict", "statement", "stated", "recorded", "note"),
    *("source", "address", "as_of", "text"),
)


def render_check(check: DocumentCheck, form: CheckFormat) -> bytes:
    """Return a check as a file.

    Args:
        check: The check.
        form: docx and md show the document with its verdicts and a list of corrections; csv and
            xlsx a table with a row a statement.
    """
    if form == "csv":
        import pandas as pd

        from core.reports.spreadsheet import safe_csv

        return safe_csv(pd.DataFrame(list(table_rows(check)), columns=list(_COLUMNS)))
    if form == "xlsx":
        from core.reports.spreadsheet import render_xlsx

        return render_xlsx(compose(check), _CheckTable(check))
    if form == "md":
        from core.reports.markdown import render_markdown

        return render_markdown(compose(check)).encode()
    from core.reports.word import render_docx

    return render_docx(compose(check))


class _CheckTable:
    """The statements of a check as the one table of a workbook."""

    def __init__(self, check: DocumentCheck) -> None:
        self._check = check

    def names(self) -> list[str]:
        return ["statements"]

    def read(self, name: str) -> object:
        import pandas as pd

        return pd.DataFrame(list(table_rows(self._check)), columns=list(_COLUMNS))


def table_rows(check: DocumentCheck) -> Iterator[tuple[str | int, ...]]:
    """Yield a row a statement, by place in the document."""
    for sentence in check.sentences:
        for assertion in sentence.assertions:
            source = assertion.source
            yield (
                sentence.number,
                sentence.place,
                VERDICT_WORDS[assertion.verdict],
                assertion.kind,
                assertion.stated,
                assertion.recorded,
                assertion.note,
                source.title if source else "",
                source.url if source else "",
                source.as_of if source else "",
                sentence.text,
            )


def compose(check: DocumentCheck) -> Document:
    """Return the check as a report: counts, corrections, then the marked document."""
    about = About(
        run_uuid="",
        agent="document-check",
        agent_title="Document check",
        label=check.name,
        completed_at=datetime.fromisoformat(check.checked_on).replace(tzinfo=UTC),
        elapsed_s=0.0,
        request={},
        is_run=False,
    )
    tiles = tuple(
        Tile(VERDICT_WORDS[verdict].capitalize(), f"{check.counts.get(verdict, 0):,}", "sentences")
        for verdict in VERDICTS[:4]
    )
    n_wrong = len(check.of_verdict("differs", "older"))
    noun = "sentence differs" if n_wrong == 1 else "sentences differ"
    first = f"{n_wrong} {noun} from the evidence or {'is' if n_wrong == 1 else 'are'} outdated."
    front = Front((first,), tiles)
    blocks = [*_corrections(check), *_supported(check), *_marked(check)]
    return Document(
        f"Check of {check.name}",
        f"{check.form}, pages: {check.pages:,}, statements read: {check.n_assertions:,}",
        about,
        tuple(blocks),
        tuple(check.notices),
        front,
    )


def _corrections(check: DocumentCheck) -> Iterator[Block]:
    yield Heading("Corrections")
    wrong = check.of_verdict("differs", "older")
    if not wrong:
        yield Paragraph("No sentence differs from the evidence.")
        return
    rows = tuple(
        (
            sentence.number,
            sentence.place,
            VERDICT_WORDS[assertion.verdict],
            assertion.stated,
            assertion.recorded,
            _source(assertion),
            sentence.text,
        )
        for sentence in wrong
        for assertion in sentence.assertions
        if assertion.verdict in {"differs", "older"}
    )
    columns = ("No.", "Place", "Verdict", "Document", "Evidence", "Source", "Sentence")
    yield Grid(columns, rows, "What to correct")


def _supported(check: DocumentCheck) -> Iterator[Block]:
    rows = tuple(
        (
            sentence.number,
            sentence.place,
            assertion.stated,
            assertion.recorded,
            _source(assertion),
            sentence.text,
        )
        for sentence in check.sentences
        for assertion in sentence.assertions
        if assertion.verdict == "supported"
    )
    if rows:
        yield Heading("Supported")
        columns = ("No.", "Place", "Document", "Evidence", "Source", "Sentence")
        yield Grid(columns, rows, "Statements that a record supports")


def _source(assertion: CheckedAssertion) -> str:
    source = assertion.source
    if source is None:
        return ""
    day = f", as of {source.as_of}" if source.as_of else ""
    return f"{source.title}{day} {source.url}".strip()


def _marked(check: DocumentCheck) -> Iterator[Block]:
    """Yield the document with a mark behind each sentence about which something was read."""
    yield Heading("Marked document")
    pairs = zip(check.sentences, check.sentences[1:], strict=False)
    headings = {x.number for x, following in pairs if following.heading == x.text != x.heading}
    paragraph: list[str] = []
    place: tuple[int, int] | None = None
    heading = ""
    for sentence in check.sentences:
        here = (sentence.table or -1, sentence.row or sentence.paragraph)
        if paragraph and here != place:
            yield Paragraph(" ".join(paragraph))
            paragraph = []
        if sentence.heading != heading and sentence.heading:
            yield Heading(sentence.heading, 2)
        heading, place = sentence.heading, here
        if sentence.number not in headings:
            paragraph.append(_mark(sentence))
    if paragraph:
        yield Paragraph(" ".join(paragraph))


def _mark(sentence: CheckedSentence) -> str:
    text = sentence.text.replace("*", "\u2217")
    if not sentence.assertions:
        return text
    return f"{text} **({sentence.number}: {VERDICT_WORDS[sentence.verdict]})**"
