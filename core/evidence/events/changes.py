"""What changed between two states of one record: of a trial, or of a label.

Copies of one day are one state, however much each of them holds; what a poorer copy leaves out
has not changed, and a coarser day does not contradict a finer one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from core.evidence.events.moments import Moment
from core.records.events import Told, ToldEvent
from core.records.names import fold_name
from core.vocabulary.event_types import EventChangeRow, EventType, event_changes
from core.vocabulary.predicates import Predicate

UNTOLD = frozenset({"UNKNOWN", ""})
"""Statuses that the register sets by itself when nobody reports."""
COMPARED_SIGNS = 80
"""First signs by which a measure is known again in a copy that words its end otherwise."""
ALIKE = 0.6
"""Part of the signs that a measure and its other wording share."""
MOST_LISTED = 5
"""Measures that a table of trials lists at most; with so many the list may be cut."""
Value = tuple[str, ...]


def changes(moments: Sequence[Moment], subject: str, source: str) -> Iterator[ToldEvent]:
    """Yield what changed between the moments of a record."""
    rows = [row for row in event_changes() if row.source == source]
    for predicate in dict.fromkeys(row.predicate for row in rows):
        among = [row for row in rows if row.predicate == predicate]
        before: tuple[Value, Moment] | None = None
        for moment in moments:
            facts = moment.told(predicate)
            value = _value(facts, among[0])
            if not value:
                continue
            if before and _COMPARISONS[among[0].compared](before[0], value):
                row = next(
                    (
                        rule
                        for rule in among
                        if (not rule.becomes or value[0] in rule.becomes.split("|"))
                    ),
                    None,
                )
                if row:
                    yield _event(row, (before[0], before[1]), (value, moment), subject, facts[0])
            before = (value, moment)


def _value(facts: Sequence[Told], row: EventChangeRow) -> Value:
    """Return what facts say, as it is compared and shown."""
    if row.compared == "words":
        return tuple(fact.object for fact in facts if fact.population in {"primary", ""})
    if not facts:
        return ()
    if row.compared == "number":
        return () if facts[0].value is None else (f"{facts[0].value:g}",)
    word = facts[0].object
    return () if word in UNTOLD else (word,)


def _other_day(before: Value, after: Value) -> bool:
    shorter = min(len(before[0]), len(after[0]))
    return before[0][:shorter] != after[0][:shorter]


def _other_words(before: Value, after: Value) -> bool:
    """Return whether a measure is new; many copies list only the first, so none is missed."""
    signs = _signs(before)
    fresh = [text for text in _signs(after) if not any(_is_alike(text, sign) for sign in signs)]
    return bool(fresh) and len(before) < MOST_LISTED


def _signs(value: Value) -> list[str]:
    return [fold_name(text)[:COMPARED_SIGNS] for text in value]


def _is_alike(sign: str, other: str) -> bool:
    """Return whether two measures are the same but for wording.

    >>> _is_alike("headverseevents", "theadverseevents"), _is_alike("overallsurvival", "auc")
    (True, False)
    """
    if sign.startswith(other) or other.startswith(sign):
        return True
    return SequenceMatcher(None, sign, other, autojunk=False).ratio() >= ALIKE


_COMPARISONS: Mapping[str, Callable[[Value, Value], bool]] = {
    "word": lambda before, after: before != after,
    "number": lambda before, after: before != after,
    "day": _other_day,
    "words": _other_words,
}


def _event(
    row: EventChangeRow,
    before: tuple[Value, Moment],
    after: tuple[Value, Moment],
    subject: str,
    fact: Told,
) -> ToldEvent:
    moment = after[1]
    state = next(state for state in moment.states if fact in state.told)
    listed_text = " | ".join(after[0])
    if row.type == EventType.TRIAL_STOP:
        reason = moment.told(Predicate.TRIAL_STOPPED)
        listed_text = f"{listed_text}: {reason[0].object}" if reason else listed_text
    return ToldEvent(
        record_id=state.record_id,
        type=row.type,
        subject=subject,
        region="",
        day=moment.day,
        precision="between",
        since=before[1].day,
        phase=next((state.phase for state in moment.states if state.phase), ""),
        before=" | ".join(before[0]),
        after=listed_text,
        rule=f"change:{row.source}:{row.predicate}:{row.rank}",
        fact_id=fact.fact_id,
        generation=max(moment.generation, before[1].generation),
        is_baseline=False,
    )
