"""Sample size on the answer itself: the inputs that matter, recomputed in place."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.agents.clinical_trial_design import AGENT
from core.agents.clinical_trial_design.pictures import draw_grid
from core.agents.clinical_trial_design.records import Statistics
from core.agents.clinical_trial_design.report import SIZE
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData
from core.records.runs import RunRecord
from core.reports.document import Chart
from pages.ui.charts import show_chart
from pages.ui.composing import compose_document
from pages.ui.document_view import draw_section, links_of, split
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller
from pages.ui.starting import begin, stored_request, uncached

if TYPE_CHECKING:
    from core.stats.trial_design.sizing import Plan, PlannedEffect

_KEPT = "sizing"
_SPLITS = ("1:1", "2:1", "3:1")
_TIMED, _SHARES = "time to event", "proportion"
_RATIOS = frozenset({"hazard ratio", "odds ratio", "risk ratio", "rate ratio"})


@dataclass(frozen=True)
class Knob:
    """An input of the sample size.

    Attributes:
        name: Of the value.
        label: On the page.
        start: The run's value; None where the run has none.
        low: Least value.
        high: Largest value.
        step: Between values.
        form: printf format.
        missing: What the page calls the input where the run has none.
    """

    name: str
    label: str
    start: float | None
    low: float
    high: float
    step: float
    form: str = "%g"
    missing: str = ""


def show_sizing(run: RunRecord, data: ClinicalTrialDesignData) -> None:
    """Draw the inputs of the sample size, and what follows from them."""
    from core.agents.clinical_trial_design.size_inputs import read_plan

    base = read_plan(data.statistical_design_recommendations)
    if base is None:
        return
    st.subheader(SIZE, anchor=False)
    st.fragment(_steer)(run, data, base)
    document = compose_document(run, data)
    blocks = [block for block in split(document).get(SIZE, ()) if not isinstance(block, Chart)]
    if blocks:
        with st.expander("How the run computed it", icon=":material/function:"):
            draw_section("Inputs and formula", blocks, links_of(document))


def show_sizing_first(run: RunRecord, data: ClinicalTrialDesignData) -> None:
    """Draw the same on the first tab where the run has no sample size."""
    if data.statistical_design_recommendations.sample_size.total is None:
        show_sizing(run, data)


def _steer(run: RunRecord, data: ClinicalTrialDesignData, base: "Plan[PlannedEffect]") -> None:
    knobs = {knob.name: knob for knob in _list_knobs(base)}
    with st.container(border=True):
        values, split = _draw_knobs(run, knobs, base)
        plan = _apply(base, values, split)
        missing = [knobs[name].missing for name, value in values.items() if value is None]
        _show_size(plan, missing)
        _show_changes(run, data, knobs, values, split)
        chart = None if plan is None else _draw_grid(data, plan)
        if chart is not None:
            show_chart(chart, "sizes")


def _list_knobs(base: "Plan[PlannedEffect]") -> Iterator[Knob]:
    yield from _list_effect_knobs(base)
    if base.margin is not None:
        yield _margin_knob(base, base.margin)
    yield Knob("alpha", "Alpha (two-sided)", round(base.alpha * 2, 4), 0.001, 0.4, 0.005, "%.3f")
    yield Knob("power", "Power, %", round(base.power * 100, 1), 50, 99, 5)
    lost = "Dropout, % a year" if base.type == _TIMED else "Dropout, %"
    yield Knob("dropout", lost, round(base.dropout * 100, 1), 0, 80, 1)
    if base.type == _TIMED:
        yield Knob("months", "Accrual, months", base.months, 1, 120, 1)
        yield Knob("follow_up", "Follow-up, months", base.follow_up, 0, 120, 1)


_MOST_RATIO = {False: 0.99, True: 1.2}
"""Largest hazard ratio of the page: against a margin the drug may do no better."""


def _margin_knob(base: "Plan[PlannedEffect]", margin: float) -> Knob:
    """Return the input of the margin: a ratio, percentage points or the endpoint's unit."""
    if base.type == _SHARES:
        return Knob("margin", "Margin, percentage points", round(margin * 100, 2), 0.1, 50, 0.5)
    if base.planned.kind in _RATIOS:
        return Knob("margin", "Margin, ratio", margin, 0.05, 5, 0.01, "%.2f")
    return Knob("margin", "Margin", margin, 0.001, 1e4, 0.1)


