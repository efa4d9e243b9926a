"""The statistical design: effect, sample size, grid, looks, doses, assumptions."""

import itertools
import math
from collections.abc import Iterator

from core.agents.clinical_trial_design.calculations.every import list_calculations
from core.agents.clinical_trial_design.case import DesignCase, count
from core.agents.clinical_trial_design.effect import why_own_unused
from core.agents.clinical_trial_design.endpoints import make_estimand, make_multiplicity
from core.agents.clinical_trial_design.planning import PER_YEAR, find_planning
from core.agents.clinical_trial_design.records import (
    Computed,
    DoseFindingPlan,
    Effect,
    Framework,
    GridPoint,
    Interim,
    Look,
    NumberRange,
    PlannedBy,
    SampleSize,
    Statistics,
    TwoStagePlan,
)
from core.agents.clinical_trial_design.size_inputs import explain_size, list_grid_points
from core.agents.clinical_trial_design.tables import benchmark
from core.evidence.proof.claims import unmark
from core.stats.trial_design.dose_finding import boin_bounds
from core.stats.trial_design.sizing import RATIOS, month_of, rates_of, two_stage, whole

DLT_TARGET = 0.3
LEAST_FOLLOWED, LEAST_GAP, LONGEST_GAP = 3, 6, 18
"""Months from the end of enrollment to the first look, and between two looks."""
NO_DOSES = frozenset({"cell therapy", "gene therapy", "radioligand", "vaccine"})


def make_statistics(case: DesignCase) -> Statistics:
    """Return the statistical design."""
    plan = case.plan
    framework = _framework(case)
    return Statistics(
        framework=framework,
        endpoint_type=case.endpoint_type or None,
        alpha=plan.alpha * 2,
        sides=2,
        power=plan.power,
        effect=_effect(case),
        control=_control(case),
        variance=_variance(case),
        dropout=case.range(
            case.dropout,
            [precedent.row for precedent in case.near if precedent.row.record_id in case.flows],
        ),
        duration=case.range(case.durations, case.alike),
        sample_size=_sample_size(case),
        precedent_total=_typical(case),
        grid=_grid(case),
        interim=_interim(case),
        simon=_simon(case),
        dose_finding=_dose_finding(case),
        multiplicity=make_multiplicity(case),
        estimand=make_estimand(case),
        calculations=list_calculations(case),
        assumptions=list(list_assumptions(case)),
    )


def _framework(case: DesignCase) -> Framework:
    """Return what the trial has to show."""
    if case.question.study == "first in human":
        return "dose_finding"
    if not case.is_randomized:
        return "single_arm"
    row, margin = case.expected, case.plan.margin
    if row is not None and row.comparison != "superiority":
        return row.comparison
    return "non_inferiority" if "margin" in case.plan.planned.given and margin else "superiority"


