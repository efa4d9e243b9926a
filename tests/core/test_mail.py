"""Digests by mail, against a mail server on the loopback: text, own address, stop, once."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from unittest.mock import Mock

import pytest

from core.errors import ExecutionError, StorageUnavailable
from core.mail import ask_to_confirm, send_due, send_notices
from core.records.alerts import NewHit
from core.records.runs import Caller
from core.workbench import Workbench
from tests.smtp import Postbox, postbox

ADDRESS = "ana@example.org"
TITLE = "<b>alphamab</b> approved\r\nBcc: eve@example.org"


@pytest.fixture
def box() -> Iterator[Postbox]:
    with postbox() as server:
        yield server


@pytest.fixture
def bench(workbench: Workbench, box: Postbox) -> Workbench:
    """A workbench that sends mail to the loopback, whose clock a test may set."""
    settings = workbench.settings.model_copy(
        update={
            "mail_host": "127.0.0.1",
            "mail_port": box.port,
            "mail_security": "none",
            "mail_from": "bench@example.org",
            "public_url": "https://bench.example.org/",
        }
    )
    return replace(workbench, settings=settings)


def later(bench: Workbench, **span: float) -> Workbench:
    """Return the workbench at a later time."""
    now = bench.now() + timedelta(**span)
    stores = bench.stores
    stores.mailings._now = lambda: now
    return replace(bench, now=lambda: now)


def find_link(text: str) -> str:
    (line,) = [one for one in text.split() if "token=" in one]
    return line


def confirm(bench: Workbench, box: Postbox, caller: Caller) -> None:
    ask_to_confirm(caller.user_id, ADDRESS, "day", bench)
    (to, mail) = box.mails.pop()
    assert to == [ADDRESS]
    link = find_link(mail.get_content())
    assert link.startswith("https://bench.example.org/auth/mail/confirm?token=")
    bench.stores.mailings.confirm(link.partition("token=")[2])


def find_something(bench: Workbench, caller: Caller) -> None:
    """Give a watched question a hit, found now."""
    own = bench.stores.watches.of(caller.user_id, [], 25)
    own.add_manual("alphamab", "UNII:1", "low", generation=0)
    (watch,) = bench.stores.watches.due(1)
    hit = NewHit(
        identity="one",
        title=TITLE,
        catalyst_type="regulatory_decision",
        score=80,
        event_day="2026-11-20",
        drug="alphamab",
        company="Acme",
        source_ids=(),
        parts=(),
        met=(),
        generation=1,
    )
    assert bench.stores.watches.fire(watch, [hit], 1, bench.now()) == 1


def test_a_digest_goes_once_to_the_confirmed_address_as_plain_text(
    bench: Workbench, box: Postbox, anna: Caller
) -> None:
    confirm(bench, box, anna)
    noon = later(bench, hours=1)
    find_something(noon, anna)
    assert send_due(noon) == 0
    tomorrow = later(bench, hours=25)
    assert send_due(tomorrow) == 1
    assert send_due(tomorrow) == 0
    ((to, mail),) = box.mails
    assert to == [ADDRESS]
    assert mail.get_content_type() == "text/plain"
    assert mail["Bcc"] is None
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    text = mail.get_content()
    assert "alphamab" in text
    assert mail["List-Unsubscribe"].strip("<>") == find_link(text)
    bench.stores.mailings.stop(find_link(text).partition("token=")[2])
    assert bench.stores.mailings.get(anna.user_id) is None
    assert send_due(later(bench, days=9)) == 0


def test_no_hit_no_mail_and_the_next_one_has_what_came_since(
    bench: Workbench, box: Postbox, anna: Caller
) -> None:
    confirm(bench, box, anna)
    assert send_due(later(bench, hours=25)) == 0
    assert box.mails == []
    find_something(later(bench, hours=26), anna)
    assert send_due(later(bench, hours=50)) == 1


def test_a_mail_that_is_not_taken_is_tried_again(
    bench: Workbench, box: Postbox, anna: Caller
) -> None:
    confirm(bench, box, anna)
    find_something(later(bench, hours=1), anna)
    tomorrow = later(bench, hours=25)
    box.refuses = True
    assert send_due(tomorrow) == 0
    box.refuses = False
    assert send_due(tomorrow) == 1
    assert len(box.mails) == 1


def test_a_digest_that_cannot_be_made_loses_no_hit(
    bench: Workbench, box: Postbox, anna: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirm(bench, box, anna)
    find_something(later(bench, hours=1), anna)
    tomorrow = later(bench, hours=25)
    with monkeypatch.context() as patch:
        patch.setattr("core.mail.digest", Mock(side_effect=StorageUnavailable("away")))
        assert send_due(tomorrow) == 0
    assert send_due(tomorrow) == 1


def test_without_a_server_nothing_is_kept_and_one_line_says_why(
    bench: Workbench, box: Postbox, anna: Caller
) -> None:
    box.refuses = True
    with pytest.raises(ExecutionError, match="did not take the mail") as refused:
        ask_to_confirm(anna.user_id, ADDRESS, "day", bench)
    assert refused.value.word == "mail_unavailable"
    assert bench.stores.mailings.get(anna.user_id) is None


def test_mail_is_off_unless_it_is_set_and_offline_sends_none(bench: Workbench) -> None:
    assert bench.settings.sends_mail
    for off in ({"mail_host": None}, {"public_url": None}, {"mail_from": None}, {"offline": True}):
        settings = bench.settings.model_copy(update=off)
        assert not settings.sends_mail
        assert send_due(replace(bench, settings=settings)) == 0


def test_a_change_of_an_account_is_noticed_once_at_its_own_address(
    bench: Workbench, box: Postbox, anna: Caller
) -> None:
    confirm(bench, box, anna)
    assert send_notices(bench) == 0
    audit = bench.stores.audit
    audit.add(anna.name, "password.change", anna.name)
    audit.add("admin", "key.create", "bpw_live_ab…12", f"of, of x, of {anna.name}")
    audit.add("unknown", "signin_failed", anna.name, "from 192.0.2.1")
    for _ in range(2):
        audit.add("unknown", "signin_failed", anna.name, "code, from 192.0.2.1")
    for _ in range(201):
        audit.add("unknown", "signin_failed", anna.name, "from 192.0.2.1")
    audit.add("admin", "user.reset", "nobody@example.org")
    assert send_notices(later(bench, minutes=1)) == 3
    assert send_notices(later(bench, minutes=2)) == 0
    assert [to for to, _ in box.mails] == [[ADDRESS]] * 3
    assert "password was changed" in box.mails[0][1].get_content()
