"""Trials of diseases, typed, as their registers tell them.

Trials without a phase, withdrawn ones (nobody enrolled) and extensions are no precedents; how many
were left out for which reason is told.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from core.evidence.assets.precedents.traits import DrugTraits, names_of_diseases, read_traits
from core.evidence.entries import OF_PRECEDENTS, Entries
from core.evidence.entries.records import facts_of_records
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.designs import is_extension, read_design
from core.evidence.readers.diseases import Disease, diseases_of
from core.evidence.readers.endpoints import read_endpoint
from core.evidence.readers.trial_settings import read_line
from core.evidence_ports import EvidenceReader
from core.records.evidence import Fact, Mention
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.precedents import PrecedentEffect, SettingTrial, TrialOutcome
from core.records.trials import Trial
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.predicates import Predicate, told

_PLACEBO = re.compile(r"\b(?:placebos?|sham|vehicle|control|standard of care)\b", re.IGNORECASE)
_DEVIATION = re.compile(r"Standard Deviation\s+\d")
_LEAST_NAME = 4


@dataclass(frozen=True, slots=True)
class ControlResult:
    """What a control arm came to.

    Attributes:
        number: The trial.
        endpoint: Class of the endpoint.
        kind: "median months", "share" or "mean".
        value: Months, a share from 0 to 1, or the mean in its unit.
        record_id: The record.
        fact_id: The fact.
    """

    number: str
    endpoint: str
    kind: str
    value: float
    record_id: str
    fact_id: int


def read_controls(trials: Sequence[SettingTrial], evidence: EvidenceReader) -> list[ControlResult]:
    """Return results of control arms in the order of the trials, the first a class and kind."""
    by_record = {trial.record_id: trial for trial in trials if trial.has_results or trial.effects}
    if not by_record:
        return []
    order = {record_id: index for index, record_id in enumerate(by_record)}
    query = FactQuery(record_ids=list(by_record), predicates=(Predicate.TRIAL_RESULT,))
    controls: dict[tuple[str, str, str], ControlResult] = {}
    for stored in evidence.facts(query):
        trial = by_record[stored.fact.record_id]
        if _is_control(stored.fact.qualifiers.arm, trial):
            for control in _read(stored.fact, stored.id, trial):
                controls.setdefault((control.record_id, control.endpoint, control.kind), control)
    return sorted(
        controls.values(), key=lambda control: (order[control.record_id], control.fact_id)
    )


def _is_control(arm: str, trial: SettingTrial) -> bool:
    """Return whether an arm is of the comparator alone: it names no drug that is tested."""
    folded_arm = arm.casefold()
    tested = (drug.casefold() for drug in trial.drugs if len(drug) >= _LEAST_NAME)
    if any(name in folded_arm for name in tested):
        return False
    compared = (
        comparator.casefold() for comparator in trial.comparators if len(comparator) >= _LEAST_NAME
    )
    return any(name in folded_arm for name in compared) or bool(_PLACEBO.search(arm))


def _read(fact: Fact, fact_id: int, trial: SettingTrial) -> Iterator[ControlResult]:
    value, unit, n = fact.value, fact.unit.casefold(), fact.qualifiers.n
    endpoint = read_endpoint(fact.object).name
    if value is None or not endpoint:
        return
    total = int(n) if n.isdecimal() else 0
    if "month" in unit and "median" in unit:
        kind = "median months"
    elif "percentage of participants" in unit and 0 <= value <= 100:  # noqa: PLR2004 - percent
        kind, value = "share", value / 100
    elif unit.startswith("participants") and total and 0 <= value <= total:
        kind, value = "share", value / total
    elif "mean" in unit and _DEVIATION.search(fact.qualifiers.interval):
        kind = "mean"
    else:
        return
    yield ControlResult(trial.number, endpoint, kind, value, fact.record_id, fact_id)


MONTH = 30.44
"""Days of a month."""
STOPPED = frozenset({"TERMINATED", "WITHDRAWN", "SUSPENDED"})
_CODE = re.compile(r"[A-Z]{1,6}[- ]?\d{3,7}[A-Za-z]?")
_INTERVAL = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:,|to)\s*(-?\d+(?:\.\d+)?)\s*$")


def read_trials(
    disease_keys: frozenset[str],
    evidence: EvidenceReader,
    resolver: Resolver,
    phases: Iterable[str],
    *,
    numbers: Sequence[str] = (),
) -> tuple[list[SettingTrial], Counter[str]]:
    """Return the trials of diseases, and how many were left out for which reason."""
    mentions_by_record = evidence.mentioning(
        "disease", names_of_diseases(sorted(disease_keys), resolver)
    )
    ids = sorted(
        {record_id for record_id in mentions_by_record if record_id.startswith("ctgov:")}
        | {f"ctgov:{n}" for n in numbers}
    )
    records, mentions = evidence.records(ids), evidence.mentions(ids)
    facts = facts_of_records(ids, (*told(measured=True), *OF_PRECEDENTS), evidence)
    entries, left_out = Entries(facts, records, mentions), Counter[str]()
    requested_phases = set(phases)
    kept_trials: list[Trial] = []
    for trial in (entries.trial(record_id) for record_id in ids if record_id in records):
        reason = _why_not(trial, requested_phases)
        if reason:
            left_out[reason] += 1
        else:
            kept_trials.append(trial)
    return _make_trials(kept_trials, mentions, evidence, resolver), left_out


def _why_not(trial: Trial, phases: set[str]) -> str:
    """Return why a trial is no precedent; "" where it is one."""
    if not trial.phase:
        return "no phase"
    if trial.phase not in phases:
        return "another phase"
    if trial.n == 0 or trial.status == "WITHDRAWN":
        return "withdrawn before anybody was enrolled"
    return "extension of another trial" if is_extension(trial.title) else ""


def _make_trials(
    kept_trials: Sequence[Trial],
    mentions: Mapping[str, Sequence[Mention]],
    evidence: EvidenceReader,
    resolver: Resolver,
) -> list[SettingTrial]:
    diseases = diseases_of(resolver)
    diseases.read_ahead(name for trial in kept_trials for name in trial.conditions)
    tested = {
        mention.name
        for trial in kept_trials
        for mention in mentions.get(trial.record_id, ())
        if mention.kind == "drug" and (mention.role == "investigational" or is_code(mention.name))
    }
    traits = read_traits(sorted(tested), evidence, resolver)
    effects = read_effects([trial.number for trial in kept_trials], evidence)
    return [
        _trial(
            trial,
            mentions.get(trial.record_id, ()),
            diseases.of_conditions(trial.conditions),
            traits,
            effects.get(trial.number, ()),
        )
        for trial in kept_trials
    ]


def _trial(
    trial: Trial,
    mentions: Sequence[Mention],
    diseases: Sequence[Disease],
    traits: DrugTraits,
    effects: Sequence[PrecedentEffect],
) -> SettingTrial:
    by_role: dict[str, list[str]] = defaultdict(list)
    for mention in mentions:
        if mention.kind == "drug":
            by_role[mention.role].append(mention.name)
    tested, compared = _split_unclear(by_role)
    targets, kinds = traits.of(tested)
    text = f"{trial.title} ; {' ; '.join(trial.conditions)}"
    return SettingTrial(
        **trial.told(),
        drugs=tuple(tested),
        comparators=tuple(compared),
        targets=targets,
        modalities=kinds,
        disease_keys=tuple(disease.key for disease in diseases if disease.key),
        line=read_line(trial.title, *trial.conditions),
        biomarkers=tuple(row.name for row in find_biomarkers(text)),
        design=read_design(
            trial.design_words,
            trial.title,
            comparators=compared,
            background=by_role["background"],
        ),
        months=months_between(trial.start_on, trial.primary_completion_on),
        endpoints=tuple(
            read_endpoint(measure.text, measure.time_point)
            for measure in trial.measures
            if measure.is_primary
        ),
        effects=tuple(effects),
        outcome=_outcome(trial, effects),
    )


def _split_unclear(by_role: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Return the drugs tested and compared with.

    Where a register says of none which is tested, those that bear a development code are, and the
    others are what they are compared with.
    """
    tested, compared = list(by_role.get("investigational", ())), list(by_role.get("comparator", ()))
    unclear = by_role.get("unclear", ())
    codes = [name for name in unclear if is_code(name)]
    if tested or not codes:
        return tested, compared
    return codes, [*compared, *(name for name in unclear if name not in codes)]


