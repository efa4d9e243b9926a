"""The rank of a drug: mechanism, phase, evidence and recency, each shown.

Formula and values: the table of weights (`core.knowledge.score_weights`), which an analyst may
argue with. The mode is a focus, not a filter: clinical lifts drugs with active trials,
preclinical weighs early stages high.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Literal

from core.agents.competitive_landscaping.fitting import Fitted
from core.agents.competitive_landscaping.records import ScoreComponents
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.competitive_landscaping.scope import Scope, outcomes_in
from core.agents.competitive_landscaping.standing import STANDINGS, Standing, standing_of
from core.briefs.board import NOTHING, Board
from core.briefs.figures import choose, figure_text
from core.briefs.subjects import Drug
from core.evidence.assets.target_match import acts_on
from core.evidence.proof.cells import Cell, state
from core.evidence.proof.claims import unmark
from core.knowledge.score_weights import weight
from core.records.asset_queries import ExcludedAsset
from core.records.programs import (
    USE_MATCHES,
    Asset,
    Outcome,
    Program,
    TargetExpression,
    TargetLink,
    UseMatch,
)

Mode = Literal["clinical", "preclinical"]
_LATEST = 99_999_999


@dataclass(frozen=True)
class Ranked(Drug):
    """A drug with its rank.

    Attributes:
        scope: What was asked for.
        score: 0 to 100.
        components: The parts of the score.
        modes: Runs that list it.
        standing: Whether it is under way within what was asked.
        not_known: Conditions of the question of which no record of it tells.
        board: What a board deck has of it.
    """

    scope: Scope
    score: int
    components: ScoreComponents
    modes: tuple[Mode, ...]
    standing: Standing = "under way"
    not_known: tuple[str, ...] = ()
    board: Board = NOTHING

    @property
    def label_use(self) -> str:
        """Return the approved use nearest to the question, in the words of its source."""
        return unmark(self._approved[1].label_use) if self._approved else ""

    @property
    def match(self) -> UseMatch:
        """Return how that use stands to the disease asked for; "" without either."""
        return self._approved[0] if self._approved else ""

    @cached_property
    def _approved(self) -> tuple[UseMatch, Program] | None:
        """Return the approved program nearest to the question, with how it stands to it."""
        approved = [program for program in self.programs if program.shown_stage == "APPROVED"]
        matches = [
            (self.scope.match(program), program) for program in approved if program.approvals
        ]
        return min(matches, key=lambda match: USE_MATCHES.index(match[0]), default=None)

    @cached_property
    def lead(self) -> int:
        """Return a number that is lower the newer the drug, or the nearer its first readout is.

        An approved drug is as new as its first approval in any use.
        """
        if self.stage == "APPROVED":
            return -_as_number(self.asset.first_approved_on)
        own_trials = [
            trial
            for program in self.programs[:1]
            for trial in program.trials
            if trial.is_own and trial.is_active
        ]
        days = [_as_number(trial.primary_completion_on) for trial in own_trials]
        return min(filter(None, days), default=_LATEST)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Figures that were measured within what was asked, the most telling first."""
        return tuple(outcomes_in(self, self.scope))

    @cached_property
    def _cells(self) -> tuple[Cell, ...]:
        lines = self.scope.parsed.lines
        figures = [
            Cell(kind, figure_text(outcome), (outcome.record_id,), outcome.fact_ids)
            for kind in ("efficacy", "toxicity")
            for outcome in choose(self.outcomes, kind, lines)
        ]
        boxed = [
            state("toxicity", "boxed warning", warning) for warning in self.asset.boxed_warnings[:1]
        ]
        return (*super().cells(), *figures, *boxed)

    def cells(self) -> list[Cell]:
        """Return its cells, with those of its figures and of a boxed warning of a whole label."""
        return list(self._cells)

    def record_ids(self) -> set[str]:
        """Return every record that its row, a trial in scope or a figure may cite."""
        asset = self.asset
        ids = {*asset.record_ids[:2], *(trial.record_id for trial in self.trials)}
        ids |= {record_id for cell in self._cells for record_id in cell.record_ids}
        ids |= {outcome.record_id for outcome in asset.outcomes} | {*self.board.record_ids}
        statements = [stage.statement for program in self.programs for stage in program.stages]
        return ids | {record_id for statement in statements for record_id in statement.record_ids}

    def names(self) -> dict[str, set[str]]:
        """Return its name, its owners and the numbers of its trials."""
        named = super().names()
        return named | {owner: set(named[self.name]) for owner in self.owners}


def _as_number(day: str) -> int:
    """Return a day as a number in the order of time; 0 for none, a month as its beginning."""
    return int(day.replace("-", "").ljust(8, "0")) if day else 0


MODES: Mapping[str, tuple[Mode, ...]] = {
    "clinical": ("clinical",),
    "preclinical": ("preclinical",),
    "both": ("clinical", "preclinical"),
}
"""Modes that a type of query runs."""


def rank(fitted: Fitted, scope: Scope, mode: Mode, as_of: date) -> list[Ranked]:
    """Return the drugs by rank, ties by name, then key.

    What is known to meet every condition comes first. Of a disease, what is under way comes
    first and what is over last, each by rank.
    """
    ranked = [
        replace(
            _rank_one(drug, scope, mode, as_of),
            not_known=fitted.not_known.get(drug.asset.key, ()),
        )
        for drug in fitted.drugs
    ]
    return sorted(ranked, key=_order)


