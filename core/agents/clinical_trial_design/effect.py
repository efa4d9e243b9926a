"""The effect, its variance and the control arm: own data, planning values, then cited records.

What the request gives goes first, value by value; then the table of planning values where it knows
the setting and the endpoint; then precedents of the same kind of control. An effect of precedents
is the median of what their records tell of the same endpoint class, those that did harm among them,
where it can be told which arm did better. Its variance comes from the interval of the same record:
SE^2 x n, the variance a participant.
"""

import math
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.objects import Efficacy, counts_responders
from core.agents.clinical_trial_design.planning import Planned
from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.votes import CONTROLS
from core.evidence.assets.precedents.trials import ControlResult
from core.evidence.proof.claims import cut_at_word, unmark
from core.records.precedents import PrecedentEffect, SettingTrial
from core.stats.trial_design.history import Z95, margins_of, pool_effects
from core.stats.trial_design.sizing import RATIOS
from core.vocabulary.endpoints import EndpointRow, EndpointType, classify_endpoint

MOST_SEEN = 8
LONGEST = 60
_LIMITS = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:,|to)\s*(-?\d+(?:\.\d+)?)\s*$")
_LEVEL = re.compile(r"^(\d+(?:\.\d+)?)\s*%")
_CONTROL = re.compile(
    r"\W*(?:matching |oral )?(?:placebo|sham|vehicle|control\b|standard of care|no treatment)"
)
_RESPONSES = frozenset({"response rate", "objective response"})
_PLACEBOS = frozenset({"placebo", "add_on_placebo"})
LEAST_LOG, _ANY_GAIN = 0.02, 1e-9
"""Logarithm of a ratio, and difference, below which nothing can be planned with."""
LEAST_NAME = 4
LEAST_SAID = 10
_WANTED_KINDS = {
    "time to event": ("hazard ratio",),
    "proportion": ("difference", "odds ratio", "risk ratio"),
    "mean change": ("difference in means", "difference"),
    "rate": ("rate ratio", "difference"),
}
_CONTROL_KINDS = {"time to event": "median months", "proportion": "share"}


def find_effect(case: DesignCase) -> Planned:
    """Return what the study is planned with."""
    table, kind = case.planning, case.endpoint_type
    own = _own(case)
    if own is not None and table is not None:
        planned = _fill(own, case)
    elif own is not None:
        planned = own
    elif table is not None:
        planned = Planned(
            kind=table.effect_kind,
            value=table.effect,
            basis="planning",
            variance=table.variance,
            control=table.control_of(kind),
            margin=table.margin,
            table=table,
            seen_in=(table.words,),
        )
    else:
        planned = _of_precedents(case)
    return _with_given(planned, case)


def _fill(planned: Planned, case: DesignCase) -> Planned:
    """Return own data with the spread and control that they leave open, of the planning values."""
    table = case.planning
    assert table is not None  # noqa: S101 - asked only where there is one
    is_same = planned.kind == table.effect_kind
    control = planned.control
    control = table.control_of(case.endpoint_type) if control is None else control
    variance = table.variance if planned.variance is None and is_same else planned.variance
    is_filled = control != planned.control or variance != planned.variance
    return replace(
        planned,
        control=control,
        variance=variance,
        margin=table.margin if is_same else None,
        table=table if is_filled else None,
    )


def _with_given(planned: Planned, case: DesignCase) -> Planned:
    """Return the plan with the control value, deviation and margin that the request gives."""
    given, names, kind = case.question.given, set(planned.given), case.endpoint_type
    data = case.question.efficacy
    if data is not None and not _is_of(data, case.endpoint, case.question):
        given = replace(given, control=None, deviation=None)  # those of another endpoint
    control = given.control
    if control is not None and planned.basis != "request":
        is_possible = 0 < control < 1 if kind == "proportion" else control > 0
        if is_possible or kind == "mean change":
            planned = replace(planned, control=control, control_ids=(), control_spread=None)
            names.add("control")
    if given.deviation is not None and kind == "mean change":
        planned = replace(planned, variance=4 * given.deviation**2)
        names.add("deviation")
    margin = given.margin or _margin_of_history(case.question)
    if margin is not None and case.comparator == "active":
        planned = replace(planned, margin=margin)
        names.add("margin")
    return replace(planned, given=frozenset(names))