def is_code(name: str) -> bool:
    """Return whether a name is a development code of a company.

    >>> is_code("DS-1062a"), is_code("MK-2870"), is_code("docetaxel"), is_code("vitamin B12")
    (True, True, False, False)
    """
    return bool(_CODE.fullmatch(name.strip()))


def months_between(start_on: str, end_on: str) -> float | None:
    """Return the months between two days; None where one is unknown or they are turned around.

    >>> months_between("2019-01", "2020-01-15"), months_between("", "2020-01")
    (12.0, None)
    """
    if len(start_on) < len("2019-01") or len(end_on) < len("2019-01"):
        return None
    first, last = (date.fromisoformat(f"{day[:7]}-15") for day in (start_on, end_on))
    months = round((last - first).days / MONTH, 1)
    return months if months > 0 else None


def read_effects(
    numbers: Sequence[str], evidence: EvidenceReader
) -> dict[str, list[PrecedentEffect]]:
    """Return what any record tells of the effects of trials, the primary ones first."""
    effects_by_trial: dict[str, list[PrecedentEffect]] = defaultdict(list)
    query = FactQuery(subjects=numbers, predicates=(Predicate.TRIAL_EFFECT,))
    for fact in evidence.facts(query) if numbers else ():
        effects_by_trial[fact.fact.subject].append(_effect(fact))
    for effects in effects_by_trial.values():
        effects.sort(key=lambda effect: (not effect.is_primary, effect.fact_id))
    return dict(effects_by_trial)


def _effect(stored: StoredFact) -> PrecedentEffect:
    fact, qualifiers = stored.fact, stored.fact.qualifiers
    limits = _INTERVAL.search(qualifiers.interval)
    none = 1.0 if "ratio" in fact.unit or " ratio for " in fact.object else 0.0
    measure = fact.object.partition(" for ")[2] or fact.object
    return PrecedentEffect(
        measure=fact.object,
        endpoint=read_endpoint(measure).name,
        value=fact.value or 0.0,
        unit=fact.unit,
        interval=qualifiers.interval,
        is_primary=qualifiers.population == "primary",
        arms=qualifiers.arm,
        time_point=qualifiers.time_point,
        n=int(qualifiers.n) if qualifiers.n.isdecimal() else None,
        excludes_none=None if limits is None else not float(limits[1]) <= none <= float(limits[2]),
        record_id=fact.record_id,
        fact_id=stored.id,
    )


def _outcome(trial: Trial, effects: Sequence[PrecedentEffect]) -> TrialOutcome:
    """Return what came of a trial as its own records tell it.

    An interval tells whether a difference was shown, and not for which arm: a trial of
    non-inferiority may well succeed without one.
    """
    if trial.status in STOPPED:
        return "stopped"
    shown = [effect.excludes_none for effect in effects if effect.is_primary]
    if True in shown:
        return "difference shown"
    return "no difference shown" if False in shown else "unknown"
