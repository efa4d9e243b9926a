"""Stored answers of an agent that reads evidence end when the evidence changes."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core import runner
from core.agent import Agent
from core.evidence.sources.importing import find_files, import_files
from core.records.identity import Entity, EntityName
from core.records.runs import Caller, RunRecord
from core.runner import data_version, run_agent
from core.workbench import Workbench

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def ask(probe: Agent, workbench: Workbench, anna: Caller) -> RunRecord:
    request = probe.request.model_validate({"action": "answer", "count": 3, "use_cache": True})
    return run_agent(probe, request, anna, workbench)


def import_pipeline(workbench: Workbench, tmp_path: Path, drug: str) -> None:
    path = tmp_path / "assets.json"
    path.write_text(
        f'{{"companies": {{"acme": {{"assets": [{{"asset": "{drug}", "programs": []}}]}}}}}}'
    )
    import_files(workbench.stores.evidence, find_files([path], "pipelines"), now=NOW)


def build_names(workbench: Workbench, version: str) -> None:
    rows = [Entity("drug", "UNII:1", "ACMEMAB"), EntityName("drug", "acmemab", "UNII:1", 1, "A")]
    workbench.stores.identity.build(rows, (), version)


def test_import_ends_stored_answers_of_an_agent_that_reads_evidence(
    probe: Agent, workbench: Workbench, anna: Caller, tmp_path: Path
) -> None:
    reader = replace(probe, reads_evidence=True)
    first = ask(reader, workbench, anna)
    assert ask(reader, workbench, anna).run_uuid == first.run_uuid
    import_pipeline(workbench, tmp_path, "acmemab")
    assert ask(reader, workbench, anna).run_uuid != first.run_uuid


def test_new_names_end_stored_answers_of_an_agent_that_reads_evidence(
    probe: Agent, workbench: Workbench, anna: Caller
) -> None:
    reader = replace(probe, reads_evidence=True)
    first = ask(reader, workbench, anna)
    build_names(workbench, "names 2")
    assert ask(reader, workbench, anna).run_uuid != first.run_uuid


def test_import_leaves_the_answers_of_other_agents(
    probe: Agent, workbench: Workbench, anna: Caller, tmp_path: Path
) -> None:
    first = ask(probe, workbench, anna)
    import_pipeline(workbench, tmp_path, "acmemab")
    assert ask(probe, workbench, anna).run_uuid == first.run_uuid


def test_two_packs_of_one_generation_differ(
    probe: Agent, workbench: Workbench, tmp_path: Path
) -> None:
    reader = replace(probe, reads_evidence=True)
    import_pipeline(workbench, tmp_path, "acmemab")
    first = data_version(reader, workbench.stores)
    pack = workbench.settings.home / "evidence" / "pack.db"
    pack.unlink()
    import_pipeline(workbench, tmp_path, "othermab")
    assert workbench.stores.evidence.info().generation == 1
    assert data_version(reader, workbench.stores) != first


def test_fingerprint_is_computed_once_a_run(
    probe: Agent, workbench: Workbench, anna: Caller, monkeypatch
) -> None:
    calls: list[str] = []
    whole = runner.fingerprint

    def counted(*arguments: object) -> str:
        calls.append("once")
        return whole(*arguments)

    monkeypatch.setattr(runner, "fingerprint", counted)
    ask(probe, workbench, anna)
    assert calls == ["once"]
