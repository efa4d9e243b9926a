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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.agents.clinical_trial_design.asked import Asked
from core.agents.clinical_trial_design.gathering import Holding
from core.agents.clinical_trial_design.objects import Efficacy
from core.agents.clinical_trial_design.planning import PlanningRow
from core.agents.clinical_trial_design.records import Basis, ComparatorType
from core.agents.clinical_trial_design.votes import CONTROLS
from core.evidence.assets.precedents.results import ControlResult
from core.evidence.proof.claims import cut_at_word, unmark
from core.records.precedents import PrecedentEffect, SettingTrial
from core.stats.trial_design.history import margins_of, pool_effects
from core.stats.trial_design.sizing import RATIOS, PlannedEffect
from core.vocabulary.endpoints import EndpointRow, EndpointType, classify_endpoint

Z95 = 1.959964
MOST_SEEN = 8
LONGEST = 60
_LIMITS = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:,|to)\s*(-?\d+(?:\.\d+)?)\s*$")
_LEVEL = re.compile(r"^(\d+(?:\.\d+)?)\s*%")
_CONTROL = re.compile(
    r"\W*(?:matching |oral )?(?:placebo|sham|vehicle|control\b|standard of care|no treatment)"
)
_RESPONSES = frozenset({"response rate", "objective response"})
_PLACEBOS = frozenset({"placebo", "add_on_placebo"})
_LEAST_LOG = 0.02
LEAST_GAIN = dict.fromkeys(RATIOS, _LEAST_LOG)
"""Logarithm of a ratio below which nothing can be planned with: a ratio of .98."""
_ANY_GAIN = 1e-9
LEAST_NAME = 4
LEAST_SAID = 10
_WANTED_KINDS = {
    "time to event": ("hazard ratio",),
    "proportion": ("difference", "odds ratio", "risk ratio"),
    "mean change": ("difference in means", "difference"),
    "rate": ("rate ratio", "difference"),
}


@dataclass(frozen=True)
class Planned(PlannedEffect):
    """What the study is planned with, and the records it comes from.

    Attributes:
        low: Weaker end of what was seen.
        high: Stronger end.
        seen_in: Arm, participants and time point of each result.
        ids: Records.
        control_ids: Records of the control's value.
        n_control: Results that give it.
        control_spread: Quartiles of the control's value.
        results: Results that the effect is the median of.
        untold: Results left out: which arm did better cannot be told.
        without_gain: Results whose median is no benefit, so that nothing is planned with them.
        too_small: Results whose median asks for more participants than can be found.
        margin: Of non-inferiority or equivalence.
        table: Row of the planning values behind effect, spread or control.
        given: What the request gives: "control", "deviation", "margin".
    """

    basis: Basis = "assumption"
    low: float | None = None
    high: float | None = None
    seen_in: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    control_ids: tuple[str, ...] = ()
    n_control: int = 0
    control_spread: tuple[float, float] | None = None
    results: int = 0
    untold: int = 0
    without_gain: int = 0
    too_small: int = 0
    margin: float | None = None
    table: PlanningRow | None = None
    given: frozenset[str] = frozenset()

    @property
    def is_control_given(self) -> bool:
        """Return whether the request itself gives the control arm."""
        return "control" in self.given

    @property
    def out_of_reach(self) -> "Planned":
        """Return this without its effect: no study is planned with so small a one."""
        return Planned(
            control=self.control,
            control_ids=self.control_ids,
            n_control=self.n_control,
            control_spread=self.control_spread,
            untold=self.untold,
            too_small=self.results,
        )


def find_effect(  # noqa: PLR0913 - all that an effect may come from
    endpoint: str,
    kind: str,
    question: Asked,
    findings: Holding,
    control: ComparatorType,
    table: PlanningRow | None,
) -> Planned:
    """Return what the study is planned with."""
    controls = _controls(endpoint, kind, findings.controls)
    own_plan = _own(endpoint, kind, question, controls if table is None else ())
    if own_plan is not None:
        planned = _fill(own_plan, table, kind)
    elif table is not None:
        planned = Planned(
            kind=table.effect_kind,
            value=table.effect,
            basis="planning",
            variance=table.variance,
            control=_control_of(table, kind),
            margin=table.margin,
            table=table,
            seen_in=(table.words,),
        )
    else:
        planned = _of_precedents(endpoint, kind, findings, controls, control)
    return _with_given(planned, question, kind, control)


