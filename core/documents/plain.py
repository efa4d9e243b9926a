"""Markdown and plain text."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.documents.guard import check_pages, estimate_pages, refuse
from core.documents.sentences import DocumentForm, SentenceWriter, SourceText

_MARKDOWN_ENDINGS = (".md", ".markdown", ".mkd")
_BLANK = re.compile(r"\n[ \t]*\n")
_BULLET = re.compile(r"\n[ \t]*(?:[-*\u2022\u25cf\u25aa]|\d{1,3}[.)])[ \t]+")
_TEXT_TOKENS = {"text", "code_inline"}
MOST_CONTROLS = 0.02
"""Share of control characters above which a file is no text."""


def read_plain(content: bytes, name: str) -> SourceText:
    """Read Markdown, by the ending of the file's name, or plain text.

    Raises:
        InvalidInput: It is no text, or too long.
    """
    text = decode_text(content)
    check_pages(estimate_pages(len(text)))
    writer = SentenceWriter()
    form: DocumentForm = "md" if name.casefold().endswith(_MARKDOWN_ENDINGS) else "txt"
    if form == "md":
        _read_markdown(text, writer)
    else:
        for block in _BLANK.split(text):
            for item in _BULLET.split(f"\n{block}"):
                writer.add_paragraph(item)
    return SourceText(form, estimate_pages(len(text)), tuple(writer.sentences))


def decode_text(content: bytes) -> str:
    """Return a text of any usual encoding: UTF-8, UTF-16 by its mark, else Western European.

    Raises:
        InvalidInput: The bytes are no text.
    """
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        text = content.decode("utf-16", errors="replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", errors="replace")
    controls = sum(not char.isprintable() and not char.isspace() for char in text[:100_000])
    if controls > MOST_CONTROLS * min(len(text), 100_000):
        raise refuse(
            "The file is neither docx, pptx, pdf nor text; save the document as one of these.",
            "unknown_document",
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_markdown(text: str, writer: SentenceWriter) -> None:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[str]] = []
    is_table = is_heading = False
    for token in tokens:
        if token.type in {"table_open", "table_close"}:
            is_table = token.type == "table_open"
            if not is_table:
                writer.add_table(rows)
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "heading_open":
            is_heading = True
        elif token.type == "inline":
            words = "".join(_inline(token.children or ()))
            if is_table:
                rows[-1].append(words)
            elif is_heading:
                writer.add_heading(words)
            else:
                writer.add_paragraph(words)
            is_heading = False
        elif token.type in {"fence", "code_block"}:
            writer.add_paragraph(token.content)


def _inline(tokens: Sequence[Any]) -> Iterator[str]:
    """Yield the words of inline tokens; markup and addresses of links are no words."""
    for token in tokens:
        if token.type in _TEXT_TOKENS:
            yield token.content
        elif token.type in {"softbreak", "hardbreak"}:
            yield " "
        elif token.type == "image":
            yield from _inline(token.children or ())
