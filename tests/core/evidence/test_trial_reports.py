"""Design, analyses and flow of trials as posted; each trap of the register through the pack."""

import json
from typing import Any

from core.evidence.entries.reports import read_flows
from core.evidence.readers.designs import count_criteria, read_ratio
from core.evidence.readers.endpoints import read_analysis_set
from core.evidence_ports import Evidence
from core.records.evidence import Fact
from core.records.evidence_pack import FactQuery
from core.vocabulary.effects import Effect, effect_of, effect_of_method
from core.vocabulary.predicates import Predicate
from tests.rows import over_rows

TRIAL = "ctgov:NCT00000009"
PAIR = ["OG000", "OG001"]


def analysis(**told: Any) -> dict[str, Any]:
    """Return an analysis of two arms with a hazard ratio."""
    return {
        "groupIds": PAIR,
        "nonInferiorityType": "SUPERIORITY",
        "pValue": "<0.001",
        "statisticalMethod": "Log Rank",
        "paramType": "Hazard Ratio (HR)",
        "paramValue": "0.70",
        "ciPctValue": "95",
        "ciLowerLimit": "0.55",
        "ciUpperLimit": "0.89",
    } | told


def outcome(*analyses: dict[str, Any], **told: Any) -> dict[str, Any]:
    """Return an outcome of three arms."""
    ids = [*PAIR, "OG002"]
    names = ("Drugoxib 10 mg", "Placebo", "Drugoxib 10 and 20 mg pooled")
    return {
        "type": "PRIMARY",
        "title": "Progression-free survival",
        "timeFrame": "2 years",
        "populationDescription": "Intent-to-treat population",
        "unitOfMeasure": "months",
        "groups": [{"id": key, "title": name} for key, name in zip(ids, names, strict=True)],
        "denoms": [
            {
                "units": "Participants",
                "counts": [{"groupId": key, "value": "100"} for key in ids],
            }
        ],
        "analyses": list(analyses),
    } | told


def study(*outcomes: dict[str, Any], **flow: Any) -> str:
    """Return a record with results."""
    dated = {"date": "2024-05", "type": "ACTUAL"}
    protocol = {
        "identificationModule": {
            "nctId": "NCT00000009",
            "officialTitle": "A Study of Drugoxib, Randomized 2:1",
        },
        "statusModule": {
            "overallStatus": "COMPLETED",
            "lastUpdatePostDateStruct": {"date": "2025-07-18"},
            "resultsFirstPostDateStruct": {"date": "2025-07-18", "type": "ACTUAL"},
            "startDateStruct": dated,
            "primaryCompletionDateStruct": {"date": "2027-01-31", "type": "ESTIMATED"},
        },
        "designModule": {
            "phases": ["PHASE3"],
            "designInfo": {
                "allocation": "RANDOMIZED",
                "interventionModel": "PARALLEL",
                "primaryPurpose": "TREATMENT",
                "maskingInfo": {"masking": "QUADRUPLE"},
            },
            "enrollmentInfo": {"count": 300, "type": "ACTUAL"},
        },
        "oversightModule": {"oversightHasDmc": True},
        "eligibilityModule": {
            "sex": "FEMALE",
            "minimumAge": "6 Months",
            "maximumAge": "75 Years",
            "eligibilityCriteria": "Inclusion Criteria:\n* A\n* B\n\nExclusion Criteria:\n* C",
        },
        "contactsLocationsModule": {
            "locations": [{"country": "France"}, {"country": "France"}, {"country": "Spain"}]
        },
        "outcomesModule": {"secondaryOutcomes": [{"measure": "Pain", "timeFrame": "week 4"}]},
        "armsInterventionsModule": {
            "armGroups": [
                {"type": "EXPERIMENTAL", "label": "Drugoxib"},
                {"type": "PLACEBO_COMPARATOR", "label": "Placebo"},
            ]
        },
    }
    results = {"outcomeMeasuresModule": {"outcomeMeasures": list(outcomes)}, **flow}
    return json.dumps({"protocolSection": protocol, "resultsSection": results})


def facts(pack: Evidence, *predicates: Predicate) -> list[Fact]:
    """Return what the pack holds of the trial under some predicates, in its order."""
    query = FactQuery(record_ids=[TRIAL], predicates=predicates)
    return [stored.fact for stored in pack.facts(query)]


def effects(pack: Evidence) -> list[tuple[str, float | None]]:
    """Return what each analysis estimates, with its value."""
    told = facts(pack, Predicate.TRIAL_ANALYSIS)
    return [(fact.object.partition(" for ")[0], fact.value) for fact in told]


