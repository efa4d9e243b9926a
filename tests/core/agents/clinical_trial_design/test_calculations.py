"""Additional calculations: each called for by its endpoint, redone from what it prints."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, multivariate_normal, norm

from core.agents.clinical_trial_design import pipeline
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.decisions import decide
from core.agents.clinical_trial_design.question import read_doses
from core.agents.clinical_trial_design.records import Calculation
from core.stats.trial_design.survival import monthly_hazard
from tests.core.agents.clinical_trial_design.conftest import Ask
from tests.rows import over_rows

RATES = {"measure": "annualized rate of exacerbations", "value": 0.7, "control_value": 1.0}
SHARES = {"measure": "objective response rate", "value": 0.33, "control_value": 0.14}
MEANS = {
    "measure": "change in body weight",
    "value": -9.0,
    "control_value": -2.0,
    "n": 100,
    "ci_low": -10.0,
    "ci_high": -8.0,
}
OBESITY = {"indication": "obesity", "target": "GLP-1 receptor", "modality": "peptide"}
TWO_DOSES = {"dosing_schedule": "100 mg or 200 mg every 3 weeks"}


def named(ask: Ask, word: str, **fields: object) -> Calculation:
    """Return the calculation whose method has a word."""
    told = ask(**fields).statistical_design_recommendations.calculations
    return next(one for one in told if word in one.method)


def z_of(told: Calculation) -> tuple[float, float]:
    """Return the quantiles of the level and the power that a calculation prints."""
    level = float(str(told.inputs["one-sided level"]))
    power = told.inputs.get("power asked", told.inputs.get("power"))
    return float(norm.isf(level)), float(norm.ppf(float(str(power))))


def test_every_method_says_why_it_is_made_or_not(ask: Ask) -> None:
    told = ask().statistical_design_recommendations.calculations
    assert len({one.method for one in told}) == len(told) == 13
    assert all(one.why for one in told)
    assert all(bool(one.formula and one.results) == one.applies for one in told)
    made = {one.method for one in told if one.applies}
    assert made == {
        *("delayed effect", "gatekeeping", "conditional power and re-estimation"),
        *("recruitment by quarter", "nested populations"),
    }


def test_delay_lowers_power_as_a_simulation_of_trials_does(ask: Ask) -> None:
    told = named(ask, "delayed")
    inputs, rows = told.inputs, told.results
    assert [one["months without effect"] for one in rows] == [0, 2, 4, 6]
    simulated = _simulated_power(inputs, delay=4.0)
    assert rows[2]["power, log-rank"] == pytest.approx(simulated, abs=0.03)
    powers = [float(str(one["power, log-rank"])) for one in rows]
    assert powers == sorted(powers, reverse=True)
    late = rows[3]
    assert float(str(late["power, weighted"])) > float(str(late["power, log-rank"]))


def _simulated_power(inputs: dict, delay: float, trials: int = 1500) -> float:
    """Return the share of simulated trials in which the log-rank test succeeds."""
    draw = np.random.default_rng(5)
    half = int(inputs["N, two arms without looks"] / 2)
    hazard = monthly_hazard(inputs["control median, months"])
    ratio, end = inputs["hazard ratio after the delay"], inputs["months of accrual"]
    closing = end + inputs["months of follow-up"]
    lost = -math.log(1 - inputs["loss a year"]) / 12
    arm = np.repeat([0, 1], half)
    won = 0
    for _ in range(trials):
        need = draw.exponential(1, 2 * half) / hazard
        time = np.where((arm == 1) & (need > delay), delay + (need - delay) / ratio, need)
        gone = draw.exponential(1, 2 * half) / lost
        stop = np.minimum(gone, closing - draw.uniform(0, end, 2 * half))
        won += _log_rank(np.minimum(time, stop), time <= stop, arm) > norm.isf(0.025)
    return won / trials


def _log_rank(time: np.ndarray, event: np.ndarray, arm: np.ndarray) -> float:
    """Return z of the log-rank test, above 0 where the second arm does better."""
    order = np.argsort(time)
    event, arm = event[order], arm[order]
    at_risk = np.arange(len(time), 0, -1)
    share = np.cumsum(arm[::-1])[::-1] / at_risk
    return float(((share - arm) * event).sum() / math.sqrt((share * (1 - share) * event).sum()))


def test_other_targets_and_endpoints_call_for_no_delay(ask: Ask) -> None:
    assert not named(ask, "delayed", target="EGFR", mechanism_of_action="kinase").applies
    assert not named(ask, "delayed", preferred_endpoint="objective response rate").applies


def test_visits_inflate_less_than_the_plain_loss(ask: Ask) -> None:
    told = named(ask, "repeated", **OBESITY, preliminary_efficacy_data=MEANS)
    bare = float(str(told.inputs["N without loss"]))
    stay = [float(one) for one in str(told.inputs["still there at each visit"]).split(", ")]
    for row in told.results:
        rho = float(str(row["correlation of neighboring visits"]))
        information = np.zeros((4, 4))
        for last in range(4):
            leaving = stay[last] - (stay[last + 1] if last < 3 else 0.0)
            seen = rho ** np.abs(np.subtract.outer(np.arange(last + 1), np.arange(last + 1)))
            information[: last + 1, : last + 1] += leaving * np.linalg.inv(seen)
        factor = np.linalg.inv(information)[-1, -1]
        assert row["factor"] == pytest.approx(factor, abs=1e-4)
        assert row["N"] == 2 * math.ceil(bare * float(str(row["factor"])) / 2)
        assert float(str(row["factor"])) < 1 / stay[-1]


def test_rates_need_more_the_more_counts_vary(ask: Ask) -> None:
    fields = {"preferred_endpoint": "annualized rate of exacerbations"}
    assert not named(ask, "negative", **fields).applies
    told = named(ask, "negative", **fields, preliminary_efficacy_data=RATES)
    control, drug = (float(str(one)) for one in list(told.inputs.values())[:2])
    assert (control, drug) == (1.0, 0.7)
    level, power = z_of(told)
    for row in told.results:
        k, mean = float(str(row["dispersion k, assumed"])), (control + drug) / 2
        null, own = math.sqrt(2 / mean + 2 * k), math.sqrt(1 / control + 1 / drug + 2 * k)
        arm = ((level * null + power * own) / math.log(drug / control)) ** 2
        loss = float(str(told.inputs["loss in all"]))
        assert row["N"] == 2 * math.ceil(arm / (1 - loss))
    assert [one["N"] for one in told.results] == sorted(int(str(one["N"])) for one in told.results)


def test_one_arm_is_the_least_that_keeps_level_and_power(ask: Ask) -> None:
    told = named(ask, "single", line_of_therapy="second line", preliminary_efficacy_data=SHARES)
    (row,) = told.results
    n, least = int(str(row["n"])), int(str(row["r, responses for success"]))
    assert row["level reached"] == pytest.approx(binom.sf(least - 1, n, 0.14), abs=1e-4)
    assert row["power reached"] == pytest.approx(binom.sf(least - 1, n, 0.33), abs=1e-4)
    assert binom.sf(least - 1, n, 0.14) <= 0.025
    assert binom.sf(least - 1, n, 0.33) >= 0.9
    assert not named(ask, "single", line_of_therapy="second line").applies


def test_doses_named_together_are_arms_at_the_level_of_dunnett(ask: Ask) -> None:
    one, two = ask(), ask(**TWO_DOSES)
    sizes = [data.statistical_design_recommendations.sample_size for data in (one, two)]
    assert list(sizes[1].per_arm) == ["experimental, 100 mg", "experimental, 200 mg", "control"]
    assert sum(sizes[1].per_arm.values()) == sizes[1].inflated_total
    assert sizes[1].inflated_total > 1.5 * sizes[0].inflated_total
    assert [arm.name for arm in two.proposed_trial_schema.arms][:2] == [
        "QQ-0001 100 mg",
        "QQ-0001 200 mg",
    ]
    assert two.proposed_trial_schema.randomization.ratio == "1:1:1"
    for row in named(ask, "Dunnett", **TWO_DOSES).results:
        k, bound = int(str(row["doses"])), float(str(row["c"]))
        spread = np.full((k, k), 0.5) + 0.5 * np.eye(k)
        inside = multivariate_normal(np.zeros(k), spread).cdf(np.full(k, bound))
        assert 1 - inside == pytest.approx(0.025, abs=5e-5)
        assert row["one-sided level of a dose"] == pytest.approx(norm.sf(bound), abs=1e-5)
        assert row["N"] == (k + 1) * int(str(row["N an arm"]))


def test_gates_pass_the_whole_level_on(ask: Ask) -> None:
    for fields in ({}, TWO_DOSES, {"indication": "obesity"}):
        told = named(ask, "gatekeeping", **fields)
        starts = [float(str(row["level at the start"])) for row in told.results]
        assert sum(starts) == pytest.approx(0.025)
        assert [row["level at the last"] for row in told.results] == [0.025] * len(starts)


def test_key_secondary_ones_wait_for_both_of_two_primary_endpoints(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    survival, progression = "overall survival", "progression-free survival"
    votes = ((survival, 2.0, 3), (progression, 1.8, 3), ("objective response", 0.4, 1))

    def vote(case: DesignCase) -> DesignCase:
        return replace(decide(case), endpoint=survival, votes=votes, expected=None)

    monkeypatch.setattr(pipeline, "decide", vote)
    told = named(ask, "gatekeeping", asset_name="QQ-0002")
    names = [str(row["hypothesis"]) for row in told.results]
    start = [float(str(row["level at the start"])) for row in told.results]
    assert names[:3] == [survival, progression, "objective response"]
    assert start[:2] == [0.02, 0.005]
    assert not any(start[2:])
    assert [row["level at the last"] for row in told.results] == [0.025] * len(names)
    passes = [str(row["passes all to"]) for row in told.results]
    assert passes[:2] == [f"{other}, then {names[2]}" for other in (progression, survival)]
    for first, other in ((0, 1), (1, 0)):
        levels, graph = reject(first, start, _printed_graph(names, passes))
        assert levels[other] == pytest.approx(0.025)
        assert max(levels[2:]) < 1e-9
        levels, _ = reject(other, levels, graph)
        assert levels[2] == pytest.approx(0.025)


def _printed_graph(names: list[str], passes: list[str]) -> np.ndarray:
    """Return the shares passed on, as the rows print them: all, a trace to who comes "then"."""
    graph = np.zeros((len(names), len(names)))
    for place, said in enumerate(passes):
        for share, receiver in zip((1 - 1e-9, 1e-9), said.split(", then "), strict=False):
            if receiver in names:
                graph[place, names.index(receiver)] = share
    return graph


def reject(one: int, levels: list[float], graph: np.ndarray) -> tuple[list[float], np.ndarray]:
    """Return levels and shares once a hypothesis is rejected (Bretz and others 2009)."""
    rest = [place for place in range(len(levels)) if place != one]
    after = [0.0 if place == one else levels[place] for place in range(len(levels))]
    passed = np.zeros_like(graph)
    for start in rest:
        after[start] += levels[one] * graph[one, start]
        back = 1 - graph[start, one] * graph[one, start]
        for end in rest:
            if end != start and back > 1e-12:
                passed[start, end] = (
                    graph[start, end] + graph[start, one] * graph[one, end]
                ) / back
    return after, passed


def test_conditional_power_and_events_are_those_of_the_formula(ask: Ask) -> None:
    told = named(ask, "conditional")
    share, bound, drift, events, first = list(told.inputs.values())[:5]
    for row in told.results:
        z = float(str(row["z at the look"]))
        for name, mean in (("trend", z / math.sqrt(share)), ("plan", drift)):
            gap = (z * math.sqrt(share) + mean * (1 - share) - bound) / math.sqrt(1 - share)
            assert row[f"conditional power, {name}"] == pytest.approx(norm.cdf(gap), abs=6e-4)
        ratio = math.exp(-2 * z / math.sqrt(first))
        assert row["hazard ratio seen"] == pytest.approx(ratio, abs=6e-4)
        wanted = (bound - math.sqrt(share) * z) / math.sqrt(1 - share) + norm.ppf(0.9)
        more = first + math.ceil(first * (wanted / z) ** 2)
        is_raised = 0.3 <= float(str(row["conditional power, trend"])) < 0.9
        raised = min(max(events, more), math.floor(1.5 * events))
        assert row["events at the end"] == (raised if is_raised else events)
    assert any(row["events at the end"] > events for row in told.results)


@over_rows(
    ("said", "doses"),
    [
        ("5, 10 or 15 mg once weekly", ("5 mg", "10 mg", "15 mg")),
        ("6 mg/m2 or 8 mg/m2 every 3 weeks", ("6 mg/m2", "8 mg/m2")),
        ("4 mg/kg vs 6 mg/kg every 3 weeks", ("4 mg/kg", "6 mg/kg")),
        ("50 mg, then 100 mg daily", ()),
        ("titrated to 5 mg or 10 mg daily", ()),
        ("6 mg/kg every 3 weeks", ()),
        ("days 1, 8 and 15 mg", ()),
        ("100 mg/m2 on days 1, 8 and 15", ()),
        ("days 1, 8 and 15, 100 mg/m2", ()),
        ("day 1, 100 mg or 200 mg", ("100 mg", "200 mg")),
        ("80 mg on day 1 and 40 mg every 2 weeks", ()),
        ("on days 1 and 8, 5 mg or 10 mg every 21 days", ("5 mg", "10 mg")),
        ("200 mg every 3 weeks and 400 mg every 6 weeks", ()),
    ],
)
def test_doses_are_arms_where_they_are_set_side_by_side(said, doses) -> None:
    assert read_doses(said) == doses


def test_the_report_prints_inputs_and_formula(ask: Ask) -> None:
    from core.agents.clinical_trial_design.report import list_statistics

    text = str(list_statistics(ask()))
    assert "hazard ratio after the delay" in text
    assert "Not called for" in text
    assert re.search(r"Formula: conditional power = Phi", text)


OS, RESPONSE = "overall survival", "objective response rate"
WEIGHT = "change in body weight"


@pytest.mark.parametrize(
    ("given", "endpoint", "effect", "control", "total"),
    [
        # 886: rpact 3.3.4 for the same looks, accrual, follow-up and loss
        (
            {"measure": f"{OS} hazard ratio", "value": 0.75, "control_value": 11.0},
            OS,
            0.75,
            11,
            886,
        ),
        (
            {"measure": "annualized exacerbation rate ratio", "value": 0.55, "control_value": 1.1},
            "annualized rate of exacerbations",
            0.55,
            1.1,
            None,
        ),
        (
            {"measure": f"odds ratio for {RESPONSE}", "value": 2.5, "control_value": 0.2},
            RESPONSE,
            2.5,
            0.2,
            252,
        ),
        (
            {"measure": f"risk ratio for {RESPONSE}", "value": 2.0, "control_value": 0.2},
            RESPONSE,
            2.0,
            0.2,
            218,
        ),
        (
            {"measure": "PASI 90 response", "value": 0.55, "control_value": 0.05},
            "PASI 90 response",
            0.5,
            0.05,
            32,
        ),
        (
            {"measure": WEIGHT, "value": -9, "control_value": -2, "standard_deviation": 10},
            WEIGHT,
            -7.0,
            -2.0,
            88,
        ),
        (
            {
                **{"measure": WEIGHT, "value": -9, "control_value": -2},
                **{"n": 200, "ci_low": -8.5, "ci_high": -5.5},
            },
            WEIGHT,
            -7.0,
            -2.0,
            28,
        ),
    ],
)
def test_given_planning_values_are_used_as_given(
    ask: Ask,
    given: dict[str, object],
    endpoint: str,
    effect: float,
    control: float,
    total: int | None,
) -> None:
    fields = OBESITY if endpoint == WEIGHT else {}
    answer = ask(**fields, preferred_endpoint=endpoint, preliminary_efficacy_data=given)
    told = answer.statistical_design_recommendations
    assert (told.effect.value, told.effect.basis) == (effect, "request")
    assert (told.control.value, told.control.basis) == (control, "request")
    assert told.control.source_ids == []
    assert told.sample_size.total == total
    assert not [one for one in answer.warnings if one.startswith("value_not_used")]


def test_a_control_median_from_records_is_not_told_as_own_data(ask: Ask) -> None:
    given = {"measure": f"{OS} hazard ratio", "value": 0.75}
    told = ask(preferred_endpoint=OS, preliminary_efficacy_data=given)
    control = told.statistical_design_recommendations.control
    assert (control.value, control.basis) == (10.0, "evidence")
    assert control.formula == "median of the reported control arms"
    assert control.source_ids
    assert any("gives no control value: 10 is the median" in one for one in told.assumptions)


@pytest.mark.parametrize("preferred", [OS, None])
@pytest.mark.parametrize("measure", ["hazard ratio", "Adjusted HR", "OS HR", "HR (OS)"])
def test_a_ratio_without_an_endpoint_is_of_the_planned_one(
    ask: Ask, measure: str, preferred: str | None
) -> None:
    given = {"measure": measure, "value": 0.71, "control_value": 11.2}
    answer = ask(preferred_endpoint=preferred, preliminary_efficacy_data=given)
    told = answer.statistical_design_recommendations
    assert (told.effect.value, told.effect.basis) == (0.71, "request")
    assert (told.control.value, told.control.basis) == (11.2, "request")
    assert told.effect.seen_in[0].startswith(f"own data: {measure}, 0.71 against 11.2")
    assert not any("own data speak of another" in one.risk for one in answer.regulatory_risks)


def test_a_ratio_without_an_endpoint_is_of_no_other_than_the_preferred_one(ask: Ask) -> None:
    given = {"measure": "hazard ratio", "value": 0.71, "control_value": 11.2}
    told = ask(preferred_endpoint="wumpus count", preliminary_efficacy_data=given)
    assert told.statistical_design_recommendations.effect.basis != "request"
    assert any(
        "since they are taken as those of the preferred endpoint, whose class is not known" in one
        for one in told.statistical_design_recommendations.assumptions
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (
            {"measure": "PFS HR", "value": 0.71, "control_value": 5.0},
            "since they are of progression-free survival; the primary endpoint is overall survival",
        ),
        (
            {"measure": "hazard ratio for the wumpus count", "value": 0.71},
            "since their measure names no recognized endpoint; the primary endpoint is overall",
        ),
        (
            {"measure": "odds ratio", "value": 2.0},
            "since the primary endpoint is overall survival, which no odds ratio measures",
        ),
        ({"measure": "OS HR", "value": 1.2}, "since the ratio shows no benefit of the drug"),
        ({"measure": OS, "value": 14.0}, "since they give no value of the control arm"),
        (
            {"measure": OS, "value": 14.0, "control_value": 14.0},
            "since they show no difference from the control arm",
        ),
        (
            {"measure": OS, "value": 9.0, "control_value": 14.0},
            "since they show no benefit over the control arm",
        ),
    ],
)
def test_the_reason_why_given_data_are_not_used_is_named(
    ask: Ask, given: dict[str, object], reason: str
) -> None:
    told = ask(preferred_endpoint=OS, preliminary_efficacy_data=given)
    assert any(
        f"are not used, {reason}" in one
        for one in told.statistical_design_recommendations.assumptions
    )


def test_the_control_of_another_measure_is_no_control_of_the_endpoint(ask: Ask) -> None:
    given = {"measure": "objective response rate", "value": 0.33, "n": 60, "control_value": 0.14}
    told = ask(preferred_endpoint=OS, preliminary_efficacy_data=given)
    without = ask(preferred_endpoint=OS)
    sizes = [one.statistical_design_recommendations.sample_size for one in (told, without)]
    assert sizes[0] == sizes[1]


def test_given_data_that_cannot_be_planned_with_are_told(ask: Ask) -> None:
    given = {"measure": f"{OS} hazard ratio", "value": 1.2, "control_value": 11.0}
    told = ask(preferred_endpoint=OS, preliminary_efficacy_data=given)
    assert told.statistical_design_recommendations.effect.basis == "evidence"
    assert any("(overall survival hazard ratio, 1.2) are not used" in x for x in told.assumptions)


TWO_ENDPOINTS = {
    "preferred_endpoint": "progression-free survival and overall survival",
    "preliminary_efficacy_data": {
        "measure": "overall survival hazard ratio",
        "value": 0.74,
        "control_value": 20,
        "other_measures": [
            {"measure": "progression-free survival hazard ratio", "value": 0.5, "control_value": 8}
        ],
    },
}


def test_two_primary_endpoints_share_the_level_and_each_has_its_power(ask: Ask) -> None:
    statistics = ask(**TWO_ENDPOINTS).statistical_design_recommendations
    steps = {step.hypothesis: step for step in statistics.multiplicity.alpha_map if step.alpha}
    assert {name: step.alpha for name, step in steps.items()} == {
        "overall survival": 0.02,
        "progression-free survival": 0.005,
    }
    assert steps["overall survival"].passes_to.startswith("progression-free survival")
    (row,) = named(ask, "further endpoints", **TWO_ENDPOINTS).results
    drift = -math.log(0.5) * math.sqrt(row["events"]) / 2
    assert row["power"] == pytest.approx(norm.cdf(drift - norm.isf(0.005)), abs=0.005)
    assert "overpowered" in str(row["note"])


def test_a_late_effect_dilutes_the_average_ratio(ask: Ask) -> None:
    rows = named(ask, "delayed").results
    averages = [float(str(row["average ratio at 100%"])) for row in rows]
    assert averages == sorted(averages)
    assert averages[0] == rows[0]["average ratio at 50%"]
    assert averages[-1] < 1


def test_strategies_of_nested_populations_trade_one_claim_for_the_other(ask: Ask) -> None:
    for row in named(ask, "nested").results:
        chances = {
            name: [float(chance) for chance in str(row[f"{name}: subgroup, all"]).split(", ")]
            for name in ("subgroup first", "all first", "split")
        }
        assert chances["subgroup first"][1] == chances["all first"][0]
        assert chances["all first"][1] >= chances["split"][1] >= chances["subgroup first"][1] - 0.03
        assert row["strategy"] == max(chances, key=lambda name: sum(chances[name]))  # noqa: B023


def test_a_change_of_population_takes_the_headline_out_of_scope(ask: Ask) -> None:
    fields = {"biomarker_strategy": "adaptive enrichment for PD-L1 positive patients"}
    calculation = named(ask, "enrichment", **fields)
    assert all(
        row["w1"] ** 2 + row["w2"] ** 2 == pytest.approx(1, abs=2e-3) for row in calculation.results
    )  # type: ignore[operator]
    assert any(text.startswith("adaptive_enrichment") for text in ask(**fields).warnings)
    assert not named(ask, "enrichment").applies
