"""The statistical design: effect, sample size, grid, looks, doses, assumptions."""

import itertools
import math
from collections.abc import Iterator

from scipy.stats import norm

from core.agents.clinical_trial_design.calculations.every import list_calculations
from core.agents.clinical_trial_design.case import DesignCase, count
from core.agents.clinical_trial_design.effect import why_own_unused
from core.agents.clinical_trial_design.endpoints import make_estimand, make_multiplicity
from core.agents.clinical_trial_design.planning import PER_YEAR, find_planning
from core.agents.clinical_trial_design.records import (
    Basis,
    Computed,
    DoseFindingPlan,
    Effect,
    Framework,
    Interim,
    Look,
    PlannedBy,
    SampleSize,
    Statistics,
    TwoStagePlan,
)
from core.agents.clinical_trial_design.size_inputs import explain_size, list_grid_points
from core.agents.clinical_trial_design.tables import benchmark
from core.briefs.precedents import number_range
from core.evidence.proof.claims import unmark
from core.stats.trial_design.dose_finding import boin_bounds
from core.stats.trial_design.sizing import RATIOS, month_of, rates_of, two_stage, whole

DLT_TARGET = 0.3
LEAST_FOLLOWED, LEAST_GAP, LONGEST_GAP = 3, 6, 18
"""Months from the end of enrollment to the first look, and between two looks."""


def make_statistics(case: DesignCase) -> Statistics:
    """Return the statistical design."""
    plan, is_first = case.plan, case.question.study == "first in human"
    participants = number_range((trial.n for trial in case.alike), "participants of all arms")
    interim = _interim(case)
    flows = (trial.row for trial in case.near if trial.row.record_id in case.flows)
    return Statistics(
        framework=_framework(case),
        endpoint_type=case.endpoint_type or None,
        alpha=plan.alpha * 2,
        sides=2,
        power=plan.power,
        effect=_effect(case),
        control=_control(case),
        variance=_variance(case),
        dropout=case.range(case.dropout, flows),
        duration=case.range(case.durations, case.alike),
        sample_size=_sample_size(case),
        precedent_total=case.range(participants, case.alike),
        grid=[] if is_first or not case.endpoint else list_grid_points(plan),
        interim=interim,
        simon=_simon(case),
        dose_finding=_dose_finding(case),
        multiplicity=make_multiplicity(case),
        estimand=make_estimand(case),
        calculations=list_calculations(case),
        assumptions=list(_list_assumptions(case, interim)),
    )


def _framework(case: DesignCase) -> Framework:
    """Return what the trial has to show."""
    if not case.compares_arms:
        return "single_arm" if case.question.study != "first in human" else "dose_finding"
    row, plan = case.expected, case.plan
    if row is not None and row.comparison != "superiority":
        return row.comparison
    return "non_inferiority" if "margin" in plan.planned.given and plan.margin else "superiority"


def _effect(case: DesignCase) -> Effect:
    planned = case.plan.planned
    formula = {
        "request": "own data of the request",
        "planning": "planning value of the setting",
        "evidence": "median of the reported effects of the drug against its control, expressed "
        "as a gain (ratio below 1), harmful results included",
    }.get(planned.basis, "")
    if planned.value is None or not formula:
        formula = "no effect size found; see the grid"
    if planned.without_gain:
        formula = f"the median of {count(planned.without_gain, 'reported effect')} shows no benefit"
    if planned.too_small:
        formula = (
            f"the median of {count(planned.too_small, 'reported effect')} would need more than "
            "ten times the participants of the largest comparable trial"
        )
    return Effect(
        value=planned.value,
        unit=(planned.unit if planned.kind not in RATIOS else "") or planned.kind or "none",
        formula=formula,
        inputs={
            "results": planned.results,
            "excluded, direction not reported": planned.untold,
            "endpoint": case.endpoint,
        },
        basis=planned.basis,
        low=planned.low,
        high=planned.high,
        n=planned.results or len(planned.seen_in),
        seen_in=list(planned.seen_in),
        source_ids=case.ids(planned.ids, 8),
    )


