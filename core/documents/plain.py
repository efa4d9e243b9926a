"""Markdown and plain text."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.documents.guard import check_pages, estimate_pages, refuse
from core.documents.sentences import DocumentForm, SentenceWriter, SourceText

_MARKDOWN_ENDINGS = (".md", ".markdown", ".mkd")
_BLANK = re.compile(r"\n[ \t]*\n|\f")
_HTML = re.compile(r"<!--.*?(?:-->|$)|<[^<>]*>", re.DOTALL)
CODE = "Blocks of code were not read."
_BULLET = re.compile(r"\n[ \t]*(?:[-*\u2022\u25cf\u25aa]|\d{1,3}[.)])[ \t]+")
_TEXT_TOKENS = {"text", "code_inline"}
SAMPLE = 2_000
"""Bytes that show UTF-16 without its mark: of Latin letters every second one is empty."""
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
    notices: tuple[str, ...] = ()
    if form == "md":
        notices = (CODE,) if _read_markdown(text, writer) else ()
    else:
        for block in _BLANK.split(text):
            rows = [line.split("\t") for line in block.strip("\n").split("\n")]
            if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
                writer.add_table(rows)
                continue
            for item in _BULLET.split(f"\n{block}"):
                writer.add_paragraph(item)
    return SourceText(form, estimate_pages(len(text)), tuple(writer.sentences), notices)


def decode_text(content: bytes) -> str:
    """Return a text of any usual encoding: UTF-8, UTF-16, else Western European.

    Raises:
        InvalidInput: The bytes are no text.
    """
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        text = content.decode("utf-16", errors="replace")
    elif content[1:SAMPLE:2].count(0) * 4 > len(content[:SAMPLE]):
        text = content.decode("utf-16-le", errors="replace")
    elif content[:SAMPLE:2].count(0) * 4 > len(content[:SAMPLE]):
        text = content.decode("utf-16-be", errors="replace")
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


def _read_markdown(text: str, writer: SentenceWriter) -> bool:
    """Add what a Markdown file says; return whether it has blocks of code, which are left out."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[str]] = []
    is_table = False
    level = 0
    for token in tokens:
        if token.type in {"table_open", "table_close"}:
            is_table = token.type == "table_open"
            if not is_table:
                writer.add_table(rows)
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "inline":
            words = "".join(_inline(token.children or ()))
            if is_table:
                rows[-1].append(words)
            elif level:
                writer.add_heading(words, level)
            else:
                writer.add_paragraph(words)
            level = 0
        elif token.type == "html_block":
            writer.add_paragraph(_HTML.sub(" ", token.content))
        elif token.type == "code_block":  # indented, as quotes and lists often are
            writer.add_paragraph(token.content)
    return any(token.type == "fence" for token in tokens)


def _inline(tokens: Sequence[Any]) -> Iterator[str]:
    """Yield the words of inline tokens; markup and addresses of links are no words."""
    for token in tokens:
        if token.type in _TEXT_TOKENS:
            yield token.content
        elif token.type in {"softbreak", "hardbreak"}:
            yield " "
        elif token.type == "image":
            yield from _inline(token.children or ())
