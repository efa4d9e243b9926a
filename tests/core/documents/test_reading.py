"""Files of every form to sentences with places, and files that are refused with their cause."""

import io
import zipfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest
from pptx import Presentation
from pypdf import PdfReader, PdfWriter

from core.documents.reading import read_document
from core.errors import InvalidInput
from core.reports.document import About, Bullets, Document, Grid, Heading, Paragraph
from core.reports.markdown import render_markdown
from core.reports.pdf import render_pdf
from core.reports.word import render_docx
from tests.rows import over_rows

ROW = ("vosoritide", "phase 3", "achondroplasia and hypochondroplasia in children under 5 years")
DOCUMENT = Document(
    "Field note",
    "A note",
    About("", "a", "A", "A note", datetime(2026, 11, 28, tzinfo=UTC), 0.0, {}),
    (
        Heading("Drugs"),
        Paragraph("Sotorasib is approved. It acts on KRAS G12C, e.g. in NSCLC."),
        Bullets(("One point.",)),
        Grid(("Drug", "Stage", "Indication"), (ROW, ("RC148", "phase 2", "asthma")), "Rows"),
    ),
)
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RENDERERS: dict[str, Callable[[Document], bytes]] = {
    "docx": render_docx,
    "pdf": render_pdf,
    "md": lambda document: render_markdown(document).encode(),
}


@pytest.mark.parametrize("form", RENDERERS)
def test_report_is_read_back_from_every_form(form: str) -> None:
    document = read_document(f"a.{form}", RENDERERS[form](DOCUMENT))
    texts = [sentence.text for sentence in document.sentences]
    assert document.form == form
    assert {"Sotorasib is approved.", "It acts on KRAS G12C, e.g. in NSCLC."} <= set(texts)
    rows = [
        tuple(cell.text for cell in sentence.cells)
        for sentence in document.sentences
        if [cell.header for cell in sentence.cells] == ["Drug", "Stage", "Indication"]
    ]
    assert rows == [ROW, ("RC148", "phase 2", "asthma")]


def test_places_name_page_heading_paragraph_and_characters() -> None:
    document = read_document("a.md", b"# Title\n\nOne is here. Two is there.\n\n|A|\n|-|\n|x|\n")
    second = next(x for x in document.sentences if x.text == "Two is there.")
    place = second.location
    assert (place.heading, place.paragraph, place.start, place.end) == ("Title", 2, 13, 26)
    row = document.sentences[-1].location
    assert (row.table, row.row, row.paragraph) == (1, 1, 0)


