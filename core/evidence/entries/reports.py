"""How a trial is designed and what it reported: design, analyses, flow of its participants.

They are read for the trials of a question alone, with the day by which they were known where that
is asked; the entries of all drugs of an answer do without them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.entries import TrialEndpoint
from core.evidence.entries.records import facts_of_records
from core.evidence_ports import EvidenceReader
from core.records.evidence import Fact
from core.records.evidence_pack import StoredFact
from core.vocabulary.effects import Effect
from core.vocabulary.predicates import Predicate

DESIGN = (
    *(Predicate.TRIAL_AGE_FROM, Predicate.TRIAL_AGE_TO, Predicate.TRIAL_ARM),
    *(Predicate.TRIAL_COMPLETION, Predicate.TRIAL_COUNTRIES, Predicate.TRIAL_CRITERIA),
    *(Predicate.TRIAL_DESIGN, Predicate.TRIAL_ENDPOINT, Predicate.TRIAL_ENROLLMENT),
    *(Predicate.TRIAL_MONITORED, Predicate.TRIAL_PRIMARY_COMPLETION, Predicate.TRIAL_PURPOSE),
    *(Predicate.TRIAL_RATIO, Predicate.TRIAL_RESULTS_POSTED, Predicate.TRIAL_SEX),
    *(Predicate.TRIAL_SITES, Predicate.TRIAL_START),
)
ANALYSES = (
    *(Predicate.TRIAL_ANALYSIS, Predicate.TRIAL_P_VALUE, Predicate.TRIAL_ANALYSIS_METHOD),
    *(Predicate.TRIAL_HYPOTHESIS, Predicate.TRIAL_ANALYSIS_ROLE),
)
FLOW = (Predicate.TRIAL_FLOW, Predicate.TRIAL_LEFT)
ALLOCATIONS = {"RANDOMIZED": "RANDOMIZED", "NON_RANDOMIZED": "NON_RANDOMIZED", "NA": "NA"} | {
    "N_A": "NA"
}
MODELS = {
    f"{model}{end}": model
    for model in ("SINGLE_GROUP", "PARALLEL", "CROSSOVER", "FACTORIAL", "SEQUENTIAL")
    for end in ("", "_ASSIGNMENT")
}
MASKINGS = {masking: masking for masking in ("NONE", "SINGLE", "DOUBLE", "TRIPLE", "QUADRUPLE")} | {
    "NONE_OPEN_LABEL": "NONE"
}
_BETWEEN = " against "
_TOGETHER = " | "


@dataclass(frozen=True, slots=True)
class Dated:
    """A day of a trial.

    Attributes:
        day: YYYY-MM-DD or YYYY-MM.
        is_actual: Whether it has come; None where the record does not say.
    """

    day: str
    is_actual: bool | None


@dataclass(frozen=True, slots=True)
class ArmEntry:
    """An arm: its label and the register's word for its type."""

    label: str
    kind: str


@dataclass(frozen=True, slots=True)
class DesignEntry:
    """How a trial is designed; "", None or () where its record does not say.

    Attributes:
        ages: Least and most years; None where there is no limit or nothing is said.
        ratio: Of the arms, as "2:1".
        monitored: Whether a data monitoring committee watches.
        criteria: How many of inclusion and of exclusion.
        is_enrolled: Whether n is of those who came.
    """

    purpose: str = ""
    sex: str = ""
    ages: tuple[float | None, float | None] = (None, None)
    allocation: str = ""
    model: str = ""
    masking: str = ""
    ratio: str = ""
    arms: tuple[ArmEntry, ...] = ()
    n: int | None = None
    is_enrolled: bool | None = None
    n_sites: int | None = None
    countries: tuple[str, ...] = ()
    monitored: bool | None = None
    criteria: tuple[int | None, int | None] = (None, None)
    start: Dated | None = None
    primary_completion: Dated | None = None
    completion: Dated | None = None
    posted_on: str = ""
    endpoints: tuple[TrialEndpoint, ...] = ()


