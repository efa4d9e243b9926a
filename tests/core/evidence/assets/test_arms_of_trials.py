"""Which arm of a trial is a drug's own, what it got besides, and what is compared with it."""

from collections import Counter
from dataclasses import replace
from datetime import date

import pytest

from core.evidence.assets.gather import gather_assets
from core.evidence.readers.arms import drugs_beside, is_own_arm, names_drug
from core.evidence.readers.target_expressions import read_targets
from core.evidence.sources.files.trial_results import Setting, read_results
from core.records.asset_queries import AssetQuery
from core.records.evidence import Fact, Qualifiers, Role
from tests.core.evidence.assets.conftest import make_trial
from tests.rows import over_rows

TODAY = date(2026, 11, 21)
BOTH: dict[str, Role] = {"pembrolizumab": "investigational", "placebo": "comparator"}


def result(measure: str, arm: str, value: float = 1, **told: str) -> Fact:
    """Return a posted result."""
    said = Qualifiers(arm=arm, n="100", **{"time_point": "24 months", **told})
    place = "outcomeMeasures[0].measurements[0]"
    return Fact("", "", "trial_result", measure, value, "months", said, locator=place)


def serious(arm: str, value: float = 1) -> Fact:
    """Return a count of patients with serious events."""
    label = "serious adverse events, any"
    place = "adverseEventsModule.eventGroups[0].seriousNumAffected"
    said = Qualifiers(arm=arm, n="100")
    return Fact("", "", "trial_adverse_event", label, value, "participants", said, locator=place)


@over_rows(
    ("arm", "is_own"),
    [
        ("Placebo (placebo for 9 months, then 3 months of open-label drugoxib)", False),
        ("Placebo (tablets matching drugoxib 5 mg)", False),
        ("Sugar pill (made to mimic drugoxib 5 mg)", False),
        ("Calcineurin inhibitor (may be switched to drugoxib later)", False),
        ("Non-Drugoxib Based Regimen (the arms that did not include drugoxib)", False),
        ("Pre-Drugoxib Period", False),
        ("Initial combination (valsartan plus amlodipine or valsartan plus drugoxib)", False),
        ("Valsartan (run-in, then drugoxib 5 mg)", False),
        ("Cohort 1 (patients received drugoxib 5 mg daily)", True),
        ("Cohort 2 (drugoxib in combination with chemotherapy)", True),
        ("Drugoxib 5 mg daily (drugoxib once a day + placebo as required/on demand)", True),
        ("Drugoxib Standard Dose", True),
        ("Drugoxib or placebo", False),
    ],
)
def test_a_drug_is_given_only_where_the_words_of_the_arm_say_so(arm, *, is_own) -> None:
    assert is_own_arm(arm, ["drugoxib"], is_alone=False) == is_own


def test_a_title_names_a_drug_as_given() -> None:
    assert names_drug("Drugoxib + X (description)", ["drugoxib"])
    assert not names_drug("Arm A (drugoxib 5 mg)", ["drugoxib"])


@over_rows(
    ("arm", "others", "beside"),
    [
        ("Ibuprofen 400 mg + Caffeine 100 mg", ["Ibuprofen/Caffeine"], ("Caffeine",)),
        ("60 mg Furosemide + 150 mg Ibuprofen", ["Furosemide 60 mg"], ("Furosemide",)),
        ("Pre-AR101 Period: Ibuprofen", ["AR101"], ()),
        ("Ibuprofen (valsartan run-in, then ibuprofen)", ["Valsartan"], ()),
        ("Ibuprofen (with cisplatin or oxaliplatin)", ["Cisplatin", "Oxaliplatin"], ()),
        ("Ibuprofen (with cisplatin 75 mg/m2 or carboplatin)", ["Cisplatin", "Carboplatin"], ()),
        ("Ibuprofen (patients treated with metformin and/or insulin)", ["Metformin"], ()),
        (
            "Ibuprofen (treated with ibuprofen and (amlodipine or hydrochlorothiazide))",
            ["Amlodipine", "Hydrochlorothiazide"],
            (),
        ),
        ("Ibuprofen 60 mg + Aliskiren Placebo", ["Aliskiren 150 mg"], ()),
        ("Ibuprofen (also got a capsule of placebo matched with aliskiren)", ["Aliskiren"], ()),
        ("Ibuprofen 60 mg + Aliskiren 150 mg matching placebo", ["Aliskiren 150 mg"], ()),
        ("Ibuprofen (with aliskiren-placebo from day 1)", ["Aliskiren"], ()),
        ("Ibuprofen + Aliskiren + Ramipril placebo", ["Aliskiren", "Ramipril"], ("Aliskiren",)),
        (
            "Ibuprofen (in combination with simeprevir 75 mg)",
            ["Simeprevir (SMV)"],
            ("Simeprevir",),
        ),
    ],
)
def test_what_was_given_beside_a_drug(arm, others, beside) -> None:
    assert drugs_beside(arm, ["ibuprofen"], others) == beside


