"""Prints the drugs of twenty targets, drawn by a seed, to be read by a person row by row.

`PYTHONPATH=. python tests/benchmarks/landscape_rows.py HOME [SEED]`: HOME is an instance with the
reference files imported. The figures that need no reader are counted at the end: rows, modality
known, drugs whose records hold a result and of which one is shown, processor seconds a target.
"""

import random
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from core.evidence.assets.figures.outcomes import REPORTED
from core.evidence.assets.gather import gather_assets
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import target_names
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery
from core.records.evidence_pack import FactQuery
from core.records.programs import Asset, TargetExpression
from core.settings import Settings
from core.vocabulary.targets import load_targets
from storage.stores import open_stores

SEED = 20_261_121
TARGETS = 20
LEAST_DRUGS = 4
AS_OF = date(2026, 11, 21)


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def draw_targets(
    evidence: EvidenceReader, resolver: Resolver, seed: int, most: int = TARGETS
) -> Iterator[tuple[TargetExpression, tuple[Asset, ...], float]]:
    """Yield drawn targets on which four drugs of the pack act, with the drugs and seconds."""
    names = target_names(resolver)
    pool = [names.of_row(row) for row in load_targets()]
    random.Random(seed).shuffle(pool)
    taken = 0
    for target in pool:
        query = AssetQuery(targets=(target,))
        found = gather_assets(query, evidence, resolver, AS_OF)
        if len(found.assets) < LEAST_DRUGS:
            continue
        start = time.process_time()
        found = gather_assets(query, evidence, resolver, AS_OF)
        yield target, found.assets, time.process_time() - start
        taken += 1
        if taken == most:
            return


def line(asset: Asset, target: TargetExpression) -> str:
    """Return a row as it is read."""
    top = asset.programs[0]
    kinds = {one.kind for one in asset.outcomes}
    cells = (
        target.text,
        asset.name,
        "; ".join(link.target.text for link in asset.targets),
        asset.targets[0].mechanism.rule or "stated",
        asset.modality.text if asset.modality else "-",
        top.stage + (" (stopped)" if top.is_discontinued else ""),
        "; ".join(dict.fromkeys(role.company for role in asset.companies))[:40],
        str(len(asset.programs)),
        "".join(letter for kind, letter in (("efficacy", "E"), ("toxicity", "T")) if kind in kinds),
        top.indication[:40],
    )
    return " | ".join(cells)


def holds_results(asset: Asset, evidence: EvidenceReader) -> bool:
    """Return whether a trial or label of a drug's own programs holds a figure."""
    ids = [one.record_id for program in asset.programs for one in program.trials]
    ids += [one for one in asset.record_ids if one.startswith("label:")]
    predicates = (*REPORTED, "label_result", "label_adverse_reactions")
    return bool(ids) and bool(evidence.facts(FactQuery(record_ids=ids, predicates=predicates)))


def main(home: str, seed: int = SEED) -> None:
    """Print the rows and the counts."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    rows = known = holding = efficacy = toxicity = 0
    slowest = 0.0
    say(f"seed {seed}")
    for target, assets, seconds in draw_targets(stores.evidence, resolver, seed):
        say(f"== {target.text}: {len(assets)} drugs, {seconds:.2f} s")
        slowest = max(slowest, seconds)
        for asset in assets:
            say(line(asset, target))
            rows += 1
            known += asset.modality is not None
            if holds_results(asset, stores.evidence):
                kinds = {one.kind for one in asset.outcomes}
                holding += 1
                efficacy += "efficacy" in kinds
                toxicity += "toxicity" in kinds
    say(f"rows {rows}, modality known {known}, slowest {slowest:.2f} s")
    say(f"drugs whose records hold a result {holding}: efficacy {efficacy}, toxicity {toxicity}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
