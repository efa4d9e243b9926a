"""What was known of records by a day: of each the state that was its newest then.

A state counts from the day that it tells: of its last change, else of its copy. A month alone may
be any of its days, so that it counts from its last one. States without a day are never known.
"""

from calendar import monthrange
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from core.vocabulary.predicates import lasting
from storage.evidence_reading import fact_query
from storage.evidence_tables import FACTS, RECORDS

PORTION = 500
_YEAR, _MONTH = len("2026"), len("2026-03")
_FACT_RECORD, _FACT_PREDICATE, _FACT_PK = 3, 5, 0


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
    for start in range(0, len(ids), PORTION):
        newest, fuller = _chosen(connection, ids[start : start + PORTION], last_day(day))
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
    more = [kept for kept in states_known if kept[1].detail > newest[1].detail]
    return max(more, key=lambda entry: (entry[1].detail, entry[1]))[0] if more else None
