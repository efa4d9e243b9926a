"""Times to an event: a late benefit, looks, further endpoints, and populations within others."""

import math
from collections.abc import Iterator
from dataclasses import replace

from scipy.stats import multivariate_normal, norm

from core.agents.clinical_trial_design.calculations.methods import Method, assumed, assumed_words
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.endpoints import make_multiplicity
from core.agents.clinical_trial_design.objects import Efficacy
from core.agents.clinical_trial_design.planning import Planned
from core.agents.clinical_trial_design.records import Calculation, Cell
from core.stats.trial_design.history import Z95
from core.stats.trial_design.sequential import conditional_power
from core.stats.trial_design.sizing import Plan, month_of, size_of
from core.stats.trial_design.survival import (
    average_hazard_ratio,
    expected_events,
    months_to_events,
    piecewise,
    weighted_power,
)
from core.vocabulary.endpoints import EndpointType

DELAYED = Method(
    "delayed effect",
    "hazard h0 = ln 2 / median before the delay in both arms, h0 x ratio after it in the "
    "experimental arm; pooled risk y = (y0 + y1), share p = y1 / y, weight w = S^rho (1 - S)^gamma "
    "with S the pooled survival; power = Phi(sqrt(N) x I[w p y0 (h0 - h1)] / "
    "sqrt(I[w^2 p (1 - p) (y0 h0 + y1 h1)]) - z(1 - level)), I over the months of the trial, risk "
    "by uniform entry, loss and survival; N for the power asked: N x ((z(1 - level) + z(power)) / "
    "(z(1 - level) + z(power at N)))^2",
)
LOOK = Method(
    "conditional power and re-estimation",
    "conditional power = Phi((z sqrt(t) + drift (1 - t) - b) / sqrt(1 - t)), drift = z / sqrt(t) "
    "by the trend; re-estimation: sqrt(t) z + sqrt(1 - t) z2 >= b with weights fixed beforehand "
    "(inverse normal), events of the second stage = events of the look x (((b - sqrt(t) z) / "
    "sqrt(1 - t) + z(power)) / z)^2, from the events left as planned up to the limit",
)
FURTHER = Method(
    "power of further endpoints",
    "events e by the month from N, accrual, loss and exponential survival of both arms; power = "
    "Phi(|ln ratio| sqrt(e / inflation by looks) / 2 - z(1 - level))",
)
NESTED = Method(
    "nested populations",
    "events of a subgroup = events of all x its share; power = Phi(|ln ratio| sqrt(events) / 2 - "
    "z(1 - level)); fixed order tests the subgroup at the full level and all randomized patients "
    "only once it is shown; a split gives each its part, and a part won passes to the other; both "
    "tests share patients, so that their z correlate by sqrt(share of the subgroup)",
)
ENRICHMENT = Method(
    "adaptive enrichment",
    "combination test (inverse normal): z = w1 z1 + w2 z2 with w1 = sqrt(n1 / (n1 + n2)) and w2 = "
    "sqrt(n2 / (n1 + n2)) fixed beforehand, n1 and n2 the patients planned in each stage; closed "
    "testing: the subgroup is shown once the test of the subgroup and that of the intersection are",
)
OVERPOWERED = 0.95
SPLIT = 0.5


def delay_effect(case: DesignCase) -> Calculation:
    """Return what a benefit that begins late, as under immunotherapy, does to the plan."""
    plan, planned, reason = case.plan, case.plan.planned, _immune_reason(case)
    if plan.type != EndpointType.TIME_TO_EVENT:
        return DELAYED.refuse("the endpoint is no time to an event")
    if not case.compares_arms:
        return DELAYED.refuse("no two arms are compared")
    if not reason:
        return DELAYED.refuse(
            "no immunotherapy in the setting: neither target nor partner is a checkpoint"
        )
    if planned.kind != "hazard ratio" or not planned.control or case.size.n is None:
        return DELAYED.refuse("no hazard ratio or median of the control arm was found")
    n = round(case.size.n / plan.inflation / plan.share_of_arms, 2)
    rho, gamma = assumed("late_weights")
    return DELAYED.apply(
        f"{reason}: curves may part late, and the formula of the headline assumes hazards in "
        "proportion",
        {
            "control median, months": planned.control,
            "hazard ratio after the delay": planned.value,
            "months of accrual": plan.months,
            "months of follow-up": plan.follow_up,
            "loss a year": plan.dropout,
            "one-sided level": round(plan.level, 6),
            "power asked": plan.power,
            "N, two arms without looks": n,
            "rho": rho,
            "gamma": gamma,
        },
        _delay_rows(plan, n, (rho, gamma)),
        case.ids((*planned.ids, *planned.control_ids)),
    )


