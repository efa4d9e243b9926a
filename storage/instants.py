"""Instants in the database: always UTC, always aware."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import DateTime, Dialect, func, select
from sqlalchemy.types import TypeDecorator
from sqlmodel import Session

Clock = Callable[[], datetime]
TOUCH_EVERY = timedelta(minutes=1)
TOUCH_WAIT_MS = 100
"""A "last used" that cannot be written at once is written with the next use."""


class Instant(TypeDecorator[datetime]):
    """An aware instant, kept in UTC; SQLite itself would forget the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an aware instant into UTC; a naive one is refused."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"instant {value} has no time zone")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the instant as aware UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def utc_now() -> datetime:
    """Return the present instant in UTC."""
    return datetime.now(UTC)


def is_stale(touched_at: datetime | None, now: datetime) -> bool:
    """Return whether a "last used" instant is old enough to be written again."""
    return touched_at is None or now - touched_at >= TOUCH_EVERY


def database_now(session: Session) -> datetime:
    """Return the present instant by the database's clock, which all its hosts share.

    SQLite has no clock but that of the host.
    """
    if session.get_bind().dialect.name == "sqlite":
        return utc_now()
    moment: datetime = session.connection().execute(select(func.clock_timestamp())).scalar_one()
    return moment.astimezone(UTC)
