"""How much of companies' drugs at phase 2 or later the starter pack alone knows.

    python -m tests.benchmarks.starter_companies --home FOLDER --full FOLDER [--seed N]

Ten large companies: expected are the assets of the pipeline file, which is left out of the pack
for this. Ten small ones are drawn by the seed among the companies that lead three to fifteen drugs
at phase 2 or later in an instance with all reference files (`--full`); expected are those drugs.
`--home` is an instance with names, to copy.
"""

import argparse
import random
import shutil
import tempfile
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

from core.evidence.assets.learned_names import learn
from core.evidence.names.companies import company_group
from core.evidence.sources.pack.own_records import own_records
from core.evidence.sources.pack.source_records import source_records
from core.records.evidence_pack import FactQuery
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.company_assets import ask, expected, is_found
from tests.benchmarks.starter_pack import SEED, opened, say
from tests.benchmarks.starter_scores import World

SMALL = 10
FEWEST, MOST = 3, 15
LATE = {"PHASE2", "PHASE2_3", "PHASE3", "PHASE4"}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def make_without_pipelines(home: Path) -> None:
    """Load the pack into an instance, all but the rows of companies' pipelines."""
    stores = open_stores(Settings(home=home, database_url=None))
    with stores.evidence.next_generation() as writer:
        writer.add(own_records())
        writer.add(one for one in source_records() if one.record.source != "pipeline")
    learn(stores.evidence, stores.identity, stores.learned_names)
    stores.engine.close()


def late_drugs(world: World) -> dict[str, dict[str, str]]:
    """Return the drugs that each small company tests at phase 2 or later in trials it leads."""
    evidence = world.stores.evidence
    facts = evidence.facts(
        FactQuery(sources=("ctgov",), predicates=("trial_phase", "trial_sponsor_class"))
    )
    said: dict[str, dict[str, str]] = defaultdict(dict)
    for one in facts:
        said[one.fact.record_id][one.fact.predicate] = one.fact.object
    trials = [
        record_id
        for record_id, told in said.items()
        if told.get("trial_phase") in LATE and told.get("trial_sponsor_class") == "INDUSTRY"
    ]
    mentions = evidence.mentions(trials)
    names = {x.name for found in mentions.values() for x in found if x.role == "investigational"}
    matches = world.resolver.resolve_many("drug", names)
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for record_id in trials:
        sponsors = [x.name for x in mentions[record_id] if x.relation == "sponsor"]
        for one in mentions[record_id]:
            key = matches[one.name].key if one.role == "investigational" else ""
            if key and sponsors:
                found[company_group(sponsors[0])][key] = matches[one.name].label
    large = set(expected())
    return {
        company: drugs
        for company, drugs in found.items()
        if company not in large and FEWEST <= len(drugs) <= MOST
    }


def show_large(world: World) -> None:
    """Print recall of the assets of the ten large companies."""
    hits = total = 0
    for company, assets in expected().items():
        data = ask(company, world.stores, world.resolver)
        found = sum(is_found(one, data, world.resolver) for one in assets)
        hits, total = hits + found, total + len(assets)
        say(f"{company:<28}{found:>4}/{len(assets):<4}{found / len(assets):>6.0%}")
    say(f"{'ten large companies':<28}{hits:>4}/{total:<4}{hits / total:>6.0%}\n")


def show_small(world: World, full: World, seed: int) -> None:
    """Print recall of the drugs of ten small companies."""
    known = late_drugs(full)
    hits = total = 0
    for company in random.Random(seed).sample(sorted(known), SMALL):
        data = ask(company, world.stores, world.resolver)
        keys = {one.drug_key for one in data.drugs}
        found = [key for key in known[company] if key in keys]
        hits, total = hits + len(found), total + len(known[company])
        missed = ", ".join(name for key, name in known[company].items() if key not in keys)
        say(f"{company[:27]:<28}{len(found):>4}/{len(known[company]):<4}   missed: {missed}")
    say(f"{'ten small companies':<28}{hits:>4}/{total:<4}{hits / total:>6.0%} (seed {seed})")


def main() -> None:
    """Print recall by company."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--full", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        shutil.copytree(chosen.home, home)
        (home / "evidence" / "pack.db").unlink(missing_ok=True)
        make_without_pipelines(home)
        with opened(home) as world, opened(chosen.full) as full:
            show_large(world)
            show_small(world, full, chosen.seed)


if __name__ == "__main__":
    main()
