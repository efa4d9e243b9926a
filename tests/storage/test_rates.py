"""How often hosts are asked: one rate for all that ask, and rest for a host that fails."""

import time
from concurrent.futures import ThreadPoolExecutor

from core.ports import Stores
from core.settings import Settings
from storage.rates import MOST_FAILURES
from storage.stores import open_stores

HOST = "api.example.org"
PAUSE_S = 0.05
EACH = 4


def _slots(settings: Settings) -> list[float]:
    """Return the instants of the requests that one opened instance reserves."""
    stores = open_stores(settings)
    slots = []
    for _ in range(EACH):
        wait = stores.rates.reserve(HOST, PAUSE_S, 60.0)
        assert wait is not None
        slots.append(time.time() + wait)
    stores.engine.close()
    return slots


def test_ten_instances_keep_one_rate(stores: Stores, settings: Settings) -> None:
    assert stores.rates.reserve("other.example.org", PAUSE_S, 60.0) == 0.0
    with ThreadPoolExecutor(10) as pool:
        slots = sorted(slot for each in pool.map(_slots, [settings] * 10) for slot in each)
    assert len(slots) == 10 * EACH
    assert slots[-1] - slots[0] >= PAUSE_S * (10 * EACH - 1) * 0.9


def test_a_wait_that_is_too_long_reserves_nothing(stores: Stores) -> None:
    assert stores.rates.reserve(HOST, 5.0, 1.0) == 0.0
    assert stores.rates.reserve(HOST, 5.0, 1.0) is None
    wait = stores.rates.reserve(HOST, 5.0, 10.0)
    assert wait is not None
    assert 4.0 < wait <= 5.0


def test_a_host_that_fails_again_and_again_is_left_alone(stores: Stores) -> None:
    for _ in range(MOST_FAILURES):
        assert stores.rates.resting(HOST) == 0.0
        stores.rates.note(HOST, is_alive=False)
    assert stores.rates.resting(HOST) > 0.0
    stores.rates.note(HOST, is_alive=True)
    assert stores.rates.resting(HOST) == 0.0
