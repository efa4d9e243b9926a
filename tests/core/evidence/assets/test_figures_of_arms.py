"""Whom a figure is of: arms and what they got, patients of labels, lines and participants."""

from dataclasses import replace
from datetime import date

from core.evidence.readers.arms import drugs_beside, is_own_arm, names_another
from core.evidence.readers.label_outcomes import read_label_outcomes
from core.evidence.readers.trial_settings import read_line
from core.evidence.sources.files.trial_results import Setting, read_results
from core.records.evidence import Fact, Qualifiers, Role, Span
from core.vocabulary.endpoints import classify_measure, load_measures
from tests.core.evidence.assets.conftest import result
from tests.rows import over_rows

NAMES = ("pembrolizumab", "mk3475", "keytruda")


@over_rows(
    ("arm", "is_alone", "is_own"),
    [
        ("Pembrolizumab 200 mg", False, True),
        ("MK-3475 + chemotherapy", False, True),
        ("Placebo + chemotherapy", False, False),
        ("Placebo", True, False),
        ("Placebo matched to pembrolizumab", False, False),
        ("Pembrolizumab + placebo", False, True),
        ("Placebo then pembrolizumab", False, False),
        ("Placebo to Keytruda", False, False),
        ("Chemotherapy", False, False),
        ("Cohort 1: 2 mg/kg", True, True),
        ("Cohort 1: 2 mg/kg", False, False),
        ("Control", True, False),
        ("", False, False),
    ],
)
def test_an_arm_is_a_drugs_own_only_for_certain(arm, *, is_alone, is_own) -> None:
    assert is_own_arm(arm, NAMES, is_alone=is_alone) == is_own


def event(label: str, value: float, arm: str) -> Fact:
    return Fact(
        "",
        "",
        "trial_adverse_event",
        label,
        value,
        "participants affected",
        Qualifiers(arm=arm, n="100"),
    )


def test_efficacy_comes_with_its_comparator_and_before_toxicity(figures) -> None:
    found = figures(
        event("serious adverse events, any", 30, "Pembrolizumab"),
        event("serious adverse events, any", 20, "Placebo"),
        result("Objective Response Rate (ORR)", 41, "Pembrolizumab"),
        result("Objective Response Rate (ORR)", 12, "Placebo"),
        title="Pembrolizumab as first-line treatment of KRAS G12C-mutated NSCLC",
    )
    assert [one.kind for one in found] == ["efficacy", "toxicity"]
    first, second = found
    assert (first.value, first.unit, first.n, first.arm) == (41, "%", 100, "Pembrolizumab")
    assert first.comparator == "Placebo: 12 % (n=100)"
    assert (first.line, first.biomarker) == ("first line", "KRAS G12C-mutated")
    assert len(first.fact_ids) == 2
    assert (second.value, second.arm) == (30, "Pembrolizumab")


def test_figures_of_the_comparator_are_never_the_drugs(figures) -> None:
    assert figures(result("Overall Survival", 11, "Placebo")) == ()


def test_of_two_other_arms_neither_is_the_comparator(figures) -> None:
    (found,) = figures(
        result("Overall Survival", 22, "Pembrolizumab", "months"),
        result("Overall Survival", 11, "Placebo", "months"),
        result("Overall Survival", 13, "Chemotherapy", "months"),
    )
    assert found.comparator == ""


def test_arms_without_a_name_count_only_where_nothing_else_is_given(figures) -> None:
    cohort = result("Objective Response Rate", 41, "Cohort 1")
    assert len(figures(cohort, drugs={"pembrolizumab": "investigational"})) == 1
    drugs: dict[str, Role] = {"pembrolizumab": "investigational", "AGO-100": "investigational"}
    assert figures(cohort, drugs=drugs) == ()


def test_primary_measures_come_first_and_exposure_never(figures) -> None:
    found = figures(
        result("Overall Survival", 22, "Pembrolizumab", "months"),
        result("Response", 5, "Pembrolizumab", "units"),
        result("Maximum Concentration (Cmax)", 9, "Pembrolizumab", "ng/mL"),
        result("Number of Participants With Adverse Events", 90, "Pembrolizumab"),
    )
    assert [one.measure for one in found] == ["Response", "Overall Survival"]


def test_measures_are_told_apart() -> None:
    assert classify_measure("Progression-free Survival (PFS)").name == "progression-free survival"
    assert classify_measure("Change in HbA1c at week 24").side == "efficacy"
    assert classify_measure("AUC of drug").side == "exposure"
    assert classify_measure("Shoe size").side == "other"
    assert {one.side for one in load_measures()} == {"efficacy", "safety", "exposure"}


