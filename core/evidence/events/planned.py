"""What trials under way plan: their primary completion ahead, which may bring data."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

from core.evidence_ports import EvidenceReader
from core.records.events import Event, ToldEvent
from core.records.evidence_pack import FactQuery
from core.vocabulary.event_types import EventType
from core.vocabulary.predicates import Predicate


def phases_of(record_ids: Sequence[str], evidence: EvidenceReader) -> dict[str, str]:
    """Return the phases of trials by record."""
    query = FactQuery(record_ids=record_ids, predicates=(Predicate.TRIAL_PHASE,))
    return {fact.fact.record_id: fact.fact.object for fact in evidence.facts(query)}


def withdrawn_among(record_ids: Sequence[str], evidence: EvidenceReader) -> set[str]:
    """Return the registers' records whose medicine is withdrawn.

    A list has some of them with the day of the withdrawal in the place of that of the approval.
    """
    query = FactQuery(record_ids=record_ids, predicates=(Predicate.MARKETING_STATUS,))
    facts = evidence.facts(query) if record_ids else ()
    return {fact.fact.record_id for fact in facts if fact.fact.object.casefold() == "withdrawn"}


UNDER_WAY = frozenset({"RECRUITING", "ACTIVE_NOT_RECRUITING", "ENROLLING_BY_INVITATION"})
PHASES = frozenset({"PHASE2", "PHASE2_3", "PHASE3"})
MOST_TRIALS = 4_000
MOST_REGISTERED = 20_000
"""Trials of the evidence up to which completions of all of them are looked for."""
TESTED = frozenset({"", "investigational"})


def drugs_with_completions(today: date, days: int, evidence: EvidenceReader) -> list[str]:
    """Return the drugs of all trials whose primary completion lies ahead.

    Args:
        today: Day after which it lies.
        days: How many days ahead count.
        evidence: The pack; one of more than MOST_REGISTERED trials gives no drug.
    """
    counts = {source.source: source.records for source in evidence.sources()}
    if counts.get("ctgov", 0) > MOST_REGISTERED:
        return []
    first, last = today.isoformat(), (today + timedelta(days=days)).isoformat()
    query = FactQuery(sources=("ctgov",), predicates=(Predicate.TRIAL_PRIMARY_COMPLETION,))
    ids = [
        fact.fact.record_id
        for fact in evidence.facts(query)
        if first[: len(fact.fact.object)] <= fact.fact.object <= last[: len(fact.fact.object)]
    ]
    mentions = evidence.mentions(sorted(set(ids)))
    return sorted(
        {
            mention.name
            for record_mentions in mentions.values()
            for mention in record_mentions
            if mention.kind == "drug" and mention.role == "investigational"
        }
    )


def planned_completions(
    drugs: Sequence[str], today: date, days: int, evidence: EvidenceReader
) -> list[Event]:
    """Return the primary completions that phase 2 and 3 trials plan, none of them an event yet."""
    if not drugs:
        return []
    named = evidence.mentioning("drug", drugs, ("trial_registration",))
    tested = {
        key
        for key, mentions in named.items()
        if any(record_mentions.role == "investigational" for record_mentions in mentions)
    }
    ids = sorted(key for key in tested if key.startswith("ctgov:"))[-MOST_TRIALS:]
    predicates = (Predicate.TRIAL_PRIMARY_COMPLETION, Predicate.TRIAL_STATUS, Predicate.TRIAL_PHASE)
    values_by_trial: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    for fact in evidence.facts(FactQuery(record_ids=ids, predicates=predicates)) if ids else ():
        values_by_trial[fact.fact.record_id][fact.fact.predicate] = (fact.fact.object, fact.id)
    last = (today + timedelta(days=days)).isoformat()
    chosen: dict[str, ToldEvent] = {}
    for key, values in values_by_trial.items():
        phase = values.get(Predicate.TRIAL_PHASE, ("", 0))[0]
        day, fact_id = values.get(Predicate.TRIAL_PRIMARY_COMPLETION, ("", 0))
        status = values.get(Predicate.TRIAL_STATUS, ("", 0))[0]
        is_ahead = today.isoformat()[: len(day)] < day <= last[: len(day)]
        if day and is_ahead and status in UNDER_WAY and phase in PHASES:
            chosen[key] = ToldEvent(
                record_id=key,
                type=EventType.READOUT_EXPECTED,
                subject=key.partition(":")[2],
                region="",
                day=day,
                precision="day" if len(day) == len("2026-11-23") else "month",
                since="",
                phase=phase,
                before="",
                after="",
                rule="fact:ctgov:trial_primary_completion:planned",
                fact_id=fact_id,
                generation=0,
                is_baseline=False,
            )
    mentions = evidence.mentions(sorted(chosen))

    def names(key: str, kind: str) -> tuple[str, ...]:
        trial_mentions = mentions.get(key, ())
        named = (
            mention.name
            for mention in trial_mentions
            if mention.kind == kind and mention.role in TESTED
        )
        return tuple(dict.fromkeys(named))

    return [
        Event(
            f"planned:{report.subject}",
            report,
            (report,),
            names(key, "drug"),
            names(key, "company"),
            names(key, "disease"),
        )
        for key, report in sorted(chosen.items())
    ]
