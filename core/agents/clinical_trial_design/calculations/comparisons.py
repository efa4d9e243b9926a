"""Shares, means and counts: one arm, margins, loss between visits, doses, levels in order."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.stats import norm

from core.agents.clinical_trial_design.calculations.methods import Method, assumed
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.endpoints import THEN, make_multiplicity
from core.agents.clinical_trial_design.records import AlphaStep, Calculation, Cell
from core.stats.trial_design.history import Pooled, margins_of, pool_effects
from core.stats.trial_design.means import inflate, repeated_factor, two_rates
from core.stats.trial_design.multiplicity import dunnett_bound, level_at_last
from core.stats.trial_design.proportions import non_inferior_proportions
from core.stats.trial_design.sizing import (
    ONE_ARM_LEVEL,
    ONE_ARM_POWER,
    Size,
    one_stage,
    size_of,
    whole,
)
from core.vocabulary.endpoints import EndpointType

VISITS = Method(
    "repeated measures with loss",
    "factor = last diagonal element of the inverse of sum over visits j of (share that leaves "
    "after j) x inverse of R_j, padded with 0; R_j: correlations r^|i - k| of the first j visits; "
    "N = N without loss x factor (Lu, Luo and Chen 2008)",
)
COUNTS = Method(
    "negative binomial rates",
    "N = 2 / (1 - loss) x ((z(1 - level) sqrt(2 / (t m) + 2 k) + z(power) sqrt((1 / r0 + 1 / r1) / "
    "t + 2 k)) / ln(r1 / r0))^2 with m = (r0 + r1) / 2 (Zhu and Lakkis 2014)",
)
SHARES = Method(
    "non-inferiority of proportions",
    "per arm ((z(1 - level) sqrt(v0) + z(power) sqrt(2 p (1 - p))) / margin)^2, v0 the variance at "
    "the most likely shares whose difference is the margin (Farrington and Manning 1990); "
    "N = 2 x per arm / (1 - loss)",
)
HISTORY = Method(
    "non-inferiority margin (M1, M2)",
    "pooled effect of the comparator over placebo (DerSimonian and Laird, logarithm for ratios); "
    "M1 = its 95% limit nearer to no effect (fixed margin) or its mean; M2 = (1 - share to keep) x "
    "M1; margin = exp(M2) for ratios, M2 for differences; non-inferior where the 95% interval of "
    "the new drug against the comparator excludes the margin",
)
ONE_ARM = Method(
    "exact single arm",
    "least n, r with P(X >= r; n, p0) <= level and P(X >= r; n, p1) >= power, X binomial; it holds "
    "for every larger n that keeps both",
)
DUNNETT = Method(
    "several doses (Dunnett)",
    "c solves P(max of k normal z, each pair correlated by 1/2, <= c) = 1 - level; each dose is "
    "tested at 1 - Phi(c); N = (k + 1) / 2 x N of two arms at that level",
)
GATES = Method(
    "gatekeeping",
    "graph of Bretz, Maurer, Brannath and Posch 2009: a rejected hypothesis passes its level on; "
    "the last column is the level at which a hypothesis stands once all others are rejected",
)
LEAST_MARGIN, MOST_MARGIN = 1.2, 1.5
"""Hazard ratios outside which a margin asks for a reason of its own."""
MOST_DOSES = 4
_LAST = 1e-9
"""Share that waits for those who come after all others: the graph's epsilon."""


