"""Reads the states that later imports brought and yields what happened to each record."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain, islice

from core.evidence.events.rules import A_DAY, CURATED_COPIES, dated, moments, sources_of_records
from core.evidence.events.trials import REGISTER, changes, of_trial
from core.evidence.sources.sync.sources import ORIGINS
from core.evidence_ports import EvidenceReader
from core.records.events import State, ToldEvent
from core.vocabulary.event_types import EventType, event_changes, event_rules
from core.vocabulary.predicates import Predicate

PIPELINE = "pipeline"
"""Copies that hold a choice of a pipeline and show no absence."""


def of_pipelines(histories: Sequence[Sequence[State]]) -> Iterator[ToldEvent]:
    """Yield entries and exits of all companies; the first snapshot of one is a baseline."""
    by_company: dict[str, list[Sequence[State]]] = defaultdict(list)
    for states in histories:
        shown = [state for state in states if state.origin != CURATED_COPIES and _day(state)]
        if shown:
            by_company[_company(shown[0])].append(shown)
    for _, assets in sorted(by_company.items()):
        days = sorted({_day(state) for states in assets for state in states})
        for states in assets:
            yield from _of_asset(states, days)


def _day(state: State) -> str:
    """Return the day of a snapshot."""
    return state.copied_on or state.updated_on


def _company(state: State) -> str:
    fact = state.first(Predicate.DEVELOPED_BY)
    return fact.object if fact else state.source_id.partition("/")[0]


def _of_asset(states: Sequence[State], days: Sequence[str]) -> Iterator[ToldEvent]:
    shown = {_day(state): state for state in states}
    for before, day in zip(days, days[1:], strict=False):
        if day in shown and before not in shown:
            yield _event(EventType.PIPELINE_ENTRY, shown[day], before, day)
        elif before in shown and day not in shown:
            yield _event(EventType.PIPELINE_EXIT, shown[before], before, day)


def _event(kind: EventType, state: State, before: str, day: str) -> ToldEvent:
    stage = state.first(Predicate.HIGHEST_STAGE)
    word = stage.object if stage else ""
    is_entry = kind == EventType.PIPELINE_ENTRY
    return ToldEvent(
        record_id=state.record_id,
        type=kind,
        subject=state.record_id,
        region="",
        day=day,
        precision="between",
        since=before,
        phase=word,
        before="" if is_entry else word,
        after=word if is_entry else "",
        rule=f"snapshots:{PIPELINE}",
        fact_id=stage.fact_id if stage else 0,
        generation=state.generation,
        is_baseline=False,
    )


NEWS_DAYS = 31
LABEL = "label"
OF_TRIALS = frozenset(
    {
        *(Predicate.TRIAL_STATUS, Predicate.TRIAL_STOPPED),
        *(Predicate.TRIAL_START, Predicate.TRIAL_COMPLETION),
    }
)
BESIDE = (
    *(Predicate.APPLICATION_TYPE, Predicate.DEVELOPED_BY, Predicate.HIGHEST_STAGE),
    *(Predicate.ACQUIRED_BY, Predicate.DEAL_PARTNER, Predicate.DEAL_TYPE, Predicate.LICENSED_TO),
    *sorted(OF_TRIALS),
)
"""Predicates that rules ask for in addition to the one they read."""
TESTED = frozenset({"investigational", ""})
FEW = 2_000
"""Records whose mentions are asked for by name; of more, all mentions are read."""


class Newness:
    """Tells which imports were the first of a source."""

    def __init__(self, evidence: EvidenceReader) -> None:
        """Read when each source came."""
        self._formats = {file.name: file.format for file in evidence.files()}
        self._first: dict[tuple[str, str], int] = {}
        for source, origin, generation in evidence.origins():
            key = self._key(source, origin)
            self._first[key] = min(self._first.get(key, generation), generation)

    def mark(self, event: ToldEvent, states: Sequence[State]) -> ToldEvent:
        """Return the event with whether it came with the first import of its source.

        A sync brings what changed lately; what it tells of earlier times is no news either.
        """
        was_held = any(state.generation < event.generation for state in states)
        if event.precision == "between" and was_held:
            return event
        came = [state for state in states if state.generation == event.generation]
        if came and all(state.origin in ORIGINS for state in came):
            days = [state.copied_on for state in came if len(state.copied_on) == A_DAY]
            if not days:
                return event
            newest = date.fromisoformat(max(days))
            is_month = len(event.day) == len("2026-11")
            last_day = f"{event.day}-31" if is_month else f"{event.day}-12-31"[: len("2026-12-31")]
            is_old = last_day < (newest - timedelta(days=NEWS_DAYS)).isoformat()
            return replace(event, is_baseline=is_old)
        is_baseline = all(self._is_first(state) for state in came)
        return replace(event, is_baseline=is_baseline)

    def _is_first(self, state: State) -> bool:
        if state.origin == CURATED_COPIES:
            return True
        return self._first.get(self._key(state.source, state.origin)) == state.generation

    def _key(self, source: str, origin: str) -> tuple[str, str]:
        """Return the source and the kind of its file, whatever the file's name."""
        return source, self._formats.get(origin, origin)


