"""How often hosts are asked: one rate for all processes, and rest for a host that fails."""

import subprocess
import sys

from core.ports import Stores
from core.settings import Settings
from storage.rates import MOST_FAILURES

HOST = "api.example.org"
PAUSE_S = 0.05
EACH = 4


_ASKING = """
import sys, time
from core.settings import Settings
from storage.stores import open_stores
home, database, host, pause_s, each = sys.argv[1:]
stores = open_stores(Settings(home=home, database_url=database, secret_key=None))
for _ in range(int(each)):
    print(time.time() + stores.rates.reserve(host, float(pause_s), 60.0))
"""
"""A process that reserves requests and prints the instants of its slots."""


def test_ten_processes_keep_one_rate(stores: Stores, settings: Settings) -> None:
    assert stores.rates.reserve("other.example.org", PAUSE_S, 60.0) == 0.0
    arguments = (settings.home, settings.database, HOST, PAUSE_S, EACH)
    command = [sys.executable, "-c", _ASKING, *map(str, arguments)]
    asking = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        for _ in range(10)
    ]
    printed = [process.communicate(timeout=100)[0] for process in asking]
    assert [process.returncode for process in asking] == [0] * 10
    slots = sorted(float(line) for text in printed for line in text.split())
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