def repeat_visits(case: DesignCase) -> Calculation:
    """Return what a mixed model over all visits needs against the last visit alone."""
    plan = case.plan
    if plan.type != EndpointType.MEAN_CHANGE:
        return VISITS.refuse("the endpoint is not a mean measured at several visits")
    if not case.compares_arms:
        return VISITS.refuse("no two arms are compared")
    n = None
    if case.size.n is not None:
        n = round(case.size.n / plan.inflation * (1 - plan.dropout), 2)
    visits = int(assumed("visits")[0])
    stay = retention(visits, plan.dropout)
    unsized = "; no sample size was calculated: the factor applies to any N of the grid"
    return VISITS.apply(
        "a mean change read at visits: a mixed model uses those who leave up to their last visit"
        + ("" if n is not None else unsized),
        {
            "visits, assumed": visits,
            "still there at each visit": ", ".join(f"{share:.4f}" for share in stay),
            "N without loss": n,
            "loss in all": round(plan.dropout, 4),
            "arms": plan.groups,
            "N by 1 / (1 - loss)": whole(
                None if n is None else n / (1 - plan.dropout), plan.groups
            ),
        },
        _visit_rows(stay, n, plan.groups),
        case.ids(plan.planned.ids),
    )


def retention(visits: int, loss: float) -> tuple[float, ...]:
    """Return the share still there at each visit, if the loss is even from the first to the last.

    >>> retention(4, 0.15)
    (1.0, 0.95, 0.9, 0.85)
    """
    return tuple(round(1 - loss * visit / (visits - 1), 4) for visit in range(visits))


def _visit_rows(stay: tuple[float, ...], n: float | None, arms: int) -> Iterator[dict[str, Cell]]:
    places = np.arange(len(stay))
    for correlation in assumed("visit_correlations"):
        matrix = np.asarray(correlation ** abs(places[:, None] - places), dtype=np.float64)
        factor = round(repeated_factor(matrix, stay), 4)
        yield {
            "correlation of neighboring visits": correlation,
            "factor": factor,
            "N": whole(None if n is None else n * factor, arms),
        }


def count_rates(case: DesignCase) -> Calculation:
    """Return what rates of events that may recur need, by the dispersion of their counts."""
    plan, planned, table = case.plan, case.plan.planned, case.plan.planned.table
    if plan.type != EndpointType.RATE:
        return COUNTS.refuse("the endpoint is no rate of repeated events")
    if not case.compares_arms:
        return COUNTS.refuse("no two arms are compared")
    control, drug = planned.control or 0.0, 0.0
    if planned.value is not None and control > 0:
        is_ratio = planned.kind == "rate ratio"
        drug = control * planned.value if is_ratio else control + planned.value
    if drug <= 0 or drug == control:
        return COUNTS.refuse(
            "called for by the endpoint, but no rate of the control arm was found; give value "
            "and control_value in preliminary_efficacy_data"
        )
    years = (table.years if table else None) or assumed("rate_years")[0]
    rates = (round(control, 4), round(drug, 4))
    level, loss = round(plan.level, 6), round(plan.dropout, 4)
    own_dispersion = () if table is None or table.dispersion is None else (table.dispersion,)
    return COUNTS.apply(
        "a rate of events that a patient may have again; counts vary more than Poisson's",
        {
            "r0, events a year in the control arm": rates[0],
            "r1, events a year with the drug": rates[1],
            "t, years, assumed": years,
            "one-sided level": level,
            "power": plan.power,
            "loss in all": loss,
        },
        (
            {
                "dispersion k, assumed": dispersion,
                "N": _two_arms(two_rates(rates, years, dispersion, level, plan.power), loss),
            }
            for dispersion in sorted({*assumed("rate_dispersion"), *own_dispersion})
        ),
        case.ids((*planned.ids, *planned.control_ids)),
    )


def _two_arms(per_arm: float, loss: float) -> int:
    """Return whole participants of two arms, loss included."""
    return 2 * math.ceil(inflate(per_arm, loss) - 1e-9)


