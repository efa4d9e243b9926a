"""How much of the common targets and of companies the starter pack alone knows.

    python -m tests.benchmarks.starter_pack [--seed N] [--home FOLDER] [--full FOLDER] [--missed]

An instance with names and nothing but the starter pack is made; FOLDER spares the names' building.
Every figure is printed on all facts; on facts whose stage an external record carries (register,
label, trial, pipeline); and on facts whose target such a record tells as well.

Expected of the drawn targets are the drugs of the ChEMBL reference that resolve; it knows many
molecules by id only, and these are counted as "no name". That reference is a part of ChEMBL and
has no row of PD-1, EGFR, HER2, TNF and other common targets: of the listed targets are expected
also the drugs of DrugCentral's list and, with `--full`, every drug that the records of an instance
with all reference files link to the target without the curators' table.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from core.evidence.assets.acting import acts_on
from core.evidence.assets.gather import gather_assets
from core.evidence.assets.learning import learn
from core.evidence.identity.building import build_identity
from core.evidence.identity.resolver import Resolver
from core.evidence.starter.loading import load_starter
from core.evidence.target_tables import target_names
from core.ports import Stores
from core.records.asset_queries import AssetQuery
from core.records.evidence_pack import FactQuery
from core.records.programs import Asset, TargetExpression
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.chembl_reference import Reference, read_reference

EVIDENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")).resolve() / "evidence"
TODAY = date(2026, 11, 21)
SEED = 20_261_121
DRAWN = 20
LEAST_DRUGS = 4
LISTED = (
    *("PDCD1", "CD274", "ERBB2", "EGFR", "ALK", "CDK4", "PARP1", "BTK", "MS4A1", "VEGFA", "AR"),
    *("TNF", "IL17A", "IL23A", "JAK1", "GLP1R", "SLC5A2", "PCSK9", "F10", "HCRTR2"),
)
"""Written down before anything was measured: of the targets of three or more launched drugs those
that most deals and most company pipelines of the last ten years name: eleven of oncology, four of
immunology, four of metabolism and the heart, one of the nervous system."""
PHASES = {
    "APPROVED": 4.0,
    "FILED": 3.5,
    "PHASE3": 3.0,
    "PHASE2_3": 2.5,
    "PHASE2": 2.0,
    "PHASE1_2": 1.5,
    "PHASE1": 1.0,
}
RNA = {"siRNA", "antisense oligonucleotide", "oligonucleotide", "mRNA"}
LARGE = {
    "monoclonal antibody",
    "antibody-drug conjugate",
    "bispecific antibody",
    "cell therapy",
} | {
    *("fusion protein", "enzyme", "recombinant protein", "gene therapy", "immune globulin"),
    *("antibody-peptide conjugate", "vaccine"),
}


@dataclass
class Score:
    """Counts over some targets."""

    approved: list[bool] = field(default_factory=list)
    late: list[bool] = field(default_factory=list)
    every: list[bool] = field(default_factory=list)
    stage: list[bool] = field(default_factory=list)
    modality: list[bool] = field(default_factory=list)
    has_modality: list[bool] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        """Add another target."""
        for name in self.__dataclass_fields__:
            getattr(self, name).extend(getattr(other, name))

    def line(self) -> str:
        """Return the figures as one line."""
        told = (self.approved, self.late, self.every, self.stage, self.modality, self.has_modality)
        return "".join(f"{sum(one):>6}/{len(one):<4}{_share(one):>5}" for one in told)


def _share(found: Sequence[bool]) -> str:
    return f"{sum(found) / len(found):.0%}" if found else "-"


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class World:
    """An instance that holds names and the starter pack."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.resolver = Resolver(stores.identity, stores.learned_names)
        self.purple, self.chemical = self._kinds()

    def _kinds(self) -> tuple[set[str], set[str]]:
        """Return the drugs that FDA licensed as biologics, and those approved as drugs."""
        facts = self.stores.evidence.facts(
            FactQuery(
                sources=("purplebook", "drugsfda"), predicates=("approved_on", "application_type")
            )
        )
        kinds = {
            x.fact.record_id: x.fact.object for x in facts if x.fact.predicate == "application_type"
        }
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for one in facts:
            if one.fact.predicate == "approved_on":
                is_biologic = not kinds.get(one.fact.record_id, "").startswith(("NDA", "ANDA"))
                key = self.resolver.resolve_drug(one.fact.subject).key
                found[is_biologic].add(key)
        return found[True], found[False] - found[True]

    def ask(self, wanted: TargetExpression) -> dict[str, Asset]:
        """Return the drugs of a target by key."""
        query = AssetQuery(targets=(wanted,))
        found = gather_assets(query, self.stores.evidence, self.resolver, TODAY)
        return {one.key: one for one in found.assets}