def _control(case: DesignCase) -> Computed:
    planned, table = case.plan.planned, case.plan.planned.table
    units = {"time to event": "months (median)", "proportion": "share"}
    low, high = planned.control_spread or (None, None)
    formula = "median of the reported control arms"
    basis: Basis = "assumption" if planned.control is None else "evidence"
    if "control" in planned.given:
        formula, basis = "given in the request", "request"
    elif table is not None and not planned.control_ids:
        formula, basis = f"planning value: {table.words}", "planning"
    return Computed(
        value=planned.control,
        unit=units.get(case.endpoint_type, planned.unit or "unit of the endpoint"),
        formula=formula,
        inputs={
            "results": planned.n_control,
            "low quartile": low,
            "high quartile": high,
            "events a year": table.control if table and table.control_unit == PER_YEAR else None,
        },
        basis=basis,
        source_ids=case.ids(planned.control_ids),
    )


def _variance(case: DesignCase) -> Computed:
    planned, variance = case.plan.planned, case.plan.planned.variance
    formula = "median of ((high - low) / (2 x 1.96))^2 x n of the reported intervals"
    basis = planned.basis
    if "deviation" in planned.given:
        formula = "4 x the standard deviation squared, as given in the request"
        basis = "request"
    elif planned.table is not None:
        formula, basis = f"planning value: {planned.table.words}", "planning"
    elif planned.basis == "request":
        formula = "own data of the request"
    is_mean = variance is not None and case.endpoint_type == "mean change"
    return Computed(
        value=None if variance is None else round(variance, 4),
        unit="variance of the effect times participants",
        formula="not found" if variance is None else formula,
        inputs={
            "endpoint": case.endpoint,
            "standard deviation": round(math.sqrt(variance or 0.0) / 2, 4) if is_mean else None,
        },
        basis=basis,
        source_ids=case.ids(planned.ids) if variance is not None else [],
    )


