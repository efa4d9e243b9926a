"""One development of several events: same asset, same type, within a week.

The events themselves are merged by the drug that a register writes; here letters, notices and
registers meet that write one drug in several ways, and the changes of one trial become one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.briefs.developments.records import DAY, Development
from core.records.events import PRECISIONS
from core.vocabulary.event_types import EventType

NEAR_DAYS = 7
ALIKE = {
    EventType.TRIAL_COMPLETION_CHANGE: "changes of a trial",
    EventType.TRIAL_ENROLLMENT_CHANGE: "changes of a trial",
    EventType.TRIAL_PRIMARY_COMPLETION_CHANGE: "changes of a trial",
    EventType.TRIAL_PRIMARY_ENDPOINT_CHANGE: "changes of a trial",
    EventType.TRIAL_STATUS_CHANGE: "changes of a trial",
    EventType.BOXED_WARNING: "label",
    EventType.LABEL_CHANGE: "label",
}
"""Types that one publication of a source reports together."""
Key = tuple[str, str, str]


def merge_developments(developments: Iterable[Development]) -> list[Development]:
    """Return developments of which no two are one; their order and copies change nothing."""
    by_key: dict[Key, list[Development]] = defaultdict(list)
    for development in {development.id: development for development in developments}.values():
        by_key[_key(development)].append(development)
    return [
        _merged(cluster)
        for _, among in sorted(by_key.items())
        for cluster in _clusters(sorted(among, key=_order))
    ]


def _key(development: Development) -> Key:
    subject = development.event.lead.subject.rpartition(":")[2]
    subject_key = subject if development.is_of_trial or not development.drugs else development.asset
    if development.type == EventType.PATENT_GRANTED:
        subject_key = development.event.lead.subject
    return subject_key, ALIKE.get(development.type, development.type), development.event.lead.region


def _order(development: Development) -> tuple[int, str, float, str]:
    """Return the place of a development: the best known day first, then the oldest."""
    return (
        PRECISIONS.index(development.precision),
        development.day,
        -development.row.materiality,
        development.id,
    )


def _clusters(among: Sequence[Development]) -> list[list[Development]]:
    clusters: list[list[Development]] = []
    for development in among:
        home = next((cluster for cluster in clusters if _is_same(cluster[0], development)), None)
        if home is None:
            clusters.append([development])
        else:
            home.append(development)
    return clusters


def _is_same(lead: Development, other: Development) -> bool:
    if len(lead.day) != len(other.day) or len(lead.day) < DAY:
        shorter = min(len(lead.day), len(other.day))
        return lead.day[:shorter] == other.day[:shorter]
    return abs((lead.last_on - other.last_on).days) <= NEAR_DAYS


def _merged(cluster: Sequence[Development]) -> Development:
    lead = cluster[0]
    if len(cluster) == 1:
        return lead
    events = {event.id: event for development in cluster for event in development.events}
    return replace(
        lead,
        further=tuple(event for key, event in sorted(events.items()) if key != lead.id),
        drugs=lead.drugs
        or next((development.drugs for development in cluster if development.drugs), ()),
        brand=lead.brand
        or next((development.brand for development in cluster if development.brand), ""),
    )
