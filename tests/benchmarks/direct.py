"""Runs the differential-expression pipeline in this process and times it without its imports."""

import gzip
import time
from datetime import UTC, datetime
from pathlib import Path

from core.records.runs import Caller
from core.registry import all_agents
from core.settings import Settings
from core.workbench import RunContext


def run_direct(folder: str, reference: str, comparison: str) -> float:
    """Return the seconds of a second run of method=all on a reference set."""
    agent = all_agents()["differential-expression"]
    run = agent.load()
    source = Path(folder)
    request = agent.request(
        condition_column="condition",
        reference_group=reference,
        comparison_group=comparison,
        counts_csv=gzip.decompress((source / "counts.csv.gz").read_bytes()).decode(),
        metadata_csv=(source / "metadata.csv").read_text(),
    )
    context = RunContext(
        run_uuid="bench",
        query_id=1,
        caller=Caller(user_id=1, name="bench"),
        now=datetime(2026, 1, 1, tzinfo=UTC),
        seed=1,
        settings=Settings(),
        files=None,  # type: ignore[arg-type]
        progress=lambda *_: None,
        save_file=lambda *_: None,
    )
    warm = agent.request.model_validate(agent.examples[0].request)
    run(warm, context)
    began = time.perf_counter()
    run(request, context)
    return time.perf_counter() - began
