"""Idempotency keys: one request, one run."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.errors import InvalidInput
from core.ports import Stores
from core.records.runs import User
from core.records.upkeep import StoredAnswer
from storage.instants import Clock

BODY = "a" * 64


def claim(stores: Stores, owner: User, clock: Clock, **changes: str) -> StoredAnswer | None:
    """Send a request with a key."""
    values = {"key": "k-1", "agent": "alerts", "body_sha256": BODY} | changes
    return stores.idempotency.claim(owner.user_id, at=clock(), **values)


def test_the_second_request_meets_the_run_of_the_first(
    stores: Stores, anna: User, clock: Clock
) -> None:
    assert claim(stores, anna, clock) is None
    waiting = claim(stores, anna, clock)
    assert waiting is not None
    assert waiting.run_uuid is None
    stores.idempotency.attach(anna.user_id, "k-1", "run-1")
    found = claim(stores, anna, clock)
    assert found is not None
    assert found.run_uuid == "run-1"


@pytest.mark.parametrize("change", [{"body_sha256": "b" * 64}, {"agent": "compound-map"}])
def test_another_request_with_the_key_is_refused(
    stores: Stores, anna: User, clock: Clock, change: dict[str, str]
) -> None:
    claim(stores, anna, clock)
    with pytest.raises(InvalidInput) as refused:
        claim(stores, anna, clock, **change)
    assert refused.value.word == "idempotency_mismatch"


def test_callers_do_not_meet_each_other_s_keys(
    stores: Stores, anna: User, boris: User, clock: Clock
) -> None:
    claim(stores, anna, clock)
    assert claim(stores, boris, clock, body_sha256="b" * 64) is None


def test_a_key_ends_after_a_day(
    stores: Stores, anna: User, clock: Clock, wait: Callable[..., None]
) -> None:
    claim(stores, anna, clock)
    stores.idempotency.attach(anna.user_id, "k-1", "run-1")
    wait(hours=24, seconds=-1)
    assert claim(stores, anna, clock) is not None
    wait(seconds=1)
    assert claim(stores, anna, clock, body_sha256="b" * 64) is None


def test_a_request_that_came_to_no_run_can_be_sent_again(
    stores: Stores, anna: User, clock: Clock
) -> None:
    claim(stores, anna, clock)
    stores.idempotency.release(anna.user_id, "k-1")
    assert claim(stores, anna, clock, body_sha256="b" * 64) is None


def test_a_request_with_a_run_is_not_released(stores: Stores, anna: User, clock: Clock) -> None:
    claim(stores, anna, clock)
    stores.idempotency.attach(anna.user_id, "k-1", "run-1")
    stores.idempotency.release(anna.user_id, "k-1")
    assert claim(stores, anna, clock) is not None


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb"], ids=["empty", "long", "line break"])
def test_a_malformed_key_is_refused(stores: Stores, anna: User, clock: Clock, key: str) -> None:
    with pytest.raises(InvalidInput):
        claim(stores, anna, clock, key=key)


def test_of_many_at_once_exactly_one_begins(stores: Stores, anna: User, clock: Clock) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: claim(stores, anna, clock), range(24)))
    assert sum(answer is None for answer in found) == 1
