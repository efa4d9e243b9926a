"""Figures of labels: of which study and patients, and what is left out because nobody can tell."""

from core.evidence.readers.label_outcomes import read_label_outcomes
from core.evidence.readers.trial_settings import read_biomarker, read_line, read_line_of_arm
from core.records.evidence import Fact, Span
from tests.rows import over_rows
from tools.curation.register_rows import read_biomarker_of_label, read_line_of_label

RATIO = "Hazard ratio (95% CI) 0.70 (0.50, 0.90)"


def figures(text: str) -> list[Fact]:
    """Return the figures of a studies section."""
    span = Span("clinical_studies", text, 0, len(text))
    return list(read_label_outcomes(span, "label:a", "drug", "2026-01-01"))


def told(text: str) -> list[tuple[str, float | None]]:
    """Return measure and value of each figure."""
    return [(one.object, one.value) for one in figures(text)]


def test_a_ratio_is_of_the_endpoint_before_it_however_that_is_spelled() -> None:
    text = (
        "14.1 Cancer Table 9: Efficacy Results Overall Survival Median 20.3 15.6 Hazard ratio "
        "(95% CI) 0.66 (0.54, 0.81) Progression - Free Survival Median 10.6 6.2 Hazard ratio "
        "(95% CI) 0.54 (0.45, 0.66) p"
    )
    assert told(text) == [
        ("hazard ratio for Overall Survival", 0.66),
        ("hazard ratio for Progression - Free Survival", 0.54),
    ]


def test_with_another_ratio_between_an_endpoint_names_nothing() -> None:
    text = (
        "14.1 Cancer Table 9: Efficacy Results OS Hazard ratio not estimated Skin score Hazard "
        "ratio (95% CI) 0.54 (0.45, 0.66) p"
    )
    assert told(text) == []


def test_an_endpoint_of_which_an_analysis_is_named_is_not_that_of_the_row() -> None:
    text = (
        "14.1 Cancer Table 1: Efficacy Results OS Based on 3 years after the interim analysis of "
        f"EFS No. of events 31 48 {RATIO} p"
    )
    assert told(text) == [("hazard ratio for OS", 0.7)]


def test_a_modified_endpoint_is_told_as_such() -> None:
    text = f"14.1 Cancer Table 1: Efficacy Results Modified Progression-Free Survival {RATIO} p"
    assert told(text) == [("hazard ratio for Modified Progression-Free Survival", 0.7)]


@over_rows(
    "table",
    [
        "HER2-Positive Population HER2-Negative Population A B A B PFS Hazard ratio (95% CI) 0.71 "
        "(0.53, 0.96) 0.019 0.90 (0.77, 1.05)",
        "A B C D (N = 11) (N = 10) (N = 47) (N = 47) PFS Hazard ratio (95% CI) 0.71 (0.53, 0.96) p",
        "PFS Hazard ratio (95% CI) 0.71 (0.53, 0.96) 0.90 (0.77, 1.05)",
    ],
)
def test_of_a_table_with_two_populations_nothing_is_taken(table) -> None:
    assert told(f"14.1 Cancer Table 8. Efficacy Results {table}") == []


def test_a_rate_split_by_kinds_of_patients_is_left_out_and_a_whole_one_has_its_n() -> None:
    split = (
        "14.1 Cancer A single-arm trial (NCT00000001). Table 7: Efficacy Results Endpoint N=87 ORR "
        "(95% CI) 32.2% (22.4, 42.0) CR 2% Table 8: Efficacy Results by FGFR Genetic Alteration "
        "Point Mutation N=64 ORR (95% CI) 40.6% (28.6, 52.7) Fusion N=18 ORR (95% CI) 11.1% (0, 25)"
    )
    (fact,) = figures(split)
    assert (fact.value, fact.qualifiers.n) == (32.2, "87")


