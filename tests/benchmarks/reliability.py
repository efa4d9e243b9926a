"""How often the probabilities of recognized structures hold, in the figures of the target table.

The table that ships was fitted on all reference images and on renderings. What it is worth on
images that it has not seen is told by leaving one half of them out: their own answers are taken
from its counts, and the half is judged by what remains.
"""

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np

from core.chemistry.evidenced import Cell, Evidenced, find_cell
from tests.benchmarks.targets import Table, say

SURE = 0.95
MUST_COVERAGE = 0.55
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0)
Judged = tuple[Evidenced, bool]


def show_held_out(table: Table, rows: Sequence[Judged]) -> None:
    """Judge each half of images by the table without that half's own answers."""
    for place, half in enumerate(split(rows), start=1):
        cells = [find_cell(one.agreement, one.fit) if one.smiles else None for one, _ in half]
        n_own = Counter(cell for cell in cells if cell)
        n_right = Counter(cell for cell, (_, right) in zip(cells, half, strict=True) if right)
        said = [leave_out(cell, n_own[cell], n_right[cell]) if cell else 0.0 for cell in cells]
        add_precision(
            table,
            f"reference images, half {place}, by a table without them",
            [(chance, right) for chance, (_, right) in zip(said, half, strict=True)],
        )


def leave_out(cell: Cell, n_answers: int, n_right: int) -> float:
    """Return the probability of a cell without some of its answers."""
    return (cell.n_right - n_right + 1) / (cell.n_answers - n_answers + 2)


def show_reliability(table: Table, name: str, rows: Sequence[Judged]) -> None:
    """Show how often what is said holds: over all, by halves, and as a plot's points."""
    said = [(one.probability, right) for one, right in rows]
    add_precision(table, f"{name} images, table as it ships", said)
    for place, half in enumerate(split(rows), start=1):
        share, coverage = precision([(one.probability, right) for one, right in half], SURE)
        say(f"{name}, half {place}: said >= .95, right {share:.3f} at coverage {coverage:.3f}")
    answered = [(chance, right) for chance, right in said if chance > 0]
    say(f"{name}: no answer {len(said) - len(answered)} of {len(said)}")
    for low, high in zip(BINS, BINS[1:], strict=False):
        held = [one for one in answered if low <= one[0] < high or one[0] == high == BINS[-1]]
        if held:
            chances, rights = zip(*held, strict=True)
            say(
                f"{name}: said {low:.2f} to {high:.2f} (mean {np.mean(chances):.3f}), "
                f"right {np.mean(rights):.3f}, n = {len(held)}"
            )


def add_precision(table: Table, name: str, rows: Sequence[tuple[float, bool]]) -> None:
    """Add a line with the share right of what is said to be sure."""
    share, coverage = precision(rows, SURE)
    n_sure = round(coverage * len(rows))
    table.add(
        f"precision of what is said to be >= .95, {name}",
        f"{share:.3f} at {coverage:.3f} ({round(share * n_sure)} of {n_sure}, n = {len(rows)})",
        ">= .95 at .55",
        ">= .95 at .75",
        share >= SURE and coverage >= MUST_COVERAGE,
    )


def split(rows: Sequence[Judged]) -> tuple[list[Judged], list[Judged]]:
    """Return two halves, drawn by lot and always the same."""
    drawn = list(rows)
    random.Random(1).shuffle(drawn)
    return drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]


def precision(rows: Sequence[tuple[float, bool]], level: float) -> tuple[float, float]:
    """Return the share right among answers of a probability, and the share answered."""
    chosen = [right for said, right in rows if said >= level]
    return (float(np.mean(chosen)) if chosen else 0.0), len(chosen) / len(rows)
