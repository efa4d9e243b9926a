"""What every copy of a ClinicalTrials.gov record comes to, whatever its form.

Site: clinicaltrials.gov; United States government, public domain, to be named as the source
with the date of the data.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.evidence.readers.trial_roles import DRUG_TYPES, Arm, find_roles
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Role, Span
from core.tables.rows import SourceFile
from core.vocabulary.predicates import Predicate

LICENCE = "ClinicalTrials.gov, United States government, public domain"
ORIGIN = "ClinicalTrials.gov API v2"
"""Origin of studies that were fetched, not imported."""
NUMBER = re.compile(r"NCT\d{8}")
_PHASES = {
    "PHASE1|PHASE2": "PHASE1_2",
    "PHASE2|PHASE3": "PHASE2_3",
    "PHASE1/PHASE2": "PHASE1_2",
    "PHASE2/PHASE3": "PHASE2_3",
    "NA": "",
    "N/A": "",
}


@dataclass(frozen=True)
class Endpoint:
    """An outcome that a trial measures."""

    measure: str
    time_frame: str = ""
    role: str = "primary"


@dataclass(frozen=True)
class Design:
    """How a trial is set up, and what else only some copies tell; "" or None where they do not.

    Attributes:
        date_types: ACTUAL or ESTIMATED of "start", "primary_completion", "completion".
        monitored: Whether a data monitoring committee watches.
        ratio: Of the arms, as "2:1".
        criteria: How many of inclusion and of exclusion.
        posted_on: Day on which results were first posted.
    """

    purpose: str = ""
    sex: str = ""
    age_from: str = ""
    age_to: str = ""
    monitored: bool | None = None
    n_sites: int | None = None
    ratio: str = ""
    criteria: Mapping[str, int] = field(default_factory=dict)
    posted_on: str = ""
    date_types: Mapping[str, str] = field(default_factory=dict)


NO_DESIGN = Design()


@dataclass(frozen=True)
class Trial:
    """The fields of a trial that every form shares; "" where the source does not say.

    Attributes:
        interventions: Type and name of each.
        as_of: Date of which the status is told.
        updated_on: When the register last changed it; "" where the copy does not say.
        copied_on: Day of the copy.
        setup: What fuller copies tell of its design.
        detail: Fullness of the copy (see `Record.detail`).
        roles: Role of each drug where the copy tells it; None: read from arms and title.
    """

    number: str
    title: str = ""
    acronym: str = ""
    phase: str = ""
    status: str = ""
    study_type: str = ""
    sponsor: str = ""
    sponsor_class: str = ""
    collaborators: Sequence[str] = ()
    conditions: Sequence[str] = ()
    interventions: Sequence[tuple[str, str]] = ()
    arms: Sequence[Arm] = ()
    endpoints: Sequence[Endpoint] = ()
    enrollment: float | None = None
    enrollment_type: str = ""
    design: str = ""
    start_on: str = ""
    primary_completion_on: str = ""
    completion_on: str = ""
    registered_on: str = ""
    updated_on: str = ""
    copied_on: str = ""
    countries: Sequence[str] = ()
    stopped_why: str = ""
    has_results: str = ""
    as_of: str = ""
    detail: int = 1
    spans: Sequence[Span] = ()
    rescue: frozenset[str] = field(default_factory=frozenset)
    roles: Mapping[str, Role] | None = None
    setup: Design = NO_DESIGN


_TITLE_PHASE = re.compile(
    r"\bphase[\s-]{0,2}(iv|iii|ii|i|[1-4])[abc]?"
    r"(?:(?:\s?[/\-\u2013&+]\s?|\s(?:and|or|to)\s)(?:phase\s?)?(iv|iii|ii|i|[1-4])[abc]?)?(?![\w.])",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    r"follow|extension|roll-?\s?over|continu|previous|completed|participat|sub-?study|ancillary|"
    r"enrolled in|(?:patients|subjects) (?:from|in|of) (?:a|the) phase|long-term",
    re.IGNORECASE,
)
"""Words of titles that may tell the phase of the trial that went before."""
_COUNTED = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "1": 1, "2": 2, "3": 3, "4": 4}
_COUNTS = {
    (1,): "PHASE1",
    (2,): "PHASE2",
    (3,): "PHASE3",
    (4,): "PHASE4",
    (1, 2): "PHASE1_2",
    (2, 3): "PHASE2_3",
}


def normalize_phase(text: str) -> str:
    """Return the register's phase as one word.

    >>> normalize_phase("PHASE1|PHASE2"), normalize_phase("PHASE3"), normalize_phase("NA")
    ('PHASE1_2', 'PHASE3', '')
    """
    word = text.strip().upper()
    return _PHASES.get(word, word)


def phase_of_title(title: str) -> str:
    """Return the phase that a title tells of its own trial; "" where it tells none, or of several.

    Of 2,281 trials whose title tells a phase and whose record has one, too, they differ in 149,
    in nearly all of them since the copy has one of two phases (ClinicalTrials.gov records of
    53 public collections).

    >>> phase_of_title("A Phase Ib/II Study of Drugoxib"), phase_of_title("Drugoxib (Phase 3)")
    ('PHASE1_2', 'PHASE3')
    >>> phase_of_title("Follow-up of Patients of a Phase III Study of Drugoxib")
    ''
    """
    if _OF_ANOTHER.search(title):
        return ""
    phases = {
        tuple(sorted({_COUNTED[word.casefold()] for word in match.groups() if word}))
        for match in _TITLE_PHASE.finditer(title)
    }
    return _COUNTS.get(phases.pop(), "") if len(phases) == 1 else ""


def describe_trial(trial: Trial, source: SourceFile, line: int) -> Parsed:
    """Return record and facts of a trial.

    Args:
        trial: Its fields.
        source: The file it comes from.
        line: Where in the file.
    """
    drugs = [name for kind, name in trial.interventions if kind in DRUG_TYPES]
    roles = dict(trial.roles or find_roles(drugs, trial.arms, trial.title))
    roles |= dict.fromkeys(trial.rescue & set(drugs), "rescue")
    mentions = [Mention("drug", drug, roles[drug], "intervention") for drug in drugs]
    mentions += [Mention("disease", name, relation="condition") for name in trial.conditions]
    if trial.sponsor:
        mentions.append(Mention("company", trial.sponsor, relation="sponsor"))
    mentions += [
        Mention("company", collaborator, relation="collaborator")
        for collaborator in trial.collaborators
    ]
    record = Record(
        source="ctgov",
        source_id=trial.number,
        url=f"https://clinicaltrials.gov/study/{trial.number}",
        kind="trial_registration",
        title=trial.title,
        published_on=trial.registered_on,
        updated_on=trial.updated_on,
        copied_on=trial.copied_on,
        fetched_at=source.fetched_at,
        licence=LICENCE,
        quote_allowed=True,
        origin=source.name,
        raw_ref=f"{source.name}:{line}",
        detail=trial.detail,
        spans=tuple(trial.spans),
        mentions=tuple(mentions),
    )
    facts = [
        *_word_facts(trial, record.id),
        *_endpoint_facts(trial, record.id),
        *_design_facts(trial, record.id),
    ]
    return Parsed(record, tuple(facts))


def _word_facts(trial: Trial, record_id: str) -> list[Fact]:
    """Return one fact for each field of one word, name or date that is filled."""
    values = (
        _phase(trial),
        (Predicate.TRIAL_STATUS, trial.status, "overall_status"),
        (Predicate.TRIAL_SPONSOR, trial.sponsor, "lead_sponsor"),
        (Predicate.TRIAL_SPONSOR_CLASS, trial.sponsor_class, "sponsor_class"),
        (Predicate.TRIAL_DESIGN, trial.design, "design"),
        (Predicate.TRIAL_START, trial.start_on, "start_date"),
        (
            Predicate.TRIAL_PRIMARY_COMPLETION,
            trial.primary_completion_on,
            "primary_completion_date",
        ),
        (Predicate.TRIAL_COMPLETION, trial.completion_on, "completion_date"),
        (Predicate.TRIAL_COUNTRIES, "|".join(trial.countries), "countries"),
        (Predicate.TRIAL_STOPPED, trial.stopped_why, "why_stopped"),
        (Predicate.TRIAL_HAS_RESULTS, trial.has_results, "has_results"),
    )
    types = trial.setup.date_types
    facts = [
        Fact(
            record_id,
            trial.number,
            predicate,
            words,
            unit=types.get(locator.removesuffix("_date"), ""),
            as_of=trial.as_of,
            locator=locator,
        )
        for predicate, words, locator in values
        if words
    ]
    return [*facts, *_size_facts(trial, record_id)]


def _size_facts(trial: Trial, record_id: str) -> list[Fact]:
    """Return how many take part, where that is told."""
    if trial.enrollment is None:
        return []
    return [
        Fact(
            record_id,
            trial.number,
            Predicate.TRIAL_ENROLLMENT,
            trial.enrollment_type,
            value=trial.enrollment,
            unit="participants",
            as_of=trial.as_of,
            locator="enrollment",
        )
    ]


def _phase(trial: Trial) -> tuple[str, str, str]:
    """Return the fact of a trial's phase: the copy's own, else the one that its title tells."""
    if trial.phase or trial.study_type not in {"", "INTERVENTIONAL"}:  # "NA" is said, too
        return Predicate.TRIAL_PHASE, normalize_phase(trial.phase), "phase"
    return Predicate.TRIAL_PHASE, phase_of_title(trial.title), "title"


def _endpoint_facts(trial: Trial, record_id: str) -> list[Fact]:
    return [
        Fact(
            record_id,
            trial.number,
            Predicate.TRIAL_ENDPOINT,
            endpoint.measure,
            qualifiers=Qualifiers(time_point=endpoint.time_frame, population=endpoint.role),
            as_of=trial.as_of,
            locator=f"{endpoint.role}_outcomes",
        )
        for endpoint in trial.endpoints
    ]


def _design_facts(trial: Trial, record_id: str) -> Iterator[Fact]:
    """Yield what fuller copies tell of the design of a trial."""
    setup = trial.setup
    stem = Fact(record_id, trial.number, "", as_of=trial.as_of)
    values = (
        (Predicate.TRIAL_PURPOSE, setup.purpose, "primary_purpose"),
        (Predicate.TRIAL_SEX, setup.sex, "sex"),
        (Predicate.TRIAL_RATIO, setup.ratio, "words of the design"),
        (Predicate.TRIAL_RESULTS_POSTED, setup.posted_on, "results_first_posted"),
        (
            Predicate.TRIAL_MONITORED,
            ("" if setup.monitored is None else "yes" if setup.monitored else "no"),
            "data_monitoring_committee",
        ),
    )
    for predicate, words, locator in values:
        if words:
            yield replace(stem, predicate=predicate, object=words, locator=locator)
    for predicate, words, locator in (
        (Predicate.TRIAL_AGE_FROM, setup.age_from, "minimum_age"),
        (Predicate.TRIAL_AGE_TO, setup.age_to, "maximum_age"),
    ):
        if words:
            years = age_in_years(words)
            unit = "" if years is None else "years"
            said_age = replace(stem, predicate=predicate, object=words, locator=locator)
            yield replace(said_age, value=years, unit=unit)
    if setup.n_sites is not None:
        sites = replace(stem, predicate=Predicate.TRIAL_SITES, locator="locations")
        yield replace(sites, value=float(setup.n_sites), unit="sites")
    for kind, count in setup.criteria.items():
        counted = replace(stem, predicate=Predicate.TRIAL_CRITERIA, object=kind, unit="criteria")
        yield replace(counted, value=float(count), locator="eligibility")
    for index, arm in enumerate(trial.arms):
        if arm.label:
            named = replace(stem, predicate=Predicate.TRIAL_ARM, object=arm.label, unit=arm.type)
            yield replace(named, locator=f"arms[{index}]")


_A_YEAR = {"year": 1.0, "month": 12.0, "week": 52.18, "day": 365.25}
_AGE = re.compile(r"(\d{1,4}(?:\.\d+)?) (year|month|week|day)s?", re.IGNORECASE)


def age_in_years(text: str) -> float | None:
    """Return an age of the register in years; None for "N/A".

    >>> age_in_years("18 Years"), age_in_years("6 Months"), age_in_years("N/A")
    (18.0, 0.5, None)
    """
    match = _AGE.fullmatch(text.strip())
    return round(float(match[1]) / _A_YEAR[match[2].casefold()], 3) if match else None