def test_a_design_is_told_with_actual_and_estimated_days(pack, bring) -> None:
    bring("s.json", study())
    told = {fact.predicate: (fact.object, fact.value, fact.unit) for fact in facts(pack)}
    words = {
        Predicate.TRIAL_PURPOSE: ("TREATMENT", None, ""),
        Predicate.TRIAL_SEX: ("FEMALE", None, ""),
        Predicate.TRIAL_COUNTRIES: ("France|Spain", None, ""),
        Predicate.TRIAL_RATIO: ("2:1", None, ""),
        Predicate.TRIAL_MONITORED: ("yes", None, ""),
        Predicate.TRIAL_START: ("2024-05", None, "ACTUAL"),
        Predicate.TRIAL_PRIMARY_COMPLETION: ("2027-01-31", None, "ESTIMATED"),
        Predicate.TRIAL_RESULTS_POSTED: ("2025-07-18", None, ""),
    }
    assert {predicate: told[predicate] for predicate in words} == words
    values = (Predicate.TRIAL_AGE_FROM, Predicate.TRIAL_AGE_TO, Predicate.TRIAL_SITES)
    assert [told[predicate][1] for predicate in values] == [0.5, 75.0, 3]
    assert told[Predicate.TRIAL_ENROLLMENT][:2] == ("ACTUAL", 300)
    assert {"RANDOMIZED", "QUADRUPLE"} <= set(told[Predicate.TRIAL_DESIGN][0].split("|"))
    assert Predicate.TRIAL_COMPLETION not in told
    counted = [(fact.object, fact.value) for fact in facts(pack, Predicate.TRIAL_CRITERIA)]
    assert counted == [("inclusion", 2), ("exclusion", 1)]
    arms = [(fact.object, fact.unit) for fact in facts(pack, Predicate.TRIAL_ARM)]
    assert arms[1] == ("Placebo", "PLACEBO_COMPARATOR")
    (measure,) = facts(pack, Predicate.TRIAL_ENDPOINT)
    assert (measure.object, measure.qualifiers.time_point) == ("Pain", "week 4")


def test_an_analysis_is_told_whole(pack, bring) -> None:
    margin = "The margin was 1.25"
    entry = analysis(nonInferiorityType="NON_INFERIORITY", nonInferiorityComment=margin)
    bring("s.json", study(outcome(entry)))
    (estimate,) = facts(pack, Predicate.TRIAL_ANALYSIS)
    assert estimate.object == f"{Effect.HAZARD_RATIO} for Progression-free survival"
    assert (estimate.value, estimate.unit) == (0.7, "hazard ratio")
    qualifiers = estimate.qualifiers
    assert (qualifiers.interval, qualifiers.n) == ("95% CI: 0.55, 0.89", "200")
    assert qualifiers.arm == "Drugoxib 10 mg against Placebo"
    assert estimate.locator == "outcomeMeasures[0].analyses[0]"
    (p_value,) = facts(pack, Predicate.TRIAL_P_VALUE)
    assert (p_value.object, p_value.value) == ("<0.001", 0.001)
    (method,) = facts(pack, Predicate.TRIAL_ANALYSIS_METHOD)
    (hypothesis,) = facts(pack, Predicate.TRIAL_HYPOTHESIS)
    (role,) = facts(pack, Predicate.TRIAL_ANALYSIS_ROLE)
    told = (method.object, hypothesis.object, hypothesis.qualifiers.population)
    assert told == ("Log Rank", "non-inferiority", margin)
    assert (role.object, role.qualifiers.population) == ("primary", "intention to treat")
    places = {fact.locator for fact in (p_value, method, hypothesis, role)}
    assert places == {estimate.locator}


def test_what_is_beside_the_main_analysis_is_not_taken_for_it(pack, bring) -> None:
    bring(
        "s.json",
        study(
            outcome(
                analysis(),
                analysis(groupDescription="Sensitivity analysis in the per-protocol population"),
                analysis(paramValue="0.75"),
                analysis(statisticalComment="alpha 0.0497, resulting from interim analyses"),
            ),
            outcome(analysis(), populationDescription="Per-protocol set"),
            outcome(analysis(), type="SECONDARY"),
        ),
    )
    told = facts(pack, Predicate.TRIAL_ANALYSIS_ROLE)
    assert [(fact.unit, fact.qualifiers.population) for fact in told] == [
        ("", "intention to treat"),
        ("sensitivity", "per protocol"),
        ("further", "intention to treat"),
        ("further", "intention to treat"),
        ("", "per protocol"),
        ("", "intention to treat"),
    ]


