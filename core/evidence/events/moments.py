"""Which day the states of a record tell of, and in which order they were true."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.records.events import State, Told
from core.vocabulary.predicates import Predicate

FULL = 2
"""Detail of a copy that is the register's own record: its day of change is told."""
A_DAY = len("2026-11-23")


@dataclass(frozen=True, slots=True)
class Moment:
    """A day on which a record was so.

    Attributes:
        day: YYYY-MM-DD.
        is_told: Whether the source changed it on that day; else somebody saw it so.
        states: Of that day, the fullest first.
    """

    day: str
    is_told: bool
    states: tuple[State, ...]

    def told(self, predicate: str) -> tuple[Told, ...]:
        """Return the facts of a predicate in the fullest state that tells it."""
        for state in self.states:
            found = tuple(one for one in state.told if one.predicate == predicate)
            if found:
                return found
        return ()

    @property
    def generation(self) -> int:
        """Return the import that brought the first state of this day."""
        return min(state.generation for state in self.states)


def day_of(state: State) -> tuple[str, bool]:
    """Return the day that a state tells of, and whether the source changed on it.

    The day of a copy shows that it was so by then, never that it changed then. A table without
    the register's own day of change repeats that of the copy.
    """
    seen = _day_seen(state)
    told = state.updated_on
    if len(told) == A_DAY and (state.detail >= FULL or told != seen):
        return told, True
    return (seen, False) if len(seen) == A_DAY else ("", False)


def _day_seen(state: State) -> str:
    if state.source != "ctgov":
        return ""
    status = state.first(Predicate.TRIAL_STATUS) or next(iter(state.told), None)
    return status.as_of if status else ""


def moments(states: Iterable[State]) -> Sequence[Moment]:
    """Return the days on which a record was so, the oldest first; what has no day is left out."""
    dated = [(*day_of(state), state) for state in states]
    ordered = sorted(
        (one for one in dated if one[0]),
        key=lambda one: (one[0], not one[1], -one[2].detail, -one[2].version),
    )
    return [
        Moment(day, rows[0][1], tuple(state for _, _, state in rows))
        for day, among in groupby(ordered, key=lambda one: one[0])
        for rows in [list(among)]
    ]