def test_of_several_studies_a_figure_needs_the_name_of_its_own() -> None:
    two = (
        "14.1 Cancer REGARD (NCT00000001) was randomized. RAINBOW (NCT00000002) was randomized. "
        "Table {number}: Efficacy Results{where} OS Hazard ratio (95% CI) 0.81 (0.68, 0.96) p"
    )
    (named,) = figures(two.format(number=2, where=" in REGARD"))
    assert named.qualifiers.population.startswith("NCT00000001; Efficacy Results in REGARD")
    assert told(two.format(number=2, where="")) == []
    (pooled,) = figures(two.format(number=2, where=" for Patients with Fusions"))
    assert pooled.qualifiers.population.startswith("Efficacy Results for Patients")


def test_a_caption_of_another_study_than_the_numbered_one_gives_nothing() -> None:
    text = (
        "14.1 Cancer RECOURSE The study RECOURSE (NCT00000001) was randomized. Table 1: Efficacy "
        f"Results from RECOURSE OS {RATIO} p The study SUNLIGHT was randomized. Table 2: Efficacy "
        "Results from SUNLIGHT PFS Hazard ratio (95% CI) 0.44 (0.36, 0.54) p"
    )
    assert told(text) == [("hazard ratio for OS", 0.7)]


@over_rows(
    "sentence",
    [
        "The margin of noninferiority was based on an OS hazard ratio of 0.55 (95% CI: 0.4, 0.7).",
        "OS results agreed with those for PFS, but for those without metastases [HR=1.11 (95% CI: "
        "0.66, 1.85)].",
        "The intracranial response rate was 50%, with a complete response rate of 4.1%.",
        "The ORR was 39% and 23%, respectively.",
        "In exploratory subgroup analyses by platinum the median OS was longer. The ORR was 39%.",
    ],
)
def test_what_is_planned_of_two_endpoints_or_of_an_unnamed_group_is_left_out(sentence) -> None:
    assert told(f"14.1 Cancer The trial. {sentence}") == []


def test_the_remains_of_a_table_are_not_the_sentence_and_their_n_not_its_n() -> None:
    text = (
        "14.1 Cancer The trial. Table 2: Results DRUG (n = 247) Response 61% (55, 67) Median 28.6 "
        "% with 63% For the 144 patients who received another an analysis of ORR was 63% (95% CI: "
        "54%, 70%)."
    )
    (fact,) = figures(text)
    assert fact.qualifiers.n == ""
    assert fact.qualifiers.population == (
        "Cancer; For the 144 patients who received another an analysis of ORR was 63% (95% CI: "
        "54%, 70%)."
    )


def test_line_and_biomarker_of_a_table_are_those_of_its_caption_and_head() -> None:
    text = (
        "14.1 HER2-Positive Cancer The study enrolled patients who relapsed within 6 months of "
        f"adjuvant therapy. Table 1: Efficacy Results OS {RATIO} p"
    )
    (fact,) = figures(text)
    assert (fact.qualifiers.line, fact.qualifiers.biomarker) == ("", "HER2-Positive")


@over_rows(
    ("text", "found"),
    [
        ("ALK- or ROS1-positive NSCLC", ""),
        ("ER+, HER2- breast cancer", "ER+, HER2-"),
        ("HRD-negative and HRD-positive tumors", ""),
        ("KRAS G12C-mutated and KRAS G12C cancer", "KRAS G12C-mutated"),
        ("BRAF V600E or V600K Mutation-Positive", "BRAF V600E or V600K Mutation-Positive"),
    ],
)
def test_a_marker_that_not_all_patients_have_is_not_named(text, found) -> None:
    assert read_biomarker(text) == found


@over_rows(
    ("text", "line", "biomarker"),
    [
        (
            "X is indicated: First-line treatment of patients with EGFR-mutated NSCLC ( 1.1 ) "
            "Treatment of patients with squamous NSCLC ( 1.2 )",
            "",
            "",
        ),
        (
            "X is indicated for first-line treatment of EGFR-mutated NSCLC. Limitations of use: no "
            "treatment of squamous NSCLC. X is an inhibitor for first-line treatment of NSCLC.",
            "first line",
            "EGFR-mutated",
        ),
        (
            "X is indicated with Y for first-line treatment of adults with NSCLC as a single agent "
            "for the treatment of adults with NSCLC",
            "",
            "",
        ),
        ("Treatment of relapsed lymphoma.", "previously treated", ""),
    ],
)
def test_line_and_marker_of_a_label_are_those_of_all_its_uses(text, line, biomarker) -> None:
    assert (read_line_of_label(text), read_biomarker_of_label(text)) == (line, biomarker)


