"""Half of a long list is computed by a copy of the process; whatever befalls it, values stand."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from core.chemistry import keeping
from core.chemistry.keeping import compute_all

TEXTS = [f"C{number}" for number in range(20)]
HERE = os.getpid()

pytestmark = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="a copy needs a core of its own"
)


@pytest.fixture(autouse=True)
def _alone(monkeypatch) -> None:
    """Threads of the test run, and what else the machine does, do not count."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(keeping, "_count_running", lambda: 1)


def test_two_processes_compute_and_the_order_is_kept() -> None:
    values = compute_all(lambda text: [text, os.getpid()], TEXTS, 2)
    assert [text for text, _ in values] == TEXTS
    assert {pid for _, pid in values[::2]} == {os.getpid()}
    assert len({pid for _, pid in values[1::2]} - {os.getpid()}) == 1


def test_short_lists_and_processes_with_threads_make_no_copy(monkeypatch) -> None:
    def who(_: str) -> int:
        return os.getpid()

    assert set(compute_all(who, TEXTS)) == {os.getpid()}
    assert compute_all(who, [], 0) == []
    assert set(compute_all(who, TEXTS[:1], 0)) == {os.getpid()}
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert set(compute_all(who, TEXTS, 2)) == {os.getpid()}


def test_where_all_cores_are_at_work_no_copy_is_made(monkeypatch) -> None:
    monkeypatch.undo()
    assert keeping._count_running() >= 1
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(keeping, "_count_running", os.cpu_count)
    assert set(compute_all(lambda _: os.getpid(), TEXTS, 2)) == {os.getpid()}


@pytest.mark.parametrize("said", [None, "", "0.1 0.2 0.3 ?/9 1"])
def test_where_the_kernel_does_not_tell_no_copy_is_made(said, monkeypatch, tmp_path) -> None:
    monkeypatch.undo()
    if said is not None:
        (tmp_path / "loadavg").write_text(said)
    monkeypatch.setattr(keeping, "_LOAD", tmp_path / "loadavg")
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    assert not keeping.may_copy()


def test_where_no_process_can_start_all_is_computed_here(monkeypatch) -> None:
    def refuse() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    opened = len(os.listdir("/proc/self/fd"))
    assert compute_all(str.lower, TEXTS, 2) == [text.lower() for text in TEXTS]
    assert len(os.listdir("/proc/self/fd")) == opened


def fail_in_copy(text: str) -> str:
    if os.getpid() != HERE:
        raise ValueError(text)
    return text


def die_in_copy(text: str) -> str:
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return text


def babble_in_copy(text: str) -> object:
    return text if os.getpid() == HERE else object()


@pytest.mark.parametrize("call", [fail_in_copy, die_in_copy, babble_in_copy])
def test_what_a_copy_does_not_deliver_is_computed_here(call, capfd) -> None:
    assert compute_all(call, TEXTS, 2) == TEXTS
    assert capfd.readouterr().err == ""


@pytest.fixture
def pids(monkeypatch) -> list[int]:
    """Return the ids of the copies that are started."""
    found: list[int] = []
    start = keeping._start_copy

    def watched(*said: object) -> tuple[int, int]:
        pid, pipe = start(*said)
        found.append(pid)
        return pid, pipe

    monkeypatch.setattr(keeping, "_start_copy", watched)
    return found


def test_a_copy_that_hangs_is_given_up(monkeypatch, pids) -> None:
    monkeypatch.setattr(keeping, "LEAST_PATIENCE_S", 0.2)
    values = compute_all(lambda text: text if os.getpid() == HERE else time.sleep(60), TEXTS, 2)
    assert values == TEXTS
    assert not Path(f"/proc/{pids[0]}").exists()


def test_an_error_here_ends_the_copy_too(pids) -> None:
    def call(text: str) -> str:
        if os.getpid() == HERE:
            raise RuntimeError(text)
        time.sleep(60)
        return text

    before = time.monotonic()
    with pytest.raises(RuntimeError, match="C0"):
        compute_all(call, TEXTS, 2)
    assert time.monotonic() - before < 30
    assert not Path(f"/proc/{pids[0]}").exists()


def test_a_copy_dies_with_the_process_it_came_from(tmp_path) -> None:
    told = tmp_path / "pid"

    def call(text: str) -> str:
        if os.getpid() != parent:
            (tmp_path / "begun").write_text(str(os.getpid()))
            (tmp_path / "begun").rename(told)
            time.sleep(60)
        while not told.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
        return text

    parent = os.fork()
    if parent == 0:
        parent = os.getpid()
        compute_all(call, TEXTS, 2)
        os._exit(1)
    assert os.WTERMSIG(os.waitpid(parent, 0)[1]) == signal.SIGKILL
    copy = Path(f"/proc/{told.read_text()}/stat")
    end = time.monotonic() + 10
    while copy.exists() and copy.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.01)


def test_large_values_pass_the_pipe() -> None:
    values = compute_all(lambda text: text * 100_000, TEXTS, 2)
    assert [value[:2] for value in values] == [text[:2] for text in TEXTS]
    assert [len(value) for value in values] == [100_000 * len(text) for text in TEXTS]