def _margin_of_history(question: Question) -> float | None:
    """Return the margin that the history of the request allows; None without history."""
    given = question.given
    if not given.history:
        return None
    sure, _, lost = margins_of(pool_effects(given.history), given.preserved)
    if not sure:
        return None
    return round(math.exp(lost * sure) if given.is_ratio else lost * sure, 4)


def _own(case: DesignCase) -> Planned | None:
    """Return the effect of the request's own data; None where they speak of another endpoint.

    What the request gives of the control arm is used as given; what it leaves open comes from
    records, which are cited.
    """
    data = own_data(case.question, case.endpoint)
    if data is None:
        return None
    row, given = case.question.expected, case.question.given
    is_expected = row is not None and row.comparison != "superiority"
    has_margin = is_expected or given.margin is not None or bool(given.history)
    against = "" if data.control is None else f" against {data.control:g}"
    seen = (f"own data: {data.measure}, {data.value:g}{against}, n {data.n or 'not given'}",)
    named = frozenset({"control"} if data.control is not None else ())
    stem = Planned(basis="request", control=data.control, seen_in=seen, given=named)
    if not data.ratio:
        is_level = data.control is None or data.value == data.control
        if data.control is None or ((is_level or _is_worse(data, case)) and not has_margin):
            return None
        variance = _own_variance(data) if case.endpoint_type == "mean change" else None
        difference = round(data.value - data.control, 6)
        return replace(stem, kind="difference", value=difference, variance=variance)
    is_lower = data.ratio in {"hazard ratio", "rate ratio"} or _lower_is_better(case.endpoint)
    if not (has_margin or (data.value < 1 if is_lower else data.value > 1)):
        return None
    ends = sorted(limit for limit in (data.low, data.high) if limit is not None)
    if len(ends) > 1:
        weak, strong = ends if data.value > 1 else reversed(ends)
        stem = replace(stem, low=weak, high=strong)
    if data.control is None:
        stem = _with_controls(stem, _controls(case) if case.planning is None else ())
    return replace(stem, kind=data.ratio, value=data.value)


def _is_worse(data: Efficacy, case: DesignCase) -> bool:
    """Return whether own data show less benefit than their control arm, where that is sure.

    The share of patients who reach a level counts upward, whichever way its scale runs. Changes
    of a score that falls with benefit are compared where both are falls: two positive numbers
    may be sizes of a reduction.
    """
    if data.control is None:
        return False
    row = classify_endpoint(case.endpoint)
    better = row.better if row is not None else "none"
    if case.endpoint_type == "proportion":
        is_upward = counts_responders(data.measure) or better == "higher"
        return is_upward and data.value < data.control
    if better == "lower" and case.endpoint_type == "mean change":
        return data.control < data.value <= 0
    is_below = data.value < data.control
    return is_below if better == "higher" else better == "lower" and data.value > data.control


def _own_variance(data: Efficacy) -> float | None:
    """Return the variance of a difference of means, times participants of both arms."""
    if data.deviation is not None:
        return 4 * data.deviation**2
    if not data.n or data.low is None or data.high is None:
        return None
    error = (data.high - data.low) / (2 * Z95)
    times = 1 if data.has_interval_of_difference else 4  # else it is the interval of one arm
    return times * error**2 * data.n


def own_data(question: Question, endpoint: str) -> Efficacy | None:
    """Return the request's own data where they are of an endpoint."""
    data = question.efficacy
    return data if data is not None and _is_of(data, endpoint, question) else None


def _is_of(data: Efficacy, endpoint: str, question: Question) -> bool:
    """Return whether own data are of an endpoint.

    A ratio that names no endpoint is of the preferred one, else of the one chosen where that is
    told by such a ratio: a hazard ratio of a time to event.
    """
    name = data.reading.name
    if names_expected(data.measure, question):
        return True
    if name or not data.is_bare_ratio:
        return _is_near(name, endpoint)
    row = question.preferred or classify_endpoint(endpoint)
    return row is not None and row.type == data.reading.type and not question.is_preferred_unknown


def names_expected(measure: str, question: Question) -> bool:
    """Return whether a measure repeats the words of the endpoint expected in the setting."""
    if question.expected is None or question.preferred is not None:
        return False
    words = question.expected.endpoint.casefold()
    measure_text = re.sub(r"^.*? ratio (?:for|of) ", "", measure.casefold()).strip()
    return len(measure_text) >= LEAST_SAID and (
        words.startswith(measure_text) or measure_text.startswith(words)
    )