def test_a_part_of_a_drugs_own_name_is_not_given_beside_it() -> None:
    names = ["sacubitrilvalsartan", "lcz696"]
    assert drugs_beside("Sacubitril/Valsartan (LCZ696)", names, ["Valsartan", "LCZ696"]) == ()


def test_where_titles_name_the_drug_another_arm_is_not_its_own(figures) -> None:
    found = figures(
        result("Overall Survival", "Pembrolizumab 200 mg", 22),
        result(
            "Overall Survival", "Deferred (first nothing, given pembrolizumab 200 mg later)", 11
        ),
    )
    assert [one.value for one in found] == [22]
    assert found[0].comparator.startswith("Deferred")


def test_an_arm_of_the_drug_is_no_comparator_of_it(figures) -> None:
    found = figures(
        serious("Pembrolizumab every week", 3), serious("Pembrolizumab every 2 weeks", 4)
    )
    assert [one.comparator for one in found] == ["", ""]


def test_arms_of_different_times_are_not_compared(figures) -> None:
    found = figures(
        serious("Pembrolizumab_core", 9),
        serious("Pembrolizumab_extension", 8),
        serious("Placebo_core", 7),
    )
    assert [one.comparator for one in found] == ["Placebo_core: 7 participants (n=100)", ""]


def test_patients_who_get_the_drug_later_are_no_comparison_of_events(figures) -> None:
    later = "Placebo (placebo for 12 weeks; then all got pembrolizumab)"
    (events,) = figures(serious("Pembrolizumab", 9), serious(later, 7))
    assert events.comparator == ""
    (survival,) = figures(
        result("Overall Survival", "Pembrolizumab", 9), result("Overall Survival", later, 7)
    )
    assert survival.comparator.startswith("Placebo")


def test_an_arm_of_a_cross_over_trial_that_tells_of_both_drugs_is_of_neither(figures) -> None:
    drugs: dict[str, Role] = {"pembrolizumab": "investigational", "AGO-100": "comparator"}
    both = "Pembrolizumab Cohort (pembrolizumab in period 1, AGO-100 in period 2)"
    assert figures(result("Overall Survival", both), drugs=drugs, design="CROSSOVER") == ()
    alone = "Pembrolizumab (200 mg every 3 weeks)"
    (found,) = figures(
        result("Overall Survival", alone),
        result("Overall Survival", "AGO-100"),
        drugs=drugs,
        design="RANDOMIZED|CROSSOVER",
    )
    assert (found.arm, found.comparator) == (alone, "")


