"""What the facts may be taken to say: open statuses, stages, labels, companies' roles.

The rules of the evidence notes (sections 1 and 6) as pure functions. They read facts and never
fill a gap: where a source says nothing, the answer is unknown.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from core.records.programs import ProgramTrial
from core.records.stages import STAGES, Stage

OPEN = frozenset(
    {
        *("RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING"),
        "AUTHORIZED",  # of the EU's register, which does not say whether it recruits
    }
)
STALE_MONTHS = 12
"""An open status is not believed so long after the trial's primary completion."""


@dataclass(frozen=True)
class TrialState:
    """How a trial stands on a day.

    Attributes:
        word: The register's status, or "UNKNOWN".
        shown: What a reader sees.
        is_active: Whether it counts as running and competing.
    """

    word: str
    shown: str
    is_active: bool


def trial_state(status: str, primary_completion_on: str, stated_on: str, as_of: date) -> TrialState:
    """Return how a trial stands; an open status that is stale or undated is unknown.

    Args:
        status: The register's word.
        primary_completion_on: YYYY-MM-DD, YYYY-MM or "".
        stated_on: Date of which the status is told; "" when no snapshot date is known.
        as_of: The day asked about.
    """
    if status not in OPEN:
        return TrialState(status or "UNKNOWN", _words(status or "UNKNOWN"), False)
    if not stated_on or _months_since(primary_completion_on, as_of) > STALE_MONTHS:
        when = stated_on or "an unknown date"
        return TrialState("UNKNOWN", f"unknown ({_words(status)} on {when})", False)
    return TrialState(status, _words(status), True)


def _words(status: str) -> str:
    return status.replace("_", " ").lower()


def _months_since(day: str, as_of: date) -> float:
    """Return the months from a date to a day; a month counts from its last day, "" as zero."""
    parts = [int(number) for number in day.split("-") if number.isdecimal()]
    if not parts:
        return 0
    year, month, of_month = (*parts, *((12, 31)[len(parts) - 1 :] if len(parts) < 3 else ()))
    return (as_of.year - year) * 12 + as_of.month - month + (as_of.day - of_month) / 31


ENDED_EARLY = frozenset({"terminated", "withdrawn"})
"""States of trials, as shown, that ended before their time for good."""


@dataclass(frozen=True, slots=True)
class StageClaim:
    """A stage that a trial, a label, a filing or a company's own pipeline states.

    Attributes:
        stage: The stage.
        region: "FDA", "PMDA", ...; "" where it is of no region.
        as_of: Date of which it is told.
        record_id: Record that states it.
        is_expert: Whether only an expert's own knowledge does.
        fact_id: Fact that states it; 0 where a passage of the record does.
        first_on: Day or year of the approval in this use; "" where the source does not tell.
        rule: How the use was found where the source names none; "" elsewhere.
        is_over: Whether it no longer holds.
        also: Further records on which it rests.
        use: The use in the words of the source; "" where it is read from running text.
    """

    stage: Stage
    region: str = ""
    as_of: str = ""
    record_id: str = ""
    is_expert: bool = False
    fact_id: int = 0
    first_on: str = ""
    rule: str = ""
    is_over: bool = False
    also: tuple[str, ...] = ()
    use: str = ""


def program_stages(
    trials: Iterable[ProgramTrial],
    claims: Iterable[StageClaim],
    companies: Collection[str],
    *,
    unnamed: bool = False,
) -> list[StageClaim]:
    """Return every stage that counts for a program; none where nothing makes it one.

    A trial counts only where a company with a role for the drug runs it or takes part; trials of
    others never raise a stage. One that was stopped shows none while another one is under way: a
    drug whose phase 3 ended early and that is in phase 2 again is in phase 2. A phase 4 trial shows
    no approval of its own; only labels, filings and curators' rows do. What a curator states is
    never turned down: it carries a mark instead.

    Args:
        trials: Trials of the indication in which the drug is tested.
        claims: Stages stated by labels, filings, pipelines and curators.
        companies: Groups with a role for the drug.
        unnamed: Whether trials count whose record names nobody.
    """
    own_trials = [trial for trial in trials if counts(trial.companies, companies, unnamed=unnamed)]
    goes_on = any(trial.is_active for trial in own_trials)
    own_claims = [
        StageClaim(
            stage,
            "",
            trial.as_of,
            trial.record_id,
            fact_id=trial.phase_fact,
            is_over=goes_on and trial.state in ENDED_EARLY,
        )
        for trial in own_trials
        if (stage := stage_of_phase(trial.phase))
    ]
    return [*own_claims, *claims]


def highest_of(stages: Sequence[StageClaim]) -> StageClaim | None:
    """Return the highest stage with the newest date of what carries it; None of no stage.

    What no longer holds counts only where nothing else is. It is an expert's only where no record
    carries it.
    """
    if not stages:
        return None
    current = [stage for stage in stages if not stage.is_over] or list(stages)
    best = min((claim.stage for claim in current), key=STAGES.index)
    carrying = [claim for claim in current if claim.stage == best]
    recorded = [claim for claim in carrying if not claim.is_expert]
    return max(recorded or carrying, key=lambda claim: claim.as_of)


def stage_of_phase(phase: Stage | Literal[""]) -> Stage | None:
    """Return the stage that a trial's phase shows; a phase 4 trial approves nothing."""
    return phase if phase and phase != "APPROVED" else None


def counts(named: Collection[str], companies: Collection[str], *, unnamed: bool) -> bool:
    """Return whether a trial is one of the drug's companies, or may be, as nobody is named.

    Args:
        named: Sponsor and collaborators of the trial.
        companies: Groups with a role for the drug.
        unnamed: Whether a trial counts whose record names nobody.
    """
    return bool(frozenset(named) & frozenset(companies)) or (unnamed and not named)


def is_regulatory(stage: Stage) -> bool:
    """Return whether a stage is one of a regulator."""
    return stage in {"APPROVED", "FILED"}


def companies_with_role(
    holders: Collection[str], industry_trials: Sequence[tuple[str, str]]
) -> frozenset[str]:
    """Return the companies whose trials count for a drug.

    Args:
        holders: Groups that a label, an application or a pipeline names for the drug.
        industry_trials: Lead sponsor's group and start of each trial of a company in which the
            drug is tested; used only where no holder is known.

    Returns:
        The holders; without any, the company with most trials of the drug, of several the one
        that began first.
    """
    if holders:
        return frozenset(holders)
    counts: dict[str, tuple[int, str]] = {}
    for company, start_on in industry_trials:
        number, first = counts.get(company, (0, "9999"))
        counts[company] = (number + 1, min(first, start_on or "9999"))
    if not counts:
        return frozenset()
    return frozenset({min(counts, key=lambda count: (-counts[count][0], counts[count][1], count))})
