"""Mails of alerts: plain text to a person's own address, each with a link that ends them."""

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from email.message import EmailMessage

import structlog

from core.briefs.watching.firing import digest
from core.errors import ExecutionError, WorkbenchError
from core.records.alerts import HitSearch
from core.records.mail import Mailing, MailTokens, Period
from core.registry import watchable
from core.settings import Settings
from core.workbench import Workbench

CONFIRM, STOP = "/auth/mail/confirm", "/auth/mail/stop"
"""Where the links of mails lead to."""
MOST_HITS = 200
"""Hits in one mail; the inbox has all."""
_TIMEOUT_S = 20.0


def ask_to_confirm(owner_id: int, address: str, period: Period, workbench: Workbench) -> None:
    """Note an address and send the link that confirms it.

    Args:
        owner_id: Who is to get the digest.
        address: The person's own.
        period: How often.
        workbench: Of this process.

    Raises:
        InvalidInput: It is no address, or a link was sent a short while ago.
        ExecutionError: The server did not take the mail; nothing is kept.
    """
    mailings, settings = workbench.stores.mailings, workbench.settings
    tokens = mailings.ask(owner_id, address, period)
    link = _link(CONFIRM, tokens.confirm, settings)
    text = (
        f"Somebody who is signed in to the workbench at {settings.public_url} asked for a digest "
        f"of alerts by {period} at this address.\n\n"
        f"If that was you, open this link and press the button:\n{link}\n\n"
        "If not, do nothing: without that nothing more is sent.\n"
    )
    message = _message(address.strip(), "Confirm the digest of alerts", text, settings)
    try:
        with _connected(settings) as server:
            server.send_message(message)
    except ExecutionError:
        mailings.withdraw(owner_id)
        raise


def send_due(workbench: Workbench) -> int:
    """Send every digest whose period is over; return how many were sent.

    A digest without a hit is not sent. One that could not be made or sent is due again at the next
    look, and the others wait with it: a server that refuses one is asked no more this time.
    """
    if not workbench.settings.sends_mail:
        return 0
    mailings, sent = workbench.stores.mailings, 0
    for mailing, tokens in mailings.due():
        until = workbench.now()
        if not mailings.take(mailing, until):
            continue
        try:
            sent += _send(mailing, tokens, until, workbench)
        except (WorkbenchError, OSError, ValueError) as failure:
            mailings.give_back(mailing, until)
            structlog.get_logger("mail").error("digest not sent", exc_info=failure)
            break
    return sent


def _send(mailing: Mailing, tokens: MailTokens, until: datetime, workbench: Workbench) -> bool:
    """Send a digest; False where there is nothing to send."""
    text = _digest(mailing, until, workbench)
    if text is None:
        return False
    settings = workbench.settings
    stop = _link(STOP, tokens.stop, settings)
    text += (
        f"\n-- \nYou receive this because you signed up for it in Alerts. To unsubscribe: {stop}\n"
    )
    message = _message(mailing.address, f"Alerts of the last {mailing.period}", text, settings)
    message["List-Unsubscribe"] = f"<{stop}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    with _connected(settings) as server:
        server.send_message(message)
    return True


def _digest(mailing: Mailing, until: datetime, workbench: Workbench) -> str | None:
    """Return the text of what was found since the last mail; None where that is nothing."""
    stores, settings = workbench.stores, workbench.settings
    subscriptions = stores.watches.of(
        mailing.owner_id, watchable(workbench.agents), settings.max_alerts
    )
    hits = subscriptions.hits(HitSearch(since=mailing.sent_until, limit=MOST_HITS + 1))
    hits = [hit for hit in hits if hit.found_at < until]
    if not hits:
        return None
    text = digest(hits[:MOST_HITS], mailing.sent_until, until)
    if len(hits) > MOST_HITS:
        text += f"\nThere are more; the inbox has all: {settings.public_url}/alerts\n"
    return text


def _link(path: str, token: str, settings: Settings) -> str:
    return f"{(settings.public_url or '').rstrip('/')}{path}?token={token}"


def _message(address: str, subject: str, text: str, settings: Settings) -> EmailMessage:
    message = EmailMessage()
    message["From"] = settings.mail_from
    message["To"] = address
    message["Subject"] = subject
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message


@contextmanager
def _connected(settings: Settings) -> Iterator[smtplib.SMTP]:
    """Yield a session with the mail server.

    Raises:
        ExecutionError: It cannot be reached, refuses the sign-in, or does not take a mail.
    """
    host, port = settings.mail_host or "", settings.mail_port
    try:
        with _open(host, port, settings) as server:
            if settings.mail_user:
                server.login(settings.mail_user, settings.mail_password or "")
            yield server
    except (OSError, smtplib.SMTPException) as failure:
        raise ExecutionError(
            f"the mail server {host}:{port} did not take the mail: {type(failure).__name__}",
            code="mail_unavailable",
        ) from failure


def _open(host: str, port: int, settings: Settings) -> smtplib.SMTP:
    safe = ssl.create_default_context()
    if settings.mail_security == "tls":
        return smtplib.SMTP_SSL(host, port, timeout=_TIMEOUT_S, context=safe)
    server = smtplib.SMTP(host, port, timeout=_TIMEOUT_S)
    if settings.mail_security == "starttls":
        try:
            server.starttls(context=safe)
        except (OSError, smtplib.SMTPException):
            server.close()
            raise
    return server
