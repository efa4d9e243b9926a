"""Markdown: every mark of a caller's text is escaped."""

from markdown_it import MarkdownIt

from core.reports.markdown import escape, render_markdown


def read(source: str) -> str:
    return MarkdownIt("commonmark").enable("table").render(source)


def test_markdown_holds_every_block(document) -> None:
    text = render_markdown(document)
    for shown in (
        "# trt vs untrt",
        "Differential expression",
        "16,139",
        "**strongest**",
        "Figure 1.",
        "2 of 40",
    ):
        assert shown in text
    assert "verify against the sources" in text
    assert "<table>" in read(text)
    assert '<a href="https://doi.org/10.1/x">A paper</a>' in read(text)


def test_hostile_text_stays_text(hostile) -> None:
    page = read(render_markdown(hostile))
    assert "<script>" not in page
    assert "<em>b</em>" not in page
    assert "<code>" not in page
    assert 'href="javascript' not in page
    assert "&lt;script&gt;" in page


def test_text_cannot_begin_a_list_or_a_heading() -> None:
    for text in ("- x", "+ x", "1. x", "# x", "> x", "=== x"):
        assert read(escape(text)).startswith("<p>")
