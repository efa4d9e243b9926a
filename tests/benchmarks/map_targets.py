"""Maps of targets on an instance: documents by naming, roles, sure structures, clinical structures.

`python -m tests.benchmarks.map_targets HOME [TARGET ...]`. Beside the maps it counts of how many
small molecules of the starter pack a structure is drawn from the names at hand, by the way in which
the name was read, and of those with an approval and a target.
"""

import csv
import sys
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rdkit import Chem

import core.evidence.pack
from core.agents.compound_map.pipeline import run
from core.agents.compound_map.schema import CompoundMapData, CompoundMapRequest
from core.chemistry.names import MOST_NAMES, read_names
from core.evidence.names.identity.drug_structures import choose_structure, read_systematic_names
from core.evidence.names.identity.name_forms import all_forms, settle_forms
from core.evidence.names.identity.resolver import Resolver
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores
from tests.benchmarks.targets import say

TARGETS = ("JAK1", "EGFR", "KRAS", "PRMT5")
ACETONIDE = Chem.MolFromSmarts("[CX4]1([CH3])([CH3])O[CX4]~[CX4]O1")
NOW = datetime(2026, 11, 21, tzinfo=UTC)
BATCH = MOST_NAMES // 4
"""Names of one process: each is tried in three forms."""


def measure(home: Path, targets: tuple[str, ...]) -> None:
    """Print the figures of each target, and of the clinical structures."""
    settings = Settings(home=home, offline=True)
    stores = open_stores(settings)
    context = RunContext(
        run_uuid="",
        query_id=1,
        caller=Caller(user_id=1, name="benchmark"),
        now=NOW,
        seed=1,
        settings=settings,
        files=None,  # type: ignore[arg-type]
        progress=lambda *_: None,
        save_file=lambda *_: None,
        evidence=stores.evidence,
        resolver=Resolver(stores.identity, stores.learned_names),
        notes=stores.notes,
    )
    for target in targets:
        began = time.perf_counter()
        request = CompoundMapRequest(target=target, seed="benchmark", max_patents=40)
        show(run(request, context), time.perf_counter() - began)
    count_structures(context)
    stores.engine.close()


def show(data: CompoundMapData, took_s: float) -> None:
    """Print the figures of one map."""
    kin = sum(bool(one.named_as) for one in data.patents)
    left = next((one for one in data.warnings if one.startswith("relatives_left_out")), "none")
    examples = [one for one in data.compounds if one.role in {"example", "claimed_example"}]
    kept = sum(Chem.MolFromSmiles(one.smiles).HasSubstructMatch(ACETONIDE) for one in examples)
    drawn = sum(bool(one.smiles) for one in data.clinical_reference)
    states = Counter(one.state for one in data.freedom_to_operate.scaffolds)
    say(
        f"{data.target}: {len(data.patents)} documents in {took_s:.1f} s, {kin} by the family's "
        f"name alone; left out: {left}"
    )
    say(
        f"{data.target}: {len(data.compounds)} compounds, {data.n_sure} sure, acetonides among "
        f"examples {kept} of {len(examples)}, clinical structures {drawn} of "
        f"{len(data.clinical_reference)}, scaffolds {dict(states)}"
    )


def count_structures(context: RunContext) -> None:
    """Print how many small molecules of the starter pack have a structure, by way of reading."""
    folder = Path(core.evidence.pack.__path__[0])
    with (folder / "drugs.csv").open(encoding="utf-8", newline="") as text:
        rows = [row for row in csv.DictReader(text) if "small" in row["modality"].casefold()]
    with (folder / "approvals.csv").open(encoding="utf-8", newline="") as text:
        approved = {row["drug"] for row in csv.DictReader(text)}
    targets = {row["drug"]: row["target"] for row in rows}
    matches = context.resolver.resolve_many("drug", list(targets))
    names = {
        drug: told
        for drug in targets
        if (told := read_systematic_names(matches[drug].key, context.resolver.identity, drug))
    }
    smiles, ways = draw_all([name for told in names.values() for name in told])
    chosen = {drug: choose_structure(told, smiles)[0] for drug, told in names.items()}
    drawn = {drug: ways[name] for drug, name in chosen.items() if name}
    say(f"small molecules {len(targets)}, named {len(names)}, ways {dict(Counter(drawn.values()))}")
    asked = [drug for drug, target in targets.items() if target and drug in approved]
    told = Counter(drawn.get(drug, "none") for drug in asked)
    say(f"approved with a target {len(asked)}: {dict(told)}")
    lacking = [drug for drug in asked if drug not in drawn]
    unnamed = sum(drug not in names for drug in lacking)
    say(f"approved without a structure {len(lacking)}, {unnamed} of them without any name")


def draw_all(names: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return SMILES and way of reading by name."""
    smiles: dict[str, str] = {}
    ways: dict[str, str] = {}
    held = list(dict.fromkeys(names))
    for start in range(0, len(held), BATCH):
        part = held[start : start + BATCH]
        for name, (text, way) in settle_forms(part, read_names(all_forms(part))).items():
            smiles[name], ways[name] = text, way
    return smiles, ways


if __name__ == "__main__":
    measure(Path(sys.argv[1]), tuple(sys.argv[2:]) or TARGETS)
