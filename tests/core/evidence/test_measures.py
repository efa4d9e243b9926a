"""Measures are sorted by what they tell: a class that says something else is worse than none."""

from core.vocabulary.endpoints import classify_measure, load_measures
from tests.rows import over_rows


@over_rows(
    ("measure", "expected"),
    [
        ("MTD determination, dose limiting toxicity, Cycle 1", "dose finding"),
        ("Maximum-tolerated dose of the combination", "dose finding"),
        ("Recommended Phase II dose", "dose finding"),
        ("Number of participants with dose-limiting toxicities (DLTs), for the MTD", "adverse"),
        ("Feasibility of treatment", "feasibility"),
        ("Adherence to the study drug", "feasibility"),
        ("Safety and feasibility", "adverse"),
        ("Maximum concentration (Cmax)", "pharmacokinetics"),
        ("AUC0-24 of the drug", "pharmacokinetics"),
        ("Area under the curve of the BASDAI", "joint score"),
        ("Area under the curve (AUC) of DAS28", "joint score"),
        ("Area under the curve of the number of oral ulcers", "other"),
        ("24-hour urine creatinine clearance", "other"),
        ("Apparent clearance of the drug", "pharmacokinetics"),
        ("Rate of mediastinal nodal clearance", "other"),
        ("Share of patients with complete and partial responses by a scale", "response rate"),
        ("Neutralizing antibody titers after vaccination", "immunogenicity"),
        ("Annualized rate of COPD exacerbations", "exacerbations"),
        ("FEV1 area under the curve (AUC) 0-12h", "lung function"),
    ],
)
def test_exposure_is_no_dose_finding_and_no_area_of_a_score(measure, expected) -> None:
    assert classify_measure(measure).name.startswith(expected)


@over_rows(
    ("measure", "expected"),
    [
        ("Overall survival, time until date of death", "overall survival"),
        ("Time from randomization to death from any cause", "overall survival"),
        ("Overall survival in Programmed Cell Death-Ligand 1 positive", "overall survival"),
        ("PFS by Programmed Death-Ligand 1 expression", "progression-free survival"),
        ("Time to progression or death due to any cause", "other"),
        ("Time to first cardiovascular death or heart failure event", "cardiovascular events"),
        ("Time to first MACE: CV death, non-fatal stroke", "cardiovascular events"),
        ("Doubling of serum creatinine, renal or cardiovascular death", "kidney events"),
        ("Number of Participants With Death or Neurodevelopmental Impairment", "other"),
        ("Number of deaths during treatment", "adverse events"),
        ("Treatment success, defined as avoidance of death and critical illness", "other"),
        ("Time from randomization to the first morbidity event or death", "other"),
        ("Participants with abnormal laboratory values", "adverse events"),
        ("Abnormal Involuntary Movement Scale total score", "clinical scale"),
        ("Time to Death or Respiratory Intervention", "other"),
        (
            "Time to First Occurrence of a Composite of CV Death or HF Events",
            "cardiovascular events",
        ),
        ("Time to Recover 50% of Fall in the Baseline Skin Temperature", "other"),
    ],
)
def test_a_death_is_an_adverse_event_only_where_it_is_missing_else(measure, expected) -> None:
    assert classify_measure(measure).name == expected


@over_rows(
    ("measure", "expected"),
    [
        ("Headache pain free at 2 hours post dose", "pain freedom"),
        ("Freedom From Pain at 2 Hours Post-dose", "pain freedom"),
        ("Change in mean monthly migraine days", "headache days"),
        ("Number of days with a moderate headache", "headache days"),
        ("Headache-free days a month", "headache days"),
        ("Headache relief in 2 hours", "headache"),
    ],
)
def test_headache_days_are_counted_in_days(measure, expected) -> None:
    assert classify_measure(measure).name == expected


@over_rows(
    ("measure", "expected"),
    [
        ("Change from baseline in height Z-score", "other"),
        ("Change in T-score of the spine", "other"),
        ("Change in the SALT score", "clinical scale"),
        ("Neuropathy Impairment Score", "clinical scale"),
        ("Change in body mass index", "body weight"),
        ("Serum Immunoglobulin Levels (IgG, IgA, IgM)", "other"),
        ("vIGA-AD 0/1 response", "skin score"),
        ("Investigator's Global Assessment (IGA) Score of 0", "skin score"),
        ("Patient Global Assessment (PGA) of Osteoarthritis", "clinical scale"),
        ("Physician's Global Assessment (PGA) of Clear", "skin score"),
        ("Duration of Objective Response (DOR)", "duration of response"),
        ("Complete response (CR) duration", "duration of response"),
        ("Objective Response Rate at the RP2D", "response rate"),
        ("Cardiac Troponin I Area Under Concentration-time Curve (AUC)", "other"),
    ],
)
def test_a_word_of_a_class_inside_another_measure_is_none(measure, expected) -> None:
    assert classify_measure(measure).name == expected


def test_doses_and_conduct_are_never_efficacy() -> None:
    sides = {one.name: one.side for one in load_measures()}
    assert sides["dose finding"] == sides["feasibility"] == sides["pharmacokinetics"] == "exposure"
    assert sides["cardiovascular events"] == "efficacy"
