"""Quota: exactly as many runs as there are, whoever counts at the same time."""

import multiprocessing
from collections.abc import Callable
from datetime import UTC, datetime
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

import pytest

from core.errors import QuotaExceeded
from core.ports import Stores
from core.records.runs import User
from core.settings import Settings
from storage.stores import open_stores

MARCH = datetime(2025, 3, 31, 23, 59, 59, tzinfo=UTC)
APRIL = datetime(2025, 4, 1, tzinfo=UTC)
PROCESSES = 8
ATTEMPTS = 25
LIMIT = 50
MONTHS = 48
Work = Callable[..., None]


def test_the_limit_is_the_last_run_allowed(stores: Stores, anna: User) -> None:
    for _ in range(3):
        stores.quotas.charge(anna.user_id, limit=3, at=MARCH)
    with pytest.raises(QuotaExceeded):
        stores.quotas.charge(anna.user_id, limit=3, at=MARCH)
    assert stores.quotas.state(anna.user_id, limit=3, at=MARCH).used == 3


def test_the_refusal_names_limit_use_and_reset(stores: Stores, anna: User) -> None:
    stores.quotas.charge(anna.user_id, limit=1, at=MARCH)
    with pytest.raises(QuotaExceeded) as refused:
        stores.quotas.charge(anna.user_id, limit=1, at=MARCH)
    details = {detail.field: detail.message for detail in refused.value.details}
    assert details == {
        "quota.name": "runs",
        "quota.limit": "1",
        "quota.used": "1",
        "quota.resets_at": "2025-04-01T00:00:00Z",
    }


def test_a_limit_of_zero_allows_nothing(stores: Stores, anna: User) -> None:
    with pytest.raises(QuotaExceeded):
        stores.quotas.charge(anna.user_id, limit=0, at=MARCH)


def test_a_month_begins_with_nothing_used(stores: Stores, anna: User) -> None:
    stores.quotas.charge(anna.user_id, limit=1, at=MARCH)
    stores.quotas.charge(anna.user_id, limit=1, at=APRIL)
    state = stores.quotas.state(anna.user_id, limit=1, at=APRIL)
    assert (state.used, state.resets_at) == (1, datetime(2025, 5, 1, tzinfo=UTC))


def test_december_resets_in_the_next_year(stores: Stores, anna: User) -> None:
    state = stores.quotas.state(anna.user_id, limit=1, at=datetime(2025, 12, 5, tzinfo=UTC))
    assert state.resets_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_callers_have_their_own_quota(stores: Stores, anna: User, boris: User) -> None:
    stores.quotas.charge(anna.user_id, limit=1, at=MARCH)
    stores.quotas.charge(boris.user_id, limit=1, at=MARCH)
    assert stores.quotas.state(boris.user_id, limit=1, at=MARCH).used == 1


def run_processes(settings: Settings, work: Work, *values: object) -> int:
    """Let eight processes do the same work at the same time; return the sum of their counts."""
    fork = multiprocessing.get_context("fork")
    passed, barrier = fork.Queue(), fork.Barrier(PROCESSES)
    children = [
        fork.Process(target=work, args=(settings, barrier, passed, *values))
        for _ in range(PROCESSES)
    ]
    for child in children:
        child.start()
    total = sum(passed.get(timeout=60) for _ in children)
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * PROCESSES
    return total


def charge_often(settings: Settings, barrier: Barrier, passed: "Queue[int]", owner_id: int) -> None:
    """Charge the same quota as the other processes, and report how often it went through."""
    stores = open_stores(settings)
    barrier.wait()
    passed.put(sum(goes_through(stores, owner_id, MARCH, LIMIT) for _ in range(ATTEMPTS)))


def charge_first(settings: Settings, barrier: Barrier, passed: "Queue[int]", owner_id: int) -> None:
    """Charge the first runs of many months together with the other processes."""
    stores = open_stores(settings)
    count = 0
    for month in range(MONTHS):
        at = datetime(2030 + month // 12, month % 12 + 1, 1, tzinfo=UTC)
        barrier.wait()
        count += goes_through(stores, owner_id, at, PROCESSES)
    passed.put(count)


def goes_through(stores: Stores, owner_id: int, at: datetime, limit: int) -> bool:
    """Charge one run and return whether there was room."""
    try:
        stores.quotas.charge(owner_id, limit=limit, at=at)
    except QuotaExceeded:
        return False
    return True


def test_eight_processes_pass_the_limit_exactly(
    settings: Settings, stores: Stores, anna: User
) -> None:
    stores.engine.close()
    assert run_processes(settings, charge_often, anna.user_id) == LIMIT
    assert stores.quotas.state(anna.user_id, limit=LIMIT, at=MARCH).used == LIMIT


def test_nobody_is_refused_while_a_month_begins(
    settings: Settings, stores: Stores, anna: User
) -> None:
    stores.engine.close()
    assert run_processes(settings, charge_first, anna.user_id) == MONTHS * PROCESSES
