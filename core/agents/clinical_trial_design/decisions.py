"""What is decided before anything is written: endpoint, control, size, sites, months."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.agents.clinical_trial_design.case import DesignCase, Enrollment
from core.agents.clinical_trial_design.effect import find_effect, names_expected, own_data
from core.agents.clinical_trial_design.planning import Planned, find_planning
from core.agents.clinical_trial_design.question import OUTCOMES, Question
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
from core.records.precedents import EndpointReading, LabelUse, Range, SettingTrial
from core.stats.trial_design.conduct import enrollment_months
from core.stats.trial_design.sizing import RATIOS, Plan, Size, size_with_looks
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
    r"(?P<n>\d+(?:\.\d+)?)[- ]?(?P<unit>hours?|days?|weeks?|months?|years?)\b|"
    r"\b(?P<named>day|week|month|year)s? (?:\d+(?:\.\d+)? ?(?:to|and|or|-|–) ?)*"
    r"(?P<last>\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
_PER_MONTH = {"h": 730.5, "d": 30.44, "w": 4.348, "m": 1.0, "y": 1 / 12}
LONG_MONTHS = 12
MOST_READ = 200
"""Comparable trials whose time points are read."""
LONGEST_TIME = 60
"""Characters of a time point that a cell has room for."""
_LEFT = ("lost", "withdr")
_ACUTE = re.compile(
    r"\bacute\b(?! (?:intermittent|hepatic) porphyria)|emergenc|\bshock\b|\barrest\b|anaphyla|"
    r"status epilept|h(?:a)?emorrhage|poison|overdose|\bbites?\b|envenom|\bcrisis\b|trauma|"
    r"\bburns?\b|eclampsia|intoxicat|ketoacid",
    re.IGNORECASE,
)
"""Events that are treated when they occur, not for months."""
AFTER_SURGERY = 36.0
"""Months of follow-up from the last entry where disease was resected."""
_DOSE_FINDING = "dose finding"
_MATCHED = "pharmacokinetics"
"""Class of the endpoint of a study that matches exposure and tests no efficacy."""
_KINDS = frozenset(str(endpoint_type) for endpoint_type in EndpointType)


def decide(case: DesignCase) -> DesignCase:
    """Return the case with endpoint, control, size and schedule, decided in this order."""
    return _decide_schedule(_decide_size(_decide_control(_decide_endpoint(case))))


def _decide_endpoint(case: DesignCase) -> DesignCase:
    question, row = case.question, case.question.expected
    comparable = tuple(of_purpose(case.precedents.trials or case.near, question))
    votes = tuple(endpoint_votes(comparable, question))
    endpoint, rule = _choose_endpoint(replace(case, votes=votes))
    expected = row if row is not None and row.endpoint_class == endpoint else None
    wide = classify_endpoint(endpoint)
    names = {name for name, _, _ in votes}
    if expected and wide is not None and wide.within in names and endpoint not in names:
        endpoint = wide.within  # precedents count under the wider class: they tell no finer
    case = replace(
        case,
        comparable=comparable,
        votes=votes,
        endpoint=endpoint,
        endpoint_rule=rule,
        expected=expected,
    )
    kind = _type_of(case)
    planning = find_planning(expected, question.drug_text)
    return replace(
        case,
        endpoint_type=kind,
        planning=planning if expected and expected.type == kind else None,
        instrument=_instrument(case),
        timepoint=_read_at(case),
    )


def _choose_endpoint(case: DesignCase) -> tuple[str, str]:
    """Return the class of the primary endpoint and the rule that chose it."""
    question, row = case.question, case.question.expected
    if question.preferred is not None:
        return question.preferred.name, "preferred in the request"
    if question.study == "first in human":
        return (row.endpoint_class if row else _DOSE_FINDING), "first study in patients"
    if question.claimed and question.study != "phase 2" and _claim_leads(question):
        return question.claimed.name, "named by the intended label claim"
    if row is not None and row.endpoint_class:
        intent = f"{row.intent}; " if row.intent else ""
        rule = f"{intent}what agencies accept in {row.label or question.disease}"
        return row.endpoint_class, rule
    lead = next((name for name, *_ in case.votes if is_efficacy(name)), "")
    return lead, "most used by precedents, weighted by match" if lead else ""


def _claim_leads(question: Question) -> bool:
    """Return whether the claim decides: an outcome, or a claim where no expectation is known."""
    row, claimed = question.expected, question.claimed.name if question.claimed else ""
    if row is None:
        return is_efficacy(claimed)
    return claimed in OUTCOMES and claimed not in {row.endpoint_class, row.co_class}


def _type_of(case: DesignCase) -> str:
    """Return the type of the endpoint: of own data, the expectation, precedents, else its class.

    A score is a mean change as a class, but own data may count those who reach a level of it.
    """
    question, expected = case.question, case.expected
    data = own_data(question, case.endpoint)
    if data is not None and expected is not None and names_expected(data.measure, question):
        return expected.type
    if data is not None and data.reading.type in _KINDS:
        return data.reading.type
    named = read_endpoint(question.preferred_text).type if question.preferred_text else ""
    if named in _KINDS:
        return named
    if expected is not None:
        return expected.type
    types = [end.type for end in _ends(case.near, case.endpoint) if end.type in _KINDS]
    usual = question.preferred.type if question.preferred else read_endpoint(case.endpoint).type
    if usual == EndpointType.TIME_TO_EVENT or not types:
        return str(usual)
    return max(sorted(set(types)), key=types.count)


def _instrument(case: DesignCase) -> str:
    """Return the endpoint as a reader names it: with the instrument that is known for it."""
    if case.question.preferred is not None:
        return case.question.preferred_text or case.endpoint
    if case.expected is not None:
        return case.expected.endpoint
    row = classify_endpoint(case.endpoint)
    if row is None or (row.name not in _VAGUE and not row.general):
        return case.endpoint
    ends = _ends(case.comparable, case.endpoint)
    texts = (unmark(end.text) for end in ends if 0 < len(end.text) <= LONGEST_INSTRUMENT)
    return next(texts, case.endpoint)


def _ends(trials: Sequence[Ranked[SettingTrial]], endpoint: str) -> Iterator[EndpointReading]:
    """Yield what trials tell of an endpoint class."""
    return (end for trial in trials for end in trial.row.endpoints if end.name == endpoint)


def _read_at(case: DesignCase) -> str:
    """Return when the endpoint is read; of an expected time to an event, only as its row says."""
    row = case.expected
    if row is not None and (row.time_point or row.type == "time to event"):
        return row.time_point
    ends = _ends(case.comparable[:MOST_READ], case.endpoint)
    points = [point for end in ends if 0 < len(point := end.time_point.strip()) <= LONGEST_TIME]
    return max(sorted(set(points)), key=points.count, default="")


def _decide_control(case: DesignCase) -> DesignCase:
    case = replace(
        case, comparator_votes=tuple(control_votes(case.comparable)), care=_care_of(case)
    )
    kind, rule = _choose_control(case)
    return replace(case, comparator=kind, comparator_rule=rule)


def _choose_control(case: DesignCase) -> tuple[ComparatorType, str]:
    """Return the kind of control and the rule that decided."""
    question, row = case.question, case.question.expected
    kind: ComparatorType
    is_fitting = row is not None and (row.kinds or row.control == "single_arm")
    if question.is_conditioned and question.study != "first in human" and not is_fitting:
        return "active", "conditioning cannot be blinded: open label against standard care"
    if row is not None:
        kind = _with_partners(row.control, question)
        aim = f", for {row.comparison.replace('_', '-')}" if row.comparison != "superiority" else ""
        expects = f"expected in {row.label or question.disease}{aim}"
        return kind, f"{expects}{_compare_votes(kind, case)}"
    if question.study == "first in human":
        has_one_arm = question.is_oncology or bool(question.kinds & _ONE_ARM_KINDS)
        kind = "single_arm" if has_one_arm else "placebo"
        return kind, "first in human: escalation without a comparator, or with placebo"
    if question.is_oncology and question.setting.lines and case.care and not question.partners:
        return "active", "standard care of the line is approved: active control"
    return _control_by_votes(case) if case.comparator_votes else _control_by_rule(case)


def _control_by_votes(case: DesignCase) -> tuple[ComparatorType, str]:
    """Return the kind of control that most precedents tell."""
    votes = case.comparator_votes
    n_reported = sum(number for _, _, number in votes)
    rule = f"{votes[0][2]} of {n_reported} precedents that report their control chose it"
    return _with_partners(votes[0][0], case.question), rule


def _control_by_rule(case: DesignCase) -> tuple[ComparatorType, str]:
    """Return the kind of control where no precedent tells its own."""
    question = case.question
    if question.is_oncology and case.care:
        return "active", "standard care is approved: active control"
    if question.is_oncology and question.is_later_line:
        return "single_arm", "no approved care of the line was found in a serious disease"
    if question.is_given_once:
        return "single_arm", "given once, no controlled precedent: own course and natural history"
    if question.traits.chronic and not _ACUTE.search(question.setting_text):
        rule = "chronic disease with background care: placebo, added on"
        return _with_partners("placebo", question), rule
    return "active", "acute or serious disease: standard care, as no precedent reports a control"


def _with_partners(kind: ComparatorType, question: Question) -> ComparatorType:
    """Return placebo as an add-on where the drug is given with others."""
    return "add_on_placebo" if kind == "placebo" and question.partners else kind


def _compare_votes(kind: str, case: DesignCase) -> str:
    """Return how precedents chose next to the expectation, which they do not override."""
    total = sum(number for _, _, number in case.comparator_votes)
    same = sum(
        number
        for vote, _, number in case.comparator_votes
        if vote == kind or {vote, kind} == {"placebo", "add_on_placebo"}
    )
    return f"; {same} of {total} precedents that report a control chose it, too" if total else ""


def _care_of(case: DesignCase) -> tuple[LabelUse, ...]:
    """Return the approved uses of the line asked for, the commonest first.

    Drugs that near precedents compare with stand first, then uses for patients of any biomarker.
    Where no line is asked for, every line counts.
    """
    question, lines = case.question, set(case.question.setting.lines)
    market = market_of(question.agency)
    uses = [
        use.row
        for use in case.precedents.uses
        if use.match.parts.get("indication", 0) > 0
        and not find_withdrawn(use.row.drugs, [question.disease], market)
        and (not lines or asked_by(use.row.use.line) in lines)
    ]
    words = Counter(
        word
        for precedent in case.near
        for word in {
            name.casefold().split()[0] for name in precedent.row.comparators if name.split()
        }
    )

    def order(row: LabelUse) -> tuple[int, bool]:
        named = {marker.name for marker in find_biomarkers(f"{row.use.biomarker} {row.use.text}")}
        is_other = not named & set(question.setting.biomarkers)
        compared = max((words[name.casefold().split()[0]] for name in row.drugs), default=0)
        return -compared, bool(named or row.use.biomarker) and is_other

    return tuple(sorted(uses, key=order)[:8])


def _decide_size(case: DesignCase) -> DesignCase:
    question, row = case.question, case.expected
    typical, alike = typical_total(case.comparable, case.endpoint)
    floor = _floor(case)
    if floor and row:  # as precedents, within the range of pivotal trials of the class
        middle = math.sqrt(row.n_low * row.n_high)
        typical = min(max(typical or round(middle), row.n_low), row.n_high)
    is_untested = question.study == "first in human" or case.endpoint == _MATCHED
    case = replace(
        case,
        floor=floor,
        typical=typical,
        alike=tuple(alike),
        dropout=_dropout_of(case),
        cohort=round(math.sqrt(row.n_low * row.n_high)) if is_untested and row else None,
    )
    plan, size = within_reach(_plan(case, find_effect(case)), alike)
    return replace(case, plan=plan, size=size)


def _floor(case: DesignCase) -> int | None:
    """Return the least participants of pivotal trials of the class, where this may be one.

    A single arm in phase 2 may carry an approval. Other trials of phase 2 have no floor, 0.
    """
    row, study = case.expected, case.question.study
    if row is None or study == "first in human":
        return None
    if case.question.is_conditioned and not row.kinds:
        return 0  # cells made for each patient: the sizes of trials of drugs say nothing
    return row.n_low if study != "phase 2" or row.control == "single_arm" else 0


def _dropout_of(case: DesignCase) -> Range:
    """Return the share lost to follow-up or withdrawn among precedents that tell it."""
    shares = []
    for flows in case.flows.values():
        started = sum(flow.milestones.get("started", 0) for flow in flows)
        if not started or len({flow.period for flow in flows}) > 1:
            continue
        left = sum(
            n
            for flow in flows
            for reason, n in flow.reasons.items()
            if any(word in reason.casefold() for word in _LEFT)
        )
        shares.append(min(0.9, left / started))
    spread = number_range(shares, "share lost to follow-up or withdrawn")
    if len(shares) < 2:  # noqa: PLR2004 - one share has no quartiles
        return spread
    low, median, high = statistics.quantiles(shares, n=4, method="inclusive")
    return replace(spread, low=round(low, 3), median=round(median, 3), high=round(high, 3))


def _plan(case: DesignCase, planned: Planned) -> Plan[Planned]:
    """Return the plan; months and loss are those of the setting, whoever gives the effect."""
    question, table, kind = case.question, case.planning, case.endpoint_type
    is_pivotal = question.may_carry_approval
    is_strict = is_pivotal or planned.margin is not None
    is_timed = kind == EndpointType.TIME_TO_EVENT
    follow = max(12.0, round(planned.control or 12.0)) if is_timed else 12.0
    if is_timed and question.is_around_surgery:
        follow = AFTER_SURGERY
    rate = case.dropout.n >= LEAST and case.dropout.median
    share = float(rate) if rate else 0.1
    if table is not None and table.dropout is not None:
        share = table.dropout
    row = question.expected
    return Plan(
        kind,
        planned,
        alpha=PIVOTAL_LEVEL if is_strict else 0.1,
        power=0.9 if is_strict else 0.8,
        months=(table.months if table else None) or benchmark("recruitment_months"),
        follow_up=table.follow_up if table and table.follow_up else min(follow, 36.0),
        dropout=min(share, 0.5),
        looks=(0.5, 0.75, 1.0) if is_timed and is_pivotal else (1.0,),
        is_lower_better=case.expected.better == "lower"
        if case.expected
        else _is_lower(case, planned),
        doses=max(1, len(question.doses)),
        fixed_level=_split_level(case),
        is_single_arm=not case.is_randomized,
        margin=planned.margin,
        is_equivalence=bool(planned.margin and row and row.comparison == "equivalence"),
    )


def _is_lower(case: DesignCase, planned: Planned) -> bool:
    """Return whether a lower value is the good one: by own data, else as most precedents say."""
    if planned.basis == "request" and planned.value is not None:
        return planned.value < (1 if planned.kind in RATIOS else 0)
    directions = [end.better for end in _ends(case.near, case.endpoint)]
    return directions.count("lower") > len(directions) / 2


def _split_level(case: DesignCase) -> float | None:
    """Return the one-sided level of the first of two endpoints that share it; None else."""
    question, row = case.question, case.expected
    lead = question.preferred.name if question.preferred and question.preferred_second else ""
    if row is not None and row.co_rule == "split" and not question.preferred:
        lead = row.endpoint_class
    if not lead or question.doses or not question.may_carry_approval:
        return None
    return round(PIVOTAL_LEVEL * FIRST_ALPHA.get(lead, EQUAL_ALPHA), 6)


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


def _decide_schedule(case: DesignCase) -> DesignCase:
    rates = number_range(map(_rate, case.alike), "patients a site and month")
    months = number_range((trial.months for trial in case.alike), "months to primary completion")
    case = replace(case, lower_rates=rates, durations=months)
    case = replace(case, enrollment=_enroll(case))
    return replace(case, months=_readout(case))


def _rate(trial: SettingTrial) -> float | None:
    """Return patients a site and month of recruitment: months to the readout less follow-up."""
    if not (trial.n and trial.n_sites and trial.months):
        return None
    first = trial.endpoints[0] if trial.endpoints else None
    follow_up = (first and read_months(first.time_point)) or FOLLOW_UP
    filled = max(trial.months - follow_up, trial.months * LEAST_FILLING)
    return round(trial.n / trial.n_sites / filled, 3)


def read_months(text: str) -> float | None:
    """Return the months of a time point, the last that it names; None where it names none.

    >>> read_months("Baseline and Week 52"), read_months("18 months"), read_months("best response")
    (12.0, 18.0, None)
    >>> read_months("weeks 5 or 7 to 52"), read_months("2 hours after the dose")
    (12.0, 0.1)
    """
    months = [
        float(match["n"] or match["last"])
        / _PER_MONTH[(match["unit"] or match["named"])[:1].casefold()]
        for match in _TIME.finditer(text)
    ]
    return max(0.1, round(months[-1], 1)) if months else None


def _enroll(case: DesignCase) -> Enrollment | None:
    """Return sites and months for the participants: sites grow with them, supply caps them."""
    n, plan, row = case.n, case.plan, case.question.expected
    if n is None:
        return None
    usual = max(benchmark("rate_per_site_month"), case.lower_rates.median or 0.0)
    rate = (row.site_rate if row else None) or usual
    ramp = min(RAMP, round(plan.months / 3))
    months_needed = max(1.0, plan.months - ramp / 2)
    sites = min(MOST_SITES, max(1, math.ceil(n / (rate * months_needed))))
    months = enrollment_months(n, sites, rate, ramp)
    slots = case.question.supply.slots_per_month
    treated = n if plan.is_single_arm else n * plan.doses / plan.groups
    capped = math.ceil(treated / slots) if slots else 0
    if capped > months:
        return Enrollment(sites, rate, capped, ramp, f"{slots:g} manufacturing slots a month")
    return Enrollment(sites, rate, months, ramp)


def _readout(case: DesignCase) -> float | None:
    """Return the months to the readout: recruitment and follow-up.

    A study that is not sized enrolls as precedents did, and so takes no longer than they took.
    """
    enrollment, longest = case.enrollment, case.durations.high
    if enrollment is None:
        return case.durations.median
    follow_up = case.plan.follow_up
    if case.plan.type != EndpointType.TIME_TO_EVENT:
        read = read_months(case.expected.time_point) if case.expected else None
        role = endpoint_role(case.endpoint)
        follow_up = read or (float(role.months) if role and role.months else LONG_MONTHS / 2)
    months = enrollment.months + follow_up
    if case.size.n is None and not enrollment.limit and longest is not None:
        return min(longest, months)
    return months
