"""What is decided before anything is written: endpoint, control, design, plan, sites, months."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.agents.clinical_trial_design.asked import Asked
from core.agents.clinical_trial_design.effect import Planned, find_effect, own_data
from core.agents.clinical_trial_design.gathering import Holding
from core.agents.clinical_trial_design.records import ComparatorType
from core.agents.clinical_trial_design.tables import benchmark, endpoint_role
from core.agents.clinical_trial_design.votes import (
    LEAST,
    control_votes,
    endpoint_votes,
    typical_total,
)
from core.briefs.precedents import number_range
from core.evidence.readers.endpoints import read_endpoint
from core.records.precedents import LabelUse, Range, SettingTrial
from core.stats.trial_design.conduct import enrollment_months
from core.stats.trial_design.sizing import RATIOS, Plan, Size, size_with_looks, whole
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.endpoints import EndpointType
from core.vocabulary.lines import asked_by

RAMP = 6.0
MOST_TIMES = 10
"""Of the largest like precedent: more participants are no plan."""
"""Months over which sites open."""
LONG_MONTHS = 12
_LEFT = ("lost", "withdr")
_DOSE_FINDING = "dose finding"
_KINDS = frozenset(str(one) for one in EndpointType)


@dataclass(frozen=True)
class Decisions:
    """What is decided.

    Attributes:
        endpoint: Class of the primary endpoint; as named where the preferred one is unknown.
        endpoint_type: In what it is told; "" where unknown.
        votes: Endpoint classes of precedents with weight and number.
        comparator: Kind of control.
        comparator_votes: Kinds of control of precedents with weight and number.
        comparator_rule: Why that control.
        care: Uses of labels that are standard care of the line.
        plan: What participants are computed from.
        size: Participants, loss included, looks included; None where no effect was found.
        typical: Participants that most like precedents come near.
        alike: These precedents.
        n: Participants planned with: computed, else typical.
        sites: Sites of precedents.
        lower_rates: Patients a site and month, a lower bound, of precedents.
        dropout: Loss among precedents.
        durations: Months to primary completion of like precedents.
        fill_months: Months of recruitment; None without participants.
        months: Months to the readout; None where they cannot be told.
        timepoint: When the endpoint is read; "" where precedents do not say.
    """

    endpoint: str
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
    fill_months: int | None
    months: float | None
    timepoint: str

    @property
    def planned_total(self) -> int | None:
        """Return the participants to enroll: for power, and for exposure as precedents do.

        None where no effect was found: N is withheld then.
        """
        total = self.total
        if total is None or not self.is_exposure_bound:
            return total
        return whole(self.typical, self.plan.groups)

    @property
    def total(self) -> int | None:
        """Return the participants that the power needs, arms of the same size."""
        return whole(self.size.n, self.plan.groups)

    @property
    def is_exposure_bound(self) -> bool:
        """Return whether like precedents enrolled twice what the power needs, or more."""
        total = self.total
        return bool(total and self.typical and self.typical >= 2 * total)

    @property
    def is_randomized(self) -> bool:
        """Return whether there is a control arm."""
        return self.comparator != "single_arm"


def decide(asked: Asked, found: Holding) -> Decisions:
    """Return what is decided."""
    trials = found.precedents.trials or found.near
    votes = endpoint_votes(trials, asked)
    endpoint = _endpoint(asked, votes)
    kind = _type_of(endpoint, found, asked)
    control, control_votes_, rule = choose_control(asked, found)
    typical, alike = typical_total(trials, endpoint)
    sites, rates, durations = _conduct(alike)
    dropout = dropout_of(found, asked)
    planned = find_effect(endpoint, kind, asked, found)
    plan, size = within_reach(
        replace(
            _plan(asked, kind, planned, dropout),
            is_lower_better=_is_lower(endpoint, found, planned),
            is_single_arm=control == "single_arm",
        ),
        alike,
    )
    n = _to_enroll(size, typical, plan)
    months = _fill_months(n, sites, rates)
    return Decisions(
        endpoint,
        kind,
        tuple(votes),
        control,
        tuple(control_votes_),
        rule,
        care_of(asked, found),
        plan,
        size,
        typical,
        tuple(alike),
        n,
        sites,
        rates,
        dropout,
        durations,
        months,
        _readout(plan, months, durations, endpoint, is_sized=size.n is not None),
        _timepoint(endpoint, trials),
    )


def _conduct(alike: Sequence[SettingTrial]) -> tuple[Range, Range, Range]:
    """Return sites, patients a site and month, and months of like precedents."""
    return (
        number_range((trial.sites for trial in alike), "sites"),
        number_range((_rate(trial) for trial in alike), "patients a site and month"),
        number_range((trial.months for trial in alike), "months to primary completion"),
    )


def _endpoint(asked: Asked, votes: Sequence[tuple[str, float, int]]) -> str:
    if asked.study == "first in human":
        return _DOSE_FINDING if asked.preferred is None else asked.preferred.name
    if asked.preferred is not None:
        return asked.preferred.name
    return votes[0][0] if votes else ""


def _type_of(endpoint: str, found: Holding, asked: Asked) -> str:
    """Return the type of an endpoint: of own data, else as most precedents word it, else its class.

    A score is a mean change as a class, but own data may count those who reach a level of it.
    """
    data = own_data(asked, endpoint)
    if data is not None and data.reading.type in _KINDS:
        return data.reading.type
    told = [
        end.type
        for one in found.near
        for end in one.row.endpoints
        if end.name == endpoint and end.type in _KINDS
    ]
    usual = asked.preferred.type if asked.preferred else read_endpoint(endpoint).type
    if usual == EndpointType.TIME_TO_EVENT or not told:
        return str(usual)
    return max(sorted(set(told)), key=told.count)


def _is_lower(endpoint: str, found: Holding, planned: Planned) -> bool:
    """Return whether a lower value is the good one: by own data, else as most precedents say."""
    if planned.basis == "request" and planned.value is not None:
        return planned.value < (1 if planned.kind in RATIOS else 0)
    told = [e.better for one in found.near for e in one.row.endpoints if e.name == endpoint]
    return told.count("lower") > len(told) / 2


def choose_control(
    asked: Asked, found: Holding
) -> tuple[ComparatorType, list[tuple[ComparatorType, float, int]], str]:
    """Return the kind of control, how precedents chose, and the rule that decided.

    Args:
        asked: Study, area, partners.
        found: Precedents and labels.
    """
    votes = control_votes(found.precedents.trials)
    care, partners = care_of(asked, found), bool(asked.partners)
    if asked.study == "first in human":
        kind: ComparatorType = "single_arm" if asked.is_oncology else "placebo"
        return kind, votes, "first in human: escalation without a comparator, or with placebo"
    if asked.is_oncology and asked.setting.lines and care and not partners:
        return "active", votes, "standard care of the line is approved: active control"
    if not votes:
        kind, rule = _by_rule(asked, has_care=bool(care))
        return kind, votes, rule
    kind, _, number = votes[0]
    told = sum(vote[2] for vote in votes)
    kind = "add_on_placebo" if kind == "placebo" and partners else kind
    return kind, votes, f"{number} of {told} precedents that tell their control chose it"


def _by_rule(asked: Asked, *, has_care: bool) -> tuple[ComparatorType, str]:
    """Return the kind of control where no precedent tells its own."""
    if asked.is_oncology and has_care:
        return "active", "standard care is approved: active control"
    if asked.is_oncology and asked.is_later_line:
        return "single_arm", "no approved care of the line was found in a serious disease"
    if asked.traits.chronic:
        kind: ComparatorType = "add_on_placebo" if asked.partners else "placebo"
        return kind, "chronic disease with background care: placebo, added on"
    return "active", "serious disease: active control, as no precedent reports its control"


def care_of(asked: Asked, found: Holding) -> tuple[LabelUse, ...]:
    """Return the approved uses of the line asked for, the commonest first.

    Drugs that near precedents compare with stand first, then uses for patients of any biomarker.
    Where no line is asked for, every line counts.
    """
    lines = set(asked.setting.lines)
    rows = [one.row for one in found.precedents.uses if one.match.parts.get("indication", 0) > 0]
    same = [row for row in rows if asked_by(row.use.line) in lines] if lines else rows
    words = Counter(
        word
        for one in found.near
        for word in {name.casefold().split()[0] for name in one.row.comparators if name.split()}
    )

    def use(row: LabelUse) -> int:
        return max((words[name.casefold().split()[0]] for name in row.drugs), default=0)

    return tuple(sorted(same, key=lambda row: (-use(row), _is_narrower(row, asked)))[:8])


def _is_narrower(row: LabelUse, asked: Asked) -> bool:
    """Return whether a use is for patients of a biomarker that was not asked for."""
    named = {biomarker.name for biomarker in find_biomarkers(f"{row.use.biomarker} {row.use.text}")}
    told = bool(named or row.use.biomarker)
    return told and not named & set(asked.setting.biomarkers)


def _rate(trial: SettingTrial) -> float | None:
    if not (trial.n and trial.sites and trial.months):
        return None
    return round(trial.n / trial.sites / trial.months, 3)


def dropout_of(found: Holding, asked: Asked) -> Range:
    """Return the share lost to follow-up or withdrawn among precedents that tell it."""
    shares = []
    for flows in found.flows.values():
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


def _plan(asked: Asked, kind: str, planned: Planned, dropout: Range) -> Plan[Planned]:
    is_pivotal = asked.study in {"pivotal", "confirmatory"}
    is_timed = kind == EndpointType.TIME_TO_EVENT
    follow = max(12.0, round(planned.control or 12.0)) if is_timed else 12.0
    looks = (0.5, 0.75, 1.0) if is_timed and is_pivotal else (1.0,)
    told = dropout.n >= LEAST and dropout.median
    share = float(told) if told else 0.1
    return Plan(
        kind,
        planned,
        alpha=0.025 if is_pivotal else 0.1,
        power=0.9 if is_pivotal else 0.8,
        months=benchmark("recruitment_months").median,
        follow_up=min(follow, 36.0),
        dropout=min(share, 0.5),
        looks=looks,
        doses=max(1, len(asked.doses)),
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


def _to_enroll(size: Size, typical: float | None, plan: Plan[Planned]) -> int | None:
    """Return participants to enroll: for power, for exposure as precedents, else as precedents."""
    if size.n is None:
        return round(typical) if typical else None
    is_larger = typical is not None and typical >= 2 * size.n
    return whole(typical if is_larger else size.n, plan.groups)


def _fill_months(n: int | None, sites: Range, rates: Range) -> int | None:
    if n is None:
        return None
    number = round(sites.median or benchmark("sites").median)
    rate = max(benchmark("rate_per_site_month").median, rates.median or 0.0)
    return enrollment_months(n, max(1, number), rate, RAMP)


def _readout(
    plan: Plan[Planned], fill: int | None, durations: Range, endpoint: str, *, is_sized: bool
) -> float | None:
    """Return the months to the readout: recruitment and follow-up, at least as precedents took.

    A study that is not sized enrolls as precedents did, and so takes no longer than they took.
    """
    row = endpoint_role(endpoint)
    if fill is None:
        return durations.median
    if not is_sized and durations.high is not None:
        return min(durations.high, fill + plan.follow_up)
    if plan.type == EndpointType.TIME_TO_EVENT:
        return max(fill + plan.follow_up, durations.low or 0.0)
    return fill + (float(row.months) if row and row.months else LONG_MONTHS / 2)


def _timepoint(endpoint: str, trials: Sequence[object]) -> str:
    """Return the time point that most precedents of the endpoint write."""
    told = [
        end.time_point.strip()
        for trial in trials[:200]
        for end in trial.row.endpoints  # type: ignore[attr-defined]
        if end.name == endpoint and end.time_point.strip()
    ]
    short = [one for one in told if len(one) <= 60]  # noqa: PLR2004 - what a cell bears
    return max(sorted(set(short)), key=short.count, default="")


def shares(votes: Sequence[tuple[str, float, int]]) -> Mapping[str, float]:
    """Return the share of the weight of each vote."""
    total = sum(weight for _, weight, _ in votes)
    return {name: weight / total for name, weight, _ in votes} if total else {}
