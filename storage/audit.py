"""The audit log: lines are added, never changed and never taken away."""

import threading
from collections import deque
from collections.abc import Sequence

import structlog
from sqlalchemy import or_
from sqlmodel import col, select

from core.errors import StorageFull, StorageUnavailable
from core.records.runs import AuditEntry
from storage.columns import record_of
from storage.engine import Database
from storage.instants import Clock
from storage.tables import AuditRow

_LONGEST_ACTOR = 100
_LONGEST_TEXT = 500
_MOST_UNWRITTEN = 1_000
_NOTE_WAIT_MS = 250


class AuditStore:
    """The append-only audit log (core.ports.Audit)."""

    def __init__(self, database: Database, now: Clock) -> None:
        """Keep the database and the clock.

        Args:
            database: Where the lines lie.
            now: Tells the instant of a line.
        """
        self._database = database
        self._now = now
        self._unwritten: deque[AuditRow] = deque(maxlen=_MOST_UNWRITTEN)
        self._lock = threading.Lock()

    def note(self, actor: str, action: str, subject: str, note: str = "") -> None:
        """Write one line of an action that only reads: it need not wait for the database.

        Where the database is away or busy, the line goes to the log of the instance at once, and
        into the audit log with the next line.
        """
        row = self._row(actor, action, subject, note)
        try:
            self._write(row, wait_ms=_NOTE_WAIT_MS)
        except (StorageFull, StorageUnavailable):
            row_values = row.model_dump(mode="json", exclude={"id"})
            structlog.get_logger("audit").warning("line waits", **row_values)
            self._unwritten.append(row)

    def add(self, actor: str, action: str, subject: str, note: str = "") -> None:
        """Write one line; control characters are dropped and long text is cut.

        Args:
            actor: Who did it: an account name, or "unknown".
            action: Fixed word, for example `signin`.
            subject: What it was done to.
            note: Anything else worth keeping; never a password or key.
        """
        self._write(self._row(actor, action, subject, note))

    def _row(self, actor: str, action: str, subject: str, note: str) -> AuditRow:
        return AuditRow(
            at=self._now(),
            actor=_plain(actor, _LONGEST_ACTOR),
            action=action,
            subject=_plain(subject, _LONGEST_TEXT),
            note=_plain(note, _LONGEST_TEXT),
        )

    def _write(self, row: AuditRow, *, wait_ms: int | None = None) -> None:
        """Write a line, and those that wait before it."""
        with self._lock:
            waiting = [self._unwritten.popleft() for _ in range(len(self._unwritten))]
        try:
            with self._database.write(wait_ms=wait_ms, essential=True) as session:
                session.add_all(AuditRow(**entry.model_dump()) for entry in (*waiting, row))
        except BaseException:
            with self._lock:
                self._unwritten.extendleft(reversed(waiting))
            raise

    def list(
        self,
        *,
        limit: int = 200,
        offset: int = 0,
        action: str | None = None,
        text: str | None = None,
    ) -> Sequence[AuditEntry]:
        """Return the newest lines, newest first.

        Args:
            limit: Most lines.
            offset: Newer lines to leave out.
            action: Lines of this action only.
            text: Lines in whose actor, subject or note this occurs; capitals do not matter.
        """
        query = select(AuditRow).order_by(col(AuditRow.id).desc()).offset(offset).limit(limit)
        if action is not None:
            query = query.where(col(AuditRow.action) == _plain(action, _LONGEST_TEXT))
        if text:
            plain = _plain(text, _LONGEST_TEXT)
            columns = (col(AuditRow.actor), col(AuditRow.subject), col(AuditRow.note))
            query = query.where(or_(*(each.icontains(plain, autoescape=True) for each in columns)))
        with self._database.read() as session:
            return [record_of(row, AuditEntry) for row in session.exec(query)]

    def actions(self) -> Sequence[str]:
        """Return every action that occurs, in the order of the alphabet."""
        with self._database.read() as session:
            return session.exec(select(AuditRow.action).distinct().order_by(AuditRow.action)).all()


def _plain(text: str, longest: int) -> str:
    return "".join(sign for sign in text if sign.isprintable())[:longest]