def keep_margin(case: DesignCase) -> Calculation:
    """Return what non-inferiority to an active control needs, margin by margin."""
    plan, share = case.plan, case.plan.planned.control
    if case.comparator != "active" or case.question.study == "first in human":
        return SHARES.refuse("the control is not an active one")
    if case.question.traits.area != "Infectious" and plan.margin is None:
        return SHARES.refuse("superiority over the active control is planned")
    if plan.type != EndpointType.PROPORTION or share is None or not 0 < share < 1:
        return SHARES.refuse("no share of responders of a control arm was found")
    p, level, loss = round(share, 4), round(plan.level, 6), round(plan.dropout, 4)
    margins = sorted({*assumed("margins"), *(() if plan.margin is None else (plan.margin,))})
    return SHARES.apply(
        "active control; a margin has to be derived from the comparator's effect over none "
        "(ICH E10): give historical_trials to derive it",
        {
            "p, share in both arms": p,
            "one-sided level": level,
            "power": plan.power,
            "loss in all": loss,
        },
        (
            {
                "margin": margin,
                "N": _two_arms(non_inferior_proportions(p, p, margin, level, plan.power), loss),
            }
            for margin in margins
            if margin < p and p + margin < 1
        ),
        case.ids(plan.planned.control_ids),
    )


def derive_margin(case: DesignCase) -> Calculation:
    """Return the margins that past trials of the comparator allow, with what each asks for."""
    given = case.question.given
    if not given.history:
        return HISTORY.refuse("no historical_trials are given in preliminary_efficacy_data")
    pooled = pool_effects(given.history)
    effects = (pooled.effect, *pooled.limits)
    shown = [round(math.exp(effect) if given.is_ratio else effect, 4) for effect in effects]
    return HISTORY.apply(
        "past trials of the comparator against placebo are given (ICH E10; FDA guidance on "
        "non-inferiority trials, 2016). It assumes constancy: the comparator works in these "
        "patients as it did then. It assumes assay sensitivity: patients, dose and endpoint are "
        "those of the past trials. A drug approved this way is no comparator of a later "
        "non-inferiority trial without trials of its own against placebo (biocreep)",
        {
            "trials": pooled.n,
            "pooled effect": shown[0],
            "95% low": shown[1],
            "95% high": shown[2],
            "tau squared": round(pooled.between, 4),
            "share to keep": given.preserved,
            "one-sided level": round(case.plan.level, 6),
            "power": case.plan.power,
        },
        _margin_rows(case, pooled),
    )


def _margin_rows(case: DesignCase, pooled: Pooled) -> Iterator[dict[str, Cell]]:
    given, plan = case.question.given, case.plan
    sure, mean, lost = margins_of(pooled, given.preserved)
    for name, effect in (("95% limit (fixed margin)", sure), ("pooled mean", mean)):
        margin = math.exp(lost * effect) if given.is_ratio else lost * effect
        size = Size()
        if effect and plan.planned.value is not None:
            size = size_of(replace(plan, margin=margin), plan.planned.value, plan.power)
        superiority = None
        if size.events is not None and given.is_ratio and plan.planned.value:
            drift = -math.log(plan.planned.value) * math.sqrt(size.events) / 2
            superiority = round(float(norm.cdf(drift - norm.isf(plan.level))), 3)
        note = "" if effect else "the interval does not exclude no effect: no margin"
        if effect and given.is_ratio and not LEAST_MARGIN <= margin <= MOST_MARGIN:
            note = f"outside {LEAST_MARGIN:g} to {MOST_MARGIN:g}: give the reason"
        yield {
            "M1 by": name,
            "M1": round(effect, 4),
            "M2": round(lost * effect, 4),
            "margin": round(margin, 4) if effect else None,
            "events": None if size.events is None else math.ceil(size.events),
            "N": whole(size.n, plan.groups),
            "power to show superiority": superiority,
            "note": note,
        }