def read_brought(evidence: EvidenceReader, after: int, seen: set[str]) -> Iterator[ToldEvent]:
    """Yield the events of every record that imports after one brought.

    Args:
        evidence: The pack.
        after: Number of the last import whose events are made; -1: none.
        seen: Takes the records that were read.
    """
    newness = Newness(evidence)
    compared = tuple(dict.fromkeys(row.predicate for row in event_changes()))
    read = tuple(dict.fromkeys((*filter(None, (row.predicate for row in event_rules())), *BESIDE)))

    def histories(
        sources: Sequence[str], since: int, predicates: Sequence[str] = read
    ) -> Iterator[Sequence[State]]:
        for states in evidence.histories(
            sources, predicates, compared if predicates else (), since
        ):
            seen.add(states[0].record_id)
            yield states

    trials = histories((REGISTER,), after)
    some = list(islice(trials, FEW))
    tested = _testing(evidence, [states[0].record_id for states in some])
    for states in chain(some, trials):
        has_drug = states[0].record_id in tested
        yield from (newness.mark(event, states) for event in of_trial(states, has_drug=has_drug))
    for states in histories((LABEL,), after):
        yield from (newness.mark(report, states) for report in _of_label(states))
    if next(iter(evidence.histories((PIPELINE,), read, (), after)), None):
        assets = list(histories((PIPELINE,), -1))
        by_record = {states[0].record_id: states for states in assets}
        for event in of_pipelines(assets):
            yield newness.mark(event, by_record[event.record_id])
    others = {source.source for source in evidence.sources()} - {REGISTER, LABEL, PIPELINE}
    sources = sources_of_records() & others
    predicates = [predicate for predicate in read if predicate not in OF_TRIALS]
    for states in chain(
        histories(sorted(others - sources), after, predicates),
        histories(sorted(sources), after, ()),
    ):
        yield from (newness.mark(report, states) for report in _of_record(states))


def _testing(evidence: EvidenceReader, ids: Sequence[str]) -> set[str]:
    """Return the trials that test a drug."""
    if len(ids) >= FEW:
        return {record for record, _, _, role in evidence.all_mentions("drug") if role in TESTED}
    return {
        record
        for record, mentions in evidence.mentions(ids).items()
        if any(mention.kind == "drug" and mention.role in TESTED for mention in mentions)
    }


def _of_label(states: Sequence[State]) -> Iterator[ToldEvent]:
    """Yield what labels of one number tell: a later one repeats changes of an earlier one."""
    number = states[0].record_id
    yield from changes(moments(states), number, LABEL)
    yield from _distinct(event for state in states for event, _ in dated(state, number))


def _of_record(states: Sequence[State]) -> Iterator[ToldEvent]:
    """Yield what the newest state of a record tells, each with the import that first told it."""
    number = states[0].record_id
    generations: dict[tuple[str, ...], int] = {}
    newest: list[ToldEvent] = []
    for state in states:
        for event, _ in dated(state, number):
            key = _what(event)
            generations[key] = min(generations.get(key, event.generation), event.generation)
            if state.is_current:
                newest.append(event)
    yield from _distinct(
        replace(report, generation=generations[_what(report)]) for report in newest
    )


def _what(event: ToldEvent) -> tuple[str, ...]:
    return event.type, event.subject, event.region, event.day, event.after


def _distinct(events: Iterable[ToldEvent]) -> Iterator[ToldEvent]:
    """Yield events once, as they were told first."""
    reports: Mapping[tuple[str, ...], ToldEvent] = {
        _what(event): event for event in sorted(events, key=lambda event: -event.generation)
    }
    yield from reports.values()
