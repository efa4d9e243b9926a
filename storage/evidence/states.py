"""States of records: what an older, fuller copy of a trial told and a newer, poorer one leaves out.

A table that lists a trial anew, later, hides neither its sponsor nor its posted results: the
older state that tells them is marked (`current` 2), and its facts are read beside those of the
newest one, each with the version and date of its own copy. What the newest state tells at all
counts alone. The same holds for the drugs tested where the newest state names no drug.

As known by a day, the newest state is the newest of that day. A state counts from the day that it
states: of its last change, else of its copy. A month alone counts from its last day. States
without a day are never known.
"""

from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, update

from core.vocabulary.predicates import Predicate, lasting
from storage.evidence.rows import fact_query
from storage.evidence.schema import CHUNK, FACTS, MENTIONS, RECORDS

NEWEST, FULLER, SPONSORED = 1, 2, 3
SPONSORS = (Predicate.TRIAL_SPONSOR, Predicate.TRIAL_SPONSOR_CLASS)
COMPANIES = ("sponsor", "collaborator")
DRUGS = "drugs"
"""Stands for the drugs of a trial among what a state adds."""
_YEAR, _MONTH = len("2026"), len("2026-03")
_FACT_RECORD, _FACT_PREDICATE, _FACT_PK = 3, 5, 0
_Detail = tuple[int, int]


def mark_fuller(connection: Connection, record_ids: Sequence[str] | None = None) -> None:
    """Mark of each trial the fullest older state that tells something lasting the newest lacks.

    Only one of more detail than the newest speaks for its results; any one for its sponsor.

    Args:
        connection: To the pack.
        record_ids: Of the trials; None: all.
    """
    older: dict[str, list[_Detail]] = {}
    portions = [RECORDS.c.pk > 0] if record_ids is None else list(_among(record_ids))
    for among in portions:
        marked = update(RECORDS).where(among, RECORDS.c.current > NEWEST)
        connection.execute(marked.values(current=0))
        older |= _states(connection, among)
    for portion in _portions(list(older)):
        told_facts = _told(connection, portion)
        newest = _details(connection, portion)
        pks = [pk for record in portion for pk, _ in older[record]]
        adds = _adding(connection, pks, told_facts)
        for pk in _naming(connection, pks):
            adds.setdefault(pk, set()).add(DRUGS)
        marks: dict[int, list[int]] = {FULLER: [], SPONSORED: []}
        for record_id in portion:
            chosen = _choose(older[record_id], newest.get(record_id, 0), adds)
            if chosen:
                marks[chosen[1]].append(chosen[0])
        for mark, pks in marks.items():
            connection.execute(update(RECORDS).where(RECORDS.c.pk.in_(pks)).values(current=mark))


def _choose(older: Sequence[_Detail], detail: int, adds: dict[int, set[str]]) -> _Detail | None:
    """Return the state to mark and its mark."""
    for pk, older_detail in older:
        if older_detail > detail and adds.get(pk):
            return pk, FULLER
    names = {*SPONSORS, DRUGS}
    return next(((pk, SPONSORED) for pk, _ in older if adds.get(pk, set()) & names), None)


def _among(record_ids: Sequence[str]) -> Iterator[ColumnElement[bool]]:
    for portion in _portions(record_ids):
        yield RECORDS.c.record_id.in_(portion)


def _states(connection: Connection, among: ColumnElement[bool]) -> dict[str, list[_Detail]]:
    """Return number and detail of the older states of trials, the fullest and newest first."""
    query = (
        select(RECORDS.c.record_id, RECORDS.c.pk, RECORDS.c.detail)
        .where(among, RECORDS.c.current == 0, RECORDS.c.kind == "trial_registration")
        .order_by(
            RECORDS.c.record_id,
            RECORDS.c.detail.desc(),
            func.coalesce(func.nullif(RECORDS.c.updated_on, ""), RECORDS.c.copied_on).desc(),
            RECORDS.c.copied_on.desc(),
            RECORDS.c.pk.desc(),
        )
    )
    older: dict[str, list[_Detail]] = {}
    for record_id, pk, detail in connection.execute(query):
        older.setdefault(record_id, []).append((pk, detail))
    return older


