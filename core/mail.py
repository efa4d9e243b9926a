"""Mails in plain text: digests of alerts, each with a link that ends them, and notices."""

import itertools
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.message import EmailMessage

import structlog

from core.account_ports import Audit
from core.briefs.watching.firing import digest
from core.errors import ExecutionError, NotFound, WorkbenchError
from core.records.alerts import HitSearch
from core.records.mail import Mailing, MailTokens, Period
from core.records.runs import AuditEntry
from core.registry import watchable
from core.settings import Settings
from core.workbench import Workbench

CONFIRM, STOP = "/auth/mail/confirm", "/auth/mail/stop"
"""Where the links of mails lead to."""
MOST_HITS = 200
"""Hits in one mail; the inbox has all."""
_TIMEOUT_S = 20.0
_NOTICED = "notices"
_LONGEST_LOOK = timedelta(days=1)
_LINES = 200
_NOTICES = {
    "password.change": "The password was changed",
    "password.set": "A new password was set through a one-time link",
    "user.reset": "An administrator ended the password",
    "factor.on": "Two-factor authentication was turned on",
    "factor.off": "Two-factor authentication was turned off",
    "user.link": "Single sign-on was linked",
    "user.unlink": "Single sign-on was ended",
    "key.create": "An API key was created",
    "key.rotate": "An API key was rotated",
    "signin_failed": "The right password was entered with a wrong or used code",
}
"""What is written to people about their accounts, by action of the audit log."""


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


def send_notices(workbench: Workbench) -> int:
    """Mail people what changed about their sign-in since the last look; return how many mails.

    They go to the confirmed address of a person's digest, and to an account's name that is an
    address: whoever changes the digest's address does not keep the other one in the dark. What is
    older than a day, and a mail that the server does not take, is not sent.
    """
    if not workbench.settings.sends_mail:
        return 0
    stores, until, sent = workbench.stores, workbench.now(), 0
    since = stores.states.read(_NOTICED)
    if not stores.states.write(_NOTICED, until.isoformat(), expected=since) or not since:
        return 0
    begin = max(datetime.fromisoformat(since), until - _LONGEST_LOOK)
    for action, text in _NOTICES.items():
        lines = [
            line
            for line in _lines_since(begin, action, stores.audit)
            if line.at < until and (action != "signin_failed" or line.note.startswith("code"))
        ]
        newest = {_account_of(line): line.at for line in reversed(lines)}
        sent += sum(_notify(name, text, at, workbench) for name, at in newest.items())
    return sent


def _lines_since(begin: datetime, action: str, audit: Audit) -> Iterator[AuditEntry]:
    """Yield the lines of an action since an instant, newest first."""
    for offset in itertools.count(step=_LINES):
        page = audit.list(action=action, limit=_LINES, offset=offset)
        yield from (line for line in page if line.at >= begin)
        if len(page) < _LINES or page[-1].at < begin:
            return


def _account_of(line: AuditEntry) -> str:
    """Return the name of the account that a line is about."""
    if line.action.startswith("key."):
        return line.note.rpartition(", of ")[2].partition(",")[0]
    return line.subject


def _notify(name: str, text: str, at: datetime, workbench: Workbench) -> int:
    """Send one notice to each address of an account; return how many were sent."""
    settings = workbench.settings
    try:
        user = workbench.stores.users.by_name(name)
        mailing = workbench.stores.mailings.get(user.user_id)
        confirmed = mailing.address if mailing and mailing.is_confirmed else ""
        addresses = [each for each in dict.fromkeys((confirmed, name)) if "@" in each]
        text = (
            f"{text} for the account {name} at {settings.public_url} ({at:%Y-%m-%d %H:%M} UTC).\n\n"
            "If that was not you, tell an administrator.\n"
        )
        for address in addresses:
            with _connected(settings) as server:
                server.send_message(_message(address, "A change of your account", text, settings))
    except NotFound:  # the account was deleted, or there was none of this name
        return 0
    except (WorkbenchError, OSError, ValueError) as failure:
        structlog.get_logger("mail").error("notice not sent", exc_info=failure)
        return 0
    return len(addresses)


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