def read(text: str) -> list[tuple[str, float, str]]:
    span = Span("clinical_studies", text, 0, len(text))
    facts = read_label_outcomes(span, "label:a", "drug", "2026-01-01")
    return [(one.object, one.value or 0, one.qualifiers.interval) for one in facts]


def test_a_hazard_ratio_in_a_table_takes_the_nearest_endpoint() -> None:
    text = (
        "14.1 Colon Cancer Overall Survival Median (months) 6.4 5.0 Hazard Ratio (HR) (95% CI) "
        "0.77 (0.64, 0.94) Progression-Free Survival Median 2.0 1.7 HR (95% CI) 0.49 (0.42, 0.58)"
    )
    assert read(text) == [
        ("hazard ratio for Overall Survival", 0.77, "95% CI: 0.64, 0.94"),
        ("hazard ratio for Progression-Free Survival", 0.49, "95% CI: 0.42, 0.58"),
    ]


@over_rows(
    "text",
    [
        "14.1 X A single-arm trial. ORR (95% CI) 36% (27, 45) 12% (8, 20)",
        "14.1 X A randomized trial. ORR (95% CI) 36% (27, 45) Complete",
        "14.1 X A single-arm trial. ORR (95% CI) 36% (41, 45) Complete",
        "14.1 X Overall Survival HR (95% CI) 0.99 (0.40, 0.60)",
        "14.1 X HR (95% CI) 0.50 (0.40, 0.60)",
    ],
)
def test_a_table_that_leaves_doubt_tells_nothing(text) -> None:
    assert read(text) == []


def test_a_single_arm_response_rate_is_taken() -> None:
    text = "14.1 X A single-arm trial of 107 patients. ORR (95% CI) 36% (27, 45) Complete response"
    assert read(text) == [("ORR", 36.0, "95% CI: 27, 45")]


TODAY = date(2026, 11, 21)


def test_what_patients_had_before_is_not_the_drug_of_an_arm() -> None:
    arm = "EXP-2 (Participants relapsing after only crizotinib therapy were given PF-06463922)"
    assert not is_own_arm(arm, ["crizotinib"], is_alone=False)
    assert is_own_arm(arm, ["pf06463922"], is_alone=False)
    assert names_another(arm, ["crizotinib"], ["Crizotinib", "PF-06463922"])
    assert not names_another("Cohort 1", ["crizotinib"], ["Crizotinib", "PF-06463922"])


def test_every_way_of_telling_earlier_drugs_is_passed_over() -> None:
    arm = (
        "EXP-3 (relapsing after crizotinib therapy and 1 or 2 prior regimens given before or after "
        "crizotinib therapy, or after 1 line of ALK inhibitor other than crizotinib were given "
        "PF-06463922 100 mg)"
    )
    assert not is_own_arm(arm, ["crizotinib"], is_alone=False)
    assert is_own_arm(arm, ["pf06463922"], is_alone=False)
    assert is_own_arm("After 2 weeks, 200 mg pembrolizumab", ["pembrolizumab"], is_alone=False)


def test_an_analysis_of_another_endpoint_names_no_hazard_ratio() -> None:
    text = (
        "14.1 X Overall Survival (OS) OS analysis was based on data from the time of PFS primary "
        "analysis. Median (months) NR 10.3 Hazard ratio (95% CI) 0.7 (0.41, 1.18) ORR"
    )
    span = Span("clinical_studies", text, 0, len(text))
    (fact,) = read_label_outcomes(span, "label:a", "drug", "2026-01-01")
    assert fact.object == "hazard ratio for OS"


def test_a_way_of_choosing_a_drug_is_not_its_arm() -> None:
    arm = "NICHE Method (therapy will be chosen using an n-of-1 trial of losartan and lisinopril)"
    assert not is_own_arm(arm, ["losartan"], is_alone=False)


def test_a_column_of_a_combination_is_told_with_its_figure() -> None:
    text = (
        "14.1 X Table 3. Results in RAINBOW CI = confidence interval, "
        + "abbreviation " * 30
        + "CYRAMZA + Paclitaxel N=330 Placebo + Paclitaxel N=335 Overall Survival Hazard Ratio "
        "(95% CI) 0.81 (0.68, 0.96) p"
    )
    span = Span("clinical_studies", text, 0, len(text))
    (fact,) = read_label_outcomes(span, "label:a", "drug", "2026-01-01")
    assert fact.qualifiers.population.endswith("; CYRAMZA + Paclitaxel N=330")


