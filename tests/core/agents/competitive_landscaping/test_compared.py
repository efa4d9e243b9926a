"""Drugs are put in order by efficacy only where endpoint, unit, line and biomarker are equal."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.briefs.figures import (
    ComparedFigure,
    Comparison,
    figure_for,
    find_compared,
    find_ways,
    key_of,
    order_of,
)
from core.records.programs import Outcome
from core.vocabulary.lines import Line
from tests.core.agents.competitive_landscaping.drugs import GASTRIC, Figure, Study, drug

RATE = Comparison("objective response", True, "%", Line.FIRST, "")
RISK = Comparison("overall survival", False, "hazard ratio", Line.FIRST, "")


def figure(by: Comparison, value: float) -> ComparedFigure:
    return ComparedFigure(**vars(by), value=value, n=100, source_ids=["1"])


def response(value: float, number: int, **changes: Any) -> Outcome:
    """Return an objective response rate of a trial in first line."""
    stem = Outcome(
        kind="efficacy",
        measure="Objective response rate",
        value=value,
        unit="% (number)",
        record_id=f"ctgov:NCT{number:08d}",
        fact_ids=(number,),
        arm="Arm A",
        n=124,
        line=Line.FIRST,
    )
    return replace(stem, **changes)


FIGURES = st.lists(
    st.builds(figure, st.sampled_from([RATE, RISK]), st.floats(0, 100, allow_nan=False)),
    max_size=2,
    unique_by=key_of,
)


@given(st.lists(FIGURES, max_size=8), st.sampled_from([RATE, RISK]))
def test_the_better_figure_goes_first_and_other_rows_stay_in_place_below(drugs, by) -> None:
    rows = list(enumerate(drugs))
    ordered = sorted(rows, key=lambda row: order_of(row[1], by))
    having = [row for row in ordered if figure_for(row[1], by)]
    assert ordered[: len(having)] == having
    values = [figure_for(figures, by).value for _, figures in having]
    assert values == sorted(values, reverse=by.is_higher_better)
    without = [place for place, figures in ordered if figure_for(figures, by) is None]
    assert without == sorted(without)


def test_figures_of_another_line_are_another_way_of_comparing() -> None:
    found = find_compared([response(41, 1), response(60, 2, line=Line.SECOND)])
    assert [by.line for by, _ in found] == [Line.FIRST, Line.SECOND]


def test_small_groups_and_toxicity_order_nothing() -> None:
    assert find_compared([response(41, 1, n=9)]) == []
    assert find_compared([replace(response(41, 1), kind="toxicity")]) == []


def test_a_way_of_comparing_needs_two_drugs() -> None:
    first, second = [figure(RATE, 1), figure(RISK, 1)], [figure(RATE, 2)]
    assert find_ways([first, second]) == [(RATE, 2)]


def test_rows_carry_their_figures_with_sources(landscape) -> None:
    third = Study(3, disease=GASTRIC, phase="PHASE1", line=Line.FIRST, figure=Figure(70))
    landscape.drugs[2] = drug("gammamab", third)
    drugs = {one.drug_name: one for one in landscape.run().drugs}
    assert [one.value for one in drugs["alphamab"].compared] == [41]
    assert key_of(drugs["alphamab"].compared[0]) == key_of(drugs["gammamab"].compared[0])
    assert key_of(drugs["betamab"].compared[0]) != key_of(drugs["alphamab"].compared[0])
    assert set(drugs["alphamab"].compared[0].source_ids) <= set(drugs["alphamab"].source_ids)