def test_pooled_arms_and_three_arms_are_no_pair_of_others(pack, bring) -> None:
    pooled = analysis(groupIds=["OG002", "OG001"])
    together = analysis(groupIds=["OG000", "OG001", "OG002"], paramType="", paramValue="")
    bring("s.json", study(outcome(pooled, together)))
    first, second = facts(pack, Predicate.TRIAL_ANALYSIS)
    assert first.qualifiers.arm == "Drugoxib 10 and 20 mg pooled against Placebo"
    assert (second.qualifiers.arm.count(" | "), second.value) == (2, None)
    assert [fact.value for fact in facts(pack, Predicate.TRIAL_P_VALUE)] == [0.001, 0.001]


def test_a_difference_has_the_unit_of_its_measure(pack, bring) -> None:
    entry = analysis(
        paramType="LS Mean Difference", paramValue="-2", ciLowerLimit="-3", ciUpperLimit="-1"
    )
    bring("s.json", study(outcome(entry, unitOfMeasure="mmHg")))
    (told,) = facts(pack, Predicate.TRIAL_ANALYSIS)
    assert effects(pack) == [(Effect.DIFFERENCE_IN_MEANS, -2.0)]
    assert told.unit == "mmHg"


@over_rows(
    ("said", "effect"),
    [
        ("LS Mean Ratio", Effect.RATIO_OF_MEANS),
        ("Ratio of geometric LS means", Effect.RATIO_OF_MEANS),
        ("Relative risk", Effect.RISK_RATIO),
        ("Odds Ratio, log", None),
        ("Relative Risk (Hazard Ratio)", None),
        ("Least Squares Mean", None),
        ("Slope", None),
    ],
)
def test_an_effect_is_what_its_parameter_says(said, effect) -> None:
    assert effect_of(said) == effect


def test_a_ratio_named_in_the_method_alone_is_known_by_it(pack, bring) -> None:
    words = "The relative risk was estimated by a log-binomial model"
    named = analysis(paramType=None, statisticalComment=words)
    bring("s.json", study(outcome(named, analysis(paramType=None))))
    first, second = effects(pack)
    assert first == (Effect.RISK_RATIO, 0.7)
    assert second == ("Progression-free survival", None)
    assert effect_of_method("risk ratio and odds ratio") is None


def test_a_p_value_that_is_none_is_kept_as_written_alone(pack, bring) -> None:
    bring("s.json", study(outcome(analysis(pValue="44.05"), analysis(pValue="=0.03"))))
    told = facts(pack, Predicate.TRIAL_P_VALUE)
    assert [(fact.object, fact.value) for fact in told] == [("44.05", None), ("=0.03", 0.03)]


def test_flow_is_told_by_period_and_arm_with_reasons(pack, bring) -> None:
    def counts(name: str, *numbers: str) -> dict[str, Any]:
        return {name: [{"groupId": f"FG00{k}", "numSubjects": n} for k, n in enumerate(numbers)]}

    flow = {
        "groups": [{"id": "FG000", "title": "Drugoxib"}, {"id": "FG001", "title": "Placebo"}],
        "periods": [
            {
                "title": "Overall Study",
                "milestones": [
                    {"type": "STARTED", **counts("achievements", "263", "266")},
                    {"type": "COMPLETED", **counts("achievements", "256", "254")},
                ],
                "dropWithdraws": [{"type": "Death", **counts("reasons", "3", "4")}],
            }
        ],
    }
    bring("s.json", study(participantFlowModule=flow))
    first, second = read_flows([TRIAL], pack)[TRIAL]
    assert (first.period, first.arm) == ("Overall Study", "Drugoxib")
    assert first.milestones == {"started": 263, "completed": 256}
    assert (second.milestones["started"], second.reasons) == (266, {"Death": 4})


@over_rows(
    ("text", "n_arms", "ratio"),
    [
        ("Patients will be randomized in a 2: 1 ratio to drugoxib or placebo", 2, "2:1"),
        ("randomized 1:1:1 to two doses or placebo", 2, ""),
        ("Randomized 1:1 in part A. Randomized 2:1 in part B", 4, ""),
        ("Samples diluted 1:10 were randomized to readers", 0, ""),
        ("randomized at 10:30 a.m.", 2, ""),
        ("effector to target ratio of 10:1", 2, ""),
    ],
)
def test_a_ratio_is_that_of_the_arms(text, n_arms, ratio) -> None:
    assert read_ratio([text], n_arms) == ratio


def test_criteria_are_counted_where_both_lists_are_plain() -> None:
    included = "Inclusion Criteria:\n* All of the following:\n* A\n  * part\n* B"
    text = f"{included}\n\nExclusion Criteria:\n1. C"
    assert count_criteria(text) == {"inclusion": 2, "exclusion": 1}
    assert count_criteria("Inclusion Criteria:\n* A") == {}


def test_of_two_sets_in_one_text_neither_is_taken() -> None:
    assert read_analysis_set("ITT and per protocol populations") == ""
    assert read_analysis_set("", "Per protocol", "ITT") == "per protocol"