def stage_of(asset: Asset, *, recorded: bool) -> float:
    """Return the highest phase that a drug's programs show."""
    stages = [
        PHASES.get(one.stage, 0.0)
        for program in asset.programs
        for one in program.stages
        if not (recorded and one.statement.is_expert)
    ]
    return max(stages, default=0.0)


def is_counted(asset: Asset, wanted: TargetExpression, level: int) -> bool:
    """Return whether a drug counts: at level 1 with a recorded stage, at 2 a target, too."""
    links = [link for link in asset.targets if not link.mechanism.is_expert]
    return (level < 1 or stage_of(asset, recorded=True) > 0) and (
        level < 2 or acts_on(links, (wanted,))
    )


def judge_modality(asset: Asset, world: World, reference: Reference) -> bool | None:
    """Return whether a drug's modality agrees with its license or action; None: nobody tells."""
    text = asset.modality.text if asset.modality else ""
    if not text:
        return None
    if asset.key in reference.modalities:
        return text in RNA
    if asset.key in world.purple:
        return text in LARGE or text == "peptide"
    return text not in LARGE if asset.key in world.chemical else None


def score(
    wanted: TargetExpression,
    expected: Mapping[str, float],
    found: Mapping[str, Asset],
    judged: tuple[World, Reference],
    level: int,
) -> Score:
    """Return the score of one target."""
    kept = {
        key: one for key, one in found.items() if key in expected and is_counted(one, wanted, level)
    }
    result = Score()
    for key, phase in expected.items():
        if phase >= 4:
            result.approved.append(key in kept)
        if phase >= 3:
            result.late.append(key in kept)
        result.every.append(key in kept)
        if key in kept and phase:
            result.stage.append(abs(stage_of(kept[key], recorded=level > 0) - phase) <= 1)
    for one in kept.values():
        verdict = judge_modality(one, *judged)
        result.has_modality.append(one.modality is not None)
        if verdict is not None:
            result.modality.append(verdict)
    return result


def draw(reference: Reference, seed: int) -> list[str]:
    """Return the genes drawn by a seed among those with enough drugs at phase 2 or later."""
    listed = {gene for gene, (_, symbol) in reference.symbols.items() if symbol in LISTED}
    able = sorted(
        gene
        for gene, drugs in reference.drugs.items()
        if sum(phase >= 2 for phase in drugs.values()) >= LEAST_DRUGS and gene not in listed
    )
    return random.Random(seed).sample(able, DRAWN)


HEADER = f"{'target':<12}{'no name':>8}" + "".join(
    f"{name:>15}"
    for name in ("approved", "phase 3+", "all known", "stage +-1", "modality", "has one")
)


LEVELS = (
    "all facts",
    "facts whose stage has an external record",
    "facts whose stage and target have an external record",
)


