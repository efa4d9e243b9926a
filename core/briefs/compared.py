"""Figures by which drugs may be put in order: of equal endpoint, unit, line and biomarker only."""

from collections.abc import Iterable, Sequence

from pydantic import Field

from core.briefs.figures import Comparison, comparable
from core.records.programs import Outcome
from core.records.wire import Answer

FEWEST = 10
"""Participants from which on a figure may put a drug before another."""


class ComparedFigure(Answer):
    """A figure of efficacy with what it may be compared by."""

    endpoint: str = Field(description="Class of the endpoint, such as objective response.")
    unit: str
    line: str = Field(description='Line of treatment; "" where the record names none.')
    biomarker: str = Field(description='Biomarker of the patients; "" where none is named.')
    is_higher_better: bool
    value: float
    n: int | None = Field(description="Participants analyzed; null where the record is silent.")
    source_ids: list[str] = Field(description="Sources of this row.")


def find_compared(outcomes: Iterable[Outcome]) -> list[tuple[Comparison, Outcome]]:
    """Return one figure for each way of comparing that a drug's figures allow, the first told."""
    first_outcomes: dict[Comparison, Outcome] = {}
    for outcome in outcomes:
        by = comparable(outcome) if outcome.kind == "efficacy" else None
        if by is not None and (outcome.n is None or outcome.n >= FEWEST):
            first_outcomes.setdefault(by, outcome)
    return list(first_outcomes.items())


def key_of(figure: ComparedFigure) -> Comparison:
    """Return by what a figure may be compared."""
    return Comparison(
        figure.endpoint, figure.is_higher_better, figure.unit, figure.line, figure.biomarker
    )


def words_of(by: Comparison) -> str:
    """Return a way of comparing in words.

    >>> words_of(Comparison("overall survival", True, "months", "second line", ""))
    'overall survival in months, second line, no biomarker named'
    """
    line = by.line or "line not named"
    return f"{by.endpoint} in {by.unit}, {line}, {by.biomarker or 'no biomarker named'}"


def find_ways(figures: Iterable[Sequence[ComparedFigure]]) -> list[tuple[Comparison, int]]:
    """Return the ways by which at least two drugs may be compared, with how many, most first."""
    counts: dict[Comparison, int] = {}
    for of_drug in figures:
        for by in {key_of(figure) for figure in of_drug}:
            counts[by] = counts.get(by, 0) + 1
    shared = [(by, count) for by, count in counts.items() if count > 1]
    return sorted(shared, key=lambda entry: (-entry[1], words_of(entry[0])))


def figure_for(figures: Iterable[ComparedFigure], by: Comparison) -> ComparedFigure | None:
    """Return a drug's figure for a way of comparing; None where it has none."""
    return next((figure for figure in figures if key_of(figure) == by), None)


def order_of(figures: Iterable[ComparedFigure], by: Comparison) -> tuple[bool, float]:
    """Return the place of a drug: the better figure first, drugs without one behind, as they were.

    Sorting by it must be stable.
    """
    figure = figure_for(figures, by)
    if figure is None:
        return True, 0.0
    return False, -figure.value if by.is_higher_better else figure.value
