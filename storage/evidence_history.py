"""All states of records that imports after one brought, with some of their facts, in portions."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from core.records.events import State, Told
from storage.evidence_generations import beginnings, generation_of
from storage.evidence_tables import FACTS, RECORDS

PORTION = 500
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


def list_origins(connection: Connection) -> list[tuple[str, str, int]]:
    """Return of each source and file the first import that brought states of it."""
    begun = beginnings(connection)
    query = select(RECORDS.c.source, RECORDS.c.origin, func.min(RECORDS.c.pk)).group_by(
        RECORDS.c.source, RECORDS.c.origin
    )
    return [
        (source, origin, generation_of(pk, begun))
        for source, origin, pk in connection.execute(query)
    ]


def read_histories(
    connection: Connection,
    sources: Sequence[str],
    predicates: Sequence[str],
    compared: Sequence[str],
    after: int,
) -> Iterator[list[State]]:
    """Yield all states of each record that imports after one brought.

    Args:
        connection: To the pack.
        sources: Of the records.
        predicates: Predicates of the facts to return; a record that tells none is left out. Empty:
        all.
        compared: Further predicates, where a record has several states.
        after: Number of an import; -1: all.
    """
    begun = beginnings(connection)
    later = [first for number, first in begun if number > after]
    if after >= 0 and not later:
        return
    touched = select(RECORDS.c.record_id).where(
        RECORDS.c.source.in_(sources), RECORDS.c.pk >= (min(later) if after >= 0 else 0)
    )
    if predicates:
        read_predicates = (*predicates, *compared)
        telling = select(FACTS.c.record_pk).where(FACTS.c.predicate.in_(read_predicates))
        touched = touched.where(RECORDS.c.pk.in_(telling))
    ids = sorted(set(connection.scalars(touched)))
    for start in range(0, len(ids), PORTION):
        rows = connection.execute(
            select(*_STATE)
            .where(RECORDS.c.record_id.in_(ids[start : start + PORTION]))
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
