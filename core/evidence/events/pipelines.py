"""What came into a company's pipeline and what left it between two of its snapshots."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from core.records.events import State, ToldEvent
from core.vocabulary.event_types import EventType
from core.vocabulary.predicates import Predicate

SOURCE = "pipeline"
CURATED = "starter pack"
"""Copies that hold a choice of a pipeline and show no absence."""


def of_pipelines(histories: Sequence[Sequence[State]]) -> Iterator[ToldEvent]:
    """Yield entries and exits of all companies; the first snapshot of one is a baseline."""
    by_company: dict[str, list[Sequence[State]]] = defaultdict(list)
    for states in histories:
        shown = [state for state in states if state.origin != CURATED and _day(state)]
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
        rule=f"snapshots:{SOURCE}",
        fact_id=stage.fact_id if stage else 0,
        generation=state.generation,
        is_baseline=False,
    )
