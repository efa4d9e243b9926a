"""Events of one trial: its start, its stop, its results, and what changed between its states."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.evidence.events.changes import UNTOLD, changes
from core.evidence.events.moments import A_DAY, Moment, day_of, moments
from core.evidence.events.rules import dated
from core.records.events import State, Told, ToldEvent
from core.vocabulary.event_types import EventType, event_types
from core.vocabulary.predicates import Predicate

NOT_BEGUN = frozenset({"NOT_YET_RECRUITING", "WITHDRAWN"})
STOPPED = frozenset({"TERMINATED", "WITHDRAWN", "SUSPENDED"})
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


def _known_stop(known_moments: Sequence[Moment], number: str) -> Iterator[ToldEvent]:
    """Yield the stop of a trial of which no earlier state is known: known by the oldest day.

    The day of a copy tells nothing of when it was; there is no event then.
    """
    for moment in known_moments:
        status = moment.told(Predicate.TRIAL_STATUS)
        word = status[0].object if status else ""
        if word in UNTOLD or (word in STOPPED and not moment.is_told):
            continue
        if word not in STOPPED:
            return
        reasons = (later.told(Predicate.TRIAL_STOPPED) for later in known_moments)
        reason = next(filter(None, reasons), ())
        state = next(state for state in moment.states if status[0] in state.told)
        yield ToldEvent(
            record_id=state.record_id,
            type=EventType.TRIAL_STOP,
            subject=number,
            region="",
            day=moment.day,
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
