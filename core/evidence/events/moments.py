"""Which day the states of a record tell of, and in which order they were true."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.records.events import State, Told

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
            facts = tuple(fact for fact in state.told if fact.predicate == predicate)
            if facts:
                return facts
        return ()

    @property
    def generation(self) -> int:
        """Return the import that brought the first state of this day."""
        return min(state.generation for state in self.states)


def day_of(state: State) -> tuple[str, bool]:
    """Return the day that a state tells of, and whether the source changed on it.

    The day of a copy shows that it was so by then, never that it changed then.
    """
    if len(state.updated_on) == A_DAY:
        return state.updated_on, True
    return (state.copied_on, False) if len(state.copied_on) == A_DAY else ("", False)


def moments(states: Iterable[State]) -> Sequence[Moment]:
    """Return the days on which a record was so, the oldest first; what has no day is left out."""
    dated = [(*day_of(state), state) for state in states]
    ordered = sorted(
        (entry for entry in dated if entry[0]),
        key=lambda entry: (entry[0], not entry[1], -entry[2].detail, -entry[2].version),
    )
    return [
        Moment(day, rows[0][1], tuple(state for _, _, state in rows))
        for day, among in groupby(ordered, key=lambda entry: entry[0])
        for rows in [list(among)]
    ]
