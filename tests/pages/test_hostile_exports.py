"""Names of an attacker stay text in every file that a run can be saved as."""

import csv
import io
import json
from typing import NamedTuple

import openpyxl
import pypdf
import pytest

from core.execution.rendering import StoredTables
from core.exports import describe_run
from core.registry import all_agents
from core.reports.document import Document
from core.reports.markdown import render_markdown
from core.reports.pdf import render_pdf
from core.reports.spreadsheet import render_xlsx, safe_csv
from core.results import answer_body, load_view
from tests.hostile import LEADS, find_active
from tests.rows import over_rows

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


class Export(NamedTuple):
    document: Document
    tables: StoredTables
    body: bytes


@pytest.fixture(params=list(all_agents()))
def export(request, spoiled, workbench) -> Export:
    run = spoiled(request.param)
    agent = all_agents()[run.agent]
    paths = {
        part.name: str(workbench.stores.blobs.path(part.sha256))
        for part in run.artifacts
        if part.kind == "table"
    }
    tables = StoredTables(paths)
    about = describe_run(run, agent, workbench)
    document = agent.load_report()(load_view(run, workbench), tables, about)
    return Export(document, tables, b"".join(answer_body(run, 1.0, workbench)))


def test_files_of_hostile_names_hold_text_alone(export) -> None:
    markdown = render_markdown(export.document)
    assert "evil" in markdown
    assert find_active(markdown) == []
    assert json.loads(export.body)["ok"]
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(export.document, export.tables)))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert any("evil" in str(cell.value) for cell in cells)
    assert not [cell.value for cell in cells if cell.data_type == "f" or cell.hyperlink]
    for name in export.tables.names():
        rows = csv.reader(io.StringIO(safe_csv(export.tables.read(name)).decode()))
        assert not [cell for row in rows for cell in row if is_formula(cell)]
    pages = pypdf.PdfReader(io.BytesIO(render_pdf(export.document))).pages
    links = [link.get_object().get("/A", {}) for page in pages for link in page.get("/Annots", [])]
    addresses = [str(link["/URI"]) for link in links if "/URI" in link]
    assert not [one for one in addresses if not one.startswith("https://")]
    assert {link.get("/S") for link in links if link} <= {"/URI", "/GoTo"}


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet would compute a cell."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(FORMULA)
    return False


@over_rows("lead", [*LEADS, "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201"])
def test_no_cell_of_a_csv_begins_a_formula(lead) -> None:
    import pandas as pd

    frame = pd.DataFrame({f"{lead}name": [f"{lead}evil"]})
    rows = list(csv.reader(io.StringIO(safe_csv(frame).decode(), newline="")))
    assert not [cell for row in rows for cell in row if is_formula(cell)]