def _sample_size(case: DesignCase) -> SampleSize:
    total, events, plan, row = case.total, case.size.events, case.plan, case.expected
    formula, inputs = explain_size(plan, has_size=case.size.n is not None)
    bare = total  # loss is no part of N where events are counted
    if total is not None and events is None:
        bare = whole((case.size.n or 0.0) * (1 - plan.dropout), plan.groups)
    doses = case.question.doses
    arms = [f"experimental, {dose}" for dose in doses] if len(doses) > 1 else ["experimental"]
    arms = arms if plan.is_single_arm else [*arms, "control"]
    return SampleSize(
        total=bare,
        per_arm=dict.fromkeys(arms, total // plan.groups) if total else {},
        formula=formula,
        inputs=inputs,
        events=None if events is None else math.ceil(events),
        dropout=round(plan.dropout, 3),
        inflated_total=total,
        planned_total=case.planned_total,
        like_precedents=None if case.typical is None else round(case.typical),
        planned_by=_planned_by(case),
        class_range=[row.n_low, row.n_high] if row else [],
        source_ids=case.ids(plan.planned.ids),
    )


def _planned_by(case: DesignCase) -> PlannedBy:
    """Return what sets the participants to enroll."""
    if case.total is None:
        return "not calculated" if case.cohort is None else "first studies of the class"
    if not case.is_exposure_bound:
        return "power"
    return "pivotal trials of the class" if case.floor else "exposure as in precedents"


def _interim(case: DesignCase) -> Interim | None:
    plan, bounds = case.plan, case.plan.bounds
    if bounds is None or not case.is_randomized:
        return None
    events, total = case.size.events, case.size.n
    looks = [
        Look(
            information=share,
            events=None if events is None else math.ceil(events * share),
            z=round(z, 4),
            p=round(float(norm.sf(z)), 5),
            futility_z=round(low, 4) if share < 1 else None,
            month=month_of(plan, share, total, events) if events and total else None,
            ratio=round(math.exp(-2 * z / math.sqrt(events * share)), 3) if events else None,
        )
        for share, z, low in zip(bounds.information, bounds.success, bounds.futility, strict=True)
    ]
    return Interim(
        spending="Lan-DeMets, O'Brien-Fleming type",
        futility="non-binding, beta spent by the same function; going on does not raise the level",
        inflation=round(bounds.inflation, 4),
        looks=looks,
    )


def _simon(case: DesignCase) -> TwoStagePlan | None:
    data = case.question.efficacy
    if data is None or data.is_ratio or data.reading.type != "proportion":
        return None
    null = data.control
    if null is None or not case.question.is_oncology or not 0 < null < data.value < 1:
        return None
    design = two_stage(null, data.value)
    if design is None:
        return None
    return TwoStagePlan(
        r1=design.r1,
        n1=design.n1,
        r=design.r,
        n=design.n,
        en0=round(design.expected, 1),
        pet0=round(design.stopping, 3),
    )


def _dose_finding(case: DesignCase) -> DoseFindingPlan | None:
    question = case.question
    is_early = question.study in {"first in human", "phase 2"}
    takes_optimization = question.compares_doses
    optimization = (
        "randomized, parallel comparison of at least two doses before the pivotal study"
        if takes_optimization
        else "not required by the oncology guidance: choose doses by exposure and response"
    )
    if not (is_early or takes_optimization):
        return None
    if not question.is_oncology:
        return DoseFindingPlan(
            method="single and multiple ascending doses, then a dose-ranging study",
            target=None,
            escalate="no dose-limiting event in the cohort",
            deescalate="predefined stopping events",
            optimization=optimization,
        )
    up, down = boin_bounds(DLT_TARGET)
    return DoseFindingPlan(
        method="BOIN",
        target=DLT_TARGET,
        escalate=f"observed rate of dose-limiting toxicity at or below {up:.3f}",
        deescalate=f"observed rate of dose-limiting toxicity at or above {down:.3f}",
        optimization=optimization,
    )


def _list_assumptions(case: DesignCase, interim: Interim | None) -> Iterator[str]:
    """Yield what the numbers assume, with the numbers."""
    plan, planned, row = case.plan, case.plan.planned, case.expected
    each = f", each of {plan.doses} doses at {plan.level:.5f} (Dunnett)" if plan.doses > 1 else ""
    split = "one arm" if plan.is_single_arm else f"allocation {':'.join('1' * plan.groups)}"
    yield f"One-sided level {plan.alpha:g}{each}, power {plan.power:.0%}, {split}."
    n_trials = case.dropout.n if plan.dropout == case.dropout.median else 0
    table = find_planning(row, case.question.drug_text)
    whose = "planning value" if table and table.dropout is not None else "our assumption"
    if n_trials:
        whose = f"the median of {count(n_trials, 'precedent')}"
    is_timed = plan.type == "time to event"
    yield f"Loss {plan.dropout:.1%} {'a year' if is_timed else 'in all'}, {whose}."
    if is_timed:
        yield (
            f"Uniform accrual over {plan.months:g} months, follow-up {plan.follow_up:g} months, "
            "exponential survival, proportional hazards."
        )
        yield from _time_looks(interim, plan.months)
    if planned.basis == "evidence" and planned.value is not None:
        yield (
            "The effect of other drugs is taken as that of this one: the median of "
            f"{count(planned.results, 'result')}; posted results favor trials that won."
        )
    if planned.table is not None:
        yield f"Planning values of the setting: {planned.table.words}."
    if row is not None and case.total and case.total > 1.5 * row.n_high:
        yield (
            f"Pivotal trials of the class enrolled {row.n_low:,} to {row.n_high:,}: the effect "
            "planned for is smaller than theirs."
        )
    if planned.untold:
        yield (
            f"{count(planned.untold, 'result')} excluded: the record does not say which arm did "
            "better."
        )
    yield from _of_own_data(case)
    rates = rates_of(plan, planned.value) if planned.value is not None else None
    if rates:
        yield f"Rates planned for: {rates[0]:.3g} in the control arm, {rates[1]:.3g} with the drug."
    yield from _beyond_power(case)
    if case.size.n is None and case.question.study != "first in human":
        yield f"Sample size not calculated: {explain_missing_size(case)}."


ODD_DEVIATION = 4
"""Times by which a given standard deviation may differ from the usual one."""


def _of_own_data(case: DesignCase) -> Iterator[str]:
    """Yield what the request's own data are used for, or why they are not."""
    planned, data = case.plan.planned, case.question.efficacy
    given, table = case.question.given.deviation, case.planning
    if given and table is not None and table.variance and "deviation" in planned.given:
        usual = math.sqrt(table.variance / 4)
        if not 1 / ODD_DEVIATION <= given / usual <= ODD_DEVIATION:
            yield (
                f"Check the standard deviation: {given:g} is given, about {usual:.2g} is usual for "
                "this endpoint."
            )
    if planned.basis == "request":
        yield "The effect is that of the request's own data, not shrunk: small studies overstate."
        if planned.control_ids and planned.control:
            yield (
                f"The request gives no control value: {planned.control:g} is the median of "
                f"{count(planned.n_control, 'control arm')}."
            )
    elif data is not None:
        yield (
            f"The request's own data ({unmark(data.measure)}, {data.value:g}) are not used, since "
            f"{why_own_unused(case.endpoint, case.question)}."
        )


def _time_looks(interim: Interim | None, end: float) -> Iterator[str]:
    """Yield looks that come before all are followed up, or too close to or far from another."""
    months = [look.month for look in interim.looks if look.month] if interim else []
    if months and months[0] < end + LEAST_FOLLOWED:
        yield (
            f"The first look (month {months[0]:g}) comes less than {LEAST_FOLLOWED} months after "
            f"enrollment ends (month {end:g}): patients who entered last are hardly followed up."
        )
    for month, following in itertools.pairwise(months):
        gap = following - month
        if gap < LEAST_GAP:
            yield f"Looks at months {month:g} and {following:g} are only {gap:.1f} months apart."
        if gap > LONGEST_GAP:
            yield (
                f"Looks at months {month:g} and {following:g} are {gap:.1f} months apart: consider "
                "another look between them."
            )


def _beyond_power(case: DesignCase) -> Iterator[str]:
    """Yield what exposure and recruitment ask for beside the power."""
    plan, question, exposed = case.plan, case.question, case.planned_total
    if case.is_exposure_bound and case.floor:
        yield (
            f"{case.total:,} participants power the endpoint; pivotal trials of the class enroll "
            f"{case.floor:,} or more, as exposure and subgroups ask for."
        )
    elif case.is_exposure_bound:
        yield (
            f"{case.total} participants power the endpoint; like precedents enrolled "
            f"{case.typical:g} (most lie within a factor of two of it), as exposure and "
            "subgroups ask for."
        )
    is_pivotal = question.may_carry_approval
    is_mild = question.traits.chronic and not question.traits.serious
    is_mild = is_mild and not question.is_given_once
    is_mild = is_mild and "biosimilar" not in question.intents
    needed, with_drug = benchmark("exposed_chronic"), (exposed or 0) * (plan.groups - 1)
    with_drug //= plan.groups
    if exposed and case.is_randomized and is_pivotal and is_mild and with_drug < needed:
        yield (
            f"{with_drug:,} participants get the drug here; for a chronic disease that does "
            f"not threaten life ICH E1 asks for {needed:,.0f} exposed over all studies: the "
            "others have to add the rest."
        )
    fill = case.fill_months
    if plan.type == "time to event" and fill and case.size.n and fill > plan.months:
        yield (
            f"The schedule counts {fill} months of recruitment, by sites, rates and supply; N and "
            f"the months of looks assume {plan.months:g}."
        )


def explain_missing_size(case: DesignCase) -> str:
    """Return why there is no sample size: which input is missing, and what to type for it."""
    planned, kind, question = case.plan.planned, case.endpoint_type, case.question
    if planned.without_gain:
        return f"the reported effects show no benefit; {_WHAT_TO_TYPE['value']}"
    if planned.too_small:
        return (
            "the reported effects would need over ten times the largest comparable trial; "
            f"{_WHAT_TO_TYPE['value']}"
        )
    names = ["effect size"] if planned.value is None else []
    asks = ["value"] if planned.value is None else []
    if kind in {"time to event", "proportion"} and planned.control is None:
        names.append("control-arm median" if kind == "time to event" else "control-arm rate")
        asks.append("control_value")
    if kind not in {"time to event", "proportion"} and planned.variance is None:
        is_mean = kind == "mean change"
        names.append("standard deviation" if is_mean else "control-arm value")
        asks.append("standard_deviation" if is_mean else "control_value")
    if not names:
        return "the inputs show no difference that a trial can be sized for"
    has_no_line = question.is_oncology and not question.setting.lines
    line = "name the line of therapy, or " if has_no_line else ""
    what = "; ".join(_WHAT_TO_TYPE[name] for name in asks)
    return f"no {' and no '.join(names)} found for the endpoint; {line}{what}"


_WHAT_TO_TYPE = {
    "value": "enter measure and value in preliminary_efficacy_data, such as “hazard ratio for "
    "overall survival”, 0.75",
    "control_value": "enter control_value in preliminary_efficacy_data: months for a hazard ratio, "
    "a share from 0 to 1 for a rate, events a year for a rate ratio",
    "standard_deviation": "enter standard_deviation in preliminary_efficacy_data",
}
