"""The statistical design: effect, sample size, grid, looks, doses, assumptions."""

import itertools
import math
from collections.abc import Iterator

from core.agents.clinical_trial_design.calculations.every import list_calculations
from core.agents.clinical_trial_design.drafting import Draft, count, explain_missing_size
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


def make_statistics(draft: Draft) -> Statistics:
    """Return the statistical design."""
    made, plan = draft.made, draft.made.plan
    framework = _framework(draft)
    return Statistics(
        framework=framework,
        endpoint_type=made.endpoint_type or None,
        alpha=plan.alpha * 2,
        sides=2,
        power=plan.power,
        effect=_effect(draft),
        control=_control(draft),
        variance=_variance(draft),
        dropout=draft.range(
            made.dropout,
            [
                precedent.row
                for precedent in draft.near
                if precedent.row.record_id in draft.found.flows
            ],
        ),
        duration=draft.range(made.durations, made.alike),
        sample_size=_sample_size(draft),
        precedent_total=_typical(draft),
        grid=_grid(draft),
        interim=_interim(draft),
        simon=_simon(draft),
        dose_finding=_dose_finding(draft),
        multiplicity=make_multiplicity(draft),
        estimand=make_estimand(draft),
        calculations=list_calculations(draft),
        assumptions=list(list_assumptions(draft)),
    )


def _framework(draft: Draft) -> Framework:
    """Return what the trial has to show."""
    if draft.asked.study == "first in human":
        return "dose_finding"
    if not draft.made.is_randomized:
        return "single_arm"
    row, margin = draft.expected, draft.made.plan.margin
    if row is not None and row.comparison != "superiority":
        return row.comparison
    return (
        "non_inferiority" if "margin" in draft.made.plan.planned.given and margin else "superiority"
    )


def _effect(draft: Draft) -> Effect:
    planned = draft.made.plan.planned
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
            "endpoint": draft.made.endpoint,
        },
        basis=planned.basis,
        low=planned.low,
        high=planned.high,
        n=planned.results or len(planned.seen_in),
        seen_in=list(planned.seen_in),
        source_ids=draft.ids(planned.ids, 8),
    )


def _control(draft: Draft) -> Computed:
    planned, kind = draft.made.plan.planned, draft.made.endpoint_type
    units = {"time to event": "months (median)", "proportion": "share"}
    spread = planned.control_spread or (None, None)
    is_own, table = planned.is_control_given, planned.table
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
        source_ids=draft.ids(planned.control_ids),
    )


def _variance(draft: Draft) -> Computed:
    planned = draft.made.plan.planned
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
            "endpoint": draft.made.endpoint,
            "standard deviation": deviation if draft.made.endpoint_type == "mean change" else None,
        },
        basis="request" if is_given else "planning" if planned.table else planned.basis,
        source_ids=draft.ids(planned.ids) if has_variance else [],
    )


