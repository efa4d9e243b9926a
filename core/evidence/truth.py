"""What the facts may be taken to say: open statuses, stages, labels, companies' roles.

The rules of the evidence notes (sections 1 and 6) as pure functions. They read facts and never
fill a gap: where a source says nothing, the answer is unknown.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from core.records.evidence import Role
from core.records.stages import STAGES, Stage
from core.vocabulary.stages import OF_PHASE

OPEN = frozenset(
    {"RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING"}
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
        gives_catalyst: Whether a future readout may be told from it.
    """

    word: str
    shown: str
    is_active: bool
    gives_catalyst: bool


def trial_state(status: str, primary_completion_on: str, stated_on: str, as_of: date) -> TrialState:
    """Return how a trial stands; an open status that is stale or undated is unknown.

    Args:
        status: The register's word.
        primary_completion_on: YYYY-MM-DD, YYYY-MM or "".
        stated_on: Date of which the status is told; "" when no snapshot date is known.
        as_of: The day asked about.
    """
    if status not in OPEN:
        return TrialState(status or "UNKNOWN", _words(status or "UNKNOWN"), False, False)
    if not stated_on or _months_since(primary_completion_on, as_of) > STALE_MONTHS:
        when = stated_on or "an unknown date"
        return TrialState("UNKNOWN", f"unknown ({_words(status)} on {when})", False, False)
    return TrialState(status, _words(status), True, True)


def _words(status: str) -> str:
    return status.replace("_", " ").lower()


def _months_since(day: str, as_of: date) -> float:
    """Return the months from a date to a day; a month counts from its last day, "" as zero."""
    parts = [int(part) for part in day.split("-") if part.isdecimal()]
    if not parts:
        return 0
    year, month, of_month = (*parts, *((12, 31)[len(parts) - 1 :] if len(parts) < 3 else ()))
    return (as_of.year - year) * 12 + as_of.month - month + (as_of.day - of_month) / 31


@dataclass(frozen=True)
class ProgramTrial:
    """A trial as far as it bears on a program.

    Attributes:
        number: Its number.
        phase: Its phase, as `normalize_phase` gives it.
        role: The drug's part in it.
        companies: Lead sponsor and collaborators, as groups (see `companies`).
        as_of: Date of which it is told.
    """

    number: str
    phase: str
    role: Role
    companies: frozenset[str]
    as_of: str = ""


@dataclass(frozen=True)
class StageClaim:
    """A stage that a label, a filing or a company's own pipeline states."""

    stage: Stage
    region: str = ""
    as_of: str = ""
    record_id: str = ""
    is_expert: bool = False


@dataclass(frozen=True)
class ProgramStage:
    """The stage of one drug in one indication.

    Attributes:
        stage: The highest stage that the program's own evidence carries.
        as_of: Date of what carries it.
        basis: Trial numbers or record ids that carry it.
        investigator_trials: Trials of others, counted apart; they never raise a stage.
        is_expert: Whether only an expert's own knowledge carries it.
        regions: Highest stage per region, where one is stated.
        conflicts: Every other stage stated, with its date.
    """

    stage: Stage
    as_of: str = ""
    basis: tuple[str, ...] = ()
    investigator_trials: int = 0
    is_expert: bool = False
    regions: Mapping[str, Stage] = field(default_factory=dict)
    conflicts: tuple[tuple[Stage, str], ...] = ()


def program_stage(
    trials: Iterable[ProgramTrial],
    claims: Iterable[StageClaim],
    companies: Collection[str],
    *,
    unnamed: bool = False,
) -> ProgramStage | None:
    """Return the stage of a program; None where nothing makes it one.

    A trial counts only where the drug is tested and a company with a role for the drug runs it
    or takes part. A phase 4 trial shows no approval of its own; only labels and filings do. What
    rests on an expert alone never supports Approved or Filed: it counts as phase 3.

    Args:
        trials: Trials of the drug in the indication.
        claims: Stages stated by labels, filings and pipelines.
        companies: Groups with a role for the drug.
        unnamed: Whether trials count whose record names nobody.
    """
    stated = list(claims)
    own: list[tuple[Stage, str, str, bool]] = []
    investigators = 0
    for trial in trials:
        if trial.role != "investigational":
            continue
        if not counts(trial.companies, companies, unnamed=unnamed):
            investigators += 1
        elif trial.phase in OF_PHASE and trial.phase != "PHASE4":
            own.append((OF_PHASE[trial.phase], trial.as_of, trial.number, False))
    kept = cap_experts(stated, [stage for stage, *_ in own])
    own += [(one.stage, one.as_of, one.record_id, one.is_expert) for one in kept]
    if not own:
        return None
    best = min((stage for stage, *_ in own), key=STAGES.index)
    is_expert = all(expert for stage, *_, expert in own if stage == best)
    carrying = [
        (as_of, name) for stage, as_of, name, expert in own if stage == best and expert == is_expert
    ]
    others = sorted({(stage, as_of) for stage, as_of, *_ in own if stage != best})
    return ProgramStage(
        stage=best,
        as_of=max(as_of for as_of, _ in carrying),
        basis=tuple(sorted({name for _, name in carrying if name})),
        investigator_trials=investigators,
        is_expert=is_expert,
        regions=_by_region(kept),
        conflicts=tuple(others),
    )


def counts(named: Collection[str], companies: Collection[str], *, unnamed: bool) -> bool:
    """Return whether a trial is one of the drug's companies, or may be, as nobody is named.

    Args:
        named: Sponsor and collaborators of the trial.
        companies: Groups with a role for the drug.
        unnamed: Whether a trial counts whose record names nobody.
    """
    return bool(frozenset(named) & frozenset(companies)) or (unnamed and not named)


def cap_experts(claims: Iterable[StageClaim], shown: Iterable[Stage]) -> list[StageClaim]:
    """Return what claims may support.

    An approval or filing of which only an expert tells counts as phase 3, and is left out where
    records show as much.

    Args:
        claims: Stages stated for one drug in one indication.
        shown: Stages that trials show.
    """
    stated = list(claims)
    recorded = [*shown, *(one.stage for one in stated if not one.is_expert)]
    is_late = any(STAGES.index(one) <= STAGES.index("PHASE3") for one in recorded)
    return [
        replace(one, stage="PHASE3", region="") if is_unconfirmed(one) else one
        for one in stated
        if not (is_late and is_unconfirmed(one))
    ]


def is_unconfirmed(claim: StageClaim) -> bool:
    """Return whether only an expert tells of an approval or a filing."""
    return claim.is_expert and is_regulatory(claim.stage)


def is_regulatory(stage: Stage) -> bool:
    """Return whether only a regulator's record can carry a stage."""
    return stage in {"APPROVED", "FILED"}


def _by_region(claims: Iterable[StageClaim]) -> dict[str, Stage]:
    regions: dict[str, Stage] = {}
    for claim in claims:
        if claim.region:
            known = regions.get(claim.region, "UNKNOWN")
            regions[claim.region] = min(known, claim.stage, key=STAGES.index)
    return dict(sorted(regions.items()))


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
    return frozenset({min(counts, key=lambda one: (-counts[one][0], counts[one][1], one))})