def _immune_reason(case: DesignCase) -> str:
    """Return why a late benefit is to be reckoned with; "" where nothing says so."""
    question, checkpoints = case.question, set(assumed_words("delay_targets"))
    if not question.is_oncology:
        return ""
    hits = [symbol for symbol in question.target_symbols if symbol in checkpoints]
    if hits:
        return f"the drug acts on {hits[0]}"
    if "vaccine" in question.kinds:
        return "a cancer vaccine"
    partners = {partner.casefold() for partner in question.partners}
    for use in case.precedents.uses:
        hit = checkpoints & set(use.row.targets)
        names = [name for name in use.row.drugs if name.casefold() in partners]
        if hit and names:
            return f"the partner {names[0]} acts on {sorted(hit)[0]}"
    return ""


def _delay_rows(
    plan: Plan[Planned], n: float, weights: tuple[float, float]
) -> Iterator[dict[str, Cell]]:
    control, experimental = plan.hazards(plan.planned.value or 1.0) or (1.0, 1.0)
    for delay in assumed("delay_months"):
        rates, starts = ([control, experimental], [0, delay]) if delay else ([experimental], [0])
        hazards = (piecewise([control], [0]), piecewise(rates, starts))
        plain, weighted = (
            weighted_power(hazards, n, plan.accrual, plan.level, weights=weights_used)
            for weights_used in ((0.0, 0.0), weights)
        )
        yield {
            "months without effect": delay,
            "power, log-rank": round(plain, 3),
            "power, weighted": round(weighted, 3),
            "N, log-rank": _needed_n(plan, n, plain),
            "N, weighted": _needed_n(plan, n, weighted),
            **dict(_average_ratios(plan, n, (control, experimental), delay)),
        }


def _average_ratios(
    plan: Plan[Planned], n: float, hazards: tuple[float, float], delay: float
) -> Iterator[tuple[str, Cell]]:
    """Yield the average hazard ratio at the month in which the plan expects each look."""
    end = plan.months + plan.follow_up
    events = sum(expected_events(hazard, n / 2, plan.accrual, end) for hazard in hazards)
    for share in plan.looks:
        month = min(end, months_to_events(events * share, n, hazards, plan.accrual))
        ratio = average_hazard_ratio(hazards, delay, plan.accrual, month)
        yield f"average ratio at {share:.0%}", round(ratio, 3)


def _needed_n(plan: Plan[Planned], n: float, power: float) -> int | None:
    """Return the participants for the power asked; None where the effect points the other way."""
    level = float(norm.isf(plan.level))
    reached = level + float(norm.ppf(power))
    if reached <= 0:
        return None
    return 2 * math.ceil(n * ((level + float(norm.ppf(plan.power))) / reached) ** 2 / 2)


def look_again(case: DesignCase) -> Calculation:
    """Return what values of the first look mean, and what they may change."""
    plan = case.plan
    if plan.bounds is None or not case.is_randomized:
        return LOOK.refuse("no look before the end is planned")
    if case.size.events is None:
        return LOOK.refuse("no effect was found, so no events were calculated")
    share, bound = plan.looks[0], round(plan.bounds.success[-1], 4)
    events, drift = math.ceil(case.size.events), round(plan.bounds.drift, 4)
    return LOOK.apply(
        "a look is planned: the trial may stop, go on, or go on with more events",
        {
            "t, information of the first look": share,
            "b, z of success at the end": bound,
            "drift planned": drift,
            "events at the end as planned": events,
            "events at the first look": math.ceil(events * share),
            "power": plan.power,
            "limit, times the events planned": assumed("reestimation_cap")[0],
            "least conditional power for a raise": assumed("reestimation_floor")[0],
            "z of futility": round(plan.bounds.futility[0], 4),
            "z of success": round(plan.bounds.success[0], 4),
        },
        _look_rows(plan, events, bound, drift),
    )


