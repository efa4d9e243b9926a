"""What the home page tells of the world: the newest events, and the readouts of the next months."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.briefs.developments.linking import Linker
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import find_developments
from core.briefs.entities.identifying import Library
from core.evidence.events.planned import drugs_with_completions, planned_completions
from core.records.events import EventQuery
from core.records.evidence import Record
from core.reports.document import Chart
from core.vocabulary.event_types import EventType

AHEAD_DAYS = 90
MOST_EVENTS = 5
"""Events of each group."""
MOST_READOUTS = 40
GROUPS: Mapping[str, tuple[EventType, ...]] = {
    "Approvals": (
        EventType.ORIGINAL_APPROVAL,
        EventType.SUPPLEMENT_EFFICACY,
        EventType.COMPLETE_RESPONSE,
    ),
    "Readouts": (EventType.TRIAL_RESULTS_POSTED,),
    "Deals": (
        EventType.LICENSE,
        EventType.ACQUISITION,
        EventType.CO_DEVELOPMENT,
        EventType.ASSET_PURCHASE,
        EventType.OPTION,
        EventType.RIGHTS_RETURN,
    ),
}
"""Events that the page lists, by group."""


@dataclass(frozen=True)
class TodayView:
    """What the home page tells.

    Attributes:
        recent: Approvals, readouts and deals, the newest first, by group.
        ahead: Target action dates, and primary completions that phase 3 trials plan, within three
            months, the soonest first.
        strip: The chart of what lies ahead; None where nothing does.
        records: The records that the page may cite, by id.
    """

    recent: Mapping[str, Sequence[Development]]
    ahead: tuple[Development, ...]
    strip: Chart | None
    records: Mapping[str, Record]


def read_today(drugs: str, library: Library) -> TodayView:
    """Return what the home page tells.

    Args:
        drugs: Names of drugs that a person follows, one a line; "" tells of all.
        library: Evidence, names and the day.
    """
    if not library.evidence.version():
        return TodayView({group: () for group in GROUPS}, (), None, {})
    names = [name for name in drugs.split("\n") if name]
    recent = {group: _recent(names, types, library) for group, types in GROUPS.items()}
    ahead = _ahead(names, library)
    events = [
        *ahead,
        *(development for developments in recent.values() for development in developments),
    ]
    ids = {record_id for event in events for record_id in event.record_ids}
    from core.briefs.entities.charts import draw_strip  # draws with a library that loads slowly

    strip = draw_strip(ahead, library.as_of.isoformat())
    return TodayView(recent, ahead, strip, library.evidence.records(sorted(ids)))


def _recent(
    names: Sequence[str], types: Sequence[EventType], library: Library
) -> list[Development]:
    """Return the newest events of some types; those of a year alone come last."""
    day = library.as_of
    query = EventQuery(
        until=day.isoformat(), types=tuple(types), drugs=tuple(names), limit=MOST_EVENTS * 12
    )
    developments = [
        development
        for development in find_developments(query, library.evidence, library.resolver)
        if development.drugs and development.last_on <= day
    ]
    developments.sort(
        key=lambda development: (
            development.counted_on,
            development.row.materiality,
            development.id,
        ),
        reverse=True,
    )
    return developments[:MOST_EVENTS]


def _ahead(names: Collection[str], library: Library) -> tuple[Development, ...]:
    evidence, day = library.evidence, library.as_of
    drug_names = list(names) or drugs_with_completions(day, AHEAD_DAYS, evidence)
    linker = Linker(evidence, library.resolver)
    planned = planned_completions(drug_names, day, AHEAD_DAYS, evidence)
    late = [event for event in planned if event.lead.phase == "PHASE3" and event.drugs]
    late.sort(key=lambda event: (event.day, event.id))
    linked = linker.to_diseases(linker.to_drugs(late[:MOST_READOUTS]))
    decisions = EventQuery(
        since=(day + timedelta(days=1)).isoformat(),
        until=(day + timedelta(days=AHEAD_DAYS)).isoformat(),
        types=(EventType.DECISION_EXPECTED,),
        drugs=tuple(names),
    )
    ahead = [
        *linker.to_companies(linked),
        *find_developments(decisions, evidence, library.resolver),
    ]
    return tuple(sorted(ahead, key=lambda development: (development.day, development.id)))
