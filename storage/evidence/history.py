"""States of records that imports brought, and the events that were derived from them."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from core.records.events import Event, EventQuery, State, Told, ToldEvent
from core.records.evidence import Mention, MentionKind
from storage.evidence.event_file import EventFile
from storage.evidence.generations import beginnings, generation_of
from storage.evidence.pack_file import PackFile
from storage.evidence.pack_reader import PackReader
from storage.evidence.schema import CHUNK, FACTS, RECORDS

_TOLD = tuple(FACTS.c["pk" if name == "fact_id" else name] for name in Told._fields)
_STATE = (
    *(RECORDS.c.pk, RECORDS.c.record_id, RECORDS.c.source, RECORDS.c.source_id),
    *(RECORDS.c.version, RECORDS.c.current, RECORDS.c.kind, RECORDS.c.updated_on),
    *(
        RECORDS.c.copied_on,
        RECORDS.c.published_on,
        RECORDS.c.detail,
        RECORDS.c.phase,
        RECORDS.c.origin,
    ),
)
_FactsOf = dict[int, list[Told]]


class EventReader(PackReader):
    """States and events of a pack."""

    def __init__(self, file: PackFile, events: EventFile) -> None:
        """Set the files of records and of events."""
        super().__init__(file)
        self._events = events

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
            return beginnings(connection)

    def origins(self) -> Sequence[tuple[str, str, int]]:
        """Return of each source and file the first import that brought states of it."""
        of_file = (RECORDS.c.source, RECORDS.c.origin)
        query = select(*of_file, func.min(RECORDS.c.pk)).group_by(*of_file)
        with self._reading() as connection:
            begun = beginnings(connection)
            return [
                (source, origin, generation_of(pk, begun))
                for source, origin, pk in connection.execute(query)
            ]

    def histories(
        self,
        sources: Sequence[str],
        predicates: Sequence[str],
        compared: Sequence[str],
        after: int,
        record_ids: Sequence[str] = (),
    ) -> Iterator[Sequence[State]]:
        """Yield all states of each record that imports after one brought."""
        with self._reading() as connection:
            begun = beginnings(connection)
            touched = select(RECORDS.c.record_id).where(RECORDS.c.source.in_(sources))
            if after >= 0:
                later = [first for number, first in begun if number > after]
                if not later:
                    return
                touched = touched.where(RECORDS.c.pk >= min(later))
            if record_ids:
                touched = touched.where(RECORDS.c.record_id.in_(record_ids))
            if predicates:
                telling = select(FACTS.c.record_pk).where(
                    FACTS.c.predicate.in_((*predicates, *compared))
                )
                touched = touched.where(RECORDS.c.pk.in_(telling))
            ids = sorted(set(connection.scalars(touched)))
            for start in range(0, len(ids), CHUNK):
                chunk = ids[start : start + CHUNK]
                yield from _read_states(connection, chunk, predicates, compared, begun)

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


def _read_states(
    connection: Connection,
    record_ids: Sequence[str],
    predicates: Sequence[str],
    compared: Sequence[str],
    begun: Sequence[tuple[int, int]],
) -> Iterator[list[State]]:
    """Yield the states of each of these records, with facts of the predicates."""
    rows = connection.execute(
        select(*_STATE)
        .where(RECORDS.c.record_id.in_(record_ids))
        .order_by(RECORDS.c.record_id, RECORDS.c.version)
    ).all()
    several = {row[1] for row in rows if row[4] > 1}
    facts = _facts(connection, [row[0] for row in rows], predicates)
    further = [row[0] for row in rows if row[1] in several]
    for pk, more in _facts(connection, further, compared).items():
        facts.setdefault(pk, []).extend(more)
    yield from _by_record(rows, facts, begun)


def _facts(connection: Connection, pks: Sequence[int], predicates: Sequence[str]) -> _FactsOf:
    """Return facts of states by the number of the state, in the order in which they were read."""
    facts: _FactsOf = {}
    if not pks or not predicates:
        return facts
    query = (
        select(FACTS.c.record_pk, *_TOLD)
        .where(FACTS.c.record_pk.in_(pks), FACTS.c.predicate.in_(predicates))
        .order_by(FACTS.c.pk)
    )
    for row in connection.execute(query).all():
        facts.setdefault(row[0], []).append(Told._make(row[1:]))
    return facts


def _by_record(
    rows: Sequence[Any], facts: _FactsOf, begun: Sequence[tuple[int, int]]
) -> Iterator[list[State]]:
    states: list[State] = []
    for pk, record_id, source, number, version, current, kind, updated_on, *cells in rows:
        copied_on, published_on, detail, phase, origin = cells
        state = State(
            record_id=record_id,
            source=source,
            source_id=number,
            version=version,
            is_current=current == 1,
            generation=generation_of(pk, begun),
            kind=kind,
            updated_on=updated_on,
            copied_on=copied_on,
            published_on=published_on,
            detail=detail,
            phase=phase,
            origin=origin,
            told=tuple(facts.get(pk, ())),
        )
        if states and states[0].record_id != record_id:
            yield states
            states = []
        states.append(state)
    if states:
        yield states


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
