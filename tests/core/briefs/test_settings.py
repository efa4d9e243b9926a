"""Settings of free fields through the reader of questions, and figures as a cell shows them."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.briefs.figures import choose, comparable, figure_text, value_text
from core.briefs.settings import read_setting
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.reading import parse_text
from core.records.programs import Outcome
from core.vocabulary.lines import AskedLine, Line
from storage.identity import IdentityStore
from tests.core.agents.competitive_landscaping.conftest import identity_rows
from tests.rows import over_rows

STEM = Outcome("efficacy", "Objective response rate", 41.0, "%", "ctgov:NCT1", (1,))


@over_rows(
    ("measure", "unit", "is_higher_better"),
    [
        ("Objective response rate", "%", True),
        ("Overall survival", "months", True),
        ("Overall survival", "hazard ratio", False),
        ("Change from baseline in HbA1c", "%", False),
        ("Percent change from baseline in body weight", "%", False),
    ],
)
def test_direction_is_known_where_it_is_sure(measure, unit, is_higher_better) -> None:
    found = comparable(replace(STEM, measure=measure, unit=unit))
    assert found is not None
    assert found.is_higher_better == is_higher_better


@over_rows(
    ("measure", "unit"),
    [
        ("Maximum percent drop in FEV1", "%"),
        ("Percentage of participants achieving HbA1c below 7 %", "%"),
        ("Objective response rate", "participants (number)"),
        ("Participants without objective response", "%"),
        ("Number of exacerbations", "exacerbations"),
        ("Adverse events", "%"),
        ("Steps of a catheterization", "%"),
    ],
)
def test_figure_of_no_sure_direction_is_not_compared(measure, unit) -> None:
    assert comparable(replace(STEM, measure=measure, unit=unit)) is None


def test_figures_of_other_lines_stand_apart() -> None:
    assert comparable(replace(STEM, line=Line.FIRST)) != comparable(replace(STEM, line=Line.SECOND))


@over_rows(
    ("value", "unit", "shown"),
    [
        (41.0, "percentage of participants (number)", "41 %"),
        (0.78, "hazard ratio", "HR 0.78"),
        (12.345, "months (median)", "12.35 months"),
        (12000.0, "cells", "12,000 cells"),
    ],
)
def test_value_is_written_with_its_unit(value, unit, shown) -> None:
    assert value_text(replace(STEM, value=value, unit=unit)) == shown


def test_conditions_follow_in_one_order() -> None:
    whole = replace(STEM, n=124, line=Line.SECOND, arm="Arm A", data_cut_off="2024-05")
    shown = "Objective response rate: 41 % (n=124), second line, arm Arm A, cut-off 2024-05"
    assert figure_text(whole) == shown


def test_line_asked_for_comes_first_and_a_measure_once() -> None:
    first, second = (
        replace(STEM, line=Line.FIRST),
        replace(STEM, line=Line.SECOND, record_id="ctgov:NCT2"),
    )
    assert choose([first, first, second], "efficacy", [AskedLine.SECOND]) == [second, first]


def test_the_arm_of_a_comparator_is_cut_and_never_its_number() -> None:
    told = f"Placebo ({'matching tablets ' * 6}): 2 participants affected (n=260)"
    shown = figure_text(replace(STEM, comparator=told))
    assert shown.endswith("\u2026: 2 participants affected (n=260)")
    assert "against Placebo (matching" in shown


def test_the_row_of_a_long_measure_stays() -> None:
    long = "Change from baseline in the diameter of the left ventricle as echocardiography shows"
    assert "\u2026: Month 6: 41 %" in figure_text(replace(STEM, measure=f"{long}: Month 6"))
    known = f"Overall survival {'of all patients ' * 6}: Cohort 2"
    assert figure_text(replace(STEM, measure=known)).startswith("OS: Cohort 2: 41 %")


def test_satisfaction_is_no_survival() -> None:
    measure = "Change in the IIEF overall satisfaction (IIEF-OS) domain score"
    assert comparable(replace(STEM, measure=measure, unit="months")) is None


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    folder: Path = tmp_path_factory.mktemp("names")
    identity = IdentityStore(folder / "identity.db")
    identity.build(identity_rows(), (), "test names")
    return Resolver(identity)


def read(resolver: Resolver, **fields: str):
    return read_setting(
        {part: parse_text(text, resolver) for part, text in fields.items()}, resolver
    )


def test_a_field_says_more_than_its_own_part(resolver) -> None:
    setting = read(resolver, disease="second-line PD-L1-positive NSCLC in China, phase 2")
    assert [area.label for area in setting.areas] == ["non-small cell lung cancer"]
    assert setting.lines == (AskedLine.SECOND,)
    assert setting.biomarkers == ("PD-L1",)
    assert setting.regions == ("China",)
    assert "PHASE2" in setting.stages
    assert setting.unresolved == ()


def test_fields_are_one_setting_and_each_thing_stands_once(resolver) -> None:
    setting = read(resolver, target="PD-1/VEGF", disease="NSCLC, first line", line="first line")
    assert [one.text for one in setting.targets] == ["PD-1 x VEGF"]
    assert setting.lines == (AskedLine.FIRST,)
    assert len(setting.areas) == 1


def test_an_area_holds_the_kinds_of_its_disease(resolver) -> None:
    (area,) = read(resolver, disease="lung cancer").areas
    assert area.key == "MONDO:1"
    assert "MONDO:2" in area.keys
    assert "MONDO:3" not in area.keys


def test_what_a_field_should_name_and_does_not_is_told(resolver) -> None:
    setting = read(resolver, disease="NSCLC", modality="something new [3]", region="gastric cancer")
    assert [part for part, _ in setting.unresolved] == ["modality", "region"]
    first, second = setting.notices
    assert first == (
        "not_resolved: “something new (3]” names no kind of drug known here, so that it narrows "
        "nothing."
    )
    assert "names no region known here" in second
    assert len(setting.areas) == 2


def test_no_field_is_no_setting(resolver) -> None:
    setting = read_setting({}, resolver)
    assert setting.areas == setting.targets == setting.unresolved == ()
    assert list(setting.notices) == []