def test_in_one_group_with_two_drugs_an_arm_without_a_name_is_of_neither(figures) -> None:
    drugs: dict[str, Role] = {"pembrolizumab": "investigational", "AGO-100": "investigational"}
    group, other = (result("Overall Survival", f"Population {one}") for one in "12")
    assert figures(group, other, drugs=drugs, design="NA|SINGLE_GROUP") == ()
    (found,) = figures(group, drugs=drugs, design="NA|SINGLE_GROUP")
    assert found.given_with == ("AGO-100",)


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("Baseline HbA1c", {}),
        ("NYHA class at baseline: Class I", {}),
        ("Aortic stiffness score: Baseline pulse wave velocity", {}),
        ("Pain score: Pre-dose", {}),
        ("Treatment failure score: Number censored", {}),
        ("Quality of life score", {"time_point": "Baseline"}),
        ("Severity at baseline and improvement, a score: Severity Baseline", {}),
        ("Symptom score: Total at Baseline; n=32, 28", {}),
        ("Response score", {"arm": "Pembrolizumab (Baseline) (30 mg every week)"}),
        ("Percentage with less sperm", {}),
        ("Change in Diastolic Blood Pressure: Week 24", {}),
        ("Change From Baseline in Body Weight: Week 26", {}),
        ("Change in FEV1", {"population": "Safety Population"}),
        ("Mean plasma concentration score", {}),
        ("Change in Hemoglobin", {}),
        ("Maximum decrease in ejection fraction score", {}),
        ("Change in Heart Rate score", {}),
    ],
)
def test_what_is_measured_before_treatment_or_to_watch_safety_is_no_efficacy(
    figures, measure, told
) -> None:
    arm = told.pop("arm", "Pembrolizumab")
    assert figures(result(measure, arm, **told)) == ()


def test_pressure_tells_efficacy_in_hypertension_and_not_in_that_of_the_lung(figures) -> None:
    pressure = result("Change in Systolic Blood Pressure: Week 8", "Pembrolizumab")
    assert len(figures(pressure, title="A study in hypertension")) == 1
    assert figures(pressure, title="A study in pulmonary arterial hypertension") == ()


def posted(row: str, entry: dict[str, str], kind: str = "95% Confidence Interval") -> Qualifiers:
    """Return what is told with a posted value."""
    outcome = {
        "type": "PRIMARY",
        "title": "Score",
        "groups": [{"id": "A", "title": "Drug"}],
        "dispersionType": kind,
        "denoms": [{"units": "Participants", "counts": [{"groupId": "A", "value": "183"}]}],
        "classes": [{"title": row, "categories": [{"measurements": [{"groupId": "A", **entry}]}]}],
    }
    results = {"outcomeMeasuresModule": {"outcomeMeasures": [outcome]}}
    (fact,) = read_results(results, Setting("ctgov:a", "a"))
    return fact.qualifiers


def test_the_patients_of_a_subgroup_are_not_those_of_the_measure() -> None:
    assert [posted(row, {"value": "1"}).n for row in ("<65 years", "Responder", "Week 8")] == [
        "",
        "",
        "183",
    ]


def test_bounds_that_do_not_hold_the_value_are_not_its_interval() -> None:
    bounds = {"lowerLimit": "0.9", "upperLimit": "1.6"}
    assert posted("", {"value": "35.1", **bounds}).interval == ""
    assert posted("", {"value": "1.1", **bounds}).interval == "95% Confidence Interval 0.9 to 1.6"
    assert posted("", {"value": "1.1", **bounds}, "Standard Error").interval == "0.9 to 1.6"
    assert (
        posted("", {"value": "1", "spread": "2"}, "Standard Error").interval == "Standard Error 2"
    )


def test_a_row_of_a_measure_may_be_of_a_part_of_the_trial(figures) -> None:
    before = serious("Pembrolizumab", 3)
    severe = result(
        "Number With Adverse Events: Any Pre-Treatment AEs: >= Grade 3", "Pembrolizumab"
    )
    found = figures(before, replace(severe, unit="Participants"))
    assert [one.measure for one in found] == ["serious adverse events, any"]


def test_with_an_arm_without_a_figure_nobody_knows_the_comparator(figures) -> None:
    own, other = (
        replace(result("Overall Survival", arm), locator=f"outcomeMeasures[0].measurements[{n}]")
        for n, arm in ((2, "Pembrolizumab"), (1, "AGO-100"))
    )
    (found,) = figures(own, other)
    assert found.comparator == ""


