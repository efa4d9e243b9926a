"""Events of one trial: its start, its stop, its results, and what changed between its states.

Copies of one day are one state, however much each of them holds; what a poorer copy leaves out
has not changed, and a coarser day does not contradict a finer one.
"""

from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from core.evidence.events.rules import A_DAY, CURATED_COPIES, Moment, dated, day_of, moments
from core.records.events import State, Told, ToldEvent
from core.records.names import fold_name
from core.vocabulary.event_types import EventChangeRow, EventType, event_changes, event_types
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
            is_by_class = all(state.origin == CURATED_COPIES for state in moment.states)
            if not value or (among[0].compared == "words" and is_by_class):
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
    is_status = row.predicate == Predicate.TRIAL_STATUS
    return () if word in UNTOLD or (is_status and word not in STATUSES) else (word,)


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


NOT_BEGUN = frozenset({"NOT_YET_RECRUITING", "WITHDRAWN"})
STATUSES = frozenset(
    {
        *("NOT_YET_RECRUITING", "RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING"),
        *("COMPLETED", "SUSPENDED", "TERMINATED", "WITHDRAWN", "WITHHELD", "NO_LONGER_AVAILABLE"),
        *("AVAILABLE", "APPROVED_FOR_MARKETING", "TEMPORARILY_NOT_AVAILABLE"),
    }
)
"""Statuses of the register; any other word is ignored."""
ENDED = "TERMINATED"
STOPPED = frozenset({ENDED, "WITHDRAWN", "SUSPENDED"})
REGISTER = "ctgov"


def of_trial(states: Sequence[State], *, has_drug: bool) -> Iterator[ToldEvent]:
    """Yield the events of a trial.

    Args:
        states: What copies of its record tell.
        has_drug: Whether it tests a drug; of another only changes are told.
    """
    number = states[0].source_id
    trial_moments = moments(states) if has_drug or len(states) > 1 else ()
    changed = list(changes(trial_moments, number, REGISTER)) if len(trial_moments) > 1 else []
    if not has_drug:
        yield from changed
        return
    reports = list(_dated(states, number))
    days = {report.type for report in reports}
    yield from (
        report
        for report in changed
        if not (bool(event_types()[EventType(report.type)].once) and report.type in days)
    )
    yield from reports
    if not any(report.type == EventType.TRIAL_STOP for report in changed):
        yield from _known_stop(trial_moments, number)


def _dated(states: Sequence[State], number: str) -> Iterator[ToldEvent]:
    """Yield what the newest state that tells it has with a day; starts only where they took place.

    A day that a later state corrects was not it.
    """
    newest: dict[str, ToldEvent] = {}
    first: dict[tuple[str, str], int] = {}
    for state in sorted(states, key=_age):
        for event, fact in dated(state, number):
            if event.type == EventType.TRIAL_START and not _has_begun(state, fact):
                newest.pop(event.type, None)
                continue
            sure = _surely(event)
            newest[sure.type] = _finer(newest.get(sure.type), sure)
            key = (sure.type, sure.day)
            first[key] = min(first.get(key, sure.generation), sure.generation)
    for event in newest.values():
        earliest = min(
            generation
            for (kind, day), generation in first.items()
            if kind == event.type and (event.day.startswith(day) or day.startswith(event.day))
        )
        yield replace(event, generation=earliest)


def _surely(event: ToldEvent) -> ToldEvent:
    """Return the event by its month where the day is the month's last.

    Copies of the registry's database write a month so (AACT; the reference notes name one).
    """
    if event.type != EventType.TRIAL_START or len(event.day) < A_DAY:
        return event
    year, month, day = map(int, event.day.split("-"))
    if day < monthrange(year, month)[1]:
        return event
    return replace(event, day=event.day[:7], precision="month")


def _finer(report: ToldEvent | None, event: ToldEvent) -> ToldEvent:
    """Return the newer telling, unless it is only coarser than the older one."""
    return report if report and report.day.startswith(event.day) else event


def _age(state: State) -> tuple[str, int, int]:
    return day_of(state)[0], state.detail, state.version


def _has_begun(state: State, start: Told | None) -> bool:
    """Return whether a trial had begun when the state was told."""
    status = state.first(Predicate.TRIAL_STATUS)
    word = status.object if status else ""
    if word in NOT_BEGUN or start is None:
        return False
    seen = day_of(state)[0] or start.as_of
    return not seen or start.object <= seen[: max(len(start.object), A_DAY)]


def _end(moment: Moment) -> str:
    """Return the last day of the period in which a trial ended; "" where its record gives none."""
    ends = moment.told(Predicate.TRIAL_COMPLETION)
    day = ends[0].object if ends else ""
    if len(day) != len("2008-08"):
        return day if len(day) >= A_DAY else ""
    return f"{day}-{monthrange(int(day[:4]), int(day[5:]))[1]}"


def _known_stop(known_moments: Sequence[Moment], number: str) -> Iterator[ToldEvent]:
    """Yield the stop of a trial of which no earlier state is known: known by the oldest day.

    That is the day on which the trial ended, where its record gives one; old records are often
    edited years later. The day of a copy tells nothing of when it was; there is no event then.
    """
    for moment in known_moments:
        status = moment.told(Predicate.TRIAL_STATUS)
        word = status[0].object if status else ""
        if word in UNTOLD:
            continue
        if word not in STOPPED or not moment.is_told:
            return
        reasons = (later.told(Predicate.TRIAL_STOPPED) for later in known_moments)
        reason = next(filter(None, reasons), ())
        state = next(state for state in moment.states if status[0] in state.told)
        yield ToldEvent(
            record_id=state.record_id,
            type=EventType.TRIAL_STOP,
            subject=number,
            region="",
            day=min(moment.day, _end(moment) or moment.day) if word == ENDED else moment.day,
            precision="by",
            since="",
            phase=state.phase,
            before="",
            after=f"{word}: {reason[0].object}" if reason else word,
            rule="state:ctgov:trial_stopped:1",
            fact_id=status[0].fact_id,
            generation=moment.generation,
            is_baseline=False,
        )
        return