@dataclass(frozen=True, slots=True)
class AnalysisEntry:
    """An analysis as posted.

    Attributes:
        endpoint: Title of the outcome.
        effect: What it estimates; None where its words name nothing that we know.
        value: The estimate.
        unit: Of a difference that of its measure; of a ratio its name.
        interval: As "95% CI: 0.5, 0.8"; "" where there is none that holds the value.
        p_text: P value as written.
        p_value: As a number from 0 to 1; None where it is none.
        method: As written.
        hypothesis: "superiority", "non-inferiority" and the like.
        margin: What is said of the hypothesis.
        role: "primary", "secondary", "other" or "post hoc", of the endpoint.
        addition: What it adds to the main analysis ("sensitivity", "further"); "" for the main.
        patients: "intention to treat", "per protocol"; "" where not told, or both.
        arms: The arms that are compared.
        time_point: As written.
        n: Participants of these arms; None where unknown.
        locator: Where it stands.
        fact_id: The fact of its effect.
    """

    endpoint: str
    effect: Effect | None
    value: float | None
    unit: str
    interval: str
    p_text: str
    p_value: float | None
    method: str
    hypothesis: str
    margin: str
    role: str
    addition: str
    patients: str
    arms: tuple[str, ...]
    time_point: str
    n: int | None
    locator: str
    fact_id: int


@dataclass(frozen=True, slots=True)
class FlowEntry:
    """How the participants of an arm went through a period.

    Attributes:
        period: Its title.
        arm: The arm's title.
        milestones: Participants by milestone, "started" and "completed" among them.
        reasons: Participants who left by reason.
    """

    period: str
    arm: str
    milestones: Mapping[str, int]
    reasons: Mapping[str, int]


_Told = Mapping[str, Sequence[StoredFact]]


def read_designs(
    record_ids: Sequence[str], evidence: EvidenceReader, known_by: str = ""
) -> dict[str, DesignEntry]:
    """Return the designs of trials, by record.

    Args:
        record_ids: Records of trials.
        evidence: The pack.
        known_by: Day by which they were known; "": now.
    """
    facts_by_record = facts_of_records(record_ids, DESIGN, evidence, known_by)
    return {key: _design(_grouped(facts)) for key, facts in facts_by_record.items()}


def read_analyses(
    record_ids: Sequence[str], evidence: EvidenceReader, known_by: str = ""
) -> dict[str, tuple[AnalysisEntry, ...]]:
    """Return the posted analyses of trials, by record, in the order of the record."""
    facts_by_record = facts_of_records(record_ids, ANALYSES, evidence, known_by)
    return {key: tuple(_analyses(facts)) for key, facts in facts_by_record.items()}


def read_flows(
    record_ids: Sequence[str], evidence: EvidenceReader, known_by: str = ""
) -> dict[str, tuple[FlowEntry, ...]]:
    """Return how the participants of trials went through them, by record."""
    facts_by_record = facts_of_records(record_ids, FLOW, evidence, known_by)
    return {key: tuple(_flows(facts)) for key, facts in facts_by_record.items()}


def _grouped(facts: Iterable[StoredFact]) -> _Told:
    grouped: dict[str, list[StoredFact]] = defaultdict(list)
    for fact in facts:
        grouped[fact.fact.predicate].append(fact)
    return grouped


def _first(by_predicate: _Told, predicate: Predicate) -> Fact | None:
    facts = by_predicate.get(predicate)
    return facts[0].fact if facts else None


def _word(by_predicate: _Told, predicate: Predicate) -> str:
    fact = _first(by_predicate, predicate)
    return fact.object if fact else ""


def _number(by_predicate: _Told, predicate: Predicate, words: str = "") -> int | None:
    values = (
        stored.fact.value
        for stored in by_predicate.get(predicate, ())
        if words in ("", stored.fact.object)
    )
    value = next(values, None)
    return None if value is None else int(value)


def _age(by_predicate: _Told, predicate: Predicate) -> float | None:
    fact = _first(by_predicate, predicate)
    return fact.value if fact else None


def _dated(by_predicate: _Told, predicate: Predicate) -> Dated | None:
    fact = _first(by_predicate, predicate)
    return Dated(fact.object, _is_actual(fact.unit)) if fact else None


def _is_actual(text: str) -> bool | None:
    return {"ACTUAL": True, "ESTIMATED": False, "ANTICIPATED": False}.get(text)