def test_slides_are_read_with_titles_tables_and_notes() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Pipeline"
    table = slide.shapes.add_table(2, 2, 0, 0, 100, 100).table
    for at, text in enumerate(("Drug", "Stage", "RC148", "phase 3")):
        table.cell(at // 2, at % 2).text = text
    slide.notes_slide.notes_text_frame.text = "A note below."
    buffer = io.BytesIO()
    deck.save(buffer)
    document = read_document("a.pptx", buffer.getvalue())
    assert (document.form, document.n_pages) == ("pptx", 1)
    shown = [(x.text, x.is_heading, x.location.page) for x in document.sentences]
    assert ("Pipeline", True, 1) in shown
    assert ("RC148 | phase 3", False, 1) in shown
    assert ("A note below.", False, 1) in shown


def word(body: str, *, head: str = "", members: Mapping[str, str] | None = None) -> bytes:
    text = f'{head}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"word/document.xml": text, **(members or {})}.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_deleted_words_fall_away_and_inserted_ones_count() -> None:
    changed = (
        '<w:p><w:r><w:t xml:space="preserve">It is </w:t></w:r><w:del w:id="1"><w:r><w:delText>not '
        '</w:delText></w:r></w:del><w:ins w:id="2"><w:r><w:t>approved.</w:t></w:r></w:ins></w:p>'
    )
    document = read_document("a.docx", word(changed))
    assert [sentence.text for sentence in document.sentences] == ["It is approved."]


def test_text_box_is_read_once() -> None:
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    box = f"<w:txbxContent>{paragraph('It is approved.')}</w:txbxContent>"
    body = (
        f'<w:p xmlns:mc="{mc}"><w:r><w:t>A drug.</w:t></w:r><w:r><mc:AlternateContent>'
        f'<mc:Choice Requires="wps">{box}</mc:Choice><mc:Fallback><w:pict>{box}</w:pict>'
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    document = read_document("a.docx", word(body))
    assert [sentence.text for sentence in document.sentences] == ["A drug.", "It is approved."]


@pytest.mark.parametrize("mark", ["; ", " ", "-"])
def test_long_sentence_is_read_in_pieces(mark: str) -> None:
    text = mark.join(f"part{number}" for number in range(3_000))
    document = read_document("a.txt", text.encode())
    pieces = [sentence.text for sentence in document.sentences]
    assert len(pieces) > 1
    assert max(map(len, pieces)) <= 4_000
    assert "".join("".join(pieces).split()) == "".join(text.split())
    for sentence in document.sentences:
        at = sentence.location
        assert " ".join(text.split())[at.start : at.end] == sentence.text


def test_macros_and_links_are_left_alone_and_said() -> None:
    relation = '<Relationships><Relationship TargetMode="External" Target="http://x"/>'
    members = {
        "word/vbaProject.bin": "",
        "word/_rels/document.xml.rels": f"{relation}</Relationships>",
    }
    document = read_document("a.docx", word(paragraph("Text."), members=members))
    assert len(document.notices) == 2
    assert all(word in " ".join(document.notices) for word in ("macros", "link"))


def encrypted_pdf() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(render_pdf(DOCUMENT))))
    writer.encrypt("secret", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def blank_pdf(n_pages: int) -> bytes:
    writer = PdfWriter()
    for _ in range(n_pages):
        writer.add_blank_page(100, 100)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


ENTITY = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
REFUSED: tuple[tuple[str, Callable[[], bytes], str], ...] = (
    ("empty", lambda: b"", "empty_file"),
    ("over 50 MB", lambda: b"a" * (50 * 1024 * 1024 + 1), "file_too_large"),
    ("over 200 pages of text", lambda: b"word " * 130_000, "too_many_pages"),
    ("over 200 pages of PDF", lambda: blank_pdf(201), "too_many_pages"),
    ("over 200 pages of Word", lambda: word(paragraph("word " * 130_000)), "too_many_pages"),
    ("scan", lambda: blank_pdf(2), "no_text"),
    ("encrypted PDF", encrypted_pdf, "document_encrypted"),
    ("encrypted or old Office", lambda: b"\xd0\xcf\x11\xe0" + b"x" * 99, "document_encrypted"),
    ("damaged PDF", lambda: render_pdf(DOCUMENT)[:900], "document_damaged"),
    ("damaged archive", lambda: render_docx(DOCUMENT)[:500], "document_damaged"),
    ("damaged XML", lambda: word("<w:p>"), "document_damaged"),
    ("zip bomb", lambda: word(paragraph("a" * 30_000_000)), "file_too_large"),
    ("entities", lambda: word(paragraph("&c;"), head=ENTITY), "document_refused"),
    ("entity from outside", lambda: word(paragraph("&b;"), head=OUTSIDE), "document_refused"),
    ("no words", lambda: word(""), "no_text"),
    ("neither text nor document", lambda: bytes(range(256)) * 20, "unknown_document"),
)
each_refused = over_rows("case", REFUSED)


@each_refused
def test_refused_files_name_the_cause(case: tuple[str, Callable[[], bytes], str]) -> None:
    _, make, code = case
    with pytest.raises(InvalidInput) as refused:
        read_document("a.txt", make())
    assert (refused.value.word, refused.value.details[0].field) == (code, "file")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_text_of_any_usual_encoding_is_read(encoding: str) -> None:
    text = "Se\u00f1al de 5 \u00b5g en el ensayo.\r\nOtra l\u00ednea."
    document = read_document("a.txt", text.encode(encoding))
    assert " ".join(x.text for x in document.sentences) == " ".join(text.split())


def test_marks_of_text_stay_text() -> None:
    hostile = b"See [a](javascript:x) <script>alert(1)</script> ../../etc/passwd here.\n"
    document = read_document("../../a.txt", hostile)
    assert document.sentences[0].text == " ".join(hostile.decode().split())