def _control_of(table: PlanningRow, kind: str) -> float | None:
    return table.median_months if kind == "time to event" else table.control


def _fill(planned: Planned, table: PlanningRow | None, kind: str) -> Planned:
    """Return own data with the spread and control that they leave open, of the planning values."""
    if table is None:
        return planned
    is_same = planned.kind == table.effect_kind
    control = _control_of(table, kind) if planned.control is None else planned.control
    variance = table.variance if planned.variance is None and is_same else planned.variance
    is_filled = control != planned.control or variance != planned.variance
    margin = table.margin if is_same else None
    return replace(
        planned,
        control=control,
        variance=variance,
        margin=margin,
        table=table if is_filled else None,
    )


def _with_given(
    planned: Planned, question: Asked, kind: str, comparator: ComparatorType
) -> Planned:
    """Return the plan with the control value, deviation and margin that the request gives."""
    given, named = question.given, set(planned.given)
    if given.control is not None and planned.basis != "request" and _fits(given.control, kind):
        planned = replace(planned, control=given.control, control_ids=(), control_spread=None)
        named.add("control")
    if given.deviation is not None and kind == "mean change":
        planned = replace(planned, variance=4 * given.deviation**2)
        named.add("deviation")
    margin = given.margin or _margin_of_history(question)
    if margin is not None and comparator == "active":
        planned = replace(planned, margin=margin)
        named.add("margin")
    return replace(planned, given=frozenset(named))


def _margin_of_history(question: Asked) -> float | None:
    """Return the margin that the history of the request allows; None without history."""
    given = question.given
    if not given.history:
        return None
    sure, _, lost = margins_of(pool_effects(given.history), given.preserved)
    if not sure:
        return None
    return round(math.exp(lost * sure) if given.is_ratio else lost * sure, 4)


def _fits(control: float, kind: str) -> bool:
    """Return whether a control value can be one of an endpoint's type."""
    if kind == "proportion":
        return 0 < control < 1
    return control > 0 or kind == "mean change"


def _own(
    endpoint: str, kind: str, question: Asked, controls: Sequence[ControlResult]
) -> Planned | None:
    """Return the effect of the request's own data; None where they speak of another endpoint.

    What the request gives of the control arm is used as given; what it leaves open comes from
    records, which are cited.
    """
    data = own_data(question, endpoint)
    if data is None:
        return None
    against = "" if data.control is None else f" against {data.control:g}"
    n = data.n or "not given"
    seen = (f"own data: {data.measure}, {data.value:g}{against}, n {n}",)
    named = frozenset({"control"} if data.control is not None else ())
    stem = Planned(basis="request", control=data.control, seen_in=seen, given=named)
    if not data.ratio:
        return _own_difference(stem, kind, data, has_margin=_has_margin(question))
    if not (_is_benefit(data, endpoint) or _has_margin(question)):
        return None
    ends = sorted(limit for limit in (data.low, data.high) if limit is not None)
    if len(ends) > 1:
        weak, strong = ends if data.value > 1 else reversed(ends)
        stem = replace(stem, low=weak, high=strong)
    if data.control is None:
        stem = _with_controls(stem, controls)
    return replace(stem, kind=data.ratio, value=data.value)


def own_data(question: Asked, endpoint: str) -> Efficacy | None:
    """Return the request's own data where they are of an endpoint."""
    data = question.efficacy
    return data if data is not None and _is_of(data, endpoint, question) else None


def _is_of(data: Efficacy, endpoint: str, question: Asked) -> bool:
    """Return whether own data are of an endpoint.

    A ratio that names no endpoint is of the preferred one, else of the one chosen where that is
    told by such a ratio: a hazard ratio of a time to event.
    """
    name = data.reading.name
    if names_expected(data.measure, question):
        return True
    if name or not data.is_bare_ratio:
        return name == endpoint or _is_near(name, endpoint)
    row = question.preferred or classify_endpoint(endpoint)
    return row is not None and row.type == data.reading.type and not question.is_preferred_unknown


