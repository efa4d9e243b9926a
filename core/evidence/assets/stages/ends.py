"""What is over: development given up, products withdrawn, codes that became another one.

The table of ends is read before any state of a trial: a status that nobody updates says nothing
against it. What no table tells is told by own trials that were stopped, and by silence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from core.evidence.assets.shelf import Shelf
from core.evidence.assets.stages.approvals import Claim
from core.evidence.assets.stages.truth import is_regulatory
from core.evidence.readers.diseases import Disease, Diseases
from core.records.programs import End, ProgramTrial, Statement
from core.records.stages import STAGES

WITHDRAWN = "withdrawn from market"
MERGED = "merged into another code"
DISCONTINUED = "discontinued"
STOPPED_TRIALS = "own trials stopped"
STOPPED = frozenset({"terminated", "withdrawn", "suspended"})
"""States of trials, as shown, that ended before their time."""
DATED_BY_APPROVAL = frozenset({"drugsfda", "purplebook"})
"""Lists whose approvals carry the day of the approval, not that of the list."""
QUIET_YEARS = 3
"""Nothing new for so long, and nothing under way: no activity."""


@dataclass(frozen=True, slots=True)
class ToldEnd:
    """An end that a row of the table or a register tells.

    Attributes:
        end: Kind, day, region, reason and what says so.
        disease: Of what use; None of all.
    """

    end: End
    disease: Disease | None

    def covers(self, disease: Disease, diseases: Diseases) -> bool:
        """Return whether a program is of the use that ended, or of a kind of it."""
        if self.disease is None or self.disease == disease:
            return True
        return bool(self.disease.key) and diseases.is_kind_of(disease.key, [self.disease.key])


def find_ends(key: str, shelf: Shelf, diseases: Diseases) -> list[ToldEnd]:
    """Return the ends that the table tells of a drug."""
    ends = []
    for record_id in shelf.of(key, "pack"):
        for line in shelf.entries.pipeline(record_id).ends:
            stated, stated_text = line.told, line.told.text
            reason = f"now {stated.time_point}" if stated.time_point else line.reason
            statement = Statement(stated_text, (record_id,), (stated.fact_id,), "", line.is_expert)
            end = End(stated_text, line.kind, stated.region, reason, statement)
            named = diseases.of_conditions([line.indication])[0] if line.indication else None
            ends.append(ToldEnd(end, named))
    return ends


def end_claims(claims: Iterable[Claim], ends: Sequence[ToldEnd]) -> list[Claim]:
    """Return claims, those of approvals that were withdrawn as no longer holding.

    What a list of approvals dates after the withdrawal is a new approval and holds.
    """
    gone = [end.end for end in ends if end.end.kind == WITHDRAWN]
    of_all_uses = [end.end for end in ends if end.end.kind == WITHDRAWN and end.disease is None]
    claims = [_dated_anew(claim, of_all_uses) for claim in claims]
    return [
        replace(claim, stage=replace(claim.stage, is_over=True), is_over=True)
        if is_regulatory(claim.stage.stage)
        and any(
            end.region in ("", claim.stage.region) and not _approved_after(claim, end)
            for end in gone
        )
        else claim
        for claim in claims
    ]


def _dated_anew(claim: Claim, gone: Sequence[End]) -> Claim:
    """Return a claim with its day, where every use had ended before a list dates the approval."""
    stage = claim.stage
    is_renewed = stage.stage == "APPROVED" and any(
        end.region in ("", stage.region) and _approved_after(claim, end) for end in gone
    )
    if stage.first_on or not is_renewed:
        return claim
    return replace(claim, stage=replace(stage, first_on=stage.as_of))


def _approved_after(claim: Claim, end: End) -> bool:
    """Return whether a list of approvals dates an approval after an end."""
    source = claim.stage.record_id.partition(":")[0]
    day = claim.stage.as_of if source in DATED_BY_APPROVAL else claim.stage.first_on
    return bool(end.ended_on) and day[: len(end.ended_on)] > end.ended_on


def choose_end(
    claims: Sequence[Claim], own_trials: Sequence[ProgramTrial], ends: Sequence[ToldEnd]
) -> End | None:
    """Return what ended a program; None where it goes on."""
    is_held = any(is_regulatory(claim.stage.stage) and not claim.is_over for claim in claims)
    shown = max((claim.stage.as_of for claim in claims if claim.is_current), default="")
    for end in ends:
        is_whole = end.end.kind == MERGED or not (is_held or end.end.region)
        if is_whole and not (end.end.ended_on and shown[:4] > end.end.ended_on[:4]):
            return end.end
    withdrawn = [end.end for end in ends if end.end.kind == WITHDRAWN]
    if is_held or shown:
        return None
    is_on_market = any(claim.stage.stage == "APPROVED" for claim in claims)
    if withdrawn and is_on_market:
        return withdrawn[0]
    return _told_over(claims, own_trials) or _of_trials(claims, own_trials)


def _told_over(claims: Sequence[Claim], own_trials: Sequence[ProgramTrial]) -> End | None:
    """Return the end that a curator's row of a stage, or a register's status, tells."""
    active = [line for line in own_trials if line.is_active]
    over = [claim for claim in claims if claim.is_over and _outweighs(claim, active)]
    if not over or any(claim.is_active for claim in claims):
        return None
    over.sort(key=lambda claim: (STAGES.index(claim.stage.stage), not claim.reason))
    first = over[0]
    kind = WITHDRAWN if first.stage.stage == "APPROVED" else DISCONTINUED
    day = first.stage.as_of if kind == WITHDRAWN and not first.stage.is_expert else ""
    reason = next((claim.reason for claim in over if claim.reason), "")
    ids = (first.stage.record_id,) if first.stage.record_id else ()
    facts = (first.stage.fact_id,) if first.stage.fact_id else ()
    return End(kind, day, "", reason, Statement(kind, ids, facts, "", first.stage.is_expert))


def _outweighs(claim: Claim, active: Sequence[ProgramTrial]) -> bool:
    """Return whether an end holds against trials that a register shows as under way.

    It does where a curator wrote it later than the copies of the trials, for a stage that none of
    them is above.
    """
    stages = [STAGES.index(stage) for line in active for stage in STAGES if stage == line.phase]
    day = claim.stage.as_of
    is_newer = all(line.as_of[: len(day)] <= day for line in active)
    is_as_high = STAGES.index(claim.stage.stage) <= min(stages, default=len(STAGES))
    return not active or (claim.stage.is_expert and is_newer and is_as_high)


def _of_trials(claims: Sequence[Claim], own_trials: Sequence[ProgramTrial]) -> End | None:
    """Return the end that own trials tell: those of the highest phase were all stopped.

    No own trial is under way, and none that was not stopped began after them.
    """
    if any(line.is_active for line in own_trials) or any(claim.is_active for claim in claims):
        return None
    phases = [STAGES.index(stage) for line in own_trials for stage in STAGES if stage == line.phase]
    top = [line for line in own_trials if phases and line.phase == STAGES[min(phases)]]
    stopped = [trial for trial in top if trial.state in STOPPED]
    if not top or len(stopped) < len(top):
        return None
    last = max(trial.start_on for trial in stopped)
    if any(line.start_on > last for line in own_trials if line.state not in STOPPED):
        return None
    newest = max(stopped, key=lambda trial: (trial.start_on, trial.number))
    reason = next((trial.why_stopped for trial in (*stopped, *own_trials) if trial.why_stopped), "")
    ids = tuple(sorted(trial.record_id for trial in stopped)[:3])
    statement = Statement(STOPPED_TRIALS, ids, (), STOPPED_TRIALS)
    planned = newest.primary_completion_on  # of a trial that stopped early it may lie ahead
    day = planned if planned <= newest.as_of else ""
    return End(STOPPED_TRIALS, day, "", reason, statement)


def last_activity(
    claims: Sequence[Claim], own_trials: Sequence[ProgramTrial], as_of: date
) -> tuple[bool, str]:
    """Return whether a program shows no activity, with the date of what came last.

    Nothing is under way: no own trial, no pipeline shows it, no curator calls it active, no
    approval holds. Completions ahead count as of their trial's start.
    """
    today = as_of.isoformat()
    is_held = any(is_regulatory(claim.stage.stage) and not claim.is_over for claim in claims)
    if is_held or any(claim.is_current or claim.is_active for claim in claims):
        return False, ""
    if any(line.is_active for line in own_trials):
        return False, ""
    days = [
        day
        for line in own_trials
        for day in (line.start_on, line.primary_completion_on)
        if day <= today
    ]
    days += [claim.stage.as_of for claim in claims if not claim.stage.is_expert]
    newest = max(days, default="")
    since = f"{as_of.year - QUIET_YEARS}{today[4:]}"
    return newest[:10] < since[: len(newest)] if newest else True, newest