def merge(clinical: list[Ranked], preclinical: list[Ranked]) -> list[Ranked]:
    """Return two lists as one, a drug once, with the better of its two ranks."""
    drugs: dict[str, Ranked] = {}
    for candidate in (*clinical, *preclinical):
        drug = drugs.setdefault(candidate.asset.key, candidate)
        if drug is not candidate:
            better = candidate if candidate.score > drug.score else drug
            drugs[candidate.asset.key] = replace(better, modes=(*drug.modes, *candidate.modes))
    return sorted(drugs.values(), key=_order)


def with_boards(drugs: Iterable[Ranked], boards: Mapping[str, Board]) -> list[Ranked]:
    """Return the drugs with what a board deck has of them, in the order of their standing."""
    drug_boards = [(drug, boards[drug.asset.key]) for drug in drugs]
    updated = [
        replace(drug, board=board, standing=standing_of(drug, board)) for drug, board in drug_boards
    ]
    return sorted(updated, key=_order)


def in_order(drugs: Iterable[Ranked]) -> list[Ranked]:
    """Return drugs by rank."""
    return sorted(drugs, key=_order)


def _order(ranked: Ranked) -> tuple[bool, bool, int, int, int, str, str]:
    """Return the place of a drug: those that the question names come first.

    Of drugs with one score the newest leads, before approval the nearest readout.
    """
    by_disease = ranked.scope.areas and not ranked.scope.targets
    position = STANDINGS.index(ranked.standing) if by_disease else 0
    named = {drug.key for drug in ranked.scope.parsed.drugs}
    return (
        ranked.asset.key not in named,
        bool(ranked.not_known),
        position,
        -ranked.score,
        ranked.lead,
        ranked.asset.name.casefold(),
        ranked.asset.key,
    )


def leave_out(
    drugs: Iterable[Ranked], request: CompetitiveLandscapingRequest
) -> tuple[list[Ranked], list[ExcludedAsset]]:
    """Return the drugs that the request's filters keep, and the others with the reason."""
    kept_drugs, left = [], []
    for drug in drugs:
        regions = {
            region.region
            for region in drug.asset.regions
            if region.stage in {"APPROVED", "FILED"} and not region.is_over
        }
        reasons = {
            "stopped": all(program.state != "live" for program in drug.programs),
            "off_patent": drug.board.is_off_patent,
            "many_targets": drug.board.has_many_targets,
        }
        names = [name.replace("_", " ") for name in request.without if reasons[name]]
        if request.region and request.region not in regions:
            names.append(f"neither approved nor filed with {request.region}")
        if names:
            left.append(ExcludedAsset(drug.asset.name, f"excluded: {', '.join(names)}"))
        else:
            kept_drugs.append(drug)
    return kept_drugs, left


def _rank_one(drug: Drug, scope: Scope, mode: Mode, as_of: date) -> Ranked:
    full = weight("evidence.sources_for_full")
    parts = ScoreComponents(
        mechanism=_mechanism(drug.asset, scope),
        phase=weight(f"{mode}.{drug.stage}"),
        evidence=round(min(1.0, len(sources_of(drug.asset)) / full), 4),
        recency=round(_recency(drug.asset.newest_on, as_of), 4),
        active_trials=1.0 if mode == "clinical" and drug.active_trials else 0.0,
    )
    total = (
        weight("rank.mechanism") * parts.mechanism
        + weight("rank.phase") * parts.phase
        + weight("rank.evidence") * parts.evidence
        + weight("rank.recency") * parts.recency
        + weight("focus.active_trials") * parts.active_trials
    )
    score = math.floor(100 * min(1.0, total) + 0.5)
    return Ranked(drug.asset, drug.programs, scope, score, parts, (mode,))


def _mechanism(asset: Asset, scope: Scope) -> float:
    """Return how near a drug's mechanism is to the one asked for."""
    if scope.targets:
        pairs = [(link, target) for link in asset.targets for target in scope.targets]
        nearest = max((_near(link, target, scope) for link, target in pairs), default=0.0)
        is_beside = acts_on(asset.targets, scope.parsed.adjacent)
        return nearest or weight("mechanism.same_pathway") * is_beside
    if scope.areas or scope.parsed.drugs:
        return weight("mechanism.same_indication")
    return weight("mechanism.text_only")


def _near(link: TargetLink, target: TargetExpression, scope: Scope) -> float:
    genes, requested_genes = set(link.target.gene_keys), set(target.gene_keys)
    is_member = target.relation == "family" and bool(genes & requested_genes)
    is_same = genes == requested_genes and link.target.variant == target.variant
    if is_member or is_same or link.target.text == target.text:
        words = scope.parsed.mechanisms
        text = f"{link.mechanism.text} {link.target.text}".casefold()
        if not words or any(word in text for word in words):
            return weight("mechanism.same_target_and_mechanism")
        return weight("mechanism.same_target")
    if not genes & requested_genes:
        return 0.0
    if link.target.relation == "family":
        return weight("mechanism.same_pathway")
    return weight("mechanism.same_target")


def sources_of(asset: Asset) -> set[str]:
    """Return the independent sources of a drug: two files of one register count once."""
    return {record_id.partition(":")[0].partition("-")[0] for record_id in asset.record_ids}


def _recency(newest_on: str, as_of: date) -> float:
    """Return how new the newest record is; a date without day counts from its beginning."""
    if not newest_on:
        return 0.0
    newest = date.fromisoformat(f"{newest_on}-01-01"[:10])
    age = max(0, (as_of - newest).days)
    return math.exp(-math.log(2) * age / weight("recency.half_life_days"))