def names_expected(measure: str, question: Asked) -> bool:
    """Return whether a measure repeats the words of the endpoint expected in the setting."""
    if question.expected is None or question.preferred is not None:
        return False
    words = question.expected.endpoint.casefold()
    measure_text = re.sub(r"^.*? ratio (?:for|of) ", "", measure.casefold()).strip()
    return len(measure_text) >= LEAST_SAID and (
        words.startswith(measure_text) or measure_text.startswith(words)
    )


def why_own_unused(endpoint: str, question: Asked) -> str:
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
    return "they show no difference from the control arm"


def _why_of_another(data: Efficacy, primary: str, question: Asked) -> str:
    """Return of what own data are, where not of the primary endpoint."""
    if data.is_bare_ratio and question.is_preferred_unknown:
        return "they are taken as those of the preferred endpoint, whose class is not known"
    if data.is_bare_ratio:
        return f"the primary endpoint is {primary}, which no {data.ratio} measures"
    name = unmark(data.reading.name)
    what = f"they are of {name}" if name else "their measure names no recognized endpoint"
    return f"{what}; the primary endpoint is {primary}"


def _has_margin(question: Asked) -> bool:
    """Return whether non-inferiority or equivalence is asked for, so that no gain is needed."""
    row = question.expected
    is_expected = row is not None and row.comparison != "superiority"
    return is_expected or question.given.margin is not None or bool(question.given.history)


def _own_difference(
    stem: Planned, kind: str, data: Efficacy, *, has_margin: bool
) -> Planned | None:
    """Return the difference of the own data; None without a control, or where there is none."""
    if data.control is None or (data.value == data.control and not has_margin):
        return None
    variance = _own_variance(data) if kind == "mean change" else None
    difference = round(data.value - data.control, 6)
    return replace(stem, kind="difference", value=difference, variance=variance)


def _own_variance(data: Efficacy) -> float | None:
    """Return the variance of a difference of means, times participants of both arms."""
    if data.deviation is not None:
        return 4 * data.deviation**2
    if not data.n or data.low is None or data.high is None:
        return None
    error = (data.high - data.low) / (2 * Z95)
    times = 1 if data.has_interval_of_difference else 4  # else it is the interval of one arm
    return times * error**2 * data.n


def _is_benefit(data: Efficacy, endpoint: str) -> bool:
    """Return whether a ratio says that the drug does better."""
    is_lower = data.ratio in {"hazard ratio", "rate ratio"} or _lower_is_better(endpoint)
    return data.value < 1 if is_lower else data.value > 1


def _with_controls(stem: Planned, controls: Sequence[ControlResult]) -> Planned:
    """Return what is planned with, its control arm from records."""
    return replace(
        stem,
        control=_median(controls),
        control_ids=tuple(dict.fromkeys(control.record_id for control in controls)),
        n_control=len(controls),
        control_spread=_spread([control.value for control in controls]),
    )


def _is_near(endpoint: str, other: str) -> bool:
    """Return whether two classes are told by the same measure: a response is a response."""
    if {endpoint, other} <= _RESPONSES:
        return True
    first, second = classify_endpoint(endpoint), classify_endpoint(other)
    return bool(first and second and (first.within == other or second.within == endpoint))


def _of_precedents(
    endpoint: str,
    kind: str,
    findings: Holding,
    controls: Sequence[ControlResult],
    control: ComparatorType,
) -> Planned:
    kinds = _WANTED_KINDS.get(kind, ())
    effects = [
        (ranked.row, effect)
        for ranked in [
            trial for trial in findings.results if trial.match.parts.get("line", 1.0) > 0
        ]
        if _has_control(ranked.row, control)
        for effect in _of_endpoint(ranked.row.effects, endpoint)
        if any(effect.measure.casefold().startswith(f"{word} for") for word in kinds)
    ]
    clear = [(row, effect) for row, effect in effects if gain_of(row, effect) is not None]
    first = next((word for word in kinds if any(_is(word, effect) for _, effect in clear)), "")
    same = _one_unit([(row, effect) for row, effect in clear if first and _is(first, effect)])
    weighted = sorted(
        ((gain, (row, effect)) for row, effect in same if (gain := gain_of(row, effect))),
        key=lambda entry: (entry[0], entry[1][1].fact_id),
    )
    stem = _with_controls(Planned(untold=len(effects) - len(clear)), controls)
    return _plan_with(stem, first, weighted, is_lower=_lower_is_better(endpoint))