def show_targets(
    expected: Mapping[str, Mapping[str, float]],
    judged: tuple[World, Reference],
    *,
    missed: bool,
) -> None:
    """Print the tables of some targets, by Ensembl id."""
    world, reference = judged
    answers = {}
    for gene in expected:
        wanted = target_names(world.resolver).of_gene(*reference.symbols[gene])
        answers[gene] = (wanted, world.ask(wanted))
    for level, title in enumerate(LEVELS):
        say(f"{title}\n{HEADER}")
        total = Score()
        for gene, (wanted, found) in answers.items():
            one = score(wanted, expected[gene], found, judged, level)
            total.add(one)
            symbol = reference.symbols[gene][1]
            say(f"{symbol:<12}{reference.unnamed[gene]:>8}{one.line()}")
            if missed:
                _show_missed(expected[gene], (wanted, found), world, level)
        say(f"{'all':<12}{sum(reference.unnamed[gene] for gene in answers):>8}{total.line()}\n")


def _show_missed(
    expected: Mapping[str, float],
    answer: tuple[TargetExpression, Mapping[str, Asset]],
    world: World,
    level: int,
) -> None:
    wanted, found = answer
    keys = [key for key in expected if expected[key] >= 2]
    keys = [key for key in keys if key not in found or not is_counted(found[key], wanted, level)]
    labels = world.resolver.identity.entities("drug", keys)
    told = sorted((-expected[key], labels[key].label if key in labels else key) for key in keys)
    say("    missed: " + ", ".join(f"{name} ({-phase:.0f})" for phase, name in told))


def expect(gene: str, reference: Reference, full: "World | None") -> dict[str, float]:
    """Return the drugs of a listed target with their highest phase, from every list at hand."""
    found = dict(reference.drugs.get(gene, {}))
    for key in reference.drugcentral.get(gene, ()):
        found[key] = max(found.get(key, 0.0), reference.phases.get(key, 4.0))
    if full is None:
        return found
    wanted = target_names(full.resolver).of_gene(*reference.symbols[gene])
    for key, one in full.ask(wanted).items():
        if is_counted(one, wanted, 2):
            stage = max(stage_of(one, recorded=True), reference.phases.get(key, 0.0))
            found[key] = max(found.get(key, 0.0), stage)
    return found


def make(home: Path, packages: Path) -> None:
    """Make an instance with names and the starter pack."""
    stores = open_stores(Settings(home=home, database_url=None))
    build_identity(stores.identity, packages)
    load_starter(stores.evidence, datetime.now(UTC))
    learn(stores.evidence, stores.identity, stores.learned_names)
    stores.engine.close()


@contextmanager
def opened(home: Path) -> Iterator[World]:
    """Give an instance to ask."""
    stores = open_stores(Settings(home=home, database_url=None))
    yield World(stores)
    stores.engine.close()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--home", type=Path, help="an instance with names, to copy")
    parser.add_argument("--full", type=Path, help="an instance with all reference files")
    parser.add_argument("--missed", action="store_true", help="name what was missed from phase 2")
    packages = Path(os.environ.get("BPW_IDENTITY_PACKAGES", ""))
    parser.add_argument("--packages", type=Path, default=packages)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        if chosen.home:
            shutil.copytree(chosen.home, home)
        make(home, chosen.packages)
        with opened(home) as world:
            show(world, chosen)


def show(world: World, chosen: argparse.Namespace) -> None:
    """Print the tables of the listed and of the drawn targets."""
    reference = read_reference(EVIDENCE, chosen.packages, world.resolver)
    genes = {symbol: gene for gene, (_, symbol) in reference.symbols.items()}
    say(f"20 listed targets: {', '.join(LISTED)}")
    with opened(chosen.full) if chosen.full else nullcontext() as full:
        listed = {genes[one]: expect(genes[one], reference, full) for one in LISTED}
    show_targets(listed, (world, reference), missed=chosen.missed)
    say(f"20 targets drawn with seed {chosen.seed}")
    drawn = {gene: reference.drugs[gene] for gene in draw(reference, chosen.seed)}
    show_targets(drawn, (world, reference), missed=chosen.missed)


if __name__ == "__main__":
    main()
