"""Spreadsheets: whole tables, and text that never becomes a formula."""

import io
import zipfile

import openpyxl
import pandas as pd

from core.reports.spreadsheet import render_xlsx, safe_csv


def test_workbook_holds_report_and_every_table_whole(document, tables) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(document, tables)))
    assert book.sheetnames == ["Report", "DESeq2", "a_b_c_"]
    facts = [cell for row in book["Report"].iter_rows(values_only=True) for cell in row if cell]
    assert {"16,139", "few: careful.", "condition_column", document.about.run_uuid} <= set(facts)
    rows = list(book["DESeq2"].iter_rows(values_only=True))
    assert rows[0] == ("gene_id", "count", "padj")
    assert rows[1] == ("ENSG1", 1, 1e-9)
    assert rows[2] == ("=1+1", 2, None)
    assert len(rows) == 5
    assert book["DESeq2"].freeze_panes == "B2"
    assert book["DESeq2"].auto_filter.ref == "A1:C5"


def test_workbook_holds_no_formula_and_no_link(hostile, tables) -> None:
    content = render_xlsx(hostile, tables)
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        sheets = [parts.read(name) for name in parts.namelist() if "worksheets/" in name]
    assert not any(b"<f>" in sheet or b"<hyperlink" in sheet for sheet in sheets)


def test_csv_quotes_text_that_begins_a_formula_but_no_number() -> None:
    frame = pd.DataFrame(
        {"=name": ["=1+1", "+x", "-7", "@a", "\tb", "\rc", "plain", None], "log2FC": [-1.5] * 8}
    )
    lines = safe_csv(frame).decode().split("\n")
    assert lines[0] == "'=name,log2FC"
    assert lines[1:5] == ["'=1+1,-1.5", "'+x,-1.5", "'-7,-1.5", "'@a,-1.5"]
    assert lines[7:9] == ["plain,-1.5", ",-1.5"]


def test_csv_keeps_full_precision() -> None:
    frame = pd.DataFrame({"padj": [0.1 + 0.2, 1e-300]})
    read = pd.read_csv(io.BytesIO(safe_csv(frame)), float_precision="round_trip")
    assert read["padj"].tolist() == frame["padj"].tolist()


def test_categories_and_repeated_columns_are_safe() -> None:
    frame = pd.DataFrame({"kind": pd.Categorical(["=x", "y"])})
    assert b"'=x" in safe_csv(frame)
