"""Figures of trials and labels as a cell shows them: "ORR 41 % (n=124), second line".

Only outcome facts make a figure. A figure without the conditions that its record gives is never
shown, and figures of different records are never set against each other as if measured together.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import Field

from core.evidence.proof.claims import shorten, unmark
from core.records.programs import Outcome
from core.records.wire import Answer
from core.vocabulary.endpoints import classify_endpoint
from core.vocabulary.lines import AskedLine, lines_of

ACROSS_TRIALS = "across trials, not head to head"
LONGEST_MEASURE = 70
LONGEST_ROW = 40
"""Characters of the row of a measure's table that is shown next to a cut title."""
LONGEST_ARM = 60
LEAST_ARM = 16
LONGEST_POPULATION = 160
"""Characters of what a label says of its patients; a trial's arm replaces it."""
MOST_FIGURES = 2
_CHANGES = frozenset({"HbA1c", "body weight"})
_CHANGE = re.compile(r"\bchange\b", re.IGNORECASE)
_AT_LEAST = re.compile("\u2265|at least", re.IGNORECASE)
_WORSE = r"drop|decline|worsen\w*|fail\w*|progressed|died|dropout|discontinu\w*"
_DENIED = r"without|no |not |non-?respon\w*"
_TURNED = re.compile(rf"\b(?:{_WORSE}|{_DENIED}|achiev\w*|reach\w*)", re.IGNORECASE)
_TRIAL = re.compile(r"\bNCT\d{8}\b[;:,.]?\s*")
"""A trial's number among a label's words on its patients: the label is what is cited."""
_RATIOS = {
    "hazard ratio": "HR",
    "odds ratio": "OR",
    "risk ratio": "RR",
    "rate ratio": "rate ratio",
}
_SHORT = {
    "objective response": "ORR",
    "overall survival": "OS",
    "progression-free survival": "PFS",
    "complete response": "CR",
    "disease control": "DCR",
    "duration of response": "DOR",
    "HbA1c": "HbA1c",
    "body weight": "body weight",
}


def value_text(outcome: Outcome) -> str:
    """Return a figure's number with its unit, as a reader writes it.

    >>> value_text(Outcome("efficacy", "ORR", 41.0, "%", "r", ()))
    '41 %'
    """
    number = f"{outcome.value:,.4g}" if abs(outcome.value) < 1e4 else f"{outcome.value:,.0f}"
    unit = unmark(outcome.unit.partition(" (")[0]).strip()
    if unit.casefold() in {"percentage of participants", "percent", "percentage", "%"}:
        return f"{number} %"
    if outcome.unit.startswith("% of patients ("):
        sign = "\u2265" if _AT_LEAST.search(outcome.unit) else ">"
        return f"{sign} {number} % of patients"
    if unit.casefold() in _RATIOS:
        return f"{_RATIOS[unit.casefold()]} {number}"
    return f"{number} {unit}".strip()


def short_measure(outcome: Outcome) -> str:
    """Return the name of a measure in few words: ours for a known endpoint whose text says it."""
    endpoint = classify_endpoint(outcome.measure)
    words = unmark(outcome.measure)
    if (
        endpoint
        and endpoint.name in _SHORT
        and len(words) > LONGEST_MEASURE
        and " ratio for " not in words
    ):
        return _SHORT[endpoint.name]
    return shorten(words, LONGEST_MEASURE)


def _shown_measure(outcome: Outcome) -> str:
    """Return the name of a measure with the row of its table, which a cut would take away."""
    short = short_measure(outcome)
    ratio, _, endpoint = short.partition(" for ")
    if ratio in _RATIOS and endpoint:
        return endpoint[0].upper() + endpoint[1:]
    title, _, row = unmark(outcome.measure).partition(": ")
    if not row or row in short or len(row) > LONGEST_ROW:
        return short
    if short.endswith("\u2026"):
        short = shorten(title, LONGEST_MEASURE - len(row))
    return f"{short}: {row}"


