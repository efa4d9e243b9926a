"""A drug with its rank, and what its row rests on."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from core.agents.competitive_landscaping.records import ScoreComponents
from core.agents.competitive_landscaping.scope import Scope, outcomes_in
from core.agents.competitive_landscaping.standing import Standing
from core.briefs.board import NOTHING, Board
from core.briefs.figures import choose, figure_text
from core.briefs.subjects import Drug
from core.evidence.proof.cells import Cell, state
from core.evidence.proof.claims import unmark
from core.records.programs import USE_MATCHES, Outcome, Program, UseMatch

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
