"""The inbox: what waits, why it came, and that it is the caller's alone."""

import re

import pytest

from core.records.alerts import NewHit
from core.runner import subscriptions_of

DAY = re.compile(r"\d+ \w{3} 2026")


@pytest.fixture
def watched(workbench, caller):
    own = subscriptions_of(caller, workbench)
    own.add_manual("alphamab", "UNII:1", "low", generation=1)
    hit = NewHit(
        identity="a",
        title="FDA approval: alphamab",
        catalyst_type="deal",
        score=77,
        event_day="2026-11-20",
        met=("Drug: alphamab",),
    )
    (watch,) = workbench.stores.watches.due(2)
    workbench.stores.watches.fire(watch, [hit], 2, workbench.now())
    return own


def words(app) -> str:
    parts = (*app.markdown, *app.caption, *app.info, *app.code)
    return " ".join(one.value for one in parts)


def test_hit_waits_until_it_is_seen(app, watched) -> None:
    page = app.switch_page("alerts.py").run()
    assert not page.exception
    assert "FDA approval: alphamab" in words(page)
    (hit,) = watched.hits()
    page.button(key=f"seen:{hit.hit_id}").click().run()
    assert not page.exception
    assert watched.unseen() == 0


def test_one_event_that_two_questions_meet_is_one_card(app, workbench, watched) -> None:
    watched.add_manual("any approval", "x", "low", generation=1)
    (hit,) = watched.hits()
    stored = NewHit(**hit.model_dump(include=set(NewHit.model_fields)))
    (watch,) = [one for one in workbench.stores.watches.due(2) if one.query_id != hit.query_id]
    workbench.stores.watches.fire(watch, [stored], 2, workbench.now())
    page = app.switch_page("alerts.py").run()
    titles = [one for one in page.markdown if one.value.startswith(":material/fiber")]
    assert len(titles) == 1
    (line,) = [one.value for one in page.caption if DAY.match(one.value)]
    assert "Drug: alphamab" in line.replace("\u2060", "")
    assert "Drug: any approval" in line.replace("\u2060", "")
    next(one for one in page.button if (one.key or "").startswith("seen:")).click().run()
    assert watched.unseen() == 0


def test_digest_is_read_as_text_with_a_link_to_each_source(app, workbench, watched) -> None:
    (hit,) = watched.hits()
    page = app.switch_page("alerts.py").run()
    (line,) = [one.value for one in page.markdown if DAY.match(one.value.removeprefix("- "))]
    assert "score 77: FDA approval" in line.replace("\u2060", "")
    assert hit.url is None
    assert "](" not in line


def test_second_caller_sees_nothing_of_it(app, watched, stranger) -> None:
    app.session_state["caller"] = stranger
    page = app.switch_page("alerts.py").run()
    assert not page.exception
    assert "alphamab" not in words(page)
    assert "Nothing is watched yet" in words(page)


def test_mail_is_offered_where_a_server_is_set_and_ended_by_a_button(
    app, workbench, caller, watched, monkeypatch
) -> None:
    page = app.switch_page("alerts.py").run()
    assert "By mail" not in [one.value for one in page.subheader]
    on = {"mail_host": "127.0.0.1", "mail_from": "a@example.org", "public_url": "https://b.example"}
    settings = workbench.settings.model_copy(update=on)
    object.__setattr__(workbench, "settings", settings)  # frozen for everybody but this test
    sent = []
    monkeypatch.setattr("pages.ui.alert_mail.ask_to_confirm", lambda *said: sent.append(said[:3]))
    page.run()
    (box,) = [one for one in page.text_input if one.label == "Your own address"]
    box.set_value("ana@example.org")
    next(one for one in page.button if one.label.startswith("Send me")).click().run()
    assert sent == [(caller.user_id, "ana@example.org", "week")]
    mailings = workbench.stores.mailings
    mailings.confirm(mailings.ask(caller.user_id, "ana@example.org", "day").confirm)
    page.run()
    assert "A digest of each day with a hit goes to" in words(page)
    page.button(key="mail:end").click().run()
    assert mailings.get(caller.user_id) is None