def _effect(case: DesignCase) -> Effect:
    planned = case.plan.planned
    has_effect = planned.value is not None
    unit = planned.kind if planned.kind in RATIOS or not planned.unit else planned.unit
    formula = {
        "request": "own data of the request",
        "planning": "planning value of the setting",
        "evidence": "median of the reported effects of the drug against its control, expressed "
        "as a gain (ratio below 1), harmful results included",
    }.get(planned.basis, "no effect size found; see the grid")
    nothing = "no effect size found; see the grid"
    if planned.without_gain:
        nothing = f"the median of {count(planned.without_gain, 'reported effect')} shows no benefit"
    if planned.too_small:
        nothing = (
            f"the median of {count(planned.too_small, 'reported effect')} would need more than "
            "ten times the participants of the largest comparable trial"
        )
    return Effect(
        value=planned.value,
        unit=unit or "none",
        formula=formula if has_effect else nothing,
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
    planned, kind = case.plan.planned, case.endpoint_type
    units = {"time to event": "months (median)", "proportion": "share"}
    spread = planned.control_spread or (None, None)
    is_own, table = "control" in planned.given, planned.table
    is_table = table is not None and not planned.control_ids and not is_own
    formula = "median of the reported control arms"
    if is_own:
        formula = "given in the request"
    elif is_table and table is not None:
        formula = f"planning value: {table.words}"
    return Computed(
        value=planned.control,
        unit=units.get(kind, planned.unit or "unit of the endpoint"),
        formula=formula,
        inputs={
            "results": planned.n_control,
            "low quartile": spread[0],
            "high quartile": spread[1],
            "events a year": table.control if table and table.control_unit == PER_YEAR else None,
        },
        basis="request"
        if is_own
        else "planning"
        if is_table
        else "evidence"
        if planned.control is not None
        else "assumption",
        source_ids=case.ids(planned.control_ids),
    )


def _variance(case: DesignCase) -> Computed:
    planned = case.plan.planned
    has_variance = planned.variance is not None
    is_given = "deviation" in planned.given
    deviation = None if planned.variance is None else round(math.sqrt(planned.variance) / 2, 4)
    return Computed(
        value=round(planned.variance, 4) if planned.variance is not None else None,
        unit="variance of the effect times participants",
        formula="not found"
        if not has_variance
        else "4 x the standard deviation squared, as given in the request"
        if is_given
        else f"planning value: {planned.table.words}"
        if planned.table is not None
        else "own data of the request"
        if planned.basis == "request"
        else "median of ((high - low) / (2 x 1.96))^2 x n of the reported intervals",
        inputs={
            "endpoint": case.endpoint,
            "standard deviation": deviation if case.endpoint_type == "mean change" else None,
        },
        basis="request" if is_given else "planning" if planned.table else planned.basis,
        source_ids=case.ids(planned.ids) if has_variance else [],
    )


def _sample_size(case: DesignCase) -> SampleSize:
    total = case.total
    events, groups = case.size.events, case.plan.groups
    formula, inputs = explain_size(case.plan, has_size=case.size.n is not None)
    bare = None
    if total is not None:
        needed = (case.size.n or 0.0) * (1 - case.plan.dropout)
        bare = whole(needed, groups) if events is None else total
    return SampleSize(
        total=bare,
        per_arm=per_arm(case, total),
        formula=formula,
        inputs=inputs,
        events=None if events is None else int(-(-events // 1)),
        dropout=round(case.plan.dropout, 3),
        inflated_total=total,
        planned_total=case.planned_total,
        like_precedents=None if case.typical is None else round(case.typical),
        planned_by=_planned_by(case),
        class_range=_class_range(case),
        source_ids=case.ids(case.plan.planned.ids),
    )


def _planned_by(case: DesignCase) -> PlannedBy:
    """Return what sets the participants to enroll."""
    if case.total is None:
        return "not calculated" if case.cohort is None else "first studies of the class"
    if not case.is_exposure_bound:
        return "power"
    return "pivotal trials of the class" if case.floor else "exposure as in precedents"


def _class_range(case: DesignCase) -> list[int]:
    """Return least and most participants of trials of the class; empty where no row tells."""
    row = case.expected
    return [row.n_low, row.n_high] if row else []


def per_arm(case: DesignCase, total: int | None) -> dict[str, int]:
    """Return the participants of each arm; nothing where they are withheld."""
    if not total:
        return {}
    plan, doses = case.plan, case.question.doses
    names = [f"experimental, {dose}" for dose in doses] if len(doses) > 1 else ["experimental"]
    names = names if plan.is_single_arm else [*names, "control"]
    return dict.fromkeys(names, total // plan.groups)


def _typical(case: DesignCase) -> NumberRange:
    from core.briefs.precedents import number_range

    participants = number_range((trial.n for trial in case.alike), "participants of all arms")
    return case.range(participants, case.alike)


def _grid(case: DesignCase) -> list[GridPoint]:
    if case.question.study == "first in human" or not case.endpoint:
        return []
    return list_grid_points(case.plan)


def _interim(case: DesignCase) -> Interim | None:
    from scipy.stats import norm

    bounds = case.plan.bounds
    if bounds is None or not case.is_randomized:
        return None
    events, total = case.size.events, case.size.n
    looks = [
        Look(
            information=share,
            events=None if events is None else int(-(-(events * share) // 1)),
            z=round(z, 4),
            p=round(float(norm.sf(z)), 5),
            futility_z=round(low, 4) if share < 1 else None,
            month=month_of(case.plan, share, total, events) if events and total else None,
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
    data, question = case.question.efficacy, case.question
    if data is None or data.is_ratio or data.reading.type != "proportion":
        return None
    null = data.control
    if null is None or not question.is_oncology or not 0 < null < data.value < 1:
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
    takes_optimization = question.is_oncology and not question.kinds & NO_DOSES
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


def list_assumptions(case: DesignCase) -> Iterator[str]:
    """Yield what the numbers assume, with the numbers."""
    plan = case.plan
    each = f", each of {plan.doses} doses at {plan.level:.5f} (Dunnett)" if plan.doses > 1 else ""
    split = "one arm" if plan.is_single_arm else f"allocation {':'.join('1' * plan.groups)}"
    yield f"One-sided level {plan.alpha:g}{each}, power {plan.power:.0%}, {split}."
    n_trials = case.dropout.n if plan.dropout == case.dropout.median else 0
    yield (
        f"Loss {plan.dropout:.1%} {'a year' if plan.type == 'time to event' else 'in all'}, "
        + (
            f"the median of {count(n_trials, 'precedent')}."
            if n_trials
            else f"{_whose_loss(case)}."
        )
    )
    if plan.type == "time to event":
        yield (
            f"Uniform accrual over {plan.months:g} months, follow-up {plan.follow_up:g} months, "
            "exponential survival, proportional hazards."
        )
        yield from _time_looks(case)
    if plan.planned.basis == "evidence" and plan.planned.value is not None:
        yield (
            "The effect of other drugs is taken as that of this one: the median of "
            f"{count(plan.planned.results, 'result')}; posted results favor trials that won."
        )
    if plan.planned.table is not None:
        yield f"Planning values of the setting: {plan.planned.table.words}."
    if case.expected is not None and case.total and case.total > 1.5 * case.expected.n_high:
        yield (
            f"Pivotal trials of the class enrolled {case.expected.n_low:,} to "
            f"{case.expected.n_high:,}: the effect planned for is smaller than theirs."
        )
    if plan.planned.untold:
        yield (
            f"{count(plan.planned.untold, 'result')} excluded: the record does not say which "
            "arm did better."
        )
    if plan.planned.basis == "request":
        yield "The effect is that of the request's own data, not shrunk: small studies overstate."
    data = case.question.efficacy
    if data is not None and plan.planned.basis != "request":
        yield (
            f"The request's own data ({unmark(data.measure)}, {data.value:g}) are not used, since "
            f"{why_own_unused(case.endpoint, case.question)}."
        )
    if plan.planned.basis == "request" and plan.planned.control_ids and plan.planned.control:
        yield (
            f"The request gives no control value: {plan.planned.control:g} is the median of "
            f"{count(plan.planned.n_control, 'control arm')}."
        )
    rates = rates_of(plan, plan.planned.value) if plan.planned.value is not None else None
    if rates:
        yield f"Rates planned for: {rates[0]:.3g} in the control arm, {rates[1]:.3g} with the drug."
    yield from _beyond_power(case)
    if case.size.n is None and case.question.study != "first in human":
        yield f"Sample size not calculated: {explain_missing_size(case)}."


def _time_looks(case: DesignCase) -> Iterator[str]:
    """Yield looks that come before all are followed up, or too close to or far from another."""
    interim, end = _interim(case), case.plan.months
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


def _whose_loss(case: DesignCase) -> str:
    """Return where the loss comes from where no precedent tells it."""
    table = find_planning(case.expected, case.question.drug_text)
    return "planning value" if table and table.dropout is not None else "our assumption"


def _beyond_power(case: DesignCase) -> Iterator[str]:
    """Yield what exposure and recruitment ask for beside the power."""
    plan = case.plan
    if case.is_exposure_bound and case.floor:
        yield (
            f"{case.total:,} participants power the endpoint; pivotal trials of the class enroll "
            f"{case.floor:,} or more, as exposure and subgroups ask for (ICH E1)."
        )
    elif case.is_exposure_bound:
        yield (
            f"{case.total} participants power the endpoint; like precedents enrolled "
            f"{case.typical:g} (most lie within a factor of two of it), as exposure and "
            "subgroups ask for (ICH E1)."
        )
    exposed = case.planned_total
    needed = benchmark("exposed_chronic")
    is_late = case.question.study in {"pivotal", "confirmatory"}
    is_mild = case.question.traits.chronic and not case.question.traits.serious
    if exposed and case.is_randomized and is_late and is_mild:
        with_drug = exposed * (plan.groups - 1) // plan.groups
        if with_drug < needed:
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
    planned, kind = case.plan.planned, case.endpoint_type
    if planned.without_gain:
        return f"the reported effects show no benefit; {_WHAT_TO_TYPE['value']}"
    if planned.too_small:
        return (
            "the reported effects would need over ten times the largest comparable trial; "
            f"{_WHAT_TO_TYPE['value']}"
        )
    missing = [*(["value"] if planned.value is None else [])]
    if kind in {"time to event", "proportion"} and planned.control is None:
        missing.append("control_value")
    if kind not in {"time to event", "proportion"} and planned.variance is None:
        missing.append("standard_deviation" if kind == "mean change" else "control_value")
    names = [_NAMES.get((name, kind), _NAMES[name, ""]) for name in dict.fromkeys(missing)]
    asks = "; ".join(_WHAT_TO_TYPE[name] for name in dict.fromkeys(missing))
    if not names:
        return "the inputs show no difference that a trial can be sized for"
    question = case.question
    has_no_line = question.is_oncology and not question.setting.lines
    line = "name the line of therapy, or " if has_no_line else ""
    return f"no {' and no '.join(names)} found for the endpoint; {line}{asks}"


_NAMES = {
    ("value", ""): "effect size",
    ("control_value", ""): "control-arm value",
    ("control_value", "time to event"): "control-arm median",
    ("control_value", "proportion"): "control-arm rate",
    ("standard_deviation", ""): "standard deviation",
}
_WHAT_TO_TYPE = {
    "value": "enter measure and value in preliminary_efficacy_data, such as “hazard ratio for "
    "overall survival”, 0.75",
    "control_value": "enter control_value in preliminary_efficacy_data: months for a hazard ratio, "
    "a share from 0 to 1 for a rate, events a year for a rate ratio",
    "standard_deviation": "enter standard_deviation in preliminary_efficacy_data",
}