def why_own_unused(endpoint: str, question: Question) -> str:
    """Return why the request's own data are not used, in words that follow "since"."""
    data = question.efficacy
    if data is None:
        return "none are given"
    if not _is_of(data, endpoint, question):
        return _why_of_another(data, unmark(endpoint) or "not known", question)
    if data.ratio:
        return "the ratio shows no benefit of the drug"
    if data.control is None:
        return "they give no value of the control arm"
    if data.value == data.control:
        return "they show no difference from the control arm"
    return "they show no benefit over the control arm"


def _why_of_another(data: Efficacy, primary: str, question: Question) -> str:
    """Return of what own data are, where not of the primary endpoint."""
    if data.is_bare_ratio and question.is_preferred_unknown:
        return "they are taken as those of the preferred endpoint, whose class is not known"
    if data.is_bare_ratio:
        return f"the primary endpoint is {primary}, which no {data.ratio} measures"
    name = unmark(data.reading.name)
    what = f"they are of {name}" if name else "their measure names no recognized endpoint"
    return f"{what}; the primary endpoint is {primary}"


def _controls(case: DesignCase) -> list[ControlResult]:
    """Return what control arms came to in the endpoint, one a trial."""
    word = _CONTROL_KINDS.get(case.endpoint_type, "mean")
    first: dict[str, ControlResult] = {}
    for result in case.controls:
        if result.kind == word and _is_near(result.endpoint, case.endpoint):
            first.setdefault(result.number, result)
    return list(first.values())


def _with_controls(stem: Planned, controls: Sequence[ControlResult]) -> Planned:
    """Return what is planned with, its control arm from records."""
    values, spread = [control.value for control in controls], None
    if len(values) > 1:
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        spread = (round(low, 4), round(high, 4))
    return replace(
        stem,
        control=round(statistics.median(values), 4) if values else None,
        control_ids=tuple(dict.fromkeys(control.record_id for control in controls)),
        n_control=len(controls),
        control_spread=spread,
    )


def _is_near(endpoint: str, other: str) -> bool:
    """Return whether two classes are told by the same measure: a response is a response."""
    if endpoint == other or {endpoint, other} <= _RESPONSES:
        return True
    first, second = classify_endpoint(endpoint), classify_endpoint(other)
    return bool(first and second and (first.within == other or second.within == endpoint))


def _of_precedents(case: DesignCase) -> Planned:
    """Return the median gain of precedents as what is planned with."""
    kinds = _WANTED_KINDS.get(case.endpoint_type, ())
    effects = [
        (gain_of(trial.row, effect), trial.row, effect)
        for trial in case.results
        if trial.match.parts.get("line", 1.0) > 0 and _may_have_control(trial.row, case)
        # the first effect of the endpoint, which is the primary one
        for effect in [e for e in trial.row.effects if _is_near(e.endpoint, case.endpoint)][:1]
        if any(_is(kind, effect) for kind in kinds)
    ]
    clear = [(gain, row, effect) for gain, row, effect in effects if gain is not None]
    kind = next((kind for kind in kinds if any(_is(kind, effect) for _, _, effect in clear)), "")
    same = [entry for entry in clear if _is(kind, entry[2])]
    units = [effect.unit.casefold() for _, _, effect in same]
    unit = max(sorted(set(units)), key=units.count, default="")  # kilograms are no percent
    gains = sorted(
        (entry for entry in same if entry[0] and entry[2].unit.casefold() == unit),
        key=lambda entry: (entry[0], entry[2].fact_id),
    )
    stem = _with_controls(Planned(untold=len(effects) - len(clear)), _controls(case))
    middle = statistics.median(gain for gain, _, _ in gains) if gains else 0.0
    if middle < (LEAST_LOG if kind in RATIOS else _ANY_GAIN):
        return replace(stem, without_gain=len(gains))
    side = -1.0 if _lower_is_better(case.endpoint) else 1.0
    low, value, high = (
        math.exp(-gain) if kind in RATIOS else side * gain
        for gain in (gains[0][0], middle, gains[-1][0])
    )
    variances = [
        variance for _, _, effect in gains if (variance := _variance(effect, kind)) is not None
    ]
    return replace(
        stem,
        kind=kind,
        value=round(value, 4),
        low=round(low, 4),
        high=round(high, 4),
        basis="evidence",
        unit="" if kind in RATIOS else unmark(gains[0][2].unit),
        variance=statistics.median(variances) if variances else None,
        seen_in=tuple(_seen(row, effect) for _, row, effect in gains[:MOST_SEEN]),
        ids=tuple(dict.fromkeys(effect.record_id for _, _, effect in gains)),
        results=len(gains),
    )


