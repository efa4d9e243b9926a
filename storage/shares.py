"""Read-only links to runs: the owner makes and ends them, people of the instance open them."""

import secrets
from collections.abc import Sequence

from sqlmodel import Session, col, select

from core.errors import InvalidInput, NotFound
from core.records.runs import RunRecord, RunShare
from storage.base import SecretStore
from storage.columns import record_of
from storage.run_records import whole_record
from storage.tables import RunRow, RunShareRow, UserRow

_LONGEST_TOKEN = 100


class ShareStore(SecretStore):
    """The links to all runs (core.ports.Shares)."""

    def create(
        self, owner_id: int, run_uuid: str, *, hides_inputs: bool = False
    ) -> tuple[RunShare, str]:
        """Make a link to the caller's own completed run; the second value is its token.

        Raises:
            NotFound: There is no such run, or it belongs to somebody else.
            InvalidInput: `run_unfinished`; it has no result.
        """
        token = secrets.token_urlsafe(32)
        with self._database.write() as session:
            run = _own_run(session, owner_id, run_uuid)
            if run.status != "completed":
                raise InvalidInput(
                    f"the run is {run.status}; only a completed one is shared",
                    code="run_unfinished",
                )
            row = RunShareRow(
                run_id=run.id or 0,
                digest=self._pepper.digest(token),
                hides_inputs=hides_inputs,
                created_at=self._now(),
            )
            session.add(row)
            session.flush()
            return _record(row, run_uuid), token

    def list(self, owner_id: int, run_uuid: str) -> Sequence[RunShare]:
        """Return the links of the caller's own run that still work, newest first.

        Raises:
            NotFound: There is no such run, or it belongs to somebody else.
        """
        with self._database.read() as session:
            run = _own_run(session, owner_id, run_uuid)
            query = (
                select(RunShareRow)
                .where(col(RunShareRow.run_id) == run.id, col(RunShareRow.revoked_at).is_(None))
                .order_by(col(RunShareRow.id).desc())
            )
            return [_record(row, run_uuid) for row in session.exec(query)]

    def revoke(self, owner_id: int, share_id: int) -> None:
        """End a link to the caller's own run; one that has ended stays so.

        Raises:
            NotFound: There is none, or its run belongs to somebody else.
        """
        with self._database.write() as session:
            query = (
                select(RunShareRow)
                .join(RunRow, col(RunRow.id) == col(RunShareRow.run_id))
                .where(col(RunShareRow.id) == share_id, col(RunRow.owner_id) == owner_id)
            )
            row = session.exec(query).first()
            if row is None:
                raise NotFound("link not found")
            row.revoked_at = row.revoked_at or self._now()

    def open(self, token: str) -> tuple[RunRecord, RunShare]:
        """Return the run that a link leads to.

        Raises:
            NotFound: Unknown, ended, or its owner's account is disabled: always the same way.
        """
        query = (
            select(RunShareRow, RunRow)
            .join(RunRow, col(RunRow.id) == col(RunShareRow.run_id))
            .join(UserRow, col(UserRow.id) == col(RunRow.owner_id))
            .where(
                col(RunShareRow.digest) == self._pepper.digest(token[:_LONGEST_TOKEN]),
                col(RunShareRow.revoked_at).is_(None),
                col(UserRow.disabled_at).is_(None),
            )
        )
        with self._database.read() as session:
            row = session.exec(query).first()
            if row is None:
                raise NotFound("this link is not valid or was ended; ask its owner for a new one")
            share, run = row
            return whole_record(session, run), _record(share, run.run_uuid)


def _own_run(session: Session, owner_id: int, run_uuid: str) -> RunRow:
    query = select(RunRow).where(col(RunRow.run_uuid) == run_uuid, col(RunRow.owner_id) == owner_id)
    row = session.exec(query).first()
    if row is None:
        raise NotFound("run not found")
    return row


def _record(row: RunShareRow, run_uuid: str) -> RunShare:
    return record_of(row, RunShare, share_id=row.id, run_uuid=run_uuid)
