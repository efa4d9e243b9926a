"""Reading stored results: view, tables in pages, filters, the answer's body, reports."""

import json
from collections.abc import Callable

import pandas as pd
import pytest

from core.agent import Agent
from core.errors import InvalidInput, NotFound
from core.exports import render_report
from core.records.runs import RunRecord
from core.results import (
    Selection,
    answer_body,
    load_view,
    read_table,
    report_name,
    select_rows,
    table_as_bytes,
)
from core.workbench import Workbench
from tests.rows import over_rows

Run = Callable[..., RunRecord]
FRAME = pd.DataFrame(
    {
        "gene": ["TP53", "KRAS", "EGFR", "=cmd"],
        "padj": [0.2, 0.01, None, 0.5],
        "is_hit": [False, True, False, True],
    }
)


@over_rows(
    ("filters", "genes"),
    [
        (["padj<0.3"], ["TP53", "KRAS"]),
        (["padj<=0.01"], ["KRAS"]),
        (["padj>=0.5"], ["=cmd"]),
        (["gene~s"], ["KRAS"]),
        (["gene=tp53"], ["TP53"]),
        (["gene!=tp53", "is_hit=true"], ["KRAS", "=cmd"]),
        (["padj=7"], []),
    ],
)
def test_filters_keep_the_rows_that_pass(filters: list[str], genes: list[str]) -> None:
    rows, total = select_rows(FRAME, Selection(filters=filters))
    assert rows["gene"].tolist() == genes
    assert total == len(genes)


@over_rows(
    ("sort", "genes"),
    [
        ("padj", ["KRAS", "TP53", "=cmd", "EGFR"]),
        ("-padj", ["=cmd", "TP53", "KRAS", "EGFR"]),
        ("-gene", ["TP53", "KRAS", "EGFR", "=cmd"]),
    ],
)
def test_sorting_puts_missing_values_last(sort: str, genes: list[str]) -> None:
    rows, _ = select_rows(FRAME, Selection(sort=sort))
    assert rows["gene"].tolist() == genes


def test_page_is_cut_after_the_filter_and_the_total_tells_all() -> None:
    rows, total = select_rows(FRAME, Selection(filters=["gene!=EGFR"], offset=1, limit=1))
    assert rows["gene"].tolist() == ["KRAS"]
    assert total == 3


@over_rows(
    ("wanted", "code"),
    [
        (Selection(sort="nothing"), "missing_column"),
        (Selection(filters=["nothing=1"]), "missing_column"),
        (Selection(filters=["padj<many"]), "invalid_filter"),
        (Selection(filters=["no operator"]), "invalid_filter"),
    ],
)
def test_selection_that_cannot_be_read_is_refused(wanted: Selection, code: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        select_rows(FRAME, wanted)
    assert refusal.value.word == code


def test_csv_keeps_formulas_harmless() -> None:
    text = table_as_bytes(FRAME, "csv").decode()
    assert "\n=cmd" not in text
    assert "'=cmd" in text


def test_view_leaves_tables_empty_and_the_table_is_read_apart(
    run_probe: Run, workbench: Workbench
) -> None:
    run = run_probe(count=7)
    assert len(load_view(run, workbench).squares) == 0
    assert [part.name for part in run.artifacts if part.kind == "table"] == ["squares"]
    assert read_table(run, "squares", workbench)["number"].tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_unknown_table_is_not_found(run_probe: Run, workbench: Workbench) -> None:
    with pytest.raises(NotFound):
        read_table(run_probe(), "cubes", workbench)


@pytest.mark.parametrize("is_cached", [False, True])
def test_answer_body_is_the_whole_envelope(
    is_cached: bool, run_probe: Run, workbench: Workbench, probe: Agent
) -> None:
    run = run_probe(count=6).model_copy(update={"cached": is_cached})
    envelope = json.loads(b"".join(answer_body(run, 1.23456, workbench)))
    assert list(envelope) == ["ok", "agent", "data", "elapsed_s", "run_id"]
    assert envelope["elapsed_s"] == 1.235
    assert envelope["data"]["cached"] is is_cached
    assert envelope["data"]["squares"][4] == {"number": 5, "square": None, "word": "none"}
    assert len(probe.data.model_validate(envelope["data"]).squares) == 6


@pytest.mark.parametrize(
    ("fmt", "beginning"), [("md", b"#"), ("pdf", b"%PDF-"), ("json", b"{"), ("xlsx", b"PK")]
)
def test_report_comes_in_every_format(
    fmt: str, beginning: bytes, run_probe: Run, workbench: Workbench
) -> None:
    content = render_report(run_probe(), fmt, workbench)
    assert content.startswith(beginning)


def test_failed_run_has_no_report(run_probe: Run, workbench: Workbench) -> None:
    with pytest.raises(NotFound):
        render_report(run_probe("raise"), "md", workbench)


def test_report_name_tells_agent_query_date_and_run(run_probe: Run) -> None:
    run = run_probe(count=3)
    assert run.finished_at is not None
    day = run.finished_at.date().isoformat()
    assert report_name(run, "pdf") == f"fault-probe_answer-3_{day}_{run.run_uuid[:8]}.pdf"
