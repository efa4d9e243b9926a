"""The ledger of language models: what callers used, and when a model failed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.ports import Stores
from core.records.model import ModelCall, ModelTotal

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
CALL = ModelCall(NOW, 1, "run", "select", "local", "small", "answered", 100, 20, 0, 900)


def test_tokens_are_counted_by_caller_month_task_and_model(stores: Stores) -> None:
    calls = stores.model_calls
    for call in (
        CALL,
        replace(CALL, task="read", input_tokens=50),
        replace(CALL, user_id=2),
        replace(CALL, at=NOW - timedelta(days=40)),
    ):
        calls.add(call)
    since = NOW.replace(day=1)
    assert calls.tokens_since(1, since) == 190
    assert calls.tokens_since(3, since) == 0
    assert list(calls.totals_since(1, since)) == [
        ModelTotal("read", "local", "small", 1, 50, 20),
        ModelTotal("select", "local", "small", 1, 100, 20),
    ]


def test_failures_end_with_the_last_answer(stores: Stores) -> None:
    calls = stores.model_calls
    for minute, outcome in enumerate(("timed_out", "answered", "busy", "dropped")):
        calls.add(replace(CALL, at=NOW + timedelta(minutes=minute), outcome=outcome))
    calls.add(replace(CALL, model="other", outcome="busy"))
    times = [NOW + timedelta(minutes=minute) for minute in (3, 2)]
    assert list(calls.last_failures("local", "small", 5)) == times
    assert list(calls.last_failures("local", "small", 1)) == times[:1]
