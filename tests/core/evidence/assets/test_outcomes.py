"""Figures of drugs: which arm they are of, which come first, what a label's table tells."""

from datetime import date

from core.evidence.readers.arms import is_own_arm
from core.evidence.readers.label_outcomes import read_label_outcomes
from core.records.evidence import Fact, Qualifiers, Role, Span
from core.vocabulary.endpoints import classify_measure, load_measures
from tests.core.evidence.assets.conftest import result
from tests.rows import over_rows

TODAY = date(2026, 11, 21)
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