def test_the_other_drugs_of_an_arm_are_told() -> None:
    others = ["Encorafenib", "Binimetinib"]
    assert drugs_beside("Encorafenib + binimetinib", ["encorafenib"], others) == ("Binimetinib",)
    assert drugs_beside("Encorafenib", ["encorafenib"], others) == ()
    assert drugs_beside("Total", ["encorafenib"], others) == ("Binimetinib",)
    assert drugs_beside("Total", ["encorafenib"], [*others, "Cetuximab", "Irinotecan"]) == ()


def test_baseline_values_and_safety_laboratory_are_no_efficacy(figures) -> None:
    baseline = result("Change From Baseline in Blood Pressure: SBP; Baseline; n=14, 16", 120, "P")
    events = result("Phase 1: Number of Participants With Adverse Events: Any", 3, "P")
    found = figures(
        *(replace(one, qualifiers=Qualifiers(arm="Pembrolizumab")) for one in (baseline, events)),
        replace(
            result("Change in Cholesterol: Week 12", 0.4, "P"),
            qualifiers=Qualifiers(arm="Pembrolizumab", population="Safety Population"),
        ),
        result("Part A: Overall Survival", 22, "Pembrolizumab", "months"),
    )
    assert [one.measure for one in found if one.kind == "efficacy"] == ["Part A: Overall Survival"]


def reactions(text: str) -> list[tuple[str, str]]:
    span = Span("adverse_reactions", text, 0, len(text))
    facts = read_label_outcomes(span, "label:a", "drug", "2026-01-01")
    return [(one.object, one.qualifiers.population) for one in facts]


def test_a_list_of_reactions_is_whole_and_tells_whose_it_is() -> None:
    assert reactions(
        "See (5.1)] In DTC, the most common adverse reactions (\u2265 5%) were ( 6.1 ): rash "
        "(2.5%) and cough. More."
    ) == [("rash (2.5%) and cough", "In DTC")]
    assert (
        reactions(
            "The most common adverse reactions (\u2265 1%) leading to discontinuation were rash."
        )
        == []
    )
    assert (
        reactions(
            "Most common adverse reactions (\u2265 5%) with 1 mg are rash, cough and with 2 mg are "
            "nausea and rash."
        )
        == []
    )
    assert reactions("Most common adverse reactions (\u2265 3%) are summarized in table 1.") == []


def test_a_hazard_ratio_without_endpoint_tells_nothing_and_its_patients_are_kept() -> None:
    span = Span("clinical_studies", "14.1 X In men the HR was 0.80 (95% CI: 0.70, 0.90).", 0, 50)
    assert list(read_label_outcomes(span, "label:a", "drug", "2026-01-01")) == []
    text = (
        "14.1 Melanoma The trial. In men the OS hazard ratio was 0.80 (95% CI: 0.70, 0.90). "
        "14.2 X Table 3: Women PFS Hazard ratio 0.43 (0.31, 0.59) 0.62 (0.50, 0.76)"
    )
    span = Span("clinical_studies", text, 0, len(text))
    (fact,) = read_label_outcomes(span, "label:a", "drug", "2026-01-01")
    assert fact.object == "hazard ratio for OS"
    assert fact.qualifiers.population.startswith("Melanoma; In men the OS hazard ratio")


@over_rows(
    ("text", "line"),
    [
        ("2/3L NSCLC", ""),
        ("2L/3L NSCLC", "previously treated"),
        ("Patients who had received first-line platinum", "previously treated"),
        ("Permitted to have received immunotherapy in the adjuvant setting", ""),
        ("Second-line treatment after failure of first-line platinum", "second line"),
    ],
)
def test_treatment_before_a_trial_is_not_its_line(text, line) -> None:
    assert read_line(text) == line


def test_participants_told_in_the_title_of_a_row_count() -> None:
    groups = [{"id": "A", "title": "Drug"}, {"id": "B", "title": "Placebo"}]
    outcome = {
        "type": "PRIMARY",
        "title": "Stops",
        "groups": groups,
        "dispersionType": "Standard Deviation",
        "denoms": [
            {
                "units": "Participants",
                "counts": [{"groupId": "A", "value": "28"}, {"groupId": "B", "value": "31"}],
            }
        ],
        "classes": [
            {
                "title": title,
                "categories": [
                    {
                        "measurements": [
                            {"groupId": "A", "value": "1", "spread": "2", "lowerLimit": "2"}
                        ]
                    }
                ],
            }
            for title in ("week 8 (n=23,24)", "week 9 (n=23)", "week 10")
        ],
    }
    facts = read_results(
        {"outcomeMeasuresModule": {"outcomeMeasures": [outcome]}}, Setting("ctgov:a", "a")
    )
    assert [one.qualifiers.n for one in facts] == ["23", "", "28"]
    assert {one.qualifiers.interval for one in facts} == {"Standard Deviation 2"}
