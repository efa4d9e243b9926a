"""How a list of drugs that is asked for compares with what an instance answers.

Every count is of pairs of target and drug; a drug that is not found counts as a miss.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from core.evidence.assets.gather import gather_assets
from core.evidence.assets.target_match import acts_on
from core.evidence.names.identity.resolver import Resolver
from core.ports import Stores
from core.records.asset_queries import AssetQuery
from core.records.evidence_pack import FactQuery
from core.records.programs import Asset, TargetExpression
from tests.benchmarks.chembl_reference import Reference

TODAY = date(2026, 11, 21)
PORTION = 200
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

    def shares(self) -> tuple[float, ...]:
        """Return the recall of approved drugs, of phase 3 and later, and of all, in per cent."""
        every = (self.approved, self.late, self.every)
        return tuple(100 * sum(one) / len(one) if one else 0.0 for one in every)

    def line(self) -> str:
        """Return the figures as one line."""
        told = (self.approved, self.late, self.every, self.stage, self.modality, self.has_modality)
        return "".join(f"{sum(one):>6}/{len(one):<4}{_share(one):>5}" for one in told)


def _share(found: Sequence[bool]) -> str:
    return f"{sum(found) / len(found):.0%}" if found else "-"


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
        return self._gather(AssetQuery(targets=(wanted,)))

    def told(self, keys: Collection[str]) -> set[str]:
        """Return the drugs of which a record tells a stage."""
        ordered, found = sorted(keys), set()
        for start in range(0, len(ordered), PORTION):
            query = AssetQuery(drug_keys=tuple(ordered[start : start + PORTION]), figures=False)
            assets = self._gather(query)
            found |= {key for key, one in assets.items() if stage_of(one, recorded=True) > 0}
        return found

    def _gather(self, query: AssetQuery) -> dict[str, Asset]:
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
