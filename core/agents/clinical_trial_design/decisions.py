"""What is decided before anything is written: endpoint, control, design, plan, sites, months."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.agents.clinical_trial_design.asked import OUTCOMES, Asked
from core.agents.clinical_trial_design.effect import (
    Planned,
    find_effect,
    names_expected,
    own_data,
)
from core.agents.clinical_trial_design.expectations import ExpectationRow
from core.agents.clinical_trial_design.gathering import Holding
from core.agents.clinical_trial_design.planning import PlanningRow, find_planning
from core.agents.clinical_trial_design.records import ComparatorType
from core.agents.clinical_trial_design.tables import benchmark, endpoint_role
from core.agents.clinical_trial_design.votes import (
    LEAST,
    control_votes,
    endpoint_votes,
    is_efficacy,
    of_purpose,
    typical_total,
)
from core.briefs.precedents import Ranked, number_range
from core.evidence.proof.claims import unmark
from core.evidence.readers.endpoints import read_endpoint
from core.knowledge.withdrawn_drugs import find_withdrawn, market_of
from core.records.precedents import LabelUse, Range, SettingTrial
from core.stats.trial_design.conduct import enrollment_months
from core.stats.trial_design.sizing import RATIOS, Plan, Size, size_with_looks, whole
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.endpoints import EndpointType, classify_endpoint
from core.vocabulary.lines import asked_by

RAMP = 6.0
"""Months over which sites open."""
MOST_TIMES = 10
"""Of the largest like precedent: more participants are no plan."""
MOST_SITES = 800
FIRST_ALPHA = {"progression-free survival": 0.2, "overall survival": 0.8}
"""Shares of the level of two primary endpoints; survival takes the larger one."""
EQUAL_ALPHA = 0.5
PIVOTAL_LEVEL = 0.025
"""One-sided."""
FOLLOW_UP = 6.0
"""Months of follow-up of a precedent that reports no time point."""
LEAST_FILLING = 0.3
"""Share of the months to the readout that recruitment takes at least."""
LONGEST_INSTRUMENT = 90
_VAGUE = frozenset({"clinical scale", "joint score", "skin score", "movement scale", "anxiety"})
"""Classes that name no instrument."""
_ONE_ARM_KINDS = frozenset({"cell therapy", "gene therapy"})
_TIME = re.compile(
    r"(?P<n>\d+(?:\.\d+)?)[- ]?(?P<unit>days?|weeks?|months?|years?)\b|"
    r"\b(?P<named>day|week|month|year)s? (?:\d+(?:\.\d+)? ?(?:to|and|or|-|–) ?)?"
    r"(?P<last>\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
_PER_MONTH = {"d": 30.44, "w": 4.348, "m": 1.0, "y": 1 / 12}
LONG_MONTHS = 12
_LEFT = ("lost", "withdr")
_DOSE_FINDING = "dose finding"
_KINDS = frozenset(str(endpoint_type) for endpoint_type in EndpointType)


@dataclass(frozen=True)
class Enrollment:
    """How the trial is filled.

    Attributes:
        sites: Sites that the participants ask for.
        rate: Patients a site and month.
        months: Months from the first to the last participant.
        ramp: Months over which the sites open.
        limit: What sets the months where it is not the sites, such as slots of manufacturing.
    """

    sites: int
    rate: float
    months: int
    ramp: float = RAMP
    limit: str = ""


@dataclass(frozen=True)
class Decisions:
    """What is decided.

    Attributes:
        endpoint: Class of the primary endpoint; as named where the preferred one is unknown.
        instrument: The endpoint as a reader names it, with its instrument.
        endpoint_rule: Why that endpoint.
        expected: Row of the expectations that the endpoint comes from; None where none does.
        endpoint_type: In what it is told; "" where unknown.
        votes: Endpoint classes of precedents with weight and number.
        comparator: Kind of control.
        comparator_votes: Kinds of control of precedents with weight and number.
        comparator_rule: Why that control.
        care: Uses of labels that are standard care of the line.
        plan: What participants are computed from.
        size: Participants, loss included, looks included; None where no effect was found.
        typical: Participants that most like precedents come near, within the range of pivotal
            trials of the class where a row tells it.
        alike: These precedents.
        n: Participants planned with: computed, else typical.
        sites: Sites of precedents.
        lower_rates: Patients a site and month of precedents, their follow-up taken off.
        dropout: Loss among precedents.
        durations: Months to primary completion of like precedents.
        enrollment: How the trial is filled; None without participants.
        months: Months to the readout; None where they cannot be told.
        timepoint: When the endpoint is read; "" where nothing says so.
        floor: Least participants of pivotal trials of the class; 0 where the study is none, None
            where no row tells it.
        cohort: Participants of a first study; None for later ones.
    """

    endpoint: str
    instrument: str
    endpoint_rule: str
    expected: ExpectationRow | None
    endpoint_type: str
    votes: tuple[tuple[str, float, int], ...]
    comparator: ComparatorType
    comparator_votes: tuple[tuple[ComparatorType, float, int], ...]
    comparator_rule: str
    care: tuple[LabelUse, ...]
    plan: Plan[Planned]
    size: Size
    typical: float | None
    alike: tuple[SettingTrial, ...]
    n: int | None
    sites: Range
    lower_rates: Range
    dropout: Range
    durations: Range
    enrollment: Enrollment | None
    months: float | None
    timepoint: str
    floor: int | None = None
    cohort: int | None = None

    @property
    def fill_months(self) -> int | None:
        """Return the months of recruitment; None without participants."""
        return self.enrollment.months if self.enrollment else None

    @property
    def planned_total(self) -> int | None:
        """Return the participants to enroll: for power, and for exposure as the class does.

        None where no effect was found: N is withheld then.
        """
        total = self.total
        if total is None:
            return self.cohort
        return whole(self.needed, self.plan.groups) if self.is_exposure_bound else total

    @property
    def needed(self) -> float | None:
        """Return the participants that exposure asks for: of the class, else of precedents."""
        return self.floor or self.typical

    @property
    def total(self) -> int | None:
        """Return the participants that the power needs, arms of the same size."""
        return whole(self.size.n, self.plan.groups)

    @property
    def is_exposure_bound(self) -> bool:
        """Return whether exposure asks for more participants than the power."""
        return is_bound_by_exposure(self.total, self.floor, self.typical)

    @property
    def is_randomized(self) -> bool:
        """Return whether there is a control arm."""
        return self.comparator != "single_arm"


def is_bound_by_exposure(total: int | None, floor: int | None, typical: float | None) -> bool:
    """Return whether the class enrolls more than the power needs, or precedents twice as many."""
    if not total:
        return False
    return total < floor if floor is not None else bool(typical and typical >= 2 * total)


def decide(question: Asked, findings: Holding) -> Decisions:
    """Return what is decided."""
    trials = of_purpose(findings.precedents.trials or findings.near, question)
    votes = endpoint_votes(trials, question)
    endpoint, endpoint_rule = choose_endpoint(question, votes)
    expected = expectation_of(question, endpoint)
    endpoint = _as_counted(endpoint, votes) if expected else endpoint
    kind = _type_of(endpoint, findings, question, expected)
    control, control_votes_, rule = choose_control(question, findings, trials)
    floor = _floor(question, expected)
    typical, alike = typical_total(trials, endpoint)
    if floor and expected:
        typical = within_class(typical, expected)
    dropout = dropout_of(findings, question)
    table = (
        find_planning(expected, question.drug_text) if expected and expected.type == kind else None
    )
    planned = find_effect(endpoint, kind, question, findings, control, table)
    plan, size = within_reach(
        replace(
            _plan(question, kind, planned, dropout, table),
            is_lower_better=expected.better == "lower"
            if expected
            else _is_lower(endpoint, findings, planned),
            is_single_arm=control == "single_arm",
            fixed_level=_split_level(question, expected),
        ),
        alike,
    )
    is_first = question.study == "first in human"
    cohort = round(math.sqrt(expected.n_low * expected.n_high)) if is_first and expected else None
    n = _to_enroll(whole(size.n, plan.groups), floor, typical, plan) if size.n else cohort
    n = n or (round(typical) if typical else None)
    sites, rates, durations = _conduct(alike)
    enrollment = plan_enrollment(n, plan, question, rates)
    follow_up = _follow_up(plan, endpoint, expected)
    return Decisions(
        endpoint,
        _instrument(endpoint, question, expected, trials),
        endpoint_rule,
        expected,
        kind,
        tuple(votes),
        control,
        tuple(control_votes_),
        rule,
        care_of(question, findings),
        plan,
        size,
        typical,
        tuple(alike),
        n,
        sites,
        rates,
        dropout,
        durations,
        enrollment,
        _readout(enrollment, follow_up, durations, is_sized=size.n is not None),
        _read_at(expected, endpoint, trials),
        floor,
        cohort,
    )


def _split_level(question: Asked, expected: ExpectationRow | None) -> float | None:
    """Return the one-sided level of the first of two endpoints that share it; None else."""
    lead = question.preferred.name if question.preferred and question.preferred_second else ""
    if expected is not None and expected.co_rule == "split" and not question.preferred:
        lead = expected.endpoint_class
    if not lead or question.doses or question.study not in {"pivotal", "confirmatory"}:
        return None
    return round(PIVOTAL_LEVEL * FIRST_ALPHA.get(lead, EQUAL_ALPHA), 6)


def expectation_of(question: Asked, endpoint: str) -> ExpectationRow | None:
    """Return the expectation where it is of the endpoint; None else."""
    row = question.expected
    return row if row is not None and row.endpoint_class == endpoint else None


def _as_counted(endpoint: str, votes: Sequence[tuple[str, float, int]]) -> str:
    """Return the class under which precedents count: the wider one where they tell no finer."""
    names = {name for name, _, _ in votes}
    row = classify_endpoint(endpoint)
    is_wide = row is not None and row.within in names and endpoint not in names
    return row.within if row is not None and is_wide else endpoint


def _floor(question: Asked, expected: ExpectationRow | None) -> int | None:
    """Return the least participants of pivotal trials of the class, where this may be one.

    A single arm in phase 2 may carry an approval. Other trials of phase 2 have no floor, 0.
    """
    if expected is None or question.study == "first in human":
        return None
    may_carry = question.study != "phase 2" or expected.control == "single_arm"
    return expected.n_low if may_carry else 0


def within_class(typical: float | None, expected: ExpectationRow) -> float:
    """Return the usual participants: as precedents, within the range of pivotal trials.

    Where no precedent tells a number, the geometric middle of the range.
    """
    middle = math.sqrt(expected.n_low * expected.n_high)
    return min(max(typical or round(middle), expected.n_low), expected.n_high)


def _conduct(alike: Sequence[SettingTrial]) -> tuple[Range, Range, Range]:
    """Return sites, patients a site and month, and months of like precedents."""
    return (
        number_range((trial.sites for trial in alike), "sites"),
        number_range((_rate(trial) for trial in alike), "patients a site and month"),
        number_range((trial.months for trial in alike), "months to primary completion"),
    )


def choose_endpoint(question: Asked, votes: Sequence[tuple[str, float, int]]) -> tuple[str, str]:
    """Return the class of the primary endpoint and the rule that chose it."""
    row = question.expected
    if question.preferred is not None:
        return question.preferred.name, "preferred in the request"
    if question.study == "first in human":
        return (row.endpoint_class if row else _DOSE_FINDING), "first study in patients"
    if question.claimed and question.study != "phase 2" and _claim_leads(question):
        return question.claimed.name, "named by the intended label claim"
    if row is not None and row.endpoint_class:
        intent = f"{row.intent}; " if row.intent else ""
        return (
            row.endpoint_class,
            f"{intent}what agencies accept in {row.label or question.disease}",
        )
    return (votes[0][0], "most used by precedents, weighted by match") if votes else ("", "")


def _claim_leads(question: Asked) -> bool:
    """Return whether the claim decides: an outcome, or a claim where no expectation is known."""
    row, claimed = question.expected, question.claimed.name if question.claimed else ""
    if row is None:
        return is_efficacy(claimed)
    return claimed in OUTCOMES and claimed not in {row.endpoint_class, row.co_class}


def _instrument(
    endpoint: str,
    question: Asked,
    expected: ExpectationRow | None,
    trials: Sequence[Ranked[SettingTrial]],
) -> str:
    """Return the endpoint as a reader names it: with the instrument that is known for it."""
    if question.preferred is not None:
        return question.preferred_text or endpoint
    if expected is not None:
        return expected.endpoint
    row = classify_endpoint(endpoint)
    if row is None or (row.name not in _VAGUE and not row.general):
        return endpoint
    texts = (
        unmark(end.text)
        for trial in trials
        for end in trial.row.endpoints
        if end.name == endpoint and 0 < len(end.text) <= LONGEST_INSTRUMENT
    )
    return next(texts, endpoint)


def _type_of(
    endpoint: str, findings: Holding, question: Asked, expected: ExpectationRow | None
) -> str:
    """Return the type of an endpoint: of own data, the expectation, precedents, else its class.

    A score is a mean change as a class, but own data may count those who reach a level of it.
    """
    data = own_data(question, endpoint)
    if data is not None and expected is not None and names_expected(data.measure, question):
        return expected.type
    if data is not None and data.reading.type in _KINDS:
        return data.reading.type
    named = read_endpoint(question.preferred_text).type if question.preferred_text else ""
    if named in _KINDS:
        return named
    if expected is not None:
        return expected.type
    types = [
        end.type
        for precedent in findings.near
        for end in precedent.row.endpoints
        if end.name == endpoint and end.type in _KINDS
    ]
    usual = question.preferred.type if question.preferred else read_endpoint(endpoint).type
    if usual == EndpointType.TIME_TO_EVENT or not types:
        return str(usual)
    return max(sorted(set(types)), key=types.count)


def _is_lower(endpoint: str, findings: Holding, planned: Planned) -> bool:
    """Return whether a lower value is the good one: by own data, else as most precedents say."""
    if planned.basis == "request" and planned.value is not None:
        return planned.value < (1 if planned.kind in RATIOS else 0)
    directions = [
        e.better
        for precedent in findings.near
        for e in precedent.row.endpoints
        if e.name == endpoint
    ]
    return directions.count("lower") > len(directions) / 2


def choose_control(
    question: Asked, findings: Holding, trials: Sequence[Ranked[SettingTrial]]
) -> tuple[ComparatorType, list[tuple[ComparatorType, float, int]], str]:
    """Return the kind of control, how precedents chose, and the rule that decided."""
    votes = control_votes(trials)
    care, partners = care_of(question, findings), bool(question.partners)
    row = question.expected
    if row is not None:
        kind: ComparatorType = row.control
        kind = "add_on_placebo" if kind == "placebo" and partners else kind
        return kind, votes, f"{_expects(row, question)}{_compare_votes(kind, votes)}"
    if question.study == "first in human":
        kind = (
            "single_arm" if question.is_oncology or question.kinds & _ONE_ARM_KINDS else "placebo"
        )
        return kind, votes, "first in human: escalation without a comparator, or with placebo"
    if question.is_oncology and question.setting.lines and care and not partners:
        return "active", votes, "standard care of the line is approved: active control"
    if not votes:
        kind, rule = _by_rule(question, has_care=bool(care))
        return kind, votes, rule
    kind, _, number = votes[0]
    n_reported = sum(vote[2] for vote in votes)
    kind = "add_on_placebo" if kind == "placebo" and partners else kind
    return kind, votes, f"{number} of {n_reported} precedents that report their control chose it"


def _expects(row: ExpectationRow, question: Asked) -> str:
    """Return what agencies expect of the control, in words."""
    aims = {
        "superiority": "",
        "non_inferiority": ", for non-inferiority",
        "equivalence": ", for equivalence",
    }
    return f"expected in {row.label or question.disease}{aims[row.comparison]}"


def _compare_votes(kind: str, votes: Sequence[tuple[str, float, int]]) -> str:
    """Return how precedents chose next to the expectation, which they do not override."""
    total = sum(number for _, _, number in votes)
    if not total:
        return ""
    same = sum(
        number
        for vote, _, number in votes
        if (vote == kind or {vote, kind} == {"placebo", "add_on_placebo"})
    )
    return f"; {same} of {total} precedents that report a control chose it, too"


def _by_rule(question: Asked, *, has_care: bool) -> tuple[ComparatorType, str]:
    """Return the kind of control where no precedent tells its own."""
    if question.is_oncology and has_care:
        return "active", "standard care is approved: active control"
    if question.is_oncology and question.is_later_line:
        return "single_arm", "no approved care of the line was found in a serious disease"
    if question.traits.chronic:
        kind: ComparatorType = "add_on_placebo" if question.partners else "placebo"
        return kind, "chronic disease with background care: placebo, added on"
    return "active", "serious disease: active control, as no precedent reports its control"


def care_of(question: Asked, findings: Holding) -> tuple[LabelUse, ...]:
    """Return the approved uses of the line asked for, the commonest first.

    Drugs that near precedents compare with stand first, then uses for patients of any biomarker.
    Where no line is asked for, every line counts.
    """
    lines = set(question.setting.lines)
    rows = [use.row for use in findings.precedents.uses if use.match.parts.get("indication", 0) > 0]
    rows = [
        row
        for row in rows
        if not find_withdrawn(row.drugs, [question.disease], market_of(question.agency))
    ]
    same = [row for row in rows if asked_by(row.use.line) in lines] if lines else rows
    words = Counter(
        word
        for precedent in findings.near
        for word in {
            name.casefold().split()[0] for name in precedent.row.comparators if name.split()
        }
    )

    def use(row: LabelUse) -> int:
        return max((words[name.casefold().split()[0]] for name in row.drugs), default=0)

    return tuple(sorted(same, key=lambda row: (-use(row), _is_narrower(row, question)))[:8])


def _is_narrower(row: LabelUse, question: Asked) -> bool:
    """Return whether a use is for patients of a biomarker that was not asked for."""
    named = {biomarker.name for biomarker in find_biomarkers(f"{row.use.biomarker} {row.use.text}")}
    names_biomarker = bool(named or row.use.biomarker)
    return names_biomarker and not named & set(question.setting.biomarkers)


def _rate(trial: SettingTrial) -> float | None:
    """Return patients a site and month of recruitment: months to the readout less follow-up."""
    if not (trial.n and trial.sites and trial.months):
        return None
    first = trial.endpoints[0] if trial.endpoints else None
    follow_up = (first and read_months(first.time_point)) or FOLLOW_UP
    filled = max(trial.months - follow_up, trial.months * LEAST_FILLING)
    return round(trial.n / trial.sites / filled, 3)


def read_months(text: str) -> float | None:
    """Return the months of a time point, the last that it names; None where it names none.

    >>> read_months("Baseline and Week 52"), read_months("18 months"), read_months("best response")
    (12.0, 18.0, None)
    """
    months = [
        float(match["n"] or match["last"])
        / _PER_MONTH[(match["unit"] or match["named"])[:1].casefold()]
        for match in _TIME.finditer(text)
    ]
    return round(months[-1], 1) if months else None


def dropout_of(findings: Holding, question: Asked) -> Range:
    """Return the share lost to follow-up or withdrawn among precedents that tell it."""
    shares = []
    for flows in findings.flows.values():
        started = sum(flow.milestones.get("started", 0) for flow in flows)
        first = {flow.period for flow in flows}
        if not started or len(first) > 1:
            continue
        left = sum(
            n
            for flow in flows
            for reason, n in flow.reasons.items()
            if any(word in reason.casefold() for word in _LEFT)
        )
        shares.append(min(0.9, left / started))
    found_range = number_range(shares, "share lost to follow-up or withdrawn")
    if len(shares) < 2:  # noqa: PLR2004 - one share has no quartiles
        return found_range
    low, median, high = statistics.quantiles(shares, n=4, method="inclusive")
    return replace(found_range, low=round(low, 3), median=round(median, 3), high=round(high, 3))


def _plan(
    question: Asked, kind: str, planned: Planned, dropout: Range, table: PlanningRow | None
) -> Plan[Planned]:
    """Return the plan; months and loss are those of the setting, whoever gives the effect."""
    is_pivotal = question.study in {"pivotal", "confirmatory"}
    is_timed = kind == EndpointType.TIME_TO_EVENT
    follow = max(12.0, round(planned.control or 12.0)) if is_timed else 12.0
    follow = table.follow_up if table and table.follow_up else min(follow, 36.0)
    looks = (0.5, 0.75, 1.0) if is_timed and is_pivotal else (1.0,)
    rate = dropout.n >= LEAST and dropout.median
    share = float(rate) if rate else 0.1
    if table is not None and table.dropout is not None:
        share = table.dropout
    row = question.expected
    return Plan(
        kind,
        planned,
        alpha=PIVOTAL_LEVEL if is_pivotal else 0.1,
        power=0.9 if is_pivotal else 0.8,
        months=(table.months if table else None) or benchmark("recruitment_months").median,
        follow_up=follow,
        dropout=min(share, 0.5),
        looks=looks,
        doses=max(1, len(question.doses)),
        margin=planned.margin,
        is_equivalence=bool(planned.margin and row and row.comparison == "equivalence"),
    )


def within_reach(plan: Plan[Planned], alike: Sequence[SettingTrial]) -> tuple[Plan[Planned], Size]:
    """Return the plan with its participants.

    An effect of the evidence that asks for `MOST_TIMES` the participants of the largest like
    precedent is none that a study is planned with: its N is withheld.
    """
    size = size_with_looks(plan)
    largest = max((trial.n for trial in alike if trial.n), default=None)
    if plan.planned.basis != "evidence" or size.n is None or largest is None:
        return plan, size
    if size.n <= MOST_TIMES * largest:
        return plan, size
    return replace(plan, planned=plan.planned.out_of_reach), Size()


def _to_enroll(
    total: int | None, floor: int | None, typical: float | None, plan: Plan[Planned]
) -> int | None:
    """Return participants to enroll: for power, or for exposure where that asks for more."""
    if is_bound_by_exposure(total, floor, typical):
        return whole(floor or typical, plan.groups)
    return total


def plan_enrollment(
    n: int | None, plan: Plan[Planned], question: Asked, rates: Range
) -> Enrollment | None:
    """Return sites and months for the participants: sites grow with them, supply caps them.

    Args:
        n: Participants; None where they are withheld and no precedent tells any.
        plan: Months of recruitment that N assumes, and arms.
        question: Expectation and limits of supply.
        rates: Patients a site and month of precedents.
    """
    if n is None:
        return None
    row = question.expected
    usual = max(benchmark("rate_per_site_month").median, rates.median or 0.0)
    rate = (row.site_rate if row else None) or usual
    ramp = min(RAMP, round(plan.months / 3))
    months_needed = max(1.0, plan.months - ramp / 2)
    sites = min(MOST_SITES, max(1, math.ceil(n / (rate * months_needed))))
    months = enrollment_months(n, sites, rate, ramp)
    slots = question.supply.slots_per_month
    treated = n if plan.is_single_arm else n * plan.doses / plan.groups
    capped = math.ceil(treated / slots) if slots else 0
    if capped > months:
        return Enrollment(sites, rate, capped, ramp, f"{slots:g} manufacturing slots a month")
    return Enrollment(sites, rate, months, ramp)


def _follow_up(plan: Plan[Planned], endpoint: str, expected: ExpectationRow | None) -> float:
    """Return the months from the last entry to the readout."""
    if plan.type == EndpointType.TIME_TO_EVENT:
        return plan.follow_up
    months = read_months(expected.time_point) if expected else None
    row = endpoint_role(endpoint)
    return months or (float(row.months) if row and row.months else LONG_MONTHS / 2)


def _readout(
    enrollment: Enrollment | None, follow_up: float, durations: Range, *, is_sized: bool
) -> float | None:
    """Return the months to the readout: recruitment and follow-up.

    A study that is not sized enrolls as precedents did, and so takes no longer than they took.
    """
    if enrollment is None:
        return durations.median
    months = enrollment.months + follow_up
    if not is_sized and not enrollment.limit and durations.high is not None:
        return min(durations.high, months)
    return months


def _read_at(
    expected: ExpectationRow | None, endpoint: str, trials: Sequence[Ranked[SettingTrial]]
) -> str:
    """Return when the endpoint is read; of an expected time to an event, only as its row says."""
    if expected is not None and (expected.time_point or expected.type == "time to event"):
        return expected.time_point
    time_points = [
        end.time_point.strip()
        for trial in trials[:200]
        for end in trial.row.endpoints
        if end.name == endpoint and end.time_point.strip()
    ]
    short = [time_point for time_point in time_points if len(time_point) <= 60]  # noqa: PLR2004 - what a cell bears
    return max(sorted(set(short)), key=short.count, default="")


def shares(votes: Sequence[tuple[str, float, int]]) -> Mapping[str, float]:
    """Return the share of the weight of each vote."""
    total = sum(weight for _, weight, _ in votes)
    return {name: weight / total for name, weight, _ in votes} if total else {}