def _may_have_control(trial: SettingTrial, case: DesignCase) -> bool:
    """Return whether a trial does not tell another kind of control than the one planned."""
    control = CONTROLS.get(trial.design.control, case.comparator)
    return control == case.comparator or {control, case.comparator} <= _PLACEBOS


def _is(word: str, effect: PrecedentEffect) -> bool:
    return bool(word) and effect.measure.casefold().startswith(f"{word} for")


def gain_of(trial: SettingTrial, effect: PrecedentEffect) -> float | None:
    """Return by how much the drug did better than its control; None where that cannot be told.

    The logarithm of a ratio or a difference, above 0 where the drug was better. It is told where
    the analysis names the drug alone, or the drug first and a control without it second: registers
    list arms in any order and do not say which stands on top of the fraction.
    """
    kind = next((ratio for ratio in (*RATIOS, "difference") if _is(ratio, effect)), "")
    kind = kind or ("difference" if effect.measure.casefold().startswith("difference") else "")
    if not kind or not _is_drug_first(trial, effect.arms):
        return None
    row = classify_endpoint(effect.endpoint)
    is_survival = row is not None and row.type == EndpointType.TIME_TO_EVENT
    if kind in {"hazard ratio", "rate ratio"} and (is_survival or _lower_is_better(row)):
        return -math.log(effect.value) if effect.value > 0 else None
    if not (
        _lower_is_better(row)
        or (row is not None and (row.better == "higher" or row.name in _RESPONSES))
    ):
        return None
    side = -1.0 if _lower_is_better(row) else 1.0
    if kind in RATIOS:
        return side * math.log(effect.value) if effect.value > 0 else None
    return side * effect.value


def _is_drug_first(trial: SettingTrial, arms: str) -> bool:
    """Return whether arms as written are the drug tested, against a control without it."""
    first, against, second = arms.casefold().partition(" against ")
    if not first or _CONTROL.match(first):
        return False
    if not against:
        return True
    return _has_drug(first, trial) is True and _has_drug(second, trial) is False


def _has_drug(arm: str, trial: SettingTrial) -> bool | None:
    """Return whether an arm has the drug tested, by its name before its description."""
    if _CONTROL.match(arm):
        return False
    tested, compared = _first_words(trial.drugs), _first_words(trial.comparators)
    for text in (arm.partition(" (")[0], arm):
        if any(name in text for name in tested):
            return True
        if any(name in text for name in compared):
            return False
    return False if tested else None


def _first_words(names: Iterable[str]) -> set[str]:
    words = {name.casefold().split()[0] for name in names if name.split()}
    return {word for word in words if len(word) >= LEAST_NAME}


def _lower_is_better(row: EndpointRow | str | None) -> bool:
    row = classify_endpoint(row) if isinstance(row, str) else row
    return row is not None and row.better == "lower"


def _variance(effect: PrecedentEffect, kind: str) -> float | None:
    """Return SE^2 x n of an effect by its 95 % interval; None where either is not told."""
    limits, level = _LIMITS.search(effect.interval), _LEVEL.search(effect.interval)
    if not limits or not effect.n or (level and float(level[1]) != 95):  # noqa: PLR2004 - percent
        return None
    low, high = float(limits[1]), float(limits[2])
    if kind in RATIOS:
        if low <= 0:
            return None
        low, high = math.log(low), math.log(high)
    error = (high - low) / (2 * Z95)
    return error**2 * effect.n if error > 0 else None


def _seen(row: SettingTrial, effect: PrecedentEffect) -> str:
    parts = (
        f"{row.number}: {effect.value:g}",
        unmark(effect.interval),
        cut_at_word(unmark(effect.arms), LONGEST),
        f"n {effect.n}" if effect.n else "n not reported",
        cut_at_word(unmark(effect.time_point), LONGEST),
    )
    return ", ".join(filter(None, parts))
