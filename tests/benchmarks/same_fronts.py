"""Whether figures, sentences and rows of an answer agree over every form, for forty drawn requests.

`python -m tests.benchmarks.same_fronts HOME [SEED]`: the requests are those of `frozen_answers`.
"""

import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pypdf
from pptx import Presentation

from core.records.table import find_tables
from core.registry import all_agents
from core.reports.document import About, Document
from core.reports.markdown import render_markdown
from core.reports.pdf import render_pdf
from core.reports.slides import render_pptx
from core.reports.spreadsheet import render_xlsx
from core.reports.text import unmarked
from core.settings import Settings
from tests.benchmarks.frozen_answers import NOW, SEED, ask, draw_requests, make_context
from tests.benchmarks.targets import say


class Tables:
    """The tables of an answer that was not stored."""

    def __init__(self, data: object) -> None:
        """Find them."""
        self.tables = {one.name: one.frame for one in find_tables(data)}

    def names(self) -> list[str]:
        """Return the tables' names."""
        return list(self.tables)

    def read(self, name: str) -> Any:
        """Return a table."""
        return self.tables[name]


def compose(name: str, wanted: dict[str, Any], data: Any) -> tuple[Document, Tables]:
    """Return the report of an answer, and its tables."""
    agent, tables = all_agents()[name], Tables(data)
    label = agent.label(agent.request.model_validate(wanted))
    about = About("frozen", name, agent.title, label, NOW, 1.0, {})
    return agent.load_report()(data, tables, about), tables


def squeeze(text: str) -> str:
    """Return text without what renderers may break or escape."""
    return "".join(text.replace("\u200b", "").replace("\\", "").split())


def shown_forms(document: Document, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield each form with what its first page, slide or sheet says."""
    yield "md", render_markdown(document).partition("\n## ")[0].replace("**", "")
    yield "pdf", pypdf.PdfReader(io.BytesIO(render_pdf(document))).pages[0].extract_text()
    slide = Presentation(io.BytesIO(render_pptx(document))).slides[0]
    yield "pptx", " ".join(one.text_frame.text for one in slide.shapes if one.has_text_frame)
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(document, tables)), read_only=True)
    cells = (str(cell) for row in book["Report"].iter_rows(values_only=True) for cell in row)
    yield "xlsx", " ".join(cells)


def disagreements(document: Document, tables: Tables) -> Iterator[str]:
    """Yield what a form says otherwise than the document's front."""
    front = document.front
    wanted = [*map(unmarked, front.sentences), *(text for one in front.tiles for text in one[:2])]
    for form, text in shown_forms(document, tables):
        squeezed = squeeze(text)
        yield from (f"{form} lacks {one!r}" for one in wanted if squeeze(one) not in squeezed)


def main(home: str, seed: int = SEED) -> int:
    """Print what disagrees; return how many answers do."""
    context = make_context(Settings(home=Path(home), database_url=None))
    began, wrong, number = datetime.now(tz=UTC), 0, 0
    for number, (name, wanted) in enumerate(draw_requests(seed), start=1):  # noqa: B007
        data = ask(name, wanted, context)
        found = list(disagreements(*compose(name, wanted, data)))
        rows = getattr(data, "drugs", None)
        tiles = compose(name, wanted, data)[0].front.tiles
        if rows is not None and tiles and not tiles[0].value.startswith(f"{len(rows):,}"):
            found.append(f"{len(rows)} rows, tile {tiles[0].value}")
        wrong += bool(found)
        for text in found:
            say(f"{name} {wanted}: {text}")
    spent = (datetime.now(tz=UTC) - began).total_seconds()
    say(f"seed {seed}: {number} answers, {wrong} disagree, {spent:.0f} s")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1], *map(int, sys.argv[2:3]))))
