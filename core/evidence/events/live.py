"""The events of one run: those of the pack, with what records of live sources tell.

Nothing is kept. A live record is read together with the pack's earlier states of it, as a sync
would read it, so its changes are events between a known day and the live one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, cast

from core.evidence.events.preparing import Renewed, renew_events
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.events import Event, EventQuery, ToldEvent
from core.records.evidence import MentionKind
from core.records.names import fold_name

_TESTED = frozenset({"", "investigational"})
_KINDS: tuple[MentionKind, ...] = ("drug", "company", "disease")


def with_live_events(evidence: EvidenceReader, resolver: Resolver) -> EvidenceReader:
    """Return a run's evidence whose events include those of its live records.

    Args:
        evidence: The pack with live records (`core.evidence.sources.live.overlay`).
        resolver: Knows names.
    """
    after = max((number for number, _ in evidence.generations()), default=0)
    renewed = renew_events(evidence, after, resolver)
    # of a record that was not known before, nobody knows when it came to be so
    sure = [
        report
        for report in renewed.reports
        if report.precision != "by" or evidence.versions(report.record_id)
    ]
    renewed = renewed._replace(reports=sure)
    return cast("EvidenceReader", _LiveEvents(evidence, renewed))


class _LiveEvents:
    """Answers for events; all other questions are the evidence's."""

    def __init__(self, evidence: EvidenceReader, renewed: Renewed) -> None:
        """Gather the tellings by event, the lead first."""
        self._evidence = evidence
        self._replaced = frozenset(renewed.replaced)
        self._reports = renewed.reports
        tellings: dict[str, list[ToldEvent]] = defaultdict(list)
        for report in renewed.reports:
            tellings[report.event].append(report)
        mentions = evidence.mentions(sorted({report.record_id for report in renewed.reports}))

        def names(reports: Sequence[ToldEvent], kind: str) -> tuple[str, ...]:
            named = (
                mention.name
                for report in reports
                for mention in mentions.get(report.record_id, ())
                if mention.kind == kind and mention.role in _TESTED
            )
            return tuple(dict.fromkeys(named))

        self._fresh: list[Event] = []
        for key, reports in tellings.items():
            reports.sort(key=lambda report: (not report.is_lead, report.day, report.record_id))
            told = tuple(reports)
            self._fresh.append(Event(key, told[0], told, *(names(told, kind) for kind in _KINDS)))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - every other question is the evidence's
        return getattr(self._evidence, name)

    def events(self, query: EventQuery) -> Sequence[Event]:
        """Return events, the newest first."""
        stored = self._evidence.events(query)
        events = [event for event in stored if self._replaced.isdisjoint(event.records)]
        events += [event for event in self._fresh if _meets(event, query)]
        events.sort(key=lambda event: (event.type, event.id))
        events.sort(key=lambda event: (_days(event)[1], event.day), reverse=True)
        return events[: query.limit]

    def told_events(
        self, record_ids: Sequence[str], subjects: Sequence[str]
    ) -> Sequence[ToldEvent]:
        """Return tellings of these records, or of these subjects."""
        stored = self._evidence.told_events(record_ids, subjects)
        ids, about = set(record_ids), set(subjects)
        return [
            *(report for report in stored if report.record_id not in self._replaced),
            *(r for r in self._reports if r.record_id in ids or r.subject in about),
        ]

    def event_reach(self, until: str) -> Mapping[str, str]:
        """Return of each source the newest day of an event up to a day."""
        reach = dict(self._evidence.event_reach(until))
        for event in self._fresh:
            for report in event.told:
                source = report.record_id.partition(":")[0]
                if report.day <= until:
                    reach[source] = max(reach.get(source, ""), report.day)
        return reach


def _days(event: Event) -> tuple[str, str]:
    """Return the first and the last day on which an event may have been."""
    first, last = {4: ("-01-01", "-12-31"), 7: ("-01", "-31")}.get(len(event.day), ("", ""))
    return event.day + first, event.day + last


def _meets(event: Event, query: EventQuery) -> bool:
    """Return whether an event is asked for."""
    first, last = _days(event)
    names = (
        (query.drugs, event.drugs),
        (query.companies, event.companies),
        (query.diseases, event.diseases),
    )
    return (
        (not query.since or last >= query.since)
        and (not query.until or first <= query.until)
        and (not query.types or event.type in query.types)
        and (not query.record_ids or not set(query.record_ids).isdisjoint(event.records))
        and event.generation > query.after_generation
        and (query.with_baseline or not event.is_baseline)
        and all(
            not asked or not {fold_name(name) for name in asked}.isdisjoint(map(fold_name, told))
            for asked, told in names
        )
    )
