"""Prints a hundred drugs at phase 2 or later that companies are said to have, drawn by a seed.

`PYTHONPATH=. python tests/benchmarks/false_assets.py HOME [SEED]`: HOME is an instance with the
reference files imported. The companies are the ten of the pipeline file and three small ones,
drawn by the seed among those with two to fifteen such drugs. A person judges each line: has the
company really a part in the drug (origin, license, approval, own trials)?
"""

import csv
import random
import sys
from pathlib import Path

from core.agents.company_asset_searcher.records import DrugRecord
from core.evidence.names.identity.resolver import Resolver
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.company_assets import ask, expected, say

SEED = 20_261_121
DRAWN = 100
SMALL = 3
FEWEST, MOST = 2, 15
TABLE = Path("core/evidence/companies.csv")


def is_late(drug: DrugRecord) -> bool:
    """Return whether a drug is at phase 2 or later in one of its programs."""
    return any(one.phase not in {"PRECLINICAL", "PHASE1", "UNKNOWN", ""} for one in drug.programs)


def line(company: str, drug: DrugRecord) -> str:
    """Return a drug as it is judged."""
    trials = [number for one in drug.programs for number in one.trial_ids]
    parts = [
        f"{one.company}: {one.role}" + (" (expert)" if one.is_expert else "") for one in drug.parts
    ]
    cells = (
        company,
        drug.name,
        "; ".join(drug.aliases[:4])[:70],
        drug.phase,
        str(drug.origin),
        drug.origin_rule[:90],
        "; ".join(parts)[:150],
        (drug.indication or "")[:50],
        " ".join(trials[:2]),
        drug.source or "",
    )
    return " | ".join(cells)


def main(home: str, seed: int = SEED) -> None:
    """Print the drawn drugs."""
    chance = random.Random(seed)
    stores = open_stores(Settings(home=Path(home), database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    told: list[tuple[str, DrugRecord]] = []

    def add(company: str, *, is_small: bool = False) -> bool:
        late = [drug for drug in ask(company, stores, resolver).drugs if is_late(drug)]
        if is_small and not FEWEST <= len(late) <= MOST:
            return False
        say(f"{company}: {len(late)} at phase 2 or later")
        told.extend((company, drug) for drug in late)
        return True

    for company in expected():
        add(company)
    with TABLE.open(encoding="utf-8", newline="") as text:
        groups = sorted({row["group"] for row in csv.DictReader(text)} - set(expected()))
    chance.shuffle(groups)
    small = 0
    for company in groups:
        small += add(company, is_small=True)
        if small == SMALL:
            break
    say(f"seed {seed}: {DRAWN} of {len(told)}")
    for number, (company, drug) in enumerate(chance.sample(told, min(DRAWN, len(told))), 1):
        say(f"{number} | {line(company, drug)}")
    stores.engine.close()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
