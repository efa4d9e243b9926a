"""On which days the states of a record were true, and facts that have a day of their own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import groupby

from core.records.events import Precision, State, Told, ToldEvent
from core.vocabulary.event_types import EventRuleRow, EventType, event_rules, event_types

CURATED_COPIES = "starter pack"
"""Origin of states that curators wrote, measures by their class."""
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


_FIELDS = frozenset(Told._fields)
_OF_LENGTH: Mapping[int, Precision] = {A_DAY: "day", 7: "month", 4: "year"}


@cache
def _rules_of(source: str, predicate: str) -> tuple[EventRuleRow, ...]:
    """Return the rules that may read a fact, those of its source first."""
    rows = [row for row in event_rules() if row.predicate == predicate and row.day != "state"]
    own_rows = [row for row in rows if row.source == source]
    return tuple(own_rows or [row for row in rows if not row.source])


@cache
def sources_of_records() -> frozenset[str]:
    """Return the sources whose records are events themselves."""
    return frozenset(row.source for row in event_rules() if not row.predicate)


def of_drug(kind: str) -> bool:
    """Return whether an event of a type happens to a drug, so that several records may tell it."""
    return event_types()[EventType(kind)].subject == "drug"


def dated(state: State, subject: str) -> Iterator[tuple[ToldEvent, Told | None]]:
    """Yield what a state tells with a day, and the fact that does.

    Args:
        state: The state.
        subject: What it happened to, unless the event is a drug's.
    """
    for fact in state.told:
        row = _reading(state, fact)
        event = _event(state, fact, row, subject) if row else None
        if event:
            yield event, fact
    if state.source in sources_of_records():
        row = _reading(state, None)
        event = _event(state, None, row, subject) if row else None
        if event:
            yield event, None


def _reading(state: State, fact: Told | None) -> EventRuleRow | None:
    """Return the first rule that holds of a fact, or of the record itself."""
    rows = _rules_of(state.source, fact.predicate if fact else "")
    return next((row for row in rows if _holds(row.when, state, fact)), None)


def _holds(when: str, state: State, fact: Told | None) -> bool:
    for condition in filter(None, when.split(";")):
        field, _, words = condition.partition("=")
        values = _said(field, state, fact)
        patterns = [word.casefold() for word in words.split("|")]
        if not any(fnmatchcase(value.casefold(), word) for value in values for word in patterns):
            return False
    return True


def _said(field: str, state: State, fact: Told | None) -> list[str]:
    """Return what a field of the fact, the record or a predicate of the state says."""
    if field == "record":
        return [state.source_id]
    if field in _FIELDS:
        return [str(getattr(fact, field) or "")] if fact else []
    return [fact.object for fact in state.told if fact.predicate == field]


def _event(state: State, fact: Told | None, row: EventRuleRow, subject: str) -> ToldEvent | None:
    """Return the event; None where no day is told."""
    day = state.published_on if row.day == "published_on" else getattr(fact, row.day, "")
    precision = _OF_LENGTH.get(len(day))
    is_of_list = day in {state.updated_on, state.copied_on} and day != state.published_on
    if precision is None or (row.day == "as_of" and is_of_list):
        return None  # told of the day of the list alone
    after = _said(row.after, state, fact) if row.after else []
    return ToldEvent(
        record_id=state.record_id,
        type=row.type,
        subject=fact.subject if fact and of_drug(row.type) else subject,
        region=fact.region if fact else "",
        day=day,
        precision=precision,
        since="",
        phase=state.phase,
        before="",
        after=after[0] if after else "",
        rule=f"fact:{row.source or 'any'}:{row.predicate or 'record'}:{row.rank}",
        fact_id=fact.fact_id if fact else 0,
        generation=state.generation,
        is_baseline=False,
    )