def _plan_with(
    stem: Planned,
    kind: str,
    weighted: Sequence[tuple[float, tuple[SettingTrial, PrecedentEffect]]],
    *,
    is_lower: bool,
) -> Planned:
    """Return the median gain as what is planned with; nothing where it is no benefit."""
    middle = statistics.median(gain for gain, _ in weighted) if weighted else 0.0
    if middle < LEAST_GAIN.get(kind, _ANY_GAIN):
        return replace(stem, without_gain=len(weighted))
    side = -1.0 if is_lower else 1.0
    low, value, high = (
        math.exp(-gain) if kind in RATIOS else side * gain
        for gain in (weighted[0][0], middle, weighted[-1][0])
    )
    variances = [variance for _, (_, effect) in weighted if (variance := _variance(effect, kind))]
    return replace(
        stem,
        kind=kind,
        value=round(value, 4),
        low=round(low, 4),
        high=round(high, 4),
        basis="evidence",
        unit="" if kind in RATIOS else unmark(weighted[0][1][1].unit),
        variance=statistics.median(variances) if variances else None,
        seen_in=tuple(_seen(row, effect) for _, (row, effect) in weighted[:MOST_SEEN]),
        ids=tuple(dict.fromkeys(effect.record_id for _, (_, effect) in weighted)),
        results=len(weighted),
    )


def _has_control(trial: SettingTrial, control: ComparatorType) -> bool:
    """Return whether a trial does not tell another kind of control than the one planned."""
    control_types = CONTROLS.get(trial.design.control)
    return (
        control_types is None or control_types == control or {control_types, control} <= _PLACEBOS
    )


def _of_endpoint(effects: Sequence[PrecedentEffect], endpoint: str) -> list[PrecedentEffect]:
    """Return the effects of an endpoint, one a trial: the first, which is the primary one."""
    same = [
        effect
        for effect in effects
        if effect.endpoint == endpoint or _is_near(effect.endpoint, endpoint)
    ]
    return same[:1]


def _is(word: str, effect: PrecedentEffect) -> bool:
    return effect.measure.casefold().startswith(f"{word} for")


def _one_unit(
    pairs: Sequence[tuple[SettingTrial, PrecedentEffect]],
) -> list[tuple[SettingTrial, PrecedentEffect]]:
    """Return the effects of the commonest unit: kilograms and percent are not one number."""
    units = [effect.unit.casefold() for _, effect in pairs]
    most = max(sorted(set(units)), key=units.count, default="")
    return [pair for pair, unit in zip(pairs, units, strict=True) if unit == most]


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


def _controls(endpoint: str, kind: str, results: Iterable[ControlResult]) -> list[ControlResult]:
    """Return what control arms came to in the endpoint, one a trial."""
    word = {"time to event": "median months", "proportion": "share"}.get(kind, "mean")
    return list(
        _first_of_each(
            result
            for result in results
            if (
                result.kind == word
                and (result.endpoint == endpoint or _is_near(result.endpoint, endpoint))
            )
        )
    )


def _first_of_each(results: Iterable[ControlResult]) -> Iterator[ControlResult]:
    seen: set[str] = set()
    for result in results:
        if result.number not in seen:
            seen.add(result.number)
            yield result


def _median(controls: Sequence[ControlResult]) -> float | None:
    values = [control.value for control in controls]
    return round(statistics.median(values), 4) if values else None


def _spread(values: Sequence[float]) -> tuple[float, float] | None:
    if len(values) < 2:  # noqa: PLR2004 - quartiles need two
        return None
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return round(low, 4), round(high, 4)
