"""What the store of mailings must offer."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.records.mail import Mailing, MailTokens, Period


class Mailings(Protocol):
    """Who gets a digest by mail, where to and how often."""

    def get(self, owner_id: int) -> Mailing | None:
        """Return what a person gets; None: nothing."""
        ...

    def ask(self, owner_id: int, address: str, period: Period) -> MailTokens:
        """Note an address that is still to be confirmed, in the place of a former one.

        Raises InvalidInput (field `address`): it is none, or a link was sent a short while ago.
        """
        ...

    def confirm(self, token: str) -> Mailing:
        """Confirm the address that a link was sent to. Raises NotFound, always the same way."""
        ...

    def stop(self, token: str) -> None:
        """End the mails that a link stands in; what has ended stays so. Raises NotFound."""
        ...

    def end(self, owner_id: int) -> None:
        """End the mails of a person; nothing is said where there are none."""
        ...

    def withdraw(self, owner_id: int) -> None:
        """Undo `ask`, since the mail could not be sent; it may be asked anew at once."""
        ...

    def due(self) -> Sequence[tuple[Mailing, MailTokens]]:
        """Return the confirmed mailings of accounts in use whose period is over."""
        ...

    def take(self, mailing: Mailing, until: datetime) -> bool:
        """Note that hits up to an instant are sent; False: another process did that already."""
        ...

    def give_back(self, mailing: Mailing, until: datetime) -> None:
        """Undo `take`, since the mail could not be sent."""
        ...