@over_rows(
    ("text", "line"),
    [
        ("Inadequate glycemic control with diet and exercise", ""),
        ("Inadequate response to methotrexate", "previously treated"),
        ("Relapse within 6 months of completing adjuvant therapy", "previously treated"),
        ("Neoadjuvant and Adjuvant Treatment", "neoadjuvant and adjuvant"),
        ("Progress on X, within 12 months of neoadjuvant or adjuvant X", "previously treated"),
        ("Cancer resistant to treatment with a taxane", "previously treated"),
        ("Neo-adjuvant treatment", "neoadjuvant"),
        ("First-line treatment, or for previously treated patients", ""),
        ("Efficacy Results in ALTA 1L", ""),
        ("Loading and maintenance dose", ""),
    ],
)
def test_a_line_is_read_only_from_words_of_treatment(text, line) -> None:
    assert read_line(text) == line


def test_an_arm_whose_description_disagrees_with_the_trial_has_no_line() -> None:
    titles = ["A study in previously treated cancer"]
    assert read_line_of_arm("Drug A", "", titles) == "previously treated"
    assert read_line_of_arm("Cohort 1 (untreated patients got A)", "", titles) == ""
    assert read_line_of_arm("A (after inadequate response to the loading dose)", "", [""]) == ""


def reactions(text: str) -> list[tuple[str, str]]:
    """Return the lists of a section and of whom they are."""
    span = Span("adverse_reactions", text, 0, len(text))
    facts = read_label_outcomes(span, "label:a", "drug", "2026-01-01")
    return [(one.object, one.qualifiers.population) for one in facts]


def test_a_list_ends_where_the_address_for_reports_begins() -> None:
    text = (
        "6 ADVERSE REACTIONS The most common adverse reactions (at least 10%) were rash and cough "
        "( 6.1 ) To report SUSPECTED ADVERSE REACTIONS, contact Maker, Inc. at 1-800."
    )
    assert reactions(text) == [("rash and cough", "")]


def test_lists_of_single_trials_are_taken_only_where_the_opening_has_none() -> None:
    opening = "The most common adverse reactions (\u2265 20%) were rash. "
    study = "6.1 Clinical Trials The most common adverse reactions (\u2265 5%){whom} were cough."
    assert reactions(opening + study.format(whom=" in Study 1")) == [("rash", "")]
    assert reactions(study.format(whom=" in Study 1")) == [("cough", "in Study 1")]
    assert reactions(study.format(whom="")) == []
    assert reactions(study.format(whom=" in these 977 patients with cancer")) == []


def test_the_heading_of_a_list_may_end_in_a_short_name() -> None:
    text = "5 See (5.1)] Arthritis (RA) Most common adverse reactions (\u2265 5%) are rash."
    assert reactions(text) == [("rash", "Arthritis (RA)")]


def test_whom_a_list_is_of_may_open_it() -> None:
    text = (
        "6 ADVERSE REACTIONS The most common adverse reactions (\u2265 25%) include: "
        "Adult patients with solid tumors: edema, rash, and cough."
    )
    assert reactions(text) == [("edema, rash, and cough", "Adult patients with solid tumors")]
    melanoma = text.replace("Adult patients with solid tumors", "Unresectable melanoma")
    assert reactions(melanoma)[0][1] == "Unresectable melanoma"
    bullet = text.replace("Adult patients with solid tumors:", "\u2022 As a single agent:")
    assert reactions(bullet) == [("edema, rash, and cough", "As a single agent")]
    short = text.replace("Adult patients with solid tumors:", "MCC :")
    assert reactions(short) == [("edema, rash, and cough", "MCC")]
    events = text.replace("Adult patients with solid tumors", "Infections")
    assert reactions(events) == [("Infections: edema, rash, and cough", "")]