def _design(by_predicate: _Told) -> DesignEntry:
    words = _word(by_predicate, Predicate.TRIAL_DESIGN).split("|")
    enrolled = _first(by_predicate, Predicate.TRIAL_ENROLLMENT)
    monitored = _word(by_predicate, Predicate.TRIAL_MONITORED)
    criteria = Predicate.TRIAL_CRITERIA
    return DesignEntry(
        purpose=_word(by_predicate, Predicate.TRIAL_PURPOSE),
        sex=_word(by_predicate, Predicate.TRIAL_SEX),
        ages=(
            _age(by_predicate, Predicate.TRIAL_AGE_FROM),
            _age(by_predicate, Predicate.TRIAL_AGE_TO),
        ),
        allocation=_among(words, ALLOCATIONS),
        model=_among(words, MODELS),
        masking=_among(words, MASKINGS),
        ratio=_word(by_predicate, Predicate.TRIAL_RATIO),
        arms=tuple(
            ArmEntry(stored.fact.object, stored.fact.unit)
            for stored in by_predicate.get(Predicate.TRIAL_ARM, ())
        ),
        n=_number(by_predicate, Predicate.TRIAL_ENROLLMENT),
        is_enrolled=_is_actual(enrolled.object) if enrolled else None,
        n_sites=_number(by_predicate, Predicate.TRIAL_SITES),
        countries=tuple(filter(None, _word(by_predicate, Predicate.TRIAL_COUNTRIES).split("|"))),
        monitored=monitored == "yes" if monitored else None,
        criteria=(
            _number(by_predicate, criteria, "inclusion"),
            _number(by_predicate, criteria, "exclusion"),
        ),
        start=_dated(by_predicate, Predicate.TRIAL_START),
        primary_completion=_dated(by_predicate, Predicate.TRIAL_PRIMARY_COMPLETION),
        completion=_dated(by_predicate, Predicate.TRIAL_COMPLETION),
        posted_on=_word(by_predicate, Predicate.TRIAL_RESULTS_POSTED),
        endpoints=tuple(
            TrialEndpoint(
                stored.fact.object,
                stored.fact.qualifiers.population == "primary",
                stored.fact.qualifiers.time_point,
            )
            for stored in by_predicate.get(Predicate.TRIAL_ENDPOINT, ())
        ),
    )


def _among(words: Iterable[str], meanings: Mapping[str, str]) -> str:
    return next((meanings[word] for word in words if word in meanings), "")


def _analyses(facts: Iterable[StoredFact]) -> Iterable[AnalysisEntry]:
    """Yield the analyses that facts at one locator tell together."""
    by_place: dict[str, dict[str, StoredFact]] = defaultdict(dict)
    for fact in facts:
        by_place[fact.fact.locator].setdefault(fact.fact.predicate, fact)
    for locator, place_facts in by_place.items():
        stored = place_facts.get(Predicate.TRIAL_ANALYSIS)
        if stored is not None:
            yield _analysis(
                locator, stored, {key: stored.fact for key, stored in place_facts.items()}
            )


def _analysis(locator: str, stored: StoredFact, facts: Mapping[str, Fact]) -> AnalysisEntry:
    fact, qualifiers = stored.fact, stored.fact.qualifiers
    effect = next((effect for effect in Effect if fact.object.startswith(f"{effect} for ")), None)
    p_value = facts.get(Predicate.TRIAL_P_VALUE)
    method = facts.get(Predicate.TRIAL_ANALYSIS_METHOD)
    hypothesis = facts.get(Predicate.TRIAL_HYPOTHESIS)
    role = facts.get(Predicate.TRIAL_ANALYSIS_ROLE)
    parts = qualifiers.arm.split(_BETWEEN if _BETWEEN in qualifiers.arm else _TOGETHER)
    return AnalysisEntry(
        endpoint=fact.object.removeprefix(f"{effect} for ") if effect else fact.object,
        effect=effect,
        value=fact.value,
        unit=fact.unit,
        interval=qualifiers.interval,
        p_text=p_value.object if p_value else "",
        p_value=p_value.value if p_value else None,
        method=method.object if method else "",
        hypothesis=hypothesis.object if hypothesis else "",
        margin=hypothesis.qualifiers.population if hypothesis else "",
        role=role.object if role else "",
        addition=role.unit if role else "",
        patients=role.qualifiers.population if role else "",
        arms=tuple(filter(None, parts)),
        time_point=qualifiers.time_point,
        n=int(qualifiers.n) if qualifiers.n.isdecimal() else None,
        locator=locator,
        fact_id=stored.id,
    )


def _flows(facts: Iterable[StoredFact]) -> Iterable[FlowEntry]:
    counted: dict[tuple[str, str], tuple[dict[str, int], dict[str, int]]] = {}
    for fact in facts:
        qualifiers = fact.fact.qualifiers
        counts = counted.setdefault((qualifiers.time_point, qualifiers.arm), ({}, {}))
        into = counts[0] if fact.fact.predicate == Predicate.TRIAL_FLOW else counts[1]
        if fact.fact.value is not None:
            into.setdefault(fact.fact.object, int(fact.fact.value))
    for (period, arm), (milestones, reasons) in counted.items():
        yield FlowEntry(period, arm, milestones, reasons)