def _list_effect_knobs(base: "Plan[PlannedEffect]") -> Iterator[Knob]:
    from core.stats.trial_design.sizing import rates_of

    planned = base.planned
    if base.type == _TIMED:
        yield Knob(
            *("control", "Control median, months", planned.control, 0.1, 20_000, 0.5),
            missing="control-arm median",
        )
        yield Knob(
            *("effect", "Hazard ratio", planned.value, 0.1, _MOST_RATIO[bool(base.margin)], 0.01),
            "%.2f",
            missing="hazard ratio",
        )
    elif base.type == _SHARES:
        rates = None if planned.value is None else rates_of(base, planned.value)
        if rates is None and base.margin and planned.value == 0 and planned.control is not None:
            rates = planned.control, planned.control
        control = planned.control if rates is None else rates[0]
        drug = None if rates is None else round(rates[1] * 100, 1)
        shown = None if control is None else round(control * 100, 1)
        yield Knob(
            *("control", "Control rate, %", shown, 0.2, 99.8, 1, "%.1f"),
            missing="control-arm rate",
        )
        yield Knob(
            *("effect", "Rate with the drug, %", drug, 0.2, 99.8, 1, "%.1f"),
            missing="rate with the drug",
        )
    else:
        is_ratio = planned.kind in _RATIOS or (not planned.kind and base.type == "rate")
        label = planned.kind.capitalize() or ("Rate ratio" if is_ratio else "Difference")
        unit = f", {planned.unit}" if planned.unit and not is_ratio else ""
        deviation = None if planned.variance is None else round(math.sqrt(planned.variance) / 2, 4)
        low, high = (0.05, 20.0) if is_ratio else (-1e6, 1e6)
        yield Knob(
            *("effect", f"{label}{unit}", planned.value, low, high, 0.05 if is_ratio else 0.5),
            missing="effect size",
        )
        scale = " of the log rate" if is_ratio else ""
        yield Knob(
            *("deviation", f"Standard deviation{scale}", deviation, 0.001, 1e6, 0.5),
            missing="standard deviation",
        )


def _draw_knobs(
    run: RunRecord, knobs: Mapping[str, Knob], base: "Plan[PlannedEffect]"
) -> tuple[dict[str, float | None], str]:
    """Draw the inputs and return their values; they last while the run is shown."""
    kept_state = st.session_state.get(_KEPT)
    if kept_state is None or kept_state[0] != run.run_uuid:
        kept_state = st.session_state[_KEPT] = (run.run_uuid, {})
    values: dict[str, float | None] = {}
    with st.grid(4, min_column_width=150):
        for knob in knobs.values():
            values[knob.name] = _draw_number(run, knob, kept_state[1])
        split = _SPLITS[0]
        if not base.is_single_arm and base.doses == 1:
            key = _key(run, "split")
            st.session_state.setdefault(key, kept_state[1].get("split", _SPLITS[0]))
            split = st.selectbox("Allocation, drug : control", _SPLITS, key=key)
    kept_state[1].update(values, split=split)
    return values, split


def _draw_number(run: RunRecord, knob: Knob, kept_values: Mapping[str, Any]) -> float | None:
    key = _key(run, knob.name)
    start = kept_values.get(knob.name, knob.start)
    if start is not None:
        start = min(max(float(start), float(knob.low)), float(knob.high))
    st.session_state.setdefault(key, start)
    value = st.number_input(
        plain(knob.label),
        *(float(knob.low), float(knob.high)),
        value=None,
        step=float(knob.step),
        format=knob.form,
        key=key,
        placeholder="Enter one",
    )
    return None if value is None else float(value)


def _key(run: RunRecord, name: str) -> str:
    return f"{_KEPT}:{run.run_uuid}:{name}"