def test_a_figure_tells_every_disease_that_its_arm_may_have_had(pack, resolver, hold) -> None:
    told = result("Overall Survival", "NSCLC expansion (pembrolizumab 2 mg/kg)")
    diseases = ("gastric cancer", "obesity", "NSCLC")
    hold(make_trial(1, BOTH, results=(told,), conditions=diseases))
    targets, _ = read_targets("PD-1", resolver)
    (asset,) = gather_assets(AssetQuery(targets=tuple(targets)), pack, resolver, TODAY).assets
    assert [one.indication for one in asset.outcomes] == ["gastric cancer; obesity; NSCLC"]


def test_one_arm_of_a_measure_is_not_the_only_arm_of_its_trial(figures) -> None:
    part = result("Objective Response Rate", "ALK Positive Population (documented ALK)")
    other = replace(
        result("Overall Survival", "Cohort X (pretreated)"), locator="outcomeMeasures[1].x"
    )
    drugs: dict[str, Role] = {"pembrolizumab": "investigational", "crizotinib": "investigational"}
    told = {"drugs": drugs, "design": "SINGLE_GROUP"}
    assert figures(part, other, **told) == ()  # type: ignore[arg-type]


def test_two_platins_are_a_choice_of_one() -> None:
    arm = "Arm A (drugoxib 200 mg with cisplatin 75 mg/m^2 /carboplatin AUC 5 and pemetrexed)"
    others = ["Cisplatin", "Carboplatin", "Pemetrexed"]
    assert drugs_beside(arm, ["drugoxib"], others) == ("Pemetrexed",)
    assert drugs_beside(arm.replace("/carboplatin AUC 5 ", ""), ["drugoxib"], others) == (
        "Cisplatin",
        "Pemetrexed",
    )


def test_a_drug_that_patients_get_or_another_one_is_not_told_as_given() -> None:
    arm = "Cohort 1 (drugoxib 200 mg with carboplatin + paclitaxel 200 or 175 mg/m^2 or nab-taxol)"
    others = ["Carboplatin", "Paclitaxel", "Taxol"]
    assert drugs_beside(arm, ["drugoxib"], others) == ("Carboplatin",)


def test_the_list_that_a_registry_adds_to_an_arm_tells_what_was_given() -> None:
    arm = "Arm B: Drugoxib (Drugoxib with cCRT, then alone. Chemoradiotherapy: daily dose)"
    assert drugs_beside(arm, ["drugoxib"], ["Chemoradiotherapy"]) == ("Chemoradiotherapy",)


def test_blood_counts_of_a_set_for_safety_tell_no_efficacy(figures) -> None:
    row = result(
        "Change in Hemoglobin", "Pembrolizumab", population="Safety (Extension) Population"
    )
    assert figures(row, title="Efficacy in anaemia") == ()


def test_a_measure_of_no_known_kind_in_a_set_for_safety_tells_no_efficacy(figures) -> None:
    row = result("Change in Something", "Pembrolizumab", population="Safety Population")
    said = Fact("", "", "trial_endpoint", "Change in Something", locator="primary")
    assert figures(row, said, title="Efficacy of pembrolizumab") == ()


def test_a_way_of_giving_is_no_other_drug() -> None:
    arm = "Intravenous/Subcutaneous Drugoxib; Oral Drugoxib"
    assert drugs_beside(arm, ["drugoxib"], ["Intravenous/Subcutaneous Drugoxib"]) == ()
    assert drugs_beside("Drugoxib 240/80 mg", ["drugoxib"], ["Drugoxib 240/80 mg"]) == ()


def events(*affected: int | None) -> list[Fact]:
    """Return what is told of one term's events, an arm each."""
    groups = [{"id": f"E{place}", "title": f"Arm {place}"} for place in range(len(affected))]
    stats = [
        {"groupId": f"E{place}", "numAffected": count, "numAtRisk": 50}
        for place, count in enumerate(affected)
        if count is not None
    ]
    terms = [
        {"term": "Rash", "stats": stats},
        {"term": "Nobody's", "stats": [stats[0] | {"numAffected": 0}]},
    ]
    module = {"timeFrame": "1 year", "eventGroups": groups, "otherEvents": terms}
    return list(read_results({"adverseEventsModule": module}, Setting("ctgov:a", "a")))