def _look_rows(
    plan: Plan[Planned], events: int, bound: float, drift: float
) -> Iterator[dict[str, Cell]]:
    share = plan.looks[0]
    first = math.ceil(events * share)
    for z in assumed("reestimation_z"):
        trend = conditional_power(z, share, bound, z / math.sqrt(share))
        at_end = events
        if assumed("reestimation_floor")[0] <= trend < plan.power:
            wanted = (bound - math.sqrt(share) * z) / math.sqrt(1 - share) + norm.ppf(plan.power)
            second = math.ceil(first * (float(wanted) / z) ** 2)
            most = math.floor(assumed("reestimation_cap")[0] * events)
            at_end = min(max(events, first + second), most)
        yield {
            "z at the look": z,
            "hazard ratio seen": round(math.exp(-2 * z / math.sqrt(first)), 3),
            "conditional power, trend": round(trend, 3),
            "conditional power, plan": round(conditional_power(z, share, bound, drift), 3),
            "events at the end": at_end,
        }


def weigh_endpoints(case: DesignCase) -> Calculation:
    """Return bounds and power of a further time to an event at the N planned for the first."""
    plan, total = case.plan, case.total
    if plan.type != EndpointType.TIME_TO_EVENT or not total or not case.is_randomized:
        return FURTHER.refuse("no time to an event is sized between two arms")
    timed = [
        result
        for result in case.question.given.others
        if result.ratio == "hazard ratio" and result.control and result.value < 1
    ]
    if not timed:
        return FURTHER.refuse(
            "other_measures in preliminary_efficacy_data give no hazard ratio and median"
        )
    levels = {step.hypothesis: step.alpha for step in make_multiplicity(case).alpha_map}
    return FURTHER.apply(
        "its hazard ratio and control median are given. Progression-free survival is tested "
        "once, at the first look; overall survival at every look by the spending of the headline",
        {"N": total, "power asked": plan.power},
        (
            _power_row(case, result, levels.get(result.reading.name) or plan.alpha)
            for result in timed
        ),
    )


def _power_row(case: DesignCase, result: Efficacy, level: float) -> dict[str, Cell]:
    """Return the tests of a further endpoint, with its power and what to do about it."""
    total = case.total or 0
    planned = Planned(kind="hazard ratio", value=result.value, control=result.control)
    plan = replace(case.plan, planned=planned, fixed_level=level, doses=1)
    hazards = plan.hazards(result.value) or (1.0, 1.0)
    pair = total / case.plan.share_of_arms
    is_early = result.reading.name == "progression-free survival"
    bounds = None if is_early else plan.bounds
    first = month_of(case.plan, plan.looks[0], case.size.n or total, case.size.events or 0)
    month = (first if is_early else None) or plan.months + plan.follow_up
    events = sum(expected_events(hazard, pair / 2, plan.accrual, month) for hazard in hazards)
    drift = -math.log(result.value) * math.sqrt(events / (bounds.inflation if bounds else 1)) / 2
    power = float(norm.cdf(drift - norm.isf(level)))
    success = bounds.success if bounds else (float(norm.isf(level)),)
    note = "" if power >= plan.power else f"underpowered: below {plan.power:.0%} at this N"
    if power > OVERPOWERED:
        needed = float(norm.sf(drift - norm.ppf(plan.power)))
        note = (
            f"overpowered: a level of {needed:.2g} gives {plan.power:.0%}; move the rest to "
            f"{case.endpoint}"
        )
    return {
        "endpoint": result.reading.name,
        "hazard ratio": result.value,
        "one-sided level": round(level, 6),
        "month": round(month, 1),
        "events": math.floor(events),
        "z at its tests": ", ".join(f"{z:.4f}" for z in success),
        "power": round(power, 3),
        "note": note,
    }