def _apply(
    base: "Plan[PlannedEffect]", values: Mapping[str, float | None], split: str
) -> "Plan[PlannedEffect] | None":
    """Return the plan with the values of the page; None while one is missing."""
    from core.stats.trial_design.sizing import PlannedEffect

    filled = {name: value for name, value in values.items() if value is not None}
    if not {"alpha", "power", "dropout"} <= set(filled):
        return None
    effect, control = filled.get("effect"), filled.get("control")
    if base.type == _TIMED:
        planned = PlannedEffect("hazard ratio", effect, "request", control=control)
    elif base.type == _SHARES:
        is_known = effect is not None and control is not None
        is_known = is_known and (effect != control or base.margin is not None)
        gain = (effect - control) / 100 if is_known else None  # type: ignore[operator]
        share = None if control is None else control / 100
        planned = PlannedEffect("difference", gain, "request", control=share)
    else:
        spread = filled.get("deviation")
        kind = base.planned.kind or ("rate ratio" if base.type == "rate" else "difference")
        no_effect = None if base.margin else 1.0 if kind in _RATIOS else 0.0
        planned = replace(
            base.planned,
            kind=kind,
            value=None if effect == no_effect else effect,
            variance=None if spread is None else 4 * spread**2,
        )
    return replace(
        base,
        planned=planned,
        alpha=filled["alpha"] / 2,
        power=filled["power"] / 100,
        dropout=filled["dropout"] / 100,
        months=filled.get("months", base.months),
        follow_up=filled.get("follow_up", base.follow_up),
        is_lower_better=(planned.value or 0) < 0
        if base.type == _SHARES and planned.value
        else base.is_lower_better,
        allocation=float(split.partition(":")[0]),
        margin=_margin_of(base, filled.get("margin")),
        fixed_level=_scaled_level(base, filled["alpha"] / 2),
    )


def _margin_of(base: "Plan[PlannedEffect]", value: float | None) -> float | None:
    """Return the margin of the page in the unit of the plan; None for superiority."""
    if value is None or base.margin is None:
        return base.margin
    return value / 100 if base.type == _SHARES else value


def _scaled_level(base: "Plan[PlannedEffect]", alpha: float) -> float | None:
    """Return the level of the first of two endpoints that share alpha; None for a whole level."""
    return None if base.fixed_level is None else base.fixed_level * alpha / base.alpha


def _show_size(plan: "Plan[PlannedEffect] | None", missing: list[str]) -> None:
    """Draw the sentence that follows from the inputs."""
    from core.stats.trial_design.sizing import size_with_looks, whole

    size = None if plan is None or missing else size_with_looks(plan)
    if plan is None or size is None or size.n is None or plan.planned.value is None:
        names = " and no ".join(missing)
        what = "one" if len(missing) == 1 else "them"
        why = f"no {names} found. Enter {what} to size the trial." if names else _WHY_NOT
        st.info(plain(f"Sample size not calculated: {why}"), icon=":material/edit:")
        return
    total = whole(size.n, plan.block) or 0
    events = f" and {math.ceil(size.events - 1e-9):,} events" if size.events else ""
    st.markdown(
        f"**{total:,} participants** ({plain(_describe_arms(plan, total))}){events} "
        + plain(
            f" give {plan.power:.0%} power to detect {_describe_effect(plan)} at two-sided alpha "
            f"{plan.alpha * 2:g}, {_describe_loss(plan)}{_describe_looks(plan)}."
        )
    )


_WHY_NOT = (
    "these inputs show no difference, or no trial of 500 participants or fewer has this power. "
    "Change the effect."
)


def _describe_arms(plan: "Plan[PlannedEffect]", total: int) -> str:
    if plan.is_single_arm:
        return "one arm"
    if plan.allocation == 1:
        return f"{total // plan.groups:,} per arm"
    control = total // plan.block
    return f"{total - control:,} on the drug, {control:,} on control"


def _describe_effect(plan: "Plan[PlannedEffect]") -> str:
    planned, value = plan.planned, plan.planned.value or 0.0
    if plan.type == _TIMED:
        return (
            f"a hazard ratio of {value:.2f} against a control median of {planned.control:g} months"
        )
    if plan.type == _SHARES:
        control = planned.control or 0.0
        return f"a rate of {control + value:.1%} against {control:.1%} on control"
    unit = f" {planned.unit}" if planned.unit and planned.kind not in _RATIOS else ""
    return f"a {planned.kind} of {value:g}{unit}"


def _describe_loss(plan: "Plan[PlannedEffect]") -> str:
    return f"{plan.dropout:.0%} lost {'per year' if plan.type == _TIMED else 'in all'}"


