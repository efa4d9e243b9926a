"""One-time links: an invitation or a reset leads to exactly one new password.

Only the keyed hash of a link's token is stored. Opening the link changes nothing (mail scanners
open links); setting the password uses it up by a conditional statement.
"""

import secrets
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from core.errors import NotFound
from core.records.runs import LinkKind
from storage.base import SecretStore
from storage.tables import OneTimeLinkRow, UserRow

LIFETIMES: dict[LinkKind, timedelta] = {
    "invite": timedelta(days=7),
    "reset": timedelta(days=1),
    "first": timedelta(days=7),
}
FIRST: LinkKind = "first"
"""Kind of the row that says until when a generated password works; nobody gets its token."""
_LONGEST_TOKEN = 100


class LinkStore(SecretStore):
    """The one-time links of all accounts."""

    def add(self, session: Session, user_id: int, kind: LinkKind) -> str:
        """Write a link and return its token; an earlier link of the account stops working.

        Args:
            session: An open write transaction.
            user_id: Whose password the link sets.
            kind: Decides how long the link works.
        """
        token = secrets.token_urlsafe(32)
        now = self._now()
        self.end(session, user_id)
        session.add(
            OneTimeLinkRow(
                user_id=user_id,
                digest=self._pepper.digest(token),
                kind=kind,
                created_at=now,
                expires_at=now + LIFETIMES[kind],
            )
        )
        return token

    def find(self, session: Session, token: str) -> tuple[OneTimeLinkRow, UserRow]:
        """Return a link that still works, and its account.

        Raises:
            NotFound: Unknown, used, expired, or the account is disabled.
        """
        query = (
            select(OneTimeLinkRow, UserRow)
            .join(UserRow, col(UserRow.id) == col(OneTimeLinkRow.user_id))
            .where(col(OneTimeLinkRow.digest) == self._digest(token))
        )
        row = session.exec(query).first()
        if row is None or not self._works(row[0]) or row[1].disabled_at is not None:
            raise _no_link()
        return row

    def use(self, session: Session, token: str) -> None:
        """Use a link up.

        Raises:
            NotFound: Somebody was first, or it has expired.
        """
        now = self._now()
        used = session.exec(
            update(OneTimeLinkRow)
            .where(
                col(OneTimeLinkRow.digest) == self._digest(token),
                col(OneTimeLinkRow.used_at).is_(None),
                col(OneTimeLinkRow.expires_at) > now,
            )
            .values(used_at=now)
        )
        if used.rowcount != 1:
            raise _no_link()

    def end(self, session: Session, user_id: int) -> None:
        """End the links of an account, and the end of its generated password."""
        session.exec(delete(OneTimeLinkRow).where(col(OneTimeLinkRow.user_id) == user_id))

    def password_ends_at(self, session: Session, user_id: int) -> datetime | None:
        """Return until when the password that was generated for an account works; None: always."""
        query = select(OneTimeLinkRow.expires_at).where(
            col(OneTimeLinkRow.user_id) == user_id, col(OneTimeLinkRow.kind) == FIRST
        )
        return session.exec(query).first()

    def _digest(self, token: str) -> str:
        return self._pepper.digest(token[:_LONGEST_TOKEN])

    def _works(self, row: OneTimeLinkRow) -> bool:
        return row.used_at is None and row.expires_at > self._now()


def _no_link() -> NotFound:
    return NotFound("this link is not valid, has expired or was used; ask for a new one")
