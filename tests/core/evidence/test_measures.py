"""Measures, endpoints and cues are sorted by what they tell: a wrong class is worse than none."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from core.evidence.readers.cues import CueReading, read_cues
from core.vocabulary.cues import CueReader, CueRow, compile_phrases
from core.vocabulary.endpoints import (
    EndpointRow,
    EndpointType,
    classify_endpoint,
    classify_measure,
    load_measures,
    required_letters,
)
from core.vocabulary.tables import compile_pattern, load_rows
from tests.rows import over_rows

ROWS = load_rows("cues", CueRow)
SPEAKING = [row for row in ROWS if row.category]
SILENT = [row for row in ROWS if not row.category]


def read_place(reader: CueReader, text: str) -> tuple[CueReading, int]:
    """Return the reading of a text without its brackets, and the place that they mark."""
    place = re.search(r"\[", text)
    return read_cues(reader, re.sub(r"[\[\]]", "", text)), place.start() if place else 0


def says(row: CueRow, text: str) -> bool:
    """Return whether a text has a cue's category, of the marked place where it speaks of one."""
    if row.direction == "here":
        return row.category in {mark.category for mark in read_cues(row.reader, text).here()}
    reading, place = read_place(row.reader, text)
    return reading.says(row.category, place)


@over_rows("row", SPEAKING)
def test_a_cue_says_so_in_its_example_and_not_in_its_counter_example(row) -> None:
    assert says(row, row.example)
    assert not says(row, row.counter_example)


@over_rows("row", SILENT)
def test_a_cue_without_category_keeps_others_silent(row) -> None:
    assert not list(read_cues(row.reader, row.example).here())
    assert list(read_cues(row.reader, row.counter_example).here())


@over_rows(
    ("cue", "said", "not_said"),
    [
        ("pre - dose|treatment", "Pretreatment, pre-dose", "pretreated"),
        ("relaps* ..1 to|on", "relapsing only on it", "relapsing, as was said, on it"),
        ("^ at? the? day # .? $", "Day 15.", "At day 15 or later"),
        ("(|[ baseline )|]", "Drugoxib ( Baseline )", "Drugoxib baseline"),
    ],
)
def test_a_cue_is_found_as_its_table_writes_it(cue, said, not_said) -> None:
    assert compile_phrases(cue).search(said)
    assert not compile_phrases(cue).search(not_said)


def test_a_reach_ends_after_its_words_and_at_a_word_that_stops_it() -> None:
    near, place = read_place("line", "prior chemotherapy with platinum in [second-line]")
    assert near.says("earlier", place)
    far = "prior " + "very " * 12 + "[second-line]"
    assert not read_place("line", far)[0].says("earlier", read_place("line", far)[1])
    stopped, place = read_place("line", "after surgery. A [second-line] treatment")
    assert not stopped.says("earlier", place)


VERDICTS = Path(__file__).parents[2] / "benchmarks" / "endpoint_verdicts.csv"


@pytest.fixture(scope="module")
def drawn() -> list[dict[str, str]]:
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_drawn_endpoints_have_the_class_that_was_read(drawn) -> None:
    counts: Counter[str] = Counter()
    for row in drawn:
        found = classify_endpoint(row["text"])
        name = found.name if found else ""
        counts["known"] += int(row["times"]) * bool(name)
        counts["right"] += int(row["times"]) * (bool(name) and name == row["says"])
        counts["all"] += int(row["times"])
    assert counts["known"] / counts["all"] >= 0.90
    assert counts["right"] / counts["known"] >= 0.98


def test_screen_hides_no_class(drawn) -> None:
    rows = [row for row in load_rows("endpoints", EndpointRow) if row.named]
    screens = [
        (compile_pattern(row.named, "endpoints"), required_letters(row.named)) for row in rows
    ]
    assert sum(bool(letters) for _, letters in screens) > len(screens) * 0.9
    for pattern, letters in screens:
        for row in drawn[::3]:
            lower = row["text"].casefold()
            shown = not letters or any(one in lower for one in letters)
            assert shown or not pattern.search(row["text"])


def test_every_class_tells_its_type_and_direction() -> None:
    rows = load_rows("endpoints", EndpointRow)
    assert {row.type for row in rows} <= {"", *EndpointType}
    assert not [row.name for row in rows if row.side == "efficacy" and not row.type]


@over_rows(
    ("measure", "name"),
    [
        ("Change from baseline in 6-minute walk distance", "exercise capacity"),
        (
            "NSAA Total Score (for Conditional Efficacy Interim Analysis)",
            "joint or motion function",
        ),
        ("Number of patients with responders for objective response", "objective response"),
        ("Time to death from any cause", "overall survival"),
        ("Composite of all-cause death, MI or stroke", "cardiovascular events"),
        ("Number of Subjects With Antigenically Mismatched Strain HAI titers", "immune response"),
    ],
)
def test_a_title_is_read_by_what_it_names(measure, name) -> None:
    found = classify_endpoint(measure)
    assert found is not None
    assert found.name == name


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