def try_one_arm(case: DesignCase) -> Calculation:
    """Return the exact design of one arm where own data and a control's share are given."""
    data, question = case.question.efficacy, case.question
    is_called = question.is_oncology and (question.is_later_line or not case.is_randomized)
    if not is_called or question.study == "first in human":
        return ONE_ARM.refuse("a single arm is considered in later lines of cancer alone")
    if data is None or data.is_ratio or data.reading.type != "proportion":
        return ONE_ARM.refuse("the request gives no response rate of its own")
    if data.control is None or not 0 < data.control < data.value < 1:
        return ONE_ARM.refuse("no control_value below the own response rate is given")
    null, target_rate = round(data.control, 3), round(data.value, 3)
    arm = one_stage(null, target_rate)
    if arm is None:
        return ONE_ARM.refuse("no design is small enough for the two shares given")
    result = {
        "n": arm.n,
        "r, responses for success": arm.responses,
        "level reached": round(arm.alpha, 4),
        "power reached": round(arm.power, 4),
    }
    inputs = {"p0": null, "p1": target_rate}
    inputs |= {"one-sided level": ONE_ARM_LEVEL, "power": ONE_ARM_POWER}
    why = "later line of cancer with an own response rate: it may support accelerated approval"
    return ONE_ARM.apply(why, inputs, [result])


def spend_on_arms(case: DesignCase) -> Calculation:
    """Return what further doses beside the first cost."""
    question, plan, doses = case.question, case.plan, len(case.question.doses)
    if not case.compares_arms:
        return DUNNETT.refuse("no doses are compared with a control")
    ranges_doses = case.comparator == "dose_control" or question.study == "phase 2"
    if doses < 2 and not ranges_doses:  # noqa: PLR2004 - one dose is no family
        return DUNNETT.refuse(
            "one dose against its control; name several in dosing_schedule, such as "
            "“5 mg or 10 mg once daily”, to plan for them"
        )
    return DUNNETT.apply(
        f"{doses} doses named in dosing_schedule: the headline N is that of {doses} doses"
        if doses > 1
        else "the study has to choose a dose: what several of them cost",
        {
            "one-sided level over all doses": plan.alpha,
            "power": plan.power,
            "N of two arms at the level in all": _pair(case, plan.alpha),
        },
        _dose_rows(case),
    )


def _pair(case: DesignCase, level: float) -> float | None:
    """Return the participants of one dose and its control at a level."""
    plan = case.plan
    if plan.planned.value is None or case.size.n is None:
        return None
    n = size_of(plan.at_level(level), plan.planned.value, plan.power).n
    return None if n is None else round(n * plan.inflation, 2)


def _dose_rows(case: DesignCase) -> Iterator[dict[str, Cell]]:
    for doses in range(1, MOST_DOSES + 1):
        bound = dunnett_bound(doses, case.plan.alpha)
        level = float(norm.sf(bound))
        pair = _pair(case, level)
        arm = None if pair is None else math.ceil(pair / 2 - 1e-9)
        yield {
            "doses": doses,
            "c": round(bound, 4),
            "one-sided level of a dose": round(level, 6),
            "N an arm": arm,
            "N": None if arm is None else arm * (doses + 1),
        }


def pass_gates(case: DesignCase) -> Calculation:
    """Return how the level passes from hypothesis to hypothesis."""
    multiplicity = make_multiplicity(case)
    steps = multiplicity.alpha_map
    if len(steps) < 2:  # noqa: PLR2004 - one hypothesis is no family
        return GATES.refuse("no more than one hypothesis is tested")
    levels, graph = [step.alpha for step in steps], _graph(steps)
    return GATES.apply(
        f"{len(steps)} hypotheses share the level: {multiplicity.method}",
        {"one-sided level in all": case.plan.alpha},
        (
            {
                "hypothesis": step.hypothesis,
                "level at the start": step.alpha,
                "passes all to": step.passes_to,
                "level at the last": round(level_at_last(levels, graph, index), 6),
            }
            for index, step in enumerate(steps)
        ),
    )


def _graph(steps: list[AlphaStep]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    names = [step.hypothesis for step in steps]
    graph = np.zeros((len(names), len(names)))
    for index, step in enumerate(steps):
        receivers = step.passes_to.split(THEN)
        for share, receiver in zip((1 - _LAST, _LAST), receivers, strict=False):
            if receiver in names:
                graph[index, names.index(receiver)] = share
    return graph
