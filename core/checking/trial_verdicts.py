"""Verdicts on trials: phase, status, size, days, what is tested and in whom."""

from collections.abc import Mapping

from core.checking.assertions import Assertion
from core.checking.drug_verdicts import NO_DRUG, says_same_phase
from core.checking.facts import Facts, TrialFacts, meets, share_company
from core.checking.results import CheckedAssertion
from core.checking.values import STATUSES, STOPPED
from core.records.programs import ProgramTrial
from core.records.stages import phase_words
from core.vocabulary.predicates import Predicate

_PREDICATES: Mapping[str, Predicate] = {
    "phase": Predicate.TRIAL_PHASE,
    "status": Predicate.TRIAL_STATUS,
    "participants": Predicate.TRIAL_ENROLLMENT,
    "start": Predicate.TRIAL_START,
    "primary completion": Predicate.TRIAL_PRIMARY_COMPLETION,
}
MOST_LISTED = 3


def judge_trial(  # noqa: PLR0911 - one case a verdict
    assertion: Assertion, facts: Facts
) -> CheckedAssertion:
    """Return the verdict on a statement about a trial."""
    if not assertion.trial and assertion.attribute == "phase":
        note = "The trial is named without its number."
        return facts.judge(assertion, "not_covered", note=note)
    if not assertion.trial:
        return _of_unnamed(assertion, facts)
    entry = facts.trials.get(assertion.trial)
    if entry is None:
        return facts.judge(assertion, "not_covered", note="No record of this trial.")
    if assertion.attribute == "drug":
        return _of_drug(assertion, entry, facts)
    if assertion.attribute == "condition":
        return _of_condition(assertion, entry, facts)
    if assertion.attribute == "sponsor":
        return _of_sponsor(assertion, entry, facts)
    recorded, is_same = _compare(assertion, entry)
    ids, as_of = [entry.trial.record_id], entry.trial.as_of
    if not recorded:
        return facts.judge(assertion, "not_covered")
    if is_same:
        return facts.judge(assertion, "supported", recorded, ids, as_of=as_of)
    if _was_true(assertion, entry, facts):
        note = "An earlier state of the record says what the document says."
        return facts.judge(assertion, "older", recorded, ids, as_of=as_of, note=note)
    is_part = (assertion.value or 0) < (entry.trial.n or 0) and not assertion.is_status
    if assertion.attribute == "participants" and is_part:
        note = "May be a part of the participants."
        return facts.judge(assertion, "not_covered", note=note)
    return facts.judge(assertion, "differs", recorded, ids, as_of=as_of)


def _compare(assertion: Assertion, entry: TrialFacts) -> tuple[str, bool]:
    """Return what the record has, and whether the document says the same."""
    trial = entry.trial
    if assertion.attribute == "phase":
        return phase_words(trial.phase), says_same_phase(assertion.stage, trial.phase)
    if assertion.attribute == "status":
        status = trial.status.upper()
        is_same = status in STOPPED if assertion.words == "STOPPED" else status == assertion.words
        return status.replace("_", " ").lower(), is_same
    if assertion.attribute == "participants":
        return f"{trial.n:,}" if trial.n is not None else "", trial.n == assertion.value
    day = trial.start_on if assertion.attribute == "start" else trial.primary_completion_on
    return day, meets(assertion.day, day)


def _was_true(assertion: Assertion, entry: TrialFacts, facts: Facts) -> bool:
    """Return whether an earlier state of the record says what the document says."""
    if assertion.attribute == "status":
        status = entry.trial.status.upper()
        ends = {*STOPPED, "COMPLETED", "UNKNOWN"}
        if assertion.words in STATUSES[:3] and status in ends:
            return True
        if {assertion.words, status} <= set(STATUSES):
            return STATUSES.index(assertion.words) < STATUSES.index(status)
    predicate = _PREDICATES[assertion.attribute]
    ids = (entry.trial.record_id,)
    for states in facts.library.evidence.histories(["ctgov"], [predicate], [], -1, ids):
        for state in states:
            told = state.first(predicate)
            if told is None or state.is_current:
                continue
            if assertion.day is not None and meets(assertion.day, told.object):
                return True
            if assertion.value is not None and told.value == assertion.value:
                return True
    return False


