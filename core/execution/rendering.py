"""Rendering a report inside a child: view and tables -> document -> bytes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from core.errors import NotFound
from core.registry import all_agents
from core.reports.document import About, Document

EARLIER = "An earlier release computed this answer; run it again for the current rules and data."


@dataclass(frozen=True)
class RenderTask:
    """What a child needs to render a report.

    Attributes:
        agent: Agent name.
        about: What the document says of the run.
        view: Path of the stored view.
        tables: Table name -> path of its parquet file.
        fmt: Format wanted.
    """

    agent: str
    about: About
    view: str
    tables: Mapping[str, str]
    fmt: Literal["md", "pdf", "pptx", "xlsx"]


@dataclass(frozen=True)
class StoredTables:
    """The tables of a run, read from their files on demand."""

    paths: Mapping[str, str]

    def names(self) -> list[str]:
        """Return the names of the tables."""
        return list(self.paths)

    def read(self, name: str) -> Any:
        """Return a table whole, as a data frame."""
        import pandas as pd

        return pd.read_parquet(self.paths[name])


def render(task: RenderTask) -> bytes:
    """Compose the document and render it."""
    tables = StoredTables(task.tables)
    document = compose_report(task.agent, Path(task.view).read_bytes(), tables, task.about)
    if task.fmt == "md":
        from core.reports.markdown import render_markdown

        return render_markdown(document).encode()
    if task.fmt == "pdf":
        from core.reports.pdf import render_pdf

        return render_pdf(document)
    if task.fmt == "pptx":
        from core.reports.slides import render_pptx

        return render_pptx(document)
    from core.reports.spreadsheet import render_xlsx

    return render_xlsx(document, tables)


def compose_report(agent: str, view: bytes, tables: StoredTables, about: About) -> Document:
    """Compose the report of a stored answer; of an earlier release's, as far as it still fits.

    Args:
        agent: Agent name.
        view: The stored view.
        tables: The run's tables.
        about: What the document says of the run.
    """
    declared = all_agents()[agent]
    try:
        data = declared.data.model_validate_json(view)
        document: Document = declared.load_report()(data, tables, about)
        if not about.is_current:
            document = replace(document, warnings=(EARLIER, *document.warnings))
    except Exception:
        if about.is_current:
            raise
        from core.reports.stored import compose_stored

        return compose_stored(json.loads(view), tables, about)
    return document


@dataclass(frozen=True)
class ExportTask:
    """What a child needs to make a file of a run.

    Attributes:
        agent: Agent name.
        view: Path of the stored view.
        name: Name of the file, one of the agent's `exports`.
    """

    agent: str
    view: str
    name: str


def export(task: ExportTask) -> bytes:
    """Make a file of a run from its stored result."""
    agent = all_agents()[task.agent]
    try:
        view = agent.data.model_validate_json(Path(task.view).read_bytes())
    except ValidationError:
        raise NotFound(
            "an earlier release stored this answer, from which this file cannot be made; run it "
            "again"
        ) from None
    return agent.load_exporter()(view, task.name)
