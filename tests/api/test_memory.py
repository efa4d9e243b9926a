"""Memory that pages have taken is given back without a collection after each of them."""

import gc
import threading
import time
from collections.abc import Callable

import pytest
from streamlit import config

from api import memory
from api.memory import MemoryCare, resident_mb
from pages.ui import turns


def wait_until(holds: Callable[[], bool], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_no_script_ends_with_a_full_collection() -> None:
    assert config.get_option("runner.postScriptGC") is False


def test_a_process_that_has_grown_collects_once(monkeypatch: pytest.MonkeyPatch) -> None:
    held, collected = [100.0], []
    monkeypatch.setattr(memory, "resident_mb", lambda: held[0])
    monkeypatch.setattr(gc, "collect", lambda: collected.append(held[0]))
    monkeypatch.setattr(memory, "LARGE_LOOKS", 10**9)
    care = MemoryCare(every_s=0.01)
    time.sleep(0.2)
    assert collected == []
    held[0] = 200.0
    assert wait_until(lambda: collected == [200.0])
    time.sleep(0.1)
    care.stop()
    assert collected == [200.0]


def test_a_process_that_stays_large_is_looked_through_again(monkeypatch) -> None:
    held, collected = [100.0], []
    monkeypatch.setattr(memory, "resident_mb", lambda: held[0])
    monkeypatch.setattr(gc, "collect", lambda: collected.append(held[0]))
    care = MemoryCare(every_s=0.01)
    time.sleep(0.05)
    held[0] = 200.0
    assert wait_until(lambda: len(collected) >= 3)
    care.stop()


def test_memory_is_told_by_the_system() -> None:
    assert resident_mb() > 10


def test_few_pages_draw_at_once_and_none_waits_for_ever(monkeypatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE_S", 0.5)
    lock, now, most, ended = threading.Lock(), [0], [0], threading.Event()

    def draw(hold_s: float) -> None:
        with turns.turn():
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(hold_s)
            with lock:
                now[0] -= 1

    threads = [threading.Thread(target=draw, args=(0.02,)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] <= turns.PLACES
    holders = [threading.Thread(target=lambda: hold(ended)) for _ in range(turns.PLACES)]
    for thread in holders:
        thread.start()
    time.sleep(0.1)
    began = time.monotonic()
    draw(0)
    ended.set()
    for thread in holders:
        thread.join()
    assert 0.3 < time.monotonic() - began < 3


def hold(ended: threading.Event) -> None:
    with turns.turn():
        ended.wait(5)