def _of_drug(assertion: Assertion, entry: TrialFacts, facts: Facts) -> CheckedAssertion:
    drug = assertion.drug
    assert drug is not None
    asset = facts.assets.get(drug.key)
    ids = [entry.trial.record_id]
    keys = {drug.key, asset.key if asset else drug.key}
    tested_in = {t.record_id for x in (asset.programs if asset else ()) for t in x.trials}
    words = ", ".join(entry.names[:MOST_LISTED])
    if keys & entry.drugs or entry.trial.record_id in tested_in:
        return facts.judge(assertion, "supported", words, ids)
    names = {
        drug.name.casefold(),
        drug.said.casefold(),
        *(map(str.casefold, asset.aliases if asset else ())),
    }
    written = " ".join((*entry.names, entry.trial.title)).casefold()
    if not entry.is_read or any(name in written for name in names):
        return facts.judge(
            assertion, "not_covered", note=f"The trial names {words}." if words else ""
        )
    return facts.judge(assertion, "differs", words, ids)


def _of_condition(assertion: Assertion, entry: TrialFacts, facts: Facts) -> CheckedAssertion:
    [disease] = assertion.diseases
    recorded = [each for each in entry.diseases if each.key]
    words = ", ".join(entry.trial.conditions[:MOST_LISTED])
    ids = [entry.trial.record_id]
    is_one = disease.said.casefold() in "; ".join(entry.trial.conditions).casefold()
    if is_one or any(facts.covers(disease, each.key) for each in recorded):
        return facts.judge(assertion, "supported", words, ids)
    if any(facts.means(disease, each.key) for each in recorded):
        return facts.judge(assertion, "not_covered", note=f"The trial is in {words}.")
    is_far = recorded and not any(
        facts.are_near(key, each.key) for key in disease.keys for each in recorded
    )
    return facts.judge(assertion, "differs" if is_far else "not_covered", words, ids)


def _of_sponsor(assertion: Assertion, entry: TrialFacts, facts: Facts) -> CheckedAssertion:
    sponsor = entry.trial.sponsor
    if not sponsor:
        return facts.judge(assertion, "not_covered")
    ids, as_of = [entry.trial.record_id], entry.trial.as_of
    is_short = set(assertion.words.casefold().split()) <= set(sponsor.casefold().split())
    if is_short or share_company([sponsor], (*assertion.companies, assertion.words)):
        return facts.judge(assertion, "supported", sponsor, ids, as_of=as_of)
    return facts.judge(assertion, "differs", sponsor, ids, as_of=as_of)


def _of_unnamed(assertion: Assertion, facts: Facts) -> CheckedAssertion:
    """Return the verdict on the completion of a drug's trial without its number."""
    asset = facts.assets.get(assertion.drug.key) if assertion.drug else None
    if asset is None:
        return facts.judge(assertion, "not_covered", note=NO_DRUG)
    trials: list[ProgramTrial] = [
        trial
        for program in asset.programs
        if not assertion.diseases
        or any(facts.means(disease, program.indication_key) for disease in assertion.diseases)
        for trial in program.trials
        if trial.primary_completion_on and says_same_phase(assertion.stage, trial.phase)
    ]
    for trial in trials:
        if meets(assertion.day, trial.primary_completion_on):
            words = f"{trial.number}, {trial.primary_completion_on}"
            return facts.judge(assertion, "supported", words, [trial.record_id], as_of=trial.as_of)
    if not trials:
        return facts.judge(assertion, "not_covered")
    active = [trial for trial in trials if trial.is_active] or trials
    first = min(active, key=lambda trial: trial.primary_completion_on)
    words = f"{first.number}, {first.primary_completion_on}"
    return facts.judge(assertion, "differs", words, [first.record_id], as_of=first.as_of)
