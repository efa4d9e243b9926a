"""What print adds to a document's blocks and leaves out: an appendix in, sources not cited out."""

import re
from collections.abc import Iterator, Sequence

from core.reports.document import (
    Block,
    Bullets,
    Document,
    Grid,
    Heading,
    Paragraph,
    Sources,
)

APPENDIX = "Appendix"
NOTICE = "Generated text: verify against the sources before you rely on it."
_CITE = re.compile(r"\[(\d{1,4})\]")


def list_printed(document: Document) -> tuple[Block, ...]:
    """Return the blocks that print shows below the front: the report's own, then an appendix.

    Args:
        document: Its numbered sources shrink to those that what is printed cites.
    """
    cited = set(_list_cited(document))
    about, own_blocks = document.about, [_keep_cited(block, cited) for block in document.blocks]
    blocks: list[Block] = list(own_blocks)
    if about.facts or document.warnings:
        blocks.append(Heading(APPENDIX))
    if about.facts:
        blocks.append(Grid(("Fact", "Value"), about.facts, "About this run"))
    if document.warnings:
        blocks += [Heading("Warnings", 2), Bullets(document.warnings)]
    if about.request:
        blocks.append(Grid(("Field", "Value"), tuple(about.request.items()), "Request"))
    return tuple(blocks)


def _list_cited(document: Document) -> Iterator[str]:
    front = document.front
    for text in (*front.sentences, *(text for block in document.blocks for text in _texts(block))):
        yield from _CITE.findall(text)


def _texts(block: Block) -> Sequence[str]:
    match block:
        case Paragraph(text):
            return (text,)
        case Bullets(items):
            return items
        case Grid():
            return [cell for row in block.printed.rows for cell in row if isinstance(cell, str)]
        case _:
            return ()


def _keep_cited(block: Block, cited: set[str]) -> Block:
    if not isinstance(block, Sources):
        return block
    return Sources(tuple(source for source in block.sources if source.id in cited))