def _describe_looks(plan: "Plan[PlannedEffect]") -> str:
    looks = len(plan.looks) - 1
    return f", {looks} interim analys{'is' if looks == 1 else 'es'}" if looks else ""


def _show_changes(
    run: RunRecord,
    data: ClinicalTrialDesignData,
    knobs: Mapping[str, Knob],
    values: Mapping[str, float | None],
    split: str,
) -> None:
    """Draw what differs from the run, with reset and a new run."""
    changes = [
        f"{knob.label}: {'none' if knob.start is None else f'{knob.start:g}'} → {value:g}"
        for name, knob in knobs.items()
        if (value := values[name]) is not None and not _is_same(value, knob)
    ]
    changes += [f"Allocation: 1:1 → {split}"] if split != _SPLITS[0] else []
    if not changes:
        st.caption("All inputs are those of the run. Change one to recompute the size and grid.")
        return
    st.caption(plain(f"Changed from the run: {'; '.join(changes)}"))
    efficacy = _as_efficacy(data, values)
    is_own = signed_in_caller().user_id == run.owner_id
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Reset to the run",
            icon=":material/undo:",
            key="sizing:reset",
            on_click=_reset,
            args=(run,),
        )
        if (
            is_own
            and efficacy
            and st.button("Save as a new run", icon=":material/save:", key="sizing:save")
        ):
            request = uncached(stored_request(AGENT, run))
            update = {"preliminary_efficacy_data": efficacy}
            begin(AGENT, signed_in_caller(), request.model_copy(update=update))
        if is_own and efficacy:
            st.caption("A new run takes the effect and the control arm; the rest is set by rule.")


def _is_same(value: float, knob: Knob) -> bool:
    if knob.start is None:
        return False
    return math.isclose(value, min(max(knob.start, knob.low), knob.high), rel_tol=1e-6)


def _reset(run: RunRecord) -> None:
    """Forget the values of the page."""
    st.session_state.pop(_KEPT, None)
    for key in [
        state_key for state_key in st.session_state if str(state_key).startswith(_key(run, ""))
    ]:
        del st.session_state[key]


def _as_efficacy(
    data: ClinicalTrialDesignData, values: Mapping[str, float | None]
) -> dict[str, object]:
    """Return the values as own data of a request; nothing while one is missing."""
    statistical_design_recommendations = data.statistical_design_recommendations
    endpoint = next((endpoint.endpoint for endpoint in data.endpoint_strategy), "")
    effect, control = values.get("effect"), values.get("control")
    if not endpoint or effect is None:
        return {}
    source = {"source": "planning assumption entered on the answer"}
    if statistical_design_recommendations.endpoint_type == _TIMED and control is not None:
        measure = f"hazard ratio for {endpoint}"
        return {"measure": measure, "value": effect, "control_value": control, **source}
    if statistical_design_recommendations.endpoint_type == _SHARES and control is not None:
        shares = {"value": round(effect / 100, 4), "control_value": round(control / 100, 4)}
        return {"measure": endpoint, **shares, **source}
    deviation = values.get("deviation")
    if (
        statistical_design_recommendations.endpoint_type == "mean change"
        and statistical_design_recommendations.effect.unit not in _RATIOS
        and deviation
    ):
        spread = {"control_value": 0.0, "standard_deviation": deviation}
        return {"measure": endpoint, "value": effect, **spread, **source}
    return {}


def _draw_grid(data: ClinicalTrialDesignData, plan: "Plan[PlannedEffect]") -> Chart | None:
    """Return the grid of the page's values."""
    from core.agents.clinical_trial_design.size_inputs import list_grid_points

    statistical_design_recommendations = data.statistical_design_recommendations
    units = {_TIMED: "hazard ratio", _SHARES: "difference in rates"}
    unit = units.get(plan.type) or plan.planned.unit or plan.planned.kind
    effect = statistical_design_recommendations.effect.model_copy(
        update={"value": plan.planned.value, "unit": unit}
    )
    update: dict[str, Any] = {"grid": list_grid_points(plan), "effect": effect}
    changed: Statistics = statistical_design_recommendations.model_copy(update=update)
    return draw_grid(data.model_copy(update={"statistical_design_recommendations": changed}))
