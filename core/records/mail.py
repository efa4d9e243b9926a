"""Digests of alerts by mail, as every floor may pass them on."""

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

Period = Literal["day", "week"]
PERIODS: dict[Period, timedelta] = {"day": timedelta(days=1), "week": timedelta(days=7)}


class Mailing(NamedTuple):
    """What one person gets by mail.

    Attributes:
        owner_id: The person.
        address: Where it goes: the person's own, who opened the link that was sent there.
        period: How often.
        is_confirmed: Whether the link was opened; nothing else is sent before.
        asked_at: When the link was sent.
        sent_until: Up to when hits were sent; those after it are next.
    """

    owner_id: int
    address: str
    period: Period
    is_confirmed: bool
    asked_at: datetime
    sent_until: datetime


class MailTokens(NamedTuple):
    """What stands in the links of mails.

    Attributes:
        confirm: Confirms the address.
        stop: Ends the mails; it works without signing in.
    """

    confirm: str
    stop: str
