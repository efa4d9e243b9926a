"""States of records: what an older, fuller copy of a trial told and a newer, poorer one leaves out.

A table that lists a trial anew, later, hides neither its sponsor nor its posted results: the
older state that tells them is marked (`current` 2), and its facts are read beside those of the
newest one, each with the version and date of its own copy. What the newest state tells at all
counts alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, update

from storage.evidence_tables import FACTS, MENTIONS, RECORDS

NEWEST, FULLER = 1, 2
LASTING = (
    *("trial_sponsor", "trial_sponsor_class", "trial_phase", "trial_design", "trial_start"),
    *("trial_has_results", "trial_result", "trial_adverse_event"),
)
"""What does not cease to be so when a newer copy is silent."""
COMPANIES = ("sponsor", "collaborator")
PORTION = 500


def mark_fuller(connection: Connection) -> None:
    """Mark of each trial the fullest older state that tells something lasting the newest lacks."""
    connection.execute(update(RECORDS).where(RECORDS.c.current == FULLER).values(current=0))
    query = (
        select(RECORDS.c.record_id, RECORDS.c.pk)
        .where(RECORDS.c.current == 0, RECORDS.c.kind == "trial_registration")
        .order_by(
            RECORDS.c.record_id,
            RECORDS.c.detail.desc(),
            RECORDS.c.updated_on.desc(),
            RECORDS.c.pk.desc(),
        )
    )
    older: dict[str, list[int]] = {}
    for record_id, pk in connection.execute(query):
        older.setdefault(record_id, []).append(pk)
    for portion in _portions(list(older)):
        told = _told(connection, portion)
        pks = [pk for record_id in portion for pk in older[record_id]]
        adds = _adding(connection, pks, told)
        fuller = [next((pk for pk in older[one] if pk in adds), 0) for one in portion]
        connection.execute(update(RECORDS).where(RECORDS.c.pk.in_(fuller)).values(current=FULLER))


def may_tell() -> ColumnElement[bool]:
    """Return the condition of facts that are told: those of newest states, and lasting ones."""
    lasting = and_(RECORDS.c.current == FULLER, FACTS.c.predicate.in_(LASTING))
    return or_(RECORDS.c.current == NEWEST, lasting)


def may_name() -> ColumnElement[bool]:
    """Return the condition of mentions that are told: those of newest states, and companies."""
    lasting = and_(
        RECORDS.c.current == FULLER,
        MENTIONS.c.kind == "company",
        MENTIONS.c.relation.in_(COMPANIES),
    )
    return or_(RECORDS.c.current == NEWEST, lasting)


def drop_told(connection: Connection, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return facts without those of fuller states whose newest state tells the predicate itself."""
    ids = {row["record_id"] for row in rows if row["current"] == FULLER}
    told = _told(connection, sorted(ids))
    return [
        row
        for row in rows
        if row["current"] == NEWEST or (row["record_id"], row["predicate"]) not in told
    ]


def drop_named(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield mentions without companies of fuller states whose relation the newest state tells.

    Args:
        rows: Record, `current`, kind, name, role and relation of each.
    """
    rows = list(rows)
    told = {(row[0], row[5]) for row in rows if row[1] == NEWEST and row[2] == "company"}
    yield from (row for row in rows if row[1] == NEWEST or (row[0], row[5]) not in told)


def _told(connection: Connection, record_ids: Sequence[str]) -> set[tuple[str, str]]:
    """Return which lasting predicates the newest states of records tell."""
    found: set[tuple[str, str]] = set()
    for portion in _portions(record_ids):
        query = (
            select(RECORDS.c.record_id, FACTS.c.predicate)
            .join(FACTS, FACTS.c.record_pk == RECORDS.c.pk)
            .where(RECORDS.c.record_id.in_(portion), RECORDS.c.current == NEWEST)
            .where(FACTS.c.predicate.in_(LASTING))
            .distinct()
        )
        found |= {(record_id, predicate) for record_id, predicate in connection.execute(query)}
    return found


def _adding(connection: Connection, pks: Sequence[int], told: set[tuple[str, str]]) -> set[int]:
    """Return the states that tell a lasting predicate which is not told yet."""
    found: set[int] = set()
    for portion in _portions(pks):
        query = (
            select(RECORDS.c.pk, func.min(RECORDS.c.record_id), FACTS.c.predicate)
            .join(FACTS, FACTS.c.record_pk == RECORDS.c.pk)
            .where(RECORDS.c.pk.in_(portion), FACTS.c.predicate.in_(LASTING))
            .group_by(RECORDS.c.pk, FACTS.c.predicate)
        )
        for pk, record_id, predicate in connection.execute(query):
            if (record_id, predicate) not in told:
                found.add(pk)
    return found


def _portions(chosen: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(chosen), PORTION):
        yield chosen[start : start + PORTION]
