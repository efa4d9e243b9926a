"""What did not become a move: events without one, and days under the floor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.agents.attribution_engine.decision import Decision, Moves
from core.agents.attribution_engine.places import PlacedEvent, PlacedEvents
from core.agents.attribution_engine.settings import ConfigUsed
from core.stats.event_study import AbnormalReturns
from core.stats.event_study_windows import Car, detectable_move, sum_abnormal


@dataclass(frozen=True)
class QuietEvent:
    """An event to which no move is tied.

    Attributes:
        placed: The event.
        reason: Why.
        detail: What the reason rests on, in one sentence; empty where the reason says it all.
        size: Abnormal return over its core rows; None where nothing can be tested.
        detectable: Smallest move that was detectable with 80 % power.
    """

    placed: PlacedEvent
    reason: Literal["no_reaction", "below_floor", "not_testable"]
    detail: str
    size: Car | None
    detectable: float | None


def core_rows(placed: PlacedEvent, n_rows: int, config: ConfigUsed) -> range:
    """Return the rows in which a move meets the event directly."""
    row = placed.row or 0
    return range(row, min(row + config.max_lag + 1, n_rows))


def reaction_rows(placed: PlacedEvent, n_rows: int, config: ConfigUsed) -> range:
    """Return the rows that must be testable before an event is said to have had no reaction.

    An event whose session is known reacts on its row; another one may react on any core row.
    """
    rows = core_rows(placed, n_rows, config)
    return rows if placed.session is None else rows[:1]


def find_quiet(
    decisions: Sequence[Decision],
    moves: Moves,
    events: PlacedEvents,
    returns: AbnormalReturns,
    explain: Callable[[int], str],
    config: ConfigUsed,
) -> tuple[QuietEvent, ...]:
    """Return the events in the data that no move is tied to, by row."""
    heard = {match.placed.index for decision in decisions for match in decision.matches}
    low = set(moves.below_floor.tolist())
    quiet = []
    for placed in events.inside:
        if placed.index in heard or placed.row is None:
            continue
        needed = reaction_rows(placed, len(returns.ar), config)
        untested = [row for row in needed if not returns.tested[row]]
        if untested:
            quiet.append(QuietEvent(placed, "not_testable", explain(untested[0]), None, None))
            continue
        rows = core_rows(placed, len(returns.ar), config)
        quiet.append(
            QuietEvent(
                placed,
                "no_reaction" if low.isdisjoint(rows) else "below_floor",
                "",
                sum_abnormal(returns, placed.row, list(rows)),
                detectable_move(
                    returns, placed.row, sig_z=config.sig_z, min_abs_move=config.min_abs_move
                ),
            )
        )
    return tuple(quiet)


def nearest_event(row: int, events: PlacedEvents, config: ConfigUsed) -> PlacedEvent | None:
    """Return the event whose core holds this row, the latest one first."""
    rows = [placed.row or 0 for placed in events.inside]
    first, stop = np.searchsorted(rows, [row - config.max_lag, row + 1])
    inside = events.inside[int(first) : int(stop)]
    return min(inside, key=lambda placed: (row - (placed.row or 0), placed.index), default=None)
