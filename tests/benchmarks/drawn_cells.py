"""Prints sixty efficacy and toxicity cells, drawn by a seed, each beside its source, to be read.

`PYTHONPATH=. python tests/benchmarks/drawn_cells.py HOME [SEED]`: HOME is an instance with the
reference files imported. Cells come from the drugs of twenty targets drawn by the seed (for a
stratum that these cannot fill, from further targets, which is said): half tell efficacy, half
toxicity; half are of trials' posted results, half of labels. The passage is read from the raw file
that the record names, not from the pack.
"""

import gzip
import json
import os
import random
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.evidence.assets.gather import gather_assets
from core.evidence.names.cleaning import clean_text
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import target_names
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery
from core.records.evidence_pack import StoredFact
from core.records.programs import Asset, Outcome
from core.settings import Settings
from core.vocabulary.targets import load_targets
from storage.stores import open_stores

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")).resolve() / "evidence"
SEED = 20_261_121
TARGETS = 20
LEAST_DRUGS = 4
EACH = 15
AS_OF = date(2026, 11, 21)
BEFORE, AFTER = 700, 250
"""Characters of a label shown before a passage and after it."""
_PLACE = re.compile(r"(\w+)\[(\d+):(\d+)\]")
_STEP = re.compile(r"(\w+)(?:\[(\d+)\])?")
STRATA = (
    ("efficacy", "trial"),
    ("toxicity", "trial"),
    ("efficacy", "label"),
    ("toxicity", "label"),
)
Cell = tuple[str, Asset, Outcome]


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def draw_cells(evidence: EvidenceReader, resolver: Resolver, seed: int) -> Iterator[Cell]:
    """Yield the cells by stratum."""
    chance = random.Random(seed)
    names = target_names(resolver)
    pool = [names.of_row(row) for row in load_targets()]
    chance.shuffle(pool)
    cells: dict[tuple[str, str], dict[Outcome, Cell]] = {one: {} for one in STRATA}
    taken = 0
    for target in pool:
        if taken >= TARGETS and all(len(held) >= EACH for held in cells.values()):
            break
        found = gather_assets(AssetQuery(targets=(target,)), evidence, resolver, AS_OF)
        if len(found.assets) < LEAST_DRUGS:
            continue
        taken += 1
        for asset in found.assets:
            for one in asset.outcomes:
                kind = "label" if one.record_id.startswith("label") else "trial"
                held = cells[(one.kind, kind)]
                if taken <= TARGETS or len(held) < EACH:
                    held.setdefault(one, (target.text, asset, one))
        if taken == TARGETS:
            say(", ".join(f"{' '.join(one)} {len(held)}" for one, held in cells.items()))
    say(f"targets read {taken}")
    for held in cells.values():
        yield from chance.sample(list(held.values()), min(EACH, len(held)))


@lru_cache(maxsize=4)
def lines_of(name: str) -> tuple[str, ...]:
    """Return the lines of a raw file."""
    with gzip.open(REFERENCE / name, "rt", encoding="utf-8") as text:
        return tuple(text)


def raw_record(raw_ref: str) -> dict[str, Any]:
    """Return what a file holds in the line that a record names."""
    name, _, line = raw_ref.rpartition(":")
    read: dict[str, Any] = json.loads(lines_of(name)[int(line) - 1])
    return read


def passage(raw: dict[str, Any], fact: StoredFact) -> str:
    """Return the raw words at a fact's locator."""
    place = _PLACE.fullmatch(fact.fact.locator)
    if place:
        said = raw.get(place[1], [])
        text = clean_text(" ".join([said] if isinstance(said, str) else said))
        start, end = int(place[2]), int(place[3])
        before, after = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
        return f"{before} >>>{text[start:end]}<<< {after}"
    results = raw["resultsSection"]
    if fact.fact.locator.startswith("outcomeMeasures"):
        return _measure(results["outcomeMeasuresModule"], fact.fact.locator, raw)
    return _events(results["adverseEventsModule"], fact.fact.locator, raw)


def _walk(content: Any, locator: str) -> Any:  # noqa: ANN401 - register JSON
    for name, place in _STEP.findall(locator):
        content = content[name][int(place)] if place else content[name]
    return content


def _title(raw: dict[str, Any]) -> str:
    known = raw["protocolSection"]
    drugs = known.get("armsInterventionsModule", {}).get("interventions", [])
    title = known["identificationModule"].get("officialTitle", "")
    return f"{title}\n      drugs: {'; '.join(one.get('name', '') for one in drugs)}"


def _arms(groups: Sequence[dict[str, Any]]) -> str:
    return "\n      ".join(
        f"{one['id']} = {one.get('title', '')} :: {one.get('description', '')[:300]}"
        for one in groups
    )


def _nearest(groups: Sequence[dict[str, Any]], measured: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arm measured and those beside it, which a wrong choice would have taken."""
    place = next(n for n, one in enumerate(groups) if one["id"] == measured["groupId"])
    return list(groups[max(0, place - 1) : place + 2])


def _measure(module: dict[str, Any], locator: str, raw: dict[str, Any]) -> str:
    outcome = module["outcomeMeasures"][int(_STEP.findall(locator)[0][1])]
    row = _walk(module, locator.rpartition(".categories")[0])
    row = {name: row[name] for name in ("title", "categories", "denoms") if name in row}
    names = ("type", "title", "unitOfMeasure", "paramType", "dispersionType", "timeFrame", "denoms")
    told = {name: outcome.get(name) for name in names}
    measured = _walk(module, locator)
    return (
        f"{_title(raw)}\n      {_arms(_nearest(outcome.get('groups', []), measured))}\n"
        f"      {json.dumps(told)[:900]}\n      about: {outcome.get('description', '')[:400]}\n"
        f"      row: {json.dumps(row)[:1100]}\n"
        f"      measured: {json.dumps(measured)}"
    )


def _events(module: dict[str, Any], locator: str, raw: dict[str, Any]) -> str:
    place = locator.removeprefix("adverseEventsModule.")
    told = _walk(module, place if place.endswith("]") else place.rpartition(".")[0])
    groups = {one["groupId"] for one in told.get("stats", [])} or {told["id"]}
    groups_told = [one for one in module["eventGroups"] if one["id"] in groups]
    return f"{_title(raw)}\n      {_arms(groups_told)}\n      {json.dumps(told)[:900]}"


def main(home: str, seed: int = SEED) -> None:
    """Print the cells."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    say(f"seed {seed}")
    for number, (target, asset, one) in enumerate(draw_cells(stores.evidence, resolver, seed), 1):
        fact = stores.evidence.fact(one.fact_ids[0])
        record = stores.evidence.record(one.record_id, fact.version if fact else None)
        if record is None or fact is None:
            continue
        say(f"\n#{number} [{target}] {asset.name}: {one.kind} in {one.record_id}")
        say(f"  given with: {', '.join(one.given_with)}")
        for name in ("measure", "arm", "comparator", "population", "time_point"):
            if getattr(one, name):
                say(f"  {name}: {getattr(one, name)[:400]}")
        say(
            f"  value {one.value:g} {one.unit} | n {one.n} | {one.interval} | line {one.line!r} | "
            f"biomarker {one.biomarker!r} | {one.indication} | cut-off {one.data_cut_off!r}"
        )
        say(f"  {record.raw_ref} {fact.fact.locator}")
        if ".ndjson" in record.raw_ref:
            said = passage(raw_record(record.raw_ref), fact)
        else:  # a document of its own form: what the pack holds of the section
            said = passage({span.section: span.text for span in record.spans}, fact)
        say(f"  source: {said}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