def conditions(outcome: Outcome) -> list[str]:
    """Return the conditions of a figure in the order in which a reader wants them."""
    parts = [
        words
        for words in filter(None, (outcome.line, unmark(outcome.biomarker)))
        if words.casefold() not in ("" if outcome.arm else outcome.population.casefold())
    ]
    if outcome.arm:
        parts.append(f"arm {shorten(unmark(outcome.arm), LONGEST_ARM)}")
    elif outcome.population:
        patients = _TRIAL.sub("", unmark(outcome.population)).strip("; ")
        parts += [f"in: {shorten(patients, LONGEST_POPULATION)}"] if patients else []
    beside = [drug for drug in outcome.given_with if drug not in " ".join(parts)]
    if beside:
        parts.append(f"given with {unmark(', '.join(beside))}")
    if outcome.comparator:
        arm, joint, value = unmark(outcome.comparator).rpartition(": ")
        arm = shorten(arm, max(LONGEST_ARM - len(value), LEAST_ARM))  # the value stays whole
        parts.append(f"against {arm}{joint if arm else ''}{value}")
    if outcome.time_point:
        parts.append(f"at {shorten(unmark(outcome.time_point), LONGEST_ARM)}")
    if outcome.data_cut_off:
        parts.append(f"cut-off {outcome.data_cut_off}")
    return [clause for clause in parts if clause]


def figure_text(outcome: Outcome) -> str:
    """Return a figure with n and conditions, without its citation."""
    size = f" (n={outcome.n:,})" if outcome.n else ""
    interval = f", {unmark(outcome.interval)}" if outcome.interval else ""
    stem = f"{_shown_measure(outcome)}: {value_text(outcome)}{size}{interval}"
    return ", ".join([stem, *conditions(outcome)])


def choose(outcomes: Iterable[Outcome], kind: str, lines: Iterable[AskedLine]) -> list[Outcome]:
    """Return the figures that a cell shows: of the lines asked for first, one a measure.

    Args:
        outcomes: A drug's figures in scope, the most telling first.
        kind: "efficacy" or "toxicity".
        lines: Lines of treatment asked for.
    """
    requested_lines = lines_of(lines)
    of_kind = [outcome for outcome in outcomes if outcome.kind == kind]
    of_kind.sort(key=lambda outcome: bool(requested_lines) and outcome.line not in requested_lines)
    distinct = {
        (short_measure(outcome), outcome.record_id): outcome for outcome in reversed(of_kind)
    }
    kept_outcomes = [
        outcome
        for outcome in of_kind
        if distinct[(short_measure(outcome), outcome.record_id)] is outcome
    ]
    return kept_outcomes[:MOST_FIGURES]


@dataclass(frozen=True)
class Comparison:
    """What a figure may be compared by.

    Attributes:
        endpoint: Class of its endpoint.
        is_higher_better: Which direction is good.
        unit: Its unit.
        line: Its line of treatment.
        biomarker: Biomarker of its patients.
    """

    endpoint: str
    is_higher_better: bool
    unit: str
    line: str
    biomarker: str


def comparable(outcome: Outcome) -> Comparison | None:
    """Return by what a figure may be compared; None where no direction is surely the good one.

    Only responses and survival, and changes of HbA1c and body weight, have one: a percentage of
    participants who lose something, or a drop, would turn "best" around.
    """
    endpoint = classify_endpoint(outcome.measure)
    shown = value_text(outcome)
    unit = "hazard ratio" if shown.startswith("HR ") else shown.lstrip("-0123456789.,e+ ")
    if endpoint is None or endpoint.better == "none" or unit not in {"%", "months", "hazard ratio"}:
        return None
    if outcome.trial_id and not outcome.record_id.startswith("label:"):
        return None  # of a trial that another record tells of; its patients are not reported there
    if _TURNED.search(outcome.measure):
        return None
    is_change = endpoint.name in _CHANGES and _CHANGE.search(outcome.measure) is not None
    if endpoint.area not in {"response", "survival"} and not is_change:
        return None
    is_higher = unit != "hazard ratio" and endpoint.better == "higher"
    return Comparison(endpoint.name, is_higher, unit, outcome.line, outcome.biomarker)


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
