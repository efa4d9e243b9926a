"""How much of the common targets and of companies the starter pack alone knows.

    python -m tests.benchmarks.starter_pack [--seed N] [--home FOLDER] [--full FOLDER] [--missed]

An instance with names and nothing but the starter pack is made; FOLDER spares the names' building.
Every figure is printed on all facts; on facts whose stage an external record carries (register,
label, trial, pipeline); and on facts whose target such a record tells as well. With `--full`, an
instance with all reference files, also on the drugs alone of which a file at hand tells a stage:
of the others no record can be in the pack.

Expected of the drawn targets are the drugs of the ChEMBL reference that resolve; it knows many
molecules by id only, and these are counted as "no name". That reference is a part of ChEMBL and
has no row of PD-1, EGFR, HER2, TNF and other common targets: of the listed targets are expected
also the drugs of DrugCentral's list and, with `--full`, every drug that the records of that
instance link to the target without the curators' table. A draw of twenty has a wide spread, and
the two lists expect by two rules; so the same figures of every target that can be drawn, and of
both lists by one rule, are printed beside them.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from core.evidence.assets.learned_names import learn
from core.evidence.names.identity.dictionary import load_dictionary
from core.evidence.names.target_tables import target_names
from core.evidence.sources.pack.loading import load_starter
from core.records.programs import Asset, TargetExpression
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.chembl_reference import Reference, read_reference
from tests.benchmarks.starter_scores import Score, World, is_counted, score, stage_of

EVIDENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")).resolve() / "evidence"
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


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def able_to_be_drawn(reference: Reference) -> list[str]:
    """Return the genes with enough drugs at phase 2 or later that are not listed."""
    listed = {gene for gene, (_, symbol) in reference.symbols.items() if symbol in LISTED}
    return sorted(
        gene
        for gene, drugs in reference.drugs.items()
        if sum(phase >= 2 for phase in drugs.values()) >= LEAST_DRUGS and gene not in listed
    )


def draw(reference: Reference, seed: int) -> list[str]:
    """Return the genes drawn by a seed among those that can be drawn."""
    return random.Random(seed).sample(able_to_be_drawn(reference), DRAWN)


HEADER = f"{'target':<12}{'no name':>8}" + "".join(
    f"{name:>15}"
    for name in ("approved", "phase 3+", "all known", "stage +-1", "modality", "has one")
)


class Cut(NamedTuple):
    """Which facts count, and which drugs are expected."""

    title: str
    level: int
    told_only: bool = False


CUTS = (
    Cut("all facts", 0),
    Cut("facts whose stage has an external record", 1),
    Cut("facts whose stage and target have an external record", 2),
    Cut("the same, of drugs of which a file at hand tells a stage", 1, told_only=True),
)
Expected = Mapping[str, Mapping[str, float]]
"""Highest phase by drug, by Ensembl id."""


class Bench:
    """The pack's answers beside what is expected."""

    def __init__(self, world: World, reference: Reference, full: World | None) -> None:
        self.world, self.reference, self.full = world, reference, full
        self.answers: dict[str, dict[str, Asset]] = {}
        self.told: set[str] = set()

    def wanted(self, gene: str) -> TargetExpression:
        """Return a target as it is asked for."""
        return target_names(self.world.resolver).of_gene(*self.reference.symbols[gene])

    def cuts(self) -> Sequence[Cut]:
        """Return the cuts that can be printed."""
        return CUTS if self.full else [one for one in CUTS if not one.told_only]

    def score(self, gene: str, expected: Mapping[str, float], cut: Cut) -> Score:
        """Return the score of one target."""
        wanted = self.wanted(gene)
        if gene not in self.answers:
            self.answers[gene] = self.world.ask(wanted)
        if cut.told_only:
            expected = {key: phase for key, phase in expected.items() if key in self.told}
        judged = (self.world, self.reference)
        return score(wanted, expected, self.answers[gene], judged, cut.level)

    def total(self, expected: Expected, cut: Cut) -> Score:
        """Return the score of some targets."""
        total = Score()
        for gene, drugs in expected.items():
            total.add(self.score(gene, drugs, cut))
        return total

    def learn_told(self, *lists: Expected) -> None:
        """Ask once of which of all expected drugs a file at hand tells a stage."""
        if self.full:
            keys = {key for one in lists for drugs in one.values() for key in drugs}
            self.told = self.full.told(keys)


def show_targets(bench: Bench, expected: Expected, *, missed: bool) -> None:
    """Print the tables of some targets."""
    reference = bench.reference
    for cut in bench.cuts():
        say(f"{cut.title}\n{HEADER}")
        for gene, drugs in expected.items():
            line = bench.score(gene, drugs, cut).line()
            say(f"{reference.symbols[gene][1]:<12}{reference.unnamed[gene]:>8}{line}")
            if missed:
                _show_missed(drugs, bench, gene, cut.level)
        unnamed = sum(reference.unnamed[gene] for gene in expected)
        say(f"{'all':<12}{unnamed:>8}{bench.total(expected, cut).line()}\n")


def show_difference(bench: Bench, title: str, listed: Expected, others: Expected) -> None:
    """Print how far the recall of two lists lies apart."""
    say(title)
    for cut in bench.cuts():
        one, two = bench.total(listed, cut).shares(), bench.total(others, cut).shares()
        told = ", ".join(f"{x:.0f} / {y:.0f} ({x - y:+.1f})" for x, y in zip(one, two, strict=True))
        say(f"    {cut.title}: {told}")
    say("")


def _show_missed(drugs: Mapping[str, float], bench: Bench, gene: str, level: int) -> None:
    wanted, found = bench.wanted(gene), bench.answers[gene]
    keys = [key for key in drugs if drugs[key] >= 2]
    keys = [key for key in keys if key not in found or not is_counted(found[key], wanted, level)]
    labels = bench.world.resolver.identity.entities("drug", keys)
    told = sorted((-drugs[key], labels[key].label if key in labels else key) for key in keys)
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
    load_dictionary(stores.identity)
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
    """Print the tables of the listed and of the drawn targets, and how far they lie apart."""
    reference = read_reference(EVIDENCE, chosen.packages, world.resolver)
    genes = {symbol: gene for gene, (_, symbol) in reference.symbols.items()}
    with opened(chosen.full) if chosen.full else nullcontext() as full:
        bench = Bench(world, reference, full)
        chembl = {gene: reference.drugs[gene] for gene in able_to_be_drawn(reference)}
        listed = {genes[one]: expect(genes[one], reference, full) for one in LISTED}
        every = {gene: expect(gene, reference, full) for gene in chembl}
        bench.learn_told(listed, every)
    drawn = draw(reference, chosen.seed)
    say(f"20 listed targets: {', '.join(LISTED)}")
    show_targets(bench, listed, missed=chosen.missed)
    say(f"20 targets drawn with seed {chosen.seed}")
    show_targets(bench, {gene: chembl[gene] for gene in drawn}, missed=chosen.missed)
    say("Listed / others (difference): approved, phase 3+, all known")
    for title, some in (("the drawn targets", drawn), (f"all {len(chembl)} that can be", chembl)):
        one_rule = {gene: reference.drugs.get(gene, {}) for gene in listed}
        show_difference(bench, f"{title}, as above", listed, {gene: chembl[gene] for gene in some})
        show_difference(
            bench, f"{title}, both by ChEMBL alone", one_rule, {gene: chembl[gene] for gene in some}
        )
        show_difference(
            bench, f"{title}, both by every list", listed, {gene: every[gene] for gene in some}
        )


if __name__ == "__main__":
    main()
