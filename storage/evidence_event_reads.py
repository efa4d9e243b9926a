"""Histories of records, and the events that were made of them (core.evidence_ports.Evidence)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from sqlalchemy import Connection

from core.records.events import Event, EventQuery, State, ToldEvent
from core.records.evidence import Mention, MentionKind
from storage.evidence_events import EventFile
from storage.evidence_generations import beginnings
from storage.evidence_history import list_origins, read_histories


class EventReads(ABC):
    """What a store of evidence says of states and events."""

    _events: EventFile

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection | None]:
        """Give a connection to the live pack, None when there is none."""

    @abstractmethod
    def mentions(self, record_ids: Sequence[str]) -> Mapping[str, Sequence[Mention]]:
        """Return who and what these records name."""

    @abstractmethod
    def mentioning(
        self, kind: MentionKind, names: Sequence[str]
    ) -> Mapping[str, Sequence[Mention]]:
        """Return the records that name one of these."""

    def generations(self) -> Sequence[tuple[int, int]]:
        """Return the imports in their order, each with the number of its first state."""
        with self._reading() as connection:
            return beginnings(connection) if connection else []

    def origins(self) -> Sequence[tuple[str, str, int]]:
        """Return of each source and file the first import that brought states of it."""
        with self._reading() as connection:
            return list_origins(connection) if connection else []

    def histories(
        self, sources: Sequence[str], predicates: Sequence[str], compared: Sequence[str], after: int
    ) -> Iterator[Sequence[State]]:
        """Yield all states of each record that imports after one brought."""
        with self._reading() as connection:
            if connection is not None:
                yield from read_histories(connection, sources, predicates, compared, after)

    def events(self, query: EventQuery) -> Sequence[Event]:
        """Return events, the newest first, with the drugs, companies and diseases of each."""
        events = self._events.find(query, self._naming(query))
        mentions = self.mentions(
            list({report.record_id for reports in events for report in reports})
        )
        return [_event(reports, mentions) for reports in events]

    def event_reach(self, until: str) -> Mapping[str, str]:
        """Return of each source the newest day of an event up to a day."""
        return self._events.reach(until)

    def _naming(self, query: EventQuery) -> list[str] | None:
        """Return the records that a query's names are looked for in; None: all."""
        record_sets: list[set[str]] = [set(query.record_ids)] if query.record_ids else []
        names: tuple[tuple[MentionKind, Sequence[str]], ...] = (
            ("drug", query.drugs),
            ("company", query.companies),
            ("disease", query.diseases),
        )
        for kind, names_of_kind in names:
            if names_of_kind:
                mentions = self.mentioning(kind, names_of_kind)
                record_sets.append(
                    {record_id for record_id, how in mentions.items() if any(map(_is_tested, how))}
                )
        return sorted(set.intersection(*record_sets)) if record_sets else None

    def events_mark(self) -> str:
        """Return what the kept events are made of; "" where none are kept."""
        return self._events.mark()

    def told_events(
        self, record_ids: Sequence[str], subjects: Sequence[str]
    ) -> Sequence[ToldEvent]:
        """Return kept tellings of these records, or of these subjects."""
        return self._events.told(record_ids, subjects)

    def keep_events(
        self, reports: Sequence[ToldEvent], replaced: Sequence[str] | None, mark: str
    ) -> None:
        """Keep tellings in the place of those of some records, all at once."""
        self._events.keep(reports, replaced, mark)


def _is_tested(mention: Mention) -> bool:
    """Return whether a mention is no drug that is only compared with, or given beside."""
    return mention.role in {"", "investigational"}


def _event(reports: Sequence[ToldEvent], mentions: Mapping[str, Sequence[Mention]]) -> Event:
    event_mentions = [mention for row in reports for mention in mentions.get(row.record_id, ())]
    return Event(
        reports[0].event,
        reports[0],
        tuple(reports),
        *(_names(event_mentions, kind) for kind in ("drug", "company", "disease")),
    )


def _names(mentions: Iterable[Mention], kind: str) -> tuple[str, ...]:
    names = (mention.name for mention in mentions if mention.kind == kind and _is_tested(mention))
    return tuple(dict.fromkeys(names))
