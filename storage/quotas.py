"""Quota: runs per caller and calendar month (UTC), charged by one conditional statement.

Reading first and writing later loses counts as soon as two processes charge at once.
"""

from datetime import UTC, datetime

from sqlalchemy import ColumnElement, and_, func, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.errors import QuotaExceeded
from core.records.failure import ErrorDetail
from core.records.runs import QuotaState
from storage.base import Store
from storage.tables import QuotaRow, UserRow

RUNS = "runs"
DECEMBER = 12


class QuotaStore(Store):
    """The run quota of all callers (core.ports.Quotas)."""

    def charge(self, owner_id: int, *, limit: int, at: datetime) -> None:
        """Use up one run.

        Args:
            owner_id: The caller.
            limit: Runs a calendar month of an account that has no limit of its own.
            at: Instant that decides the month.

        Raises:
            QuotaExceeded: Nothing is left; details carry name, limit, used and reset time.
        """
        with self._database.write() as session:
            charge(session, owner_id, limit=limit, at=at)

    def state(self, owner_id: int, *, limit: int, at: datetime) -> QuotaState:
        """Return what is used this month."""
        with self._database.read() as session:
            return _state(session, owner_id, limit, at)


def charge(session: Session, owner_id: int, *, limit: int, at: datetime) -> None:
    """Use up one run inside an open write transaction.

    Raises:
        QuotaExceeded: Nothing is left.
    """
    month = _month(at)
    is_charged = _add_one(session, owner_id, month, limit)
    if not is_charged:  # no room, or the month has no row yet
        _begin_month(session, owner_id, month)
        is_charged = _add_one(session, owner_id, month, limit)
    if not is_charged:
        raise _exceeded(_state(session, owner_id, limit, at))


def refund(session: Session, owner_id: int, *, at: datetime) -> None:
    """Give one run back inside an open write transaction."""
    session.exec(
        update(QuotaRow)
        .where(_is_row(owner_id, _month(at)), col(QuotaRow.used) > 0)
        .values(used=col(QuotaRow.used) - 1)
    )


def _state(session: Session, owner_id: int, limit: int, at: datetime) -> QuotaState:
    used = session.exec(select(QuotaRow.used).where(_is_row(owner_id, _month(at)))).first()
    most = session.exec(select(_limit(owner_id, limit))).one()
    return QuotaState(name=RUNS, limit=most, used=used or 0, resets_at=next_month(at))


def next_month(at: datetime) -> datetime:
    """Return the instant at which the calendar month of `at` ends (UTC).

    >>> next_month(datetime(2025, 12, 31, tzinfo=UTC)).isoformat()
    '2026-01-01T00:00:00+00:00'
    """
    moment = at.astimezone(UTC)
    year, month = divmod(moment.year * DECEMBER + moment.month, DECEMBER)
    return datetime(year, month + 1, 1, tzinfo=UTC)


def _month(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m")


def _is_row(owner_id: int, month: str) -> ColumnElement[bool]:
    return and_(
        col(QuotaRow.owner_id) == owner_id,
        col(QuotaRow.name) == RUNS,
        col(QuotaRow.month) == month,
    )


def _add_one(session: Session, owner_id: int, month: str, limit: int) -> bool:
    """Count one run if there is room; False when there is none or the month has no row yet."""
    counted = session.exec(
        update(QuotaRow)
        .where(_is_row(owner_id, month), col(QuotaRow.used) < _limit(owner_id, limit))
        .values(used=col(QuotaRow.used) + 1)
    )
    return counted.rowcount == 1


def _limit(owner_id: int, limit: int) -> ColumnElement[int]:
    """Return the caller's own limit, or the given one where the account has none."""
    own_quota = select(UserRow.quota_runs).where(col(UserRow.id) == owner_id).scalar_subquery()
    return func.coalesce(own_quota, limit)


def _begin_month(session: Session, owner_id: int, month: str) -> None:
    """Write the month's row unless it is there."""
    if session.exec(select(QuotaRow.id).where(_is_row(owner_id, month))).first() is not None:
        return
    try:
        with session.begin_nested():
            session.add(QuotaRow(owner_id=owner_id, name=RUNS, month=month))
    except IntegrityError:
        """Another process was quicker: its row serves as well."""


def _exceeded(state: QuotaState) -> QuotaExceeded:
    resets_at = state.resets_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    values = {
        "name": state.name,
        "limit": str(state.limit),
        "used": str(state.used),
        "resets_at": resets_at,
    }
    return QuotaExceeded(
        f"all {state.limit} runs of this month are used; the quota resets at {resets_at}",
        details=[
            ErrorDetail(field=f"quota.{name}", code=QuotaExceeded.code, message=value)
            for name, value in values.items()
        ],
    )