def _details(connection: Connection, record_ids: Sequence[str]) -> dict[str, int]:
    query = select(RECORDS.c.record_id, RECORDS.c.detail).where(
        RECORDS.c.record_id.in_(record_ids), RECORDS.c.current == NEWEST
    )
    return {record_id: detail for record_id, detail in connection.execute(query)}


def may_tell() -> ColumnElement[bool]:
    """Return the condition of facts that are told: those of newest states, and lasting ones."""
    return or_(
        RECORDS.c.current == NEWEST,
        and_(RECORDS.c.current == FULLER, FACTS.c.predicate.in_(lasting())),
        and_(RECORDS.c.current == SPONSORED, FACTS.c.predicate.in_(SPONSORS)),
    )


def may_name() -> ColumnElement[bool]:
    """Return the condition of mentions that are told: newest states', companies and drugs."""
    company = and_(MENTIONS.c.kind == "company", MENTIONS.c.relation.in_(COMPANIES))
    lasting = and_(RECORDS.c.current > NEWEST, or_(company, MENTIONS.c.kind == "drug"))
    return or_(RECORDS.c.current == NEWEST, lasting)


def drop_told(connection: Connection, rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return facts without those of fuller states whose newest state tells the predicate itself.

    Args:
        connection: To the pack.
        rows: Number, version, `current`, record, subject, predicate and the rest of each fact.
    """
    ids = {row[3] for row in rows if row[2] > NEWEST}
    told_facts = _told(connection, sorted(ids))
    return [row for row in rows if row[2] == NEWEST or (row[3], row[5]) not in told_facts]


def drop_named(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield mentions without what the newest state tells: companies by relation, drugs at all.

    Args:
        rows: Record, `current`, kind, name, role and relation of each.
    """
    rows = list(rows)
    told_names = {_relation(row) for row in rows if row[1] == NEWEST}
    yield from (row for row in rows if row[1] == NEWEST or _relation(row) not in told_names)


def _relation(row: Sequence[Any]) -> tuple[str, str, str]:
    """Return of which record and what kind a mention is, of a company also by its relation."""
    return row[0], row[2], "" if row[2] == "drug" else row[5]


def _told(connection: Connection, record_ids: Sequence[str]) -> set[tuple[str, str]]:
    """Return which lasting predicates the newest states of records tell."""
    pairs: set[tuple[str, str]] = set()
    for portion in _portions(record_ids):
        query = (
            select(RECORDS.c.record_id, FACTS.c.predicate)
            .join(FACTS, FACTS.c.record_pk == RECORDS.c.pk)
            .where(RECORDS.c.record_id.in_(portion), RECORDS.c.current == NEWEST)
            .where(FACTS.c.predicate.in_(lasting()))
            .distinct()
        )
        pairs |= {(record_id, predicate) for record_id, predicate in connection.execute(query)}
    return pairs


def _adding(
    connection: Connection, pks: Sequence[int], told_facts: set[tuple[str, str]]
) -> dict[int, set[str]]:
    """Return the lasting predicates that states tell and that are not told yet."""
    added: dict[int, set[str]] = {}
    for portion in _portions(pks):
        query = (
            select(RECORDS.c.pk, func.min(RECORDS.c.record_id), FACTS.c.predicate)
            .join(FACTS, FACTS.c.record_pk == RECORDS.c.pk)
            .where(RECORDS.c.pk.in_(portion), FACTS.c.predicate.in_(lasting()))
            .group_by(RECORDS.c.pk, FACTS.c.predicate)
        )
        for pk, record_id, predicate in connection.execute(query):
            if (record_id, predicate) not in told_facts:
                added.setdefault(pk, set()).add(predicate)
    return added


def _naming(connection: Connection, pks: Sequence[int]) -> set[int]:
    """Return the older states that name a drug where the newest state of the trial names none."""
    naming: dict[int, str] = {}
    for portion in _portions(pks):
        query = (
            select(RECORDS.c.pk, RECORDS.c.record_id)
            .join(MENTIONS, MENTIONS.c.record_pk == RECORDS.c.text_pk)
            .where(RECORDS.c.pk.in_(portion), MENTIONS.c.kind == "drug")
            .distinct()
        )
        naming |= {pk: record_id for pk, record_id in connection.execute(query)}
    named: set[str] = set()
    for among in _among(sorted(set(naming.values()))):
        query = (
            select(RECORDS.c.record_id)
            .join(MENTIONS, MENTIONS.c.record_pk == RECORDS.c.text_pk)
            .where(among, RECORDS.c.current == NEWEST, MENTIONS.c.kind == "drug")
            .distinct()
        )
        named |= set(connection.execute(query).scalars())
    return {pk for pk, record_id in naming.items() if record_id not in named}


def _portions(chosen: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(chosen), CHUNK):
        yield chosen[start : start + CHUNK]


def last_day(text: str) -> str:
    """Return the last day that a date may mean; "" for no date.

    >>> last_day("2026-02"), last_day("2026"), last_day("2026-03-14")
    ('2026-02-28', '2026-12-31', '2026-03-14')
    """
    if len(text) == _YEAR:
        return f"{text}-12-31"
    if len(text) == _MONTH:
        return f"{text}-{monthrange(int(text[:4]), int(text[5:]))[1]}"
    return text


class State(NamedTuple):
    """By what two states of a record are ordered: the day told, then how much they tell."""

    told_on: str
    detail: int
    copied_on: str
    digest: str
    origin: str

    def replaces(self, state: "State") -> bool:
        """Return whether this state, which came later, is the newer one.

        In which order files were imported plays no part; but what one file is read to say when it
        is read again, by newer rules or corrected, takes the place of what it said before. Of two
        files of one day the later name counts: offices number what they issue again.
        """
        if self.origin == state.origin and self[:3] == state[:3]:
            return True
        return (*self[:3], self.origin, self.digest) > (*state[:3], state.origin, state.digest)


_Kept = tuple[int, State]
STATE = (
    *(RECORDS.c.pk, RECORDS.c.updated_on, RECORDS.c.copied_on),
    *(RECORDS.c.detail, RECORDS.c.digest, RECORDS.c.origin),
)
"""Number of a state, and what `state_of` takes."""


def state_of(updated_on: str, copied_on: str, detail: int, digest: str, origin: str) -> State:
    """Return by what a state is ordered."""
    return State(updated_on or copied_on, detail, copied_on, digest, origin)


def facts_known(connection: Connection, record_ids: Sequence[str], day: str) -> list[Sequence[Any]]:
    """Return the facts of the states of records that were the newest by a day.

    Lasting facts that only a fuller older state tells come with its version.

    Args:
        connection: To the pack.
        record_ids: Of the records.
        day: YYYY-MM-DD, YYYY-MM or YYYY.
    """
    rows_known: list[Sequence[Any]] = []
    ids = sorted(set(record_ids))
    for start in range(0, len(ids), CHUNK):
        newest, fuller = _chosen(connection, ids[start : start + CHUNK], last_day(day))
        rows = list(connection.execute(fact_query().where(RECORDS.c.pk.in_(newest))))
        told_pairs = {(row[_FACT_RECORD], row[_FACT_PREDICATE]) for row in rows}
        older = fact_query().where(RECORDS.c.pk.in_(fuller), FACTS.c.predicate.in_(lasting()))
        rows_known += rows
        rows_known += (
            row
            for row in connection.execute(older)
            if (row[_FACT_RECORD], row[_FACT_PREDICATE]) not in told_pairs
        )
    return sorted(rows_known, key=itemgetter(_FACT_PK))


def _chosen(
    connection: Connection, record_ids: Sequence[str], day: str
) -> tuple[list[int], list[int]]:
    """Return the newest states known by a day, and of each the fullest of more detail."""
    states: dict[str, list[_Kept]] = {}
    query = select(RECORDS.c.record_id, *STATE).where(RECORDS.c.record_id.in_(record_ids))
    for record_id, pk, *cells in connection.execute(query.order_by(RECORDS.c.pk)):
        state = state_of(*cells)
        if state.told_on and last_day(state.told_on) <= day:
            states.setdefault(record_id, []).append((pk, state))
    newest = {record_id: reduce(_newer, state) for record_id, state in states.items()}
    fuller = [_fuller(states[record_id], state) for record_id, state in newest.items()]
    return [pk for pk, _ in newest.values()], [pk for pk in fuller if pk is not None]


def _newer(earlier: _Kept, later: _Kept) -> _Kept:
    return later if later[1].replaces(earlier[1]) else earlier


def _fuller(states_known: Iterable[_Kept], newest: _Kept) -> int | None:
    more = [state for state in states_known if state[1].detail > newest[1].detail]
    return max(more, key=lambda entry: (entry[1].detail, entry[1]))[0] if more else None
