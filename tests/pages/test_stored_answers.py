"""Answers that earlier releases stored: every one opens, on its page and as every report.

`tests/core/stored_answers` holds one answer per agent and release, cut to its first rows.
"""

import gzip
import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from core.exports import export_file, render_report
from core.records.runs import Artifact, Caller, NewRun, RunRecord
from core.registry import all_agents
from core.reports.text import readable
from core.workbench import Workbench

FILES = sorted((Path(__file__).parents[1] / "core" / "stored_answers").glob("*.json.gz"))
NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)


def store(path: Path, workbench: Workbench, caller: Caller) -> RunRecord:
    """Put a stored answer into an instance, as an upgrade finds it there."""
    held, stores = json.loads(gzip.decompress(path.read_bytes())), workbench.stores
    if held["agent"] == "differential-expression":  # its matrix is left out of the corpus
        held["input"] |= {"counts_csv": "gene,a\ng,1\n", "metadata_csv": "sample,group\na,b\n"}

    def keep(kind: str, name: str, content: bytes) -> Artifact:
        blob = stores.blobs.put(content)
        return Artifact(
            kind=kind, name=name, sha256=blob.sha256, size=blob.size, media_type="text/plain"
        )

    view = json.dumps(held["view"]).encode()
    parts = [keep("view", "view", view), keep("data", "data", view)]
    for name, table in held["tables"].items():
        buffer = io.BytesIO()
        pd.DataFrame(table["data"], columns=table["columns"]).to_parquet(buffer, index=False)
        parts.append(keep("table", name, buffer.getvalue()))
    new = NewRun(
        run_uuid=workbench.new_id(),
        agent=held["agent"],
        owner_id=caller.user_id,
        key_id=None,
        title=held["title"],
        fingerprint="f" * 64,
        data_version=held["data_version"],
        input_sha256=stores.blobs.put(json.dumps(held["input"]).encode()).sha256,
        use_cache=False,
        created_at=NOW,
    )
    stores.runs.open(new)
    stores.runs.start(new.run_uuid, worker_pid=1, at=NOW)
    stores.runs.finish(new.run_uuid, "completed", at=NOW, artifacts=parts)
    return stores.runs.get(caller.user_id, new.run_uuid)


def test_the_corpus_holds_every_agent() -> None:
    assert {json.loads(gzip.decompress(path.read_bytes()))["agent"] for path in FILES} >= {
        name for name, agent in all_agents().items() if agent.is_counted
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition(".")[0])
def test_a_stored_answer_opens_as_page_and_reports(path, workbench, caller, app) -> None:
    run = store(path, workbench, caller)
    assert readable(run.title).split()[0].encode() in render_report(run, "md", workbench)
    for form in ("xlsx", "pptx"):
        assert zipfile.is_zipfile(io.BytesIO(render_report(run, form, workbench)))
    app.switch_page(f"{run.agent.replace('-', '_')}.py")
    app.query_params["run"] = run.run_uuid
    app.run()
    assert not app.exception
    for tab in [tab.label for tab in app.tabs]:
        app.session_state["tabs"] = tab
        app.run()
        assert not app.exception, tab


def test_an_answer_that_no_longer_fits_says_so_and_keeps_its_rows(workbench, caller) -> None:
    oldest = next(path for path in FILES if "attribution" in path.name)
    run = store(oldest, workbench, caller)
    report = render_report(run, "md", workbench).decode()
    assert "Stored by an earlier release" in report
    moves = json.loads(gzip.decompress(oldest.read_bytes()))["view"]["attributions"]
    assert all(readable(move["move_date"]) in report for move in moves)
    assert render_report(run, "pdf", workbench).startswith(b"%PDF")


def test_a_file_that_cannot_be_made_of_an_old_answer_is_refused_by_name(workbench, caller) -> None:
    oldest = next(path for path in FILES if "compound-map" in path.name)
    run = store(oldest, workbench, caller)
    name = next(iter(all_agents()["compound-map"].exports))
    with pytest.raises(Exception, match="run it again"):
        export_file(run, name, workbench)