def nest_populations(case: DesignCase) -> Calculation:
    """Return the power in a marker-positive subgroup and in all, by fixed order and by split."""
    plan, question = case.plan, case.question
    marker = ""
    if question.is_oncology:
        hits = {*question.target_symbols} & {*assumed_words("delay_targets")}
        own_marker = next(iter(question.setting.biomarkers), "")
        marker = "PD-L1 expression" if hits else own_marker
    if not marker:
        return NESTED.refuse("no marker of the class divides the patients")
    if plan.type != EndpointType.TIME_TO_EVENT or not case.is_randomized:
        return NESTED.refuse("no time to an event is compared between two arms")
    if question.study == "first in human" or case.size.events is None:
        return NESTED.refuse("no effect was found, so no events were calculated")
    events = case.size.events / plan.inflation
    return NESTED.apply(
        f"{marker} divides the patients, and labels of the class name it: a claim in the "
        "subgroup, or in all, needs its own level. The strategy is the one with the most "
        "claims expected; subgroup first risks losing a result in all behind a failed "
        "subgroup. Few events in a subgroup make its ratio unstable: see its 95% limits",
        {
            "marker": marker,
            "hazard ratio in all": plan.planned.value,
            "events in all": math.ceil(events),
            "one-sided level": round(plan.level, 6),
        },
        (
            _nested_row(plan, events, share, stronger)
            for share in assumed("subgroup_shares")
            for stronger in assumed("subgroup_ratios")
        ),
    )


def _nested_row(
    plan: Plan[Planned], events: float, share: float, stronger: float
) -> dict[str, Cell]:
    """Return the chances of a subgroup with a share of the events and a stronger ratio."""
    ratio = plan.planned.value or 1.0
    inner = ratio * stronger
    shown = _strategies(_drift(inner, events * share), _drift(ratio, events), share, plan.level)
    spread = 2 * Z95 / math.sqrt(events * share)
    limits = (inner * math.exp(sign * spread) for sign in (-1, 1))
    needed = size_of(replace(plan, margin=None), inner, plan.power).events
    return {
        "share of the subgroup": share,
        "hazard ratio in it": round(inner, 3),
        "95% limits": " to ".join(f"{limit:.2f}" for limit in limits),
        "correlation": round(math.sqrt(share), 3),
        **{
            f"{name}: subgroup, all": f"{subgroup:.3f}, {everyone:.3f}"
            for name, (subgroup, everyone) in shown.items()
        },
        "strategy": max(shown, key=lambda name: sum(shown[name])),
        "events for the power asked in it": None if needed is None else math.ceil(needed),
    }


def _drift(ratio: float, events: float) -> float:
    return abs(math.log(ratio)) * math.sqrt(events) / 2


def _strategies(
    subgroup: float, everyone: float, share: float, level: float
) -> dict[str, tuple[float, float]]:
    """Return by strategy the chance that the subgroup is shown, and that all are."""
    correlation = math.sqrt(share)
    z, half = float(norm.isf(level)), float(norm.isf(level * SPLIT))

    def both(least: float, other: float) -> float:
        below = [subgroup - least, everyone - other]
        return float(multivariate_normal.cdf(below, cov=[[1, correlation], [correlation, 1]]))

    joint, halves = both(z, z), both(half, half)
    alone = [float(norm.cdf(drift - half)) for drift in (subgroup, everyone)]
    return {
        "subgroup first": (float(norm.cdf(subgroup - z)), joint),
        "all first": (joint, float(norm.cdf(everyone - z))),
        "split": (alone[0] + both(z, half) - halves, alone[1] + both(half, z) - halves),
    }


def enrich_patients(case: DesignCase) -> Calculation:
    """Return how stages are combined where a look may restrict enrollment to a subgroup."""
    if not case.question.may_restrict:
        return ENRICHMENT.refuse("no look is to restrict enrollment to a subgroup")
    return ENRICHMENT.apply(
        "a look that may restrict enrollment is a population change: the patients of both "
        "stages differ, and the choice uses unblinded data. Standard group sequential methods, and "
        "with them the bounds, events and N of the headline, do not apply; a pooled log-rank test "
        "does not keep the level. Plan a combination test by simulation, for instance with the R "
        "package rpact (FDA, Adaptive Designs for Clinical Trials, November 2019; ICH E20 draft)",
        {"one-sided level": round(case.plan.level, 6)},
        (
            {
                "share of patients in stage 1": share,
                "w1": round(math.sqrt(share), 3),
                "w2": round(math.sqrt(1 - share), 3),
            }
            for share in assumed("stage_shares")
        ),
    )
