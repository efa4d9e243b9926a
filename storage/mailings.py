"""Digests by mail: an address counts once its owner opened the link that was sent to it.

Links hold keyed hashes of a random word of the row, so that nothing that opens one is stored, and
a new address ends the links of the former.
"""

import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from core.errors import InvalidInput, NotFound
from core.records.mail import PERIODS, Mailing, MailTokens, Period
from storage.base import SecretStore
from storage.tables import MailingRow, UserRow

WAIT = timedelta(minutes=10)
"""Between two links that one person has sent: nobody floods a stranger's box."""
LASTS = timedelta(days=7)
"""A link that confirms works so long."""
_LONGEST = 254
_ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"
)
_LONGEST_TOKEN = 200


class MailingStore(SecretStore):
    """The mailings of all people (core.mail_ports.Mailings)."""

    def get(self, owner_id: int) -> Mailing | None:
        """Return what a person gets; None: nothing."""
        with self._database.read() as session:
            row = session.get(MailingRow, owner_id)
            return _record(row) if row and row.address else None

    def ask(self, owner_id: int, address: str, period: Period) -> MailTokens:
        """Note an address that is still to be confirmed, in the place of a former one.

        Raises:
            InvalidInput: It is no address, or a link was sent a short while ago.
        """
        cleaned = address.strip()
        if len(cleaned) > _LONGEST or not _ADDRESS.fullmatch(cleaned):
            raise InvalidInput("this is no mail address such as ana@example.org", field="address")
        now = self._now()
        with self._database.write() as session:
            session.exec(select(UserRow.id).where(col(UserRow.id) == owner_id).with_for_update())
            mailing = session.get(MailingRow, owner_id)
            if mailing is not None and now - mailing.asked_at < WAIT:
                raise InvalidInput(
                    "a link was sent a short while ago; wait ten minutes for another",
                    field="address",
                )
            row = mailing or MailingRow(owner_id=owner_id)
            row.address, row.period, row.nonce = cleaned, period, secrets.token_hex(16)
            row.asked_at = row.sent_until = now
            row.confirmed_at = None
            session.add(row)
            return self._tokens(row)

    def confirm(self, token: str) -> Mailing:
        """Confirm the address that a link was sent to.

        Raises:
            NotFound: Unknown, too old, or of a former address: always the same way.
        """
        with self._database.write() as session:
            row = self._find(session, "confirm", token)
            if row.confirmed_at is None and self._now() - row.asked_at > LASTS:
                raise _not_valid()
            if row.confirmed_at is None:
                row.confirmed_at = row.sent_until = self._now()
            return _record(row)

    def stop(self, token: str) -> None:
        """End the mails that a link stands in.

        Raises:
            NotFound: Nothing is sent by this link: always the same way.
        """
        with self._database.write() as session:
            _empty(self._find(session, "stop", token))

    def end(self, owner_id: int) -> None:
        """End the mails of a person; nothing is said where there are none.

        When the last link was sent stays known: who ends and asks anew waits as well.
        """
        with self._database.write() as session:
            row = session.get(MailingRow, owner_id)
            if row is not None:
                _empty(row)

    def withdraw(self, owner_id: int) -> None:
        """Undo `ask`, since the mail could not be sent; it may be asked anew at once."""
        with self._database.write() as session:
            session.exec(delete(MailingRow).where(col(MailingRow.owner_id) == owner_id))

    def due(self) -> Sequence[tuple[Mailing, MailTokens]]:
        """Return the confirmed mailings of accounts in use whose period is over."""
        query = (
            select(MailingRow)
            .join(UserRow, col(UserRow.id) == col(MailingRow.owner_id))
            .where(col(UserRow.disabled_at).is_(None), col(MailingRow.confirmed_at).is_not(None))
            .order_by(col(MailingRow.owner_id))
        )
        now = self._now()
        with self._database.read() as session:
            return [
                (_record(row), self._tokens(row))
                for row in session.exec(query)
                if row.sent_until + PERIODS[_record(row).period] <= now
            ]

    def take(self, mailing: Mailing, until: datetime) -> bool:
        """Note that hits up to an instant are sent; False: another process did that already."""
        return self._move(mailing, mailing.sent_until, until)

    def give_back(self, mailing: Mailing, until: datetime) -> None:
        """Undo `take`, since the mail could not be sent."""
        self._move(mailing, until, mailing.sent_until)

    def _move(self, mailing: Mailing, before: datetime, after: datetime) -> bool:
        """Move the mark of a mailing, if it stands where it is said to."""
        moved: Any = (
            update(MailingRow)
            .where(
                col(MailingRow.owner_id) == mailing.owner_id,
                col(MailingRow.address) == mailing.address,
                col(MailingRow.sent_until) == before,
            )
            .values(sent_until=after)
        )
        with self._database.write() as session:
            return bool(session.exec(moved).rowcount)

    def _tokens(self, row: MailingRow) -> MailTokens:
        return MailTokens(self._token(row, "confirm"), self._token(row, "stop"))

    def _token(self, row: MailingRow, purpose: str) -> str:
        return f"{row.owner_id}.{self._pepper.digest(f'{purpose} {row.owner_id} {row.nonce}')}"

    def _find(self, session: Session, purpose: str, token: str) -> MailingRow:
        owner, _, _ = token[:_LONGEST_TOKEN].partition(".")
        row = session.get(MailingRow, int(owner)) if re.fullmatch(r"[0-9]{1,9}", owner) else None
        content = token[:_LONGEST_TOKEN].encode("utf-8", "replace")
        if (
            row is None
            or not row.address
            or not hmac.compare_digest(self._token(row, purpose).encode(), content)
        ):
            raise _not_valid()
        return row


def _empty(row: MailingRow) -> None:
    row.address, row.nonce, row.confirmed_at = "", "", None


def _not_valid() -> NotFound:
    return NotFound("this link is not valid any more")


def _record(row: MailingRow) -> Mailing:
    return Mailing(
        owner_id=row.owner_id,
        address=row.address,
        period="day" if row.period == "day" else "week",
        is_confirmed=row.confirmed_at is not None,
        asked_at=row.asked_at,
        sent_until=row.sent_until,
    )
