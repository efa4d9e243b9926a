"""What lies ahead of watched questions, and the calendar file of it."""

from datetime import date, timedelta

from icalendar import Calendar

from core.briefs.watching.ahead import Ahead, calendar_of, find_ahead
from core.evidence.names.identity.resolver import Resolver
from core.ports import Stores
from tests.core.agents.alerts.test_evaluation import (  # noqa: F401 - fixtures
    Bring,
    Subscriptions,
    baseline,
    bring,
    mine,
    stores,
)
from tests.core.agents.new_developments.test_answers import NOW, ago, trial


def found(stores: Stores, mine: Subscriptions) -> list[Ahead]:  # noqa: F811
    resolver = Resolver(stores.identity, stores.learned_names)
    return find_ahead(mine.list(), NOW.date(), stores.evidence, resolver)


def test_planned_days_of_watched_drugs_alone_are_ahead(
    stores: Stores,  # noqa: F811
    bring: Bring,  # noqa: F811
    mine: Subscriptions,  # noqa: F811
) -> None:
    bring(*baseline())
    bring(
        trial(1, "betamab", ago(90), trial_primary_completion=ago(-50)),
        trial(2, "betamab", ago(90), trial_primary_completion=ago(-20), trial_phase="PHASE1"),
        trial(3, "betamab", ago(90), trial_primary_completion=ago(20)),
        trial(4, "alphamab", ago(90), trial_primary_completion=ago(-50)),
    )
    assert found(stores, mine) == []
    watched = mine.add_manual("betamab", "UNII:2", "low", generation=1)
    (row,) = found(stores, mine)
    assert row.record_ids == ("ctgov:NCT00000001",)
    assert (row.first_on, row.queries) == (NOW.date() + timedelta(days=50), (watched.query,))
    assert row.url == "https://clinicaltrials.gov/study/NCT00000001"
    mine.remove(watched.query_id)
    assert found(stores, mine) == []


def test_calendar_is_read_by_another_program_and_holds_no_line_of_its_own() -> None:
    hostile = "End\r\nBEGIN:VALARM\r\nTRIGGER:-PT1M; a, b\\n"
    month = Ahead("a" * 64, hostile, date(2027, 2, 1), date(2027, 2, 28), ("q",), ("x:1",), "")
    content = calendar_of([month], NOW)
    assert b"\r\nBEGIN:VALARM" not in content
    (event,) = Calendar.from_ical(content).walk("VEVENT")
    assert (event["dtstart"].dt, event["dtend"].dt) == (date(2027, 2, 1), date(2027, 3, 1))
    assert "".join(str(event["summary"]).split()) == "".join(hostile.split())
    assert str(event["uid"]).startswith("a" * 64)
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))
