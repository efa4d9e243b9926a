"""Keeps the answers to drawn requests in a folder, and prints where later code differs.

`python -m tests.benchmarks.frozen_answers HOME FOLDER [SEED]`: HOME is an instance with names and
the starter pack (for the compound map also with patents). The first call fills FOLDER, which lies
outside the tree; later calls compare with it and write what differs beside it (`*.now.json`).
"""

import json
import random
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.reading import load_rows
from core.records.runs import Caller
from core.registry import all_agents
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores
from tests.benchmarks.direct import Files
from tests.benchmarks.targets import say

SEED = 20_261_123
NOW = datetime(2026, 11, 23, tzinfo=UTC)
LANDSCAPES, COMPANIES, MAPS = 18, 14, 8
_TYPES = ("preclinical", "clinical", "both")


def draw_requests(seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield agent and request, drawn from the tables of the starter pack."""
    chance = random.Random(seed)
    drugs = load_rows("drugs")
    targets = sorted({row["target"] for row in drugs if row["target"]})
    modalities = sorted({row["modality"] for row in drugs if row["modality"]})
    indications = sorted({row["indication"] for row in load_rows("stages") if row["indication"]})
    companies = sorted({row["originator"] for row in drugs if row["originator"]})
    for number in range(LANDSCAPES):
        target, disease = chance.choice(targets), chance.choice(indications)
        form = (
            target,
            disease,
            f"{target} in {disease}",
            f"{target} {chance.choice(modalities)}",
            f"first-line {disease}",
            f"{chance.choice(targets)} or {target}, phase 2",
        )[number % 6]
        yield "competitive-landscaping", {"query": form, "query_type": _TYPES[number % 3]}
    for company in chance.sample(companies, COMPANIES):
        yield "company-asset-searcher", {"company": company}
    for number in range(MAPS):
        target = ("KRAS", "NLRP3", *chance.sample(targets, MAPS))[number]
        yield (
            "compound-map",
            {
                "target": target,
                "seed": "frozen",
                "max_patents": 5,
                "include_full_clinical_landscape": number % 2 == 0,
            },
        )


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


def answer(name: str, wanted: Mapping[str, Any], context: RunContext) -> str:
    """Return an answer as text, one value a line, without its duration and the day of an import."""
    plain = json.loads(ask(name, wanted, context).model_dump_json(by_alias=True))
    plain.pop("elapsed_s", None)
    for line in plain.get("source_report", ()):
        line.pop("asked_at", None)
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def main(home: str, folder: str, seed: int = SEED) -> int:
    """Fill the folder or compare with it; return how many answers differ."""
    kept = Path(folder)
    kept.mkdir(parents=True, exist_ok=True)
    context = make_context(Settings(home=Path(home), database_url=None))
    began, differing = time.perf_counter(), 0
    for number, (name, wanted) in enumerate(draw_requests(seed)):
        said = answer(name, wanted, context)
        place = kept / f"{number:02d}_{name}.json"
        now = place.with_suffix(".now.json")
        now.unlink(missing_ok=True)
        if not place.exists():
            place.write_text(said, encoding="utf-8")
            say(f"kept  {number:02d} {name} {json.dumps(wanted, ensure_ascii=False)} {len(said):,}")
        elif place.read_text(encoding="utf-8") != said:
            differing += 1
            now.write_text(said, encoding="utf-8")
            say(f"other {number:02d} {name} {json.dumps(wanted, ensure_ascii=False)}")
    seconds = time.perf_counter() - began
    say(f"seed {seed}: {number + 1} answers, {differing} differ, {seconds:.0f} s")
    return differing


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:3], *map(int, sys.argv[3:4]))))
