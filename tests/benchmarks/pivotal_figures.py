"""Prints the efficacy figures of drugs of drawn targets, to be read by a person against the record.

`python -m tests.benchmarks.pivotal_figures HOME [SEED]`: HOME is an instance, with the starter pack
alone or with all files. Targets on which at least four drugs act are drawn by the seed. Counted
without a reader: rows at APPROVED and at PHASE3 with a figure, and with one of a primary measure or
of a label's own studies; an empty cell counts as a miss.
"""

import sys
from collections import Counter
from pathlib import Path

from core.briefs.figures import choose, figure_text
from core.evidence.names.identity.resolver import Resolver
from core.records.programs import Asset
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.landscape_rows import draw_targets
from tests.benchmarks.targets import say

SEED = 20_261_123
TARGETS = 24


def main(home: str, seed: int = SEED) -> None:
    """Print the figures and the counts."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    counts: Counter[str] = Counter()
    say(f"seed {seed}")
    for target, assets, _ in draw_targets(stores.evidence, resolver, seed, TARGETS):
        for asset in assets:
            stage = asset.programs[0].shown_stage if asset.programs else ""
            if stage in {"APPROVED", "PHASE3"}:
                _count(asset, stage, counts, target.text)
    for stage in ("APPROVED", "PHASE3"):
        rows = counts[stage]
        say(
            f"{stage}: {rows} rows, with a figure {counts[f'{stage} shown'] / max(rows, 1):.0%}, "
            f"of a primary measure or label {counts[f'{stage} primary'] / max(rows, 1):.0%}"
        )


def _count(asset: Asset, stage: str, counts: Counter[str], target: str) -> None:
    counts[stage] += 1
    shown = choose(asset.outcomes, "efficacy", ())
    if not shown:
        return
    counts[f"{stage} shown"] += 1
    is_primary = shown[0].is_primary or shown[0].record_id.startswith(("label", "pack:"))
    counts[f"{stage} primary"] += is_primary
    mark = "*" if is_primary else " "
    disease = asset.programs[0].indication
    say(f"{mark} {target} | {asset.name} | {stage} | {disease} | {shown[0].record_id}")
    for one in shown:
        say(f"      {figure_text(one)}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