def _sample_size(draft: Draft) -> SampleSize:
    made, total = draft.made, draft.made.total
    events, groups = made.size.events, made.plan.groups
    formula, inputs = explain_size(made.plan, has_size=made.size.n is not None)
    bare = None
    if total is not None:
        needed = (made.size.n or 0.0) * (1 - made.plan.dropout)
        bare = whole(needed, groups) if events is None else total
    return SampleSize(
        total=bare,
        per_arm=per_arm(draft, total),
        formula=formula,
        inputs=inputs,
        events=None if events is None else int(-(-events // 1)),
        dropout=round(made.plan.dropout, 3),
        inflated_total=total,
        planned_total=made.planned_total,
        like_precedents=None if made.typical is None else round(made.typical),
        planned_by=_planned_by(draft),
        class_range=_class_range(draft),
        source_ids=draft.ids(made.plan.planned.ids),
    )


def _planned_by(draft: Draft) -> PlannedBy:
    """Return what sets the participants to enroll."""
    made = draft.made
    if made.total is None:
        return "not calculated" if made.cohort is None else "first studies of the class"
    if not made.is_exposure_bound:
        return "power"
    return "pivotal trials of the class" if made.floor else "exposure as in precedents"


def _class_range(draft: Draft) -> list[int]:
    """Return least and most participants of trials of the class; empty where no row tells."""
    row = draft.expected
    return [row.n_low, row.n_high] if row else []


def per_arm(draft: Draft, total: int | None) -> dict[str, int]:
    """Return the participants of each arm; nothing where they are withheld."""
    if not total:
        return {}
    plan, doses = draft.made.plan, draft.asked.doses
    names = [f"experimental, {dose}" for dose in doses] if len(doses) > 1 else ["experimental"]
    names = names if plan.is_single_arm else [*names, "control"]
    return dict.fromkeys(names, total // plan.groups)


def _typical(draft: Draft) -> NumberRange:
    from core.briefs.precedents import number_range

    made = draft.made
    participants = number_range((trial.n for trial in made.alike), "participants of all arms")
    return draft.range(participants, made.alike)


def _grid(draft: Draft) -> list[GridPoint]:
    if draft.asked.study == "first in human" or not draft.made.endpoint:
        return []
    return list_grid_points(draft.made.plan)


def _interim(draft: Draft) -> Interim | None:
    from scipy.stats import norm

    made, bounds = draft.made, draft.made.plan.bounds
    if bounds is None or not made.is_randomized:
        return None
    events, total = made.size.events, made.size.n
    looks = [
        Look(
            information=share,
            events=None if events is None else int(-(-(events * share) // 1)),
            z=round(z, 4),
            p=round(float(norm.sf(z)), 5),
            futility_z=round(low, 4) if share < 1 else None,
            month=month_of(made.plan, share, total, events) if events and total else None,
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


def _simon(draft: Draft) -> TwoStagePlan | None:
    data, question = draft.asked.efficacy, draft.asked
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


def _dose_finding(draft: Draft) -> DoseFindingPlan | None:
    question = draft.asked
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


def list_assumptions(draft: Draft) -> Iterator[str]:
    """Yield what the numbers assume, with the numbers."""
    made, plan = draft.made, draft.made.plan
    each = f", each of {plan.doses} doses at {plan.level:.5f} (Dunnett)" if plan.doses > 1 else ""
    split = "one arm" if plan.is_single_arm else f"allocation {':'.join('1' * plan.groups)}"
    yield f"One-sided level {plan.alpha:g}{each}, power {plan.power:.0%}, {split}."
    n_trials = made.dropout.n if plan.dropout == made.dropout.median else 0
    yield (
        f"Loss {plan.dropout:.1%} {'a year' if plan.type == 'time to event' else 'in all'}, "
        + (
            f"the median of {count(n_trials, 'precedent')}."
            if n_trials
            else f"{_whose_loss(draft)}."
        )
    )
    if plan.type == "time to event":
        yield (
            f"Uniform accrual over {plan.months:g} months, follow-up {plan.follow_up:g} months, "
            "exponential survival, proportional hazards."
        )
        yield from _time_looks(draft)
    if plan.planned.basis == "evidence" and plan.planned.value is not None:
        yield (
            "The effect of other drugs is taken as that of this one: the median of "
            f"{count(plan.planned.results, 'result')}; posted results favor trials that won."
        )
    if plan.planned.table is not None:
        yield f"Planning values of the setting: {plan.planned.table.words}."
    if draft.expected is not None and made.total and made.total > 1.5 * draft.expected.n_high:
        yield (
            f"Pivotal trials of the class enrolled {draft.expected.n_low:,} to "
            f"{draft.expected.n_high:,}: the effect planned for is smaller than theirs."
        )
    if plan.planned.untold:
        yield (
            f"{count(plan.planned.untold, 'result')} excluded: the record does not say which "
            "arm did better."
        )
    if plan.planned.basis == "request":
        yield "The effect is that of the request's own data, not shrunk: small studies overstate."
    data = draft.asked.efficacy
    if data is not None and plan.planned.basis != "request":
        yield (
            f"The request's own data ({unmark(data.measure)}, {data.value:g}) are not used, since "
            f"{why_own_unused(made.endpoint, draft.asked)}."
        )
    if plan.planned.basis == "request" and plan.planned.control_ids and plan.planned.control:
        yield (
            f"The request gives no control value: {plan.planned.control:g} is the median of "
            f"{count(plan.planned.n_control, 'control arm')}."
        )
    rates = rates_of(plan, plan.planned.value) if plan.planned.value is not None else None
    if rates:
        yield f"Rates planned for: {rates[0]:.3g} in the control arm, {rates[1]:.3g} with the drug."
    yield from _beyond_power(draft)
    if made.size.n is None and draft.asked.study != "first in human":
        yield f"Sample size not calculated: {explain_missing_size(draft)}."


def _time_looks(draft: Draft) -> Iterator[str]:
    """Yield looks that come before all are followed up, or too close to or far from another."""
    interim, end = _interim(draft), draft.made.plan.months
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


def _whose_loss(draft: Draft) -> str:
    """Return where the loss comes from where no precedent tells it."""
    table = find_planning(draft.expected, draft.asked.drug_text)
    return "planning value" if table and table.dropout is not None else "our assumption"


def _beyond_power(draft: Draft) -> Iterator[str]:
    """Yield what exposure and recruitment ask for beside the power."""
    made, plan = draft.made, draft.made.plan
    if made.is_exposure_bound and made.floor:
        yield (
            f"{made.total:,} participants power the endpoint; pivotal trials of the class enroll "
            f"{made.floor:,} or more, as exposure and subgroups ask for (ICH E1)."
        )
    elif made.is_exposure_bound:
        yield (
            f"{made.total} participants power the endpoint; like precedents enrolled "
            f"{made.typical:g} (most lie within a factor of two of it), as exposure and "
            "subgroups ask for (ICH E1)."
        )
    exposed = made.planned_total
    needed = benchmark("exposed_chronic").median
    is_late = draft.asked.study in {"pivotal", "confirmatory"}
    is_mild = draft.asked.traits.chronic and not draft.asked.traits.serious
    if exposed and made.is_randomized and is_late and is_mild:
        with_drug = exposed * (plan.groups - 1) // plan.groups
        if with_drug < needed:
            yield (
                f"{with_drug:,} participants get the drug here; for a chronic disease that does "
                f"not threaten life ICH E1 asks for {needed:,.0f} exposed over all studies: the "
                "others have to add the rest."
            )
    fill = made.fill_months
    if plan.type == "time to event" and fill and made.size.n and fill > plan.months:
        yield (
            f"The schedule counts {fill} months of recruitment, by sites, rates and supply; N and "
            f"the months of looks assume {plan.months:g}."
        )
