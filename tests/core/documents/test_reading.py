"""Files of every form to sentences with places, and files that are refused with their cause."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

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


def test_narrow_columns_of_a_report_keep_numbers_whole_and_in_place() -> None:
    columns = ("Trial", "Drug", "Phase", "Line", "N", "Endpoint", "Control", "Months", "Status")
    columns += ("Outcome", "Match", "Sources")
    row = ("NCT07037433", "maridebart cafraglutide", "phase 3", "\u2013", 12_800, "body weight")
    row += ("placebo", 35.0, "recruiting", "unknown", 100, "[1]")
    grid = Grid(columns, tuple((*row[:4], n, *row[5:]) for n in (12_800, 731, 5)), "Trials")
    document = read_document("a.pdf", render_pdf(replace(DOCUMENT, blocks=(grid,))))
    rows = [[cell.text for cell in each.cells] for each in document.sentences if each.cells]
    assert [(cells[0], cells[3], cells[4]) for cells in rows] == [
        ("NCT07037433", "\u2013", n) for n in ("12,800", "731", "5")
    ]


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


def words_of(name: str, content: bytes) -> list[str]:
    return [sentence.text for sentence in read_document(name, content).sentences]


def run(words: str, marks: str = "") -> str:
    return f'<w:r><w:rPr>{marks}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def cell(text: str, marks: str = "", inner: str = "") -> str:
    return f"<w:tc><w:tcPr>{marks}</w:tcPr>{inner}{paragraph(text)}</w:tc>"


VERT = '<w:vertAlign w:val="superscript"/>'
SYMBOL = '<w:r><w:sym w:font="Symbol" w:char="F0B3"/></w:r>'
SEEN, WIDE = '<w:vanish w:val="0"/>', '<w:gridSpan w:val="2"/>'
BELOW = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
INNER = f"<w:tbl><w:tr>{cell('One')}{cell('Two')}</w:tr></w:tbl>"
WORD_FORMS: tuple[tuple[str, list[str]], ...] = (
    (f"<w:p>{run('Hidden. ', '<w:vanish/>')}{run('Gone. ', '<w:strike/>')}{run('Here.')}</w:p>",
     ["Here."]),
    (f"<w:p>{run('Seen', SEEN)}{run('2', VERT)}{run('.')}</w:p>", ["Seen."]),
    (f"<w:p>{run('10')}{run('9', VERT)}{SYMBOL}{run('5')}</w:p>", ["109\u22655"]),
    (f"<w:p><w:moveFrom>{run('Old. ')}</w:moveFrom><w:moveTo>{run('New.')}</w:moveTo></w:p>",
     ["New."]),
    (f"<w:p><w:r><w:instrText>REF x</w:instrText></w:r>{run('A field.')}</w:p>", ["A field."]),
    (f"<w:tbl><w:tr>{cell('Drug')}{cell('Use')}</w:tr><w:tr>{cell('a', BELOW[0])}{cell('b')}</w:tr>"
     f"<w:tr>{cell('', BELOW[1])}{cell('c')}</w:tr></w:tbl>", ["a | b", "a | c"]),
    (f"<w:tbl><w:tr>{cell('All drugs', WIDE)}</w:tr><w:tr>{cell('Drug')}"
     f"{cell('Use')}</w:tr><w:tr>{cell('a')}{cell('b')}</w:tr></w:tbl>", ["All drugs", "a | b"]),
    (f"<w:tbl><w:tr>{cell('Drug')}{cell('Use')}</w:tr><w:tr>{cell('a')}"
     f"{cell('b', '', INNER)}</w:tr></w:tbl>", ["a | b (table below)", "One | Two"]),
)  # fmt: skip
each_word_form = over_rows(("body", "texts"), WORD_FORMS)


@each_word_form
def test_form_of_word_document_is_read(body: str, texts: list[str]) -> None:
    assert words_of("a.docx", word(body)) == texts


def test_headers_notes_and_comments_are_read_under_their_names() -> None:
    kinds = {"header": "hdr", "footnotes": "footnotes", "comments": "comments"}
    members = {
        f"word/{kind}.xml": f'<w:{root} xmlns:w="{W}">{paragraph(f"In {kind}.")}</w:{root}>'
        for kind, root in kinds.items()
    }
    targets = "".join(f'<Relationship Id="{x}" Type="x/{x}" Target="{x}.xml"/>' for x in kinds)
    members["word/_rels/document.xml.rels"] = f"<Relationships>{targets}</Relationships>"
    document = read_document("a.docx", word(paragraph("Text."), members=members))
    places = {x.text: x.location.heading for x in document.sentences if not x.is_heading}
    assert places == {
        "Text.": "",
        "In header.": "Header",
        "In footnotes.": "Footnotes",
        "In comments.": "Comments",
    }


def test_groups_charts_and_hidden_slides_are_read() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 100, 100).text_frame.text = "In a group."
    data = CategoryChartData()
    data.categories = ["a"]
    data.add_series("Sales of a drug", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 100, 100, data)
    table = slide.shapes.add_table(3, 2, 0, 0, 100, 100).table
    for at, text in enumerate(("Drug", "Use", "a", "b", "", "c")):
        table.cell(at // 2, at % 2).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    slide._element.set("show", "0")
    buffer = io.BytesIO()
    deck.save(buffer)
    document = read_document("a.pptx", buffer.getvalue())
    texts = [sentence.text for sentence in document.sentences]
    assert {"In a group.", "Sales of a drug", "a | b", "a | c"} <= set(texts)
    assert any("1" in notice for notice in document.notices)


def pdf(*pages: Sequence[tuple[float, float, float, str]]) -> bytes:
    """Return a PDF with texts at some places: left, bottom, size."""
    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(key): NameObject(x) for key, x in names.items()})
    fonts = DictionaryObject({NameObject("/F1"): font})
    writer = PdfWriter()
    for texts in pages:
        page = writer.add_blank_page(612, 792)
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(
            "".join(
                f"BT {3 if text.startswith('Unseen') else 0} Tr /F1 {size} Tf 1 0 0 1 {left} "
                f"{bottom} Tm ({text}) Tj ET\n"
                for left, bottom, size, text in texts
            ).encode()
        )
        page[NameObject("/Contents")] = writer._add_object(stream)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


LEFT = ["The first column tells of one drug and", "goes on below with more words in it. It"]
LEFT += ["ends with a long com-", "pound word that is divided there. So it", "ends. And it con-"]
RIGHT = ["tinues on the right with further words.", "Then the second column tells of another"]
RIGHT += ["drug with as many words as the first did", "and a non-small cell lung cancer or so", "."]
COLUMNS = [(50.0, 700.0 - 13 * at, 10.0, text) for at, text in enumerate(LEFT)]
COLUMNS += [(320.0, 696.0 - 13 * at, 10.0, text) for at, text in enumerate(RIGHT)]
BODY = [(50.0, 400.0, 10.0, "The drug was approved in 2022"), (186.0, 403.0, 6.0, "1")]
PDF_FORMS: tuple[tuple[list[Sequence[tuple[float, float, float, str]]], list[str]], ...] = (
    ([COLUMNS], [
        "The first column tells of one drug and goes on below with more words in it.",
        "It ends with a long compound word that is divided there.", "So it ends.",
        "And it continues on the right with further words.",
        "Then the second column tells of another drug with as many words as the first did and a "
        "non-small cell lung cancer or so .",
    ]),
    ([[(50, 750, 8, "A report"), (50, 500, 10, f"Text {name}."), (50, 40, 8, f"Page {at} of 3")]
      for at, name in enumerate("abc", start=1)],
     ["A report", "Text a.", "Page 1 of 3", "Text b.", "Text c."]),
    ([[(50, 500, 10, "It was approved in the")], [(50, 700, 10, "year 2022.")]],
     ["It was approved in the year 2022."]),
    ([[(50, 500, 10, "A text."), (50, 300, 10, "Unseen.")]], ["A text."]),
    ([[(50, 500, 10, "Unseen text of a scan.")]], ["Unseen text of a scan."]),
    ([BODY], ["The drug was approved in 2022^1"]),
)  # fmt: skip
each_pdf_form = over_rows(("pages", "texts"), PDF_FORMS)


@each_pdf_form
def test_form_of_pdf_is_read(
    pages: list[Sequence[tuple[float, float, float, str]]], texts: list[str]
) -> None:
    assert words_of("a.pdf", pdf(*pages)) == texts


PLAIN_FORMS = (
    ("a.md", b"<!-- It was approved. -->\n\nText <!-- no --> here.", ["Text here."]),
    ("a.md", b"```\nIt was approved.\n```\n\nText.", ["Text."]),
    ("a.md", b"See [the label](http://x.y/z).[^1]\n\n> A quote.", ["See the label.", "A quote."]),
    ("a.md", b"| Drug | Use |\n|-|-|\n| a \\| b | c |\n", ["a | b | c"]),
    ("a.txt", b"One\nline.\f1. Two.\n2. Three.", ["One line.", "Two.", "Three."]),
    ("a.txt", b"Drug\tUse\na\tb\n", ["a | b"]),
    ("a.txt", "It is \ufb01ne.".encode(), ["It is fine."]),
    ("a.txt", "It is fine.".encode("utf-16-le"), ["It is fine."]),
)
each_plain_form = over_rows(("name", "content", "texts"), PLAIN_FORMS)


@each_plain_form
def test_form_of_text_is_read(name: str, content: bytes, texts: list[str]) -> None:
    assert words_of(name, content) == texts


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
    ("nested too deep", lambda: word("<w:tbl><w:tr><w:tc>" * 400), "document_damaged"),
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