def test_an_arm_without_an_event_that_the_other_had_is_told() -> None:
    told = {one.qualifiers.arm: (one.value, one.object) for one in events(6, 0)}
    rash = "other adverse event: Rash"
    assert told == {"Arm 0": (6.0, rash), "Arm 1": (0.0, rash)}
    assert [one.qualifiers.arm for one in events(6, None)] == ["Arm 0"]


def test_of_other_arms_the_most_frequent_events_alone_are_told() -> None:
    groups = [{"id": "A", "title": "Drug"}, {"id": "B", "title": "Placebo"}]
    terms = [
        {
            "term": f"Term {place}",
            "stats": [
                {"groupId": "A", "numAffected": 30 - place, "numAtRisk": 50},
                {"groupId": "B", "numAffected": 0, "numAtRisk": 50},
            ],
        }
        for place in range(25)
    ]
    found = read_results(
        {"adverseEventsModule": {"eventGroups": groups, "otherEvents": terms}},
        Setting("ctgov:a", "a"),
    )
    counts = Counter(one.qualifiers.arm for one in found)
    assert counts == {"Drug": 20, "Placebo": 5}
    assert {one.object[-1] for one in found if one.qualifiers.arm == "Placebo"} == set("01234")


def test_an_event_that_the_comparator_never_had_is_shown_against_it(figures) -> None:
    rash = [
        replace(serious(arm, value), object="other adverse event: rash", locator="otherEvents[0]")
        for arm, value in (("Pembrolizumab", 12), ("Placebo", 0))
    ]
    found = figures(serious("Pembrolizumab", 3), serious("Placebo", 0), *rash)
    assert {one.measure: one.comparator for one in found} == {
        "serious adverse events, any": "Placebo: 0 participants (n=100)",
        "other adverse event: rash": "Placebo: 0 participants (n=100)",
    }


def test_an_event_that_the_drug_never_had_is_none_of_its_reactions(figures) -> None:
    never = replace(serious("Pembrolizumab", 0), object="other adverse event: rash")
    found = figures(serious("Pembrolizumab", 3), never)
    assert [one.measure for one in found] == ["serious adverse events, any"]


@pytest.mark.parametrize(
    ("measure", "title", "is_efficacy"),
    [
        ("Mean change in platelet count", "Pembrolizumab in dialysis", False),
        ("White Blood Cells (WBC): Week 12", "Pembrolizumab in chronic kidney disease", False),
        ("Change in hemoglobin", "Pembrolizumab in dialysis", True),
        ("Mean change in platelet count", "Pembrolizumab in immune thrombocytopenia", True),
    ],
)
def test_counts_of_blood_tell_efficacy_where_they_are_the_disease(
    figures, measure, title, is_efficacy
) -> None:
    found = figures(result(measure, "Pembrolizumab"), title=title)
    assert bool(found) is is_efficacy


@pytest.mark.parametrize(
    ("measure", "title", "is_efficacy"),
    [
        ("Hemoglobin: mean change", "Safety of pembrolizumab in children on dialysis", False),
        ("Hemoglobin: mean change", "Efficacy and safety of pembrolizumab in dialysis", True),
        ("Supine blood pressure", "Pembrolizumab in pulmonary hypertension; Hypertension", False),
        ("Supine blood pressure", "Safety of pembrolizumab in hypertension", True),
        ("Cardiac index", "Pembrolizumab in pulmonary hypertension", True),
        ("Response score: Change from baseline", "Pembrolizumab in asthma", True),
    ],
)
def test_what_a_trial_watches_is_told_from_what_it_wants(
    figures, measure, title, is_efficacy
) -> None:
    found = figures(result(measure, "Pembrolizumab"), title=title)
    assert bool(found) is is_efficacy


def test_a_drug_known_by_code_is_found_under_its_name_in_an_arm(figures) -> None:
    drugs: dict[str, Role] = {"pembrolizumab": "investigational", "AGO-100": "investigational"}
    (found,) = figures(result("Overall Survival", "Pembrolizumab plus agonitide"), drugs=drugs)
    assert found.given_with == ("agonitide",)
