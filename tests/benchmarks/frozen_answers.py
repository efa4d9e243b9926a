"""Freezes the answers of all eleven agents outside the tree, and prints where later code differs.

`python -m tests.benchmarks.frozen_answers HOME FOLDER [SEED] [AGENT]`: HOME is an instance with
names and the starter pack (for the compound map also with patents). The first call fills FOLDER;
later calls compare with it and write what differs next to it (`*.now.json`). A frozen answer is
the envelope's data with every table whole, the files of the run, the report as Markdown, and the
specifications of its charts.
"""

import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.errors import WorkbenchError
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.reading import load_rows
from core.records.runs import Caller
from core.records.table import Table, find_tables
from core.registry import all_agents, watchable
from core.reports.document import About, Chart, Document
from core.reports.markdown import render_markdown
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores
from tests.benchmarks.direct import Files
from tests.benchmarks.targets import say

SEED = 20_261_123
NOW = datetime(2026, 11, 23, tzinfo=UTC)
N_EACH = 10
"""Requests of an agent: its examples, then drawn ones."""
_TYPES = ("preclinical", "clinical", "both")
_REGIONS = ("FDA", "EMA", "PMDA", "NMPA")
_STAGES = ("phase 1", "phase 2", "phase 3")


def draw_requests(seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield agent and request: the declared examples, then requests drawn from the starter pack."""
    for name, agent in all_agents().items():
        examples = [dict(example.request) for example in agent.examples]
        chance = random.Random(f"{seed} {name}")
        drawn = [_draw(name, number, chance, examples) for number in range(N_EACH - len(examples))]
        yield from ((name, request) for request in (*examples, *drawn))


def _draw(
    name: str, number: int, chance: random.Random, examples: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return one request of an agent."""
    drugs = [row for row in load_rows("drugs") if row["target"] and row["modality"]]
    drug = chance.choice(drugs)
    target, modality = drug["target"], drug["modality"]
    disease = chance.choice([row["indication"] for row in load_rows("stages") if row["indication"]])
    company = chance.choice([row["originator"] for row in drugs if row["originator"]])
    queries = (target, disease, f"{target} in {disease}", f"{modality} in {disease}, phase 2")
    scopes = ({"target": target}, {"indication": disease}, {"query": f"{company} {disease}"})
    program = {
        "asset_name": drug["drug"],
        "indication": disease,
        "modality": modality,
        "mechanism_of_action": drug["mechanism"] or f"{target} {modality}",
        "target": target,
        "development_stage": chance.choice(_STAGES),
        "geography": chance.choice(_REGIONS),
    }
    plan = all_agents()["assay-development"].request.model_json_schema()["properties"]
    example = examples[number % len(examples)]
    drawn: dict[str, dict[str, Any]] = {
        "alerts": {"action": "add_manual", "drug_name": drug["drug"]},
        "assay-development": {
            "modality": chance.choice(plan["modality"]["enum"]),
            "indication": disease,
            "target": target,
            "assay_goal": chance.choice(plan["assay_goal"]["enum"]),
        },
        "attribution-engine": {
            **example,
            "returns": example.get("returns", [])[chance.randrange(1, 60) :],
        },
        "clinical-trial-design": program,
        "company-asset-searcher": {"company": company},
        "competitive-landscaping": {
            "query": queries[number % len(queries)],
            "query_type": _TYPES[number % len(_TYPES)],
        },
        "compound-map": {
            "target": target,
            "seed": "frozen",
            "max_patents": 5,
            "include_full_clinical_landscape": number % 2 == 0,
        },
        "deal-sourcing": {"thesis": queries[number % len(queries)]},
        "differential-expression": {
            **example,
            "reference_group": example.get("comparison_group"),
            "comparison_group": example.get("reference_group"),
            "min_count": chance.randrange(1, 30),
            "fdr_cutoff": chance.choice((0.01, 0.05, 0.1)),
        },
        "label-strategy": program,
        "new-developments": {**scopes[number % len(scopes)], "lookback_days": 365},
    }
    return drawn[name]


def make_context(settings: Settings) -> RunContext:
    """Return a context on the stores of an instance, with a clock that stands still."""
    stores = open_stores(settings)
    return RunContext(
        run_uuid="frozen",
        query_id=1,
        caller=Caller(user_id=1, name="frozen"),
        now=NOW,
        seed=1,
        settings=settings,
        files=Files(),
        progress=lambda *_: None,
        save_file=lambda *_: None,
        evidence=stores.evidence,
        resolver=Resolver(stores.identity, stores.learned_names),
        notes=stores.notes,
    )


def ask(name: str, wanted: object, context: RunContext) -> Any:
    """Return the data of an agent's answer."""
    agent = all_agents()[name]
    return agent.load()(agent.request.model_validate(wanted), context)


class _Tables:
    """The tables of an answer for its report."""

    def __init__(self, data: BaseModel) -> None:
        self._tables: dict[str, Table] = {table.name: table for table in find_tables(data)}

    def names(self) -> list[str]:
        return list(self._tables)

    def read(self, name: str) -> Any:
        return self._tables[name].frame


def with_subscriptions(context: RunContext, folder: str) -> RunContext:
    """Return the context with the alert subscriptions of a new account in an empty folder."""
    settings = Settings(home=Path(folder))
    stores = open_stores(settings)
    stores.engine.upgrade()
    user = stores.users.create("frozen", "correct horse battery")
    subscriptions = stores.watches.of(user.user_id, watchable(all_agents()), settings.max_alerts)
    return replace(context, subscriptions=subscriptions)


def freeze(name: str, request: Mapping[str, Any], context: RunContext) -> str:
    """Return an answer as text, one value a line, without durations and the day of an import."""
    files: dict[str, str] = {}

    def save_file(file: str, content: bytes, _media: str) -> None:
        files[file] = hashlib.sha256(content).hexdigest()

    try:
        data = ask(name, request, replace(context, save_file=save_file))
    except WorkbenchError as error:
        return json.dumps({"refused": error.message}, indent=1) + "\n"
    plain = json.loads(data.model_dump_json(by_alias=True))
    plain.pop("elapsed_s", None)
    for line in plain.get("source_report", ()):
        line.pop("asked_at", None)
    report = _compose(name, request, data)
    charts = [block for block in (report.front.chart, *report.blocks) if isinstance(block, Chart)]
    whole = {
        "data": plain,
        "files": files,
        "report": render_markdown(report).splitlines(),
        "charts": [{"spec": chart.spec, "caption": chart.caption} for chart in charts],
    }
    return json.dumps(whole, indent=1, ensure_ascii=False, default=str) + "\n"


def _compose(name: str, request: Mapping[str, Any], data: BaseModel) -> Document:
    agent = all_agents()[name]
    about = About(
        run_uuid="frozen",
        agent=name,
        agent_title=agent.title,
        label=agent.label(agent.request.model_validate(request)),
        completed_at=NOW,
        elapsed_s=0.0,
        request={},
    )
    document: Document = agent.load_report()(data, _Tables(data), about)
    return document


def main(home: str, folder: str, seed: int = SEED, only: str = "") -> int:
    """Fill the folder or compare with it; return how many answers differ."""
    kept = Path(folder)
    kept.mkdir(parents=True, exist_ok=True)
    scratch = tempfile.TemporaryDirectory()
    settings = Settings(home=Path(home), database_url=None)
    context = with_subscriptions(make_context(settings), scratch.name)
    began, differing, count = time.perf_counter(), 0, 0
    for number, (name, request) in enumerate(draw_requests(seed)):
        if only not in ("", name):
            continue
        count += 1
        answer = freeze(name, request, context)
        path = kept / f"{number:03d}_{name}.json"
        now = path.with_suffix(".now.json")
        now.unlink(missing_ok=True)
        shown = json.dumps(request, ensure_ascii=False)[:200]
        if not path.exists():
            path.write_text(answer, encoding="utf-8")
            say(f"frozen  {path.stem} {shown} {len(answer):,}")
        elif path.read_text(encoding="utf-8") != answer:
            differing += 1
            now.write_text(answer, encoding="utf-8")
            say(f"differs {path.stem} {shown}")
    scratch.cleanup()
    say(f"seed {seed}: {count} answers, {differing} differ, {time.perf_counter() - began:.0f} s")
    return differing


if __name__ == "__main__":
    HOME, FOLDER, *more = sys.argv[1:]
    sys.exit(bool(main(HOME, FOLDER, int(more[0]) if more else SEED, "".join(more[1:2]))))
