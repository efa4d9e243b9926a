"""kill -9 of children, of the app and of PostgreSQL during real runs: nothing is lost.

Run with `python -m tests.benchmarks.kills [rounds]`. Each round starts a run of every agent,
kills at a moment drawn by a printed seed, and waits until every accepted run has ended. Told are
the states, runs charged against runs completed, and processes left behind; a fault ends with 1.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import StorageUnavailable
from core.ports import Stores
from core.records.runs import RunRecord
from core.registry import all_agents
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.attribution import make_request
from tests.live import LiveApp, serve
from tests.postgres import Cluster, run_cluster

SEED = 20261121
ROUNDS = 20
PATIENCE_S = 180
ADMIN = 1


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def requests() -> list[tuple[str, Any]]:
    """Return a request of each agent that computes for a second or more."""
    expression = all_agents()["differential-expression"].examples[0].request
    moves = make_request(30).model_dump(mode="json")
    return [("differential-expression", expression), ("attribution-engine", moves)]


def start(app: LiveApp, key: str, agent: str, request: Any) -> str:
    """Start a run without waiting and return its id."""
    sent = urllib.request.Request(
        f"{app.url}/v1/runs",
        json.dumps({"agent": agent, "input": request}).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(sent, timeout=30) as answer:
        return str(json.load(answer)["run_id"])


def read_run(stores: Stores, run_id: str) -> RunRecord | None:
    """Return a run; None while the database is away."""
    try:
        return stores.runs.get(ADMIN, run_id)
    except StorageUnavailable:
        return None


def wait_for_end(stores: Stores, run_id: str) -> RunRecord:
    """Return a run in its final state.

    Raises:
        AssertionError: It did not end in time.
    """
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        run = read_run(stores, run_id)
        if run is not None and run.is_final:
            return run
        time.sleep(0.1)
    raise AssertionError(f"run {run_id} did not end")


def is_alive(pid: int | None) -> bool:
    """Return whether a process is there and no zombie."""
    if pid is None:
        return False
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def kill_children(_app: LiveApp, _cluster: Cluster | None, pids: list[int]) -> None:
    """Kill the children of runs."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def kill_app(app: LiveApp, _cluster: Cluster | None, _pids: list[int]) -> None:
    """Kill the app and start it again."""
    app.kill()


def kill_database(_app: LiveApp, cluster: Cluster | None, _pids: list[int]) -> None:
    """Kill PostgreSQL and start it again."""
    assert cluster is not None
    os.kill(cluster.pid, signal.SIGKILL)
    cluster.wait_until_gone()
    cluster.start()


Kill = Callable[[LiveApp, Cluster | None, list[int]], None]


def suffer(label: str, kill: Kill, rounds: int, cluster: Cluster | None) -> bool:
    """Kill in so many rounds and return whether everything held."""
    draw, states, left = random.Random(SEED), Counter[str](), 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = cluster.database() if cluster else f"sqlite:///{folder / 'workbench.db'}"
        app = stack.enter_context(serve(folder, DATABASE_URL=url, BPW_QUOTA_RUNS="100000"))
        stores = open_stores(Settings(home=folder, database_url=url))
        key = app.key()
        for _ in range(rounds):
            runs = [start(app, key, agent, request) for agent, request in requests()]
            time.sleep(draw.uniform(0.0, 2.5))
            found = [read_run(stores, run_id) for run_id in runs]
            pids = [run.worker_pid for run in found if run and run.worker_pid and not run.is_final]
            kill(app, cluster, pids)
            states.update(wait_for_end(stores, run_id).status for run_id in runs)
            time.sleep(0.5)
            left += sum(is_alive(pid) for pid in pids)
        used = stores.quotas.state(ADMIN, limit=100_000, at=datetime.now(UTC)).used
        stores.engine.close()
    good = used == states["completed"] and left == 0
    told = ", ".join(f"{state} {count}" for state, count in sorted(states.items()))
    say(f"{label:<22}{told}; charged {used}; processes left {left}; {'held' if good else 'BROKEN'}")
    return good


def main(rounds: int = ROUNDS) -> bool:
    """Print one line a kind of kill and return whether everything held."""
    say(f"kill -9, {rounds} rounds each, a run of both agents in each round, seed {SEED}")
    held = [suffer("child", kill_children, rounds, None), suffer("app", kill_app, rounds, None)]
    with run_cluster() as cluster:
        held.append(suffer("PostgreSQL", kill_database, rounds, cluster))
        held.append(suffer("app on PostgreSQL", kill_app, rounds, cluster))
    return all(held)


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS) else 1)
