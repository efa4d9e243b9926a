"""kill -9 of any process of an instance on several hosts, under load: nothing is lost.

Run with `python -m tests.benchmarks.hosts [kills] [seed]`. Two servers and three workers, each with
a folder of its own, share a PostgreSQL database and an S3 stand-in. Clients keep asking both
servers; a process drawn by the seed is killed and started again, so many times. Printed are the
states of all accepted runs, runs that came to an answer twice, and runs charged against completed.
"""

import json
import random
import signal
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.kills import ADMIN, requests, say, wait_for_end
from tests.hosts import Process, make_process, object_store, shared_settings
from tests.postgres import run_cluster

KILLS, SEED = 50, 20261129
QUOTA = 1_000_000
PAUSE_S = (2.0, 8.0)


class Load:
    """Clients that start runs at either server and note which were accepted."""

    def __init__(self, servers: list[Process], key: str) -> None:
        """Keep where to ask."""
        self.accepted: dict[str, None] = {}
        self.refused = Counter[str]()
        self._servers, self._key = servers, key
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(n,)) for n in range(2)]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End, when the last request is answered."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int) -> None:
        draw = random.Random(number)
        while not self._stopped.is_set():
            agent, request = draw.choice(requests())
            server = draw.choice(self._servers)
            try:
                self.accepted[self._start(server, agent, request)] = None
            except (OSError, ValueError) as failure:
                self.refused[type(failure).__name__] += 1
            self._stopped.wait(draw.uniform(0.5, 2.0))

    def _start(self, server: Process, agent: str, request: Any) -> str:
        sent = urllib.request.Request(
            f"http://127.0.0.1:{server.environment['BPW_PORT']}/v1/runs",
            json.dumps({"agent": agent, "input": request}).encode(),
            {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(sent, timeout=30) as answer:
            return str(json.load(answer)["run_id"])


def main(kills: int = KILLS, seed: int = SEED) -> bool:
    """Print what became of all runs and return whether everything held."""
    draw = random.Random(seed)
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cluster = stack.enter_context(run_cluster())
        bucket = stack.enter_context(object_store())
        shared = shared_settings(cluster.database(), BPW_QUOTA_RUNS=str(QUOTA), **bucket)
        servers = [make_process(root / name, "-m", "api", "serve", **shared) for name in "ab"]
        workers = [make_process(root / f"w{n}", "-m", "api", "worker", **shared) for n in range(3)]
        setup = make_process(root / "a", "-m", "api", "setup", **shared)
        setup.start()
        assert setup.popen is not None
        assert setup.popen.wait() == 0, setup.log.read_text()
        processes = [*servers, *workers]
        for process in processes:
            process.start()
            stack.callback(process.end)
        key = [server.app() for server in servers][0].key()
        load = Load(servers, key)
        load.start()
        killed = Counter[str]()
        for _ in range(kills):
            time.sleep(draw.uniform(*PAUSE_S))
            process = draw.choice(processes)
            process.end(signal.SIGKILL)
            process.start()
            killed[process.folder.name] += 1
        load.stop()
        stores = open_stores(
            Settings(home=root / "look", database_url=shared["DATABASE_URL"], secret_key="x" * 32)
        )
        states = Counter(wait_for_end(stores, run_id).status for run_id in load.accepted)
        used = stores.quotas.state(ADMIN, limit=QUOTA, at=datetime.now(UTC)).used
        stores.engine.close()
        logs = "".join(process.log.read_text() for process in processes)
    twice = logs.count('"an answer came too late"')
    say(f"killed {dict(sorted(killed.items()))}, seed {seed}; refused {dict(load.refused)}")
    told = ", ".join(f"{state} {count}" for state, count in sorted(states.items()))
    say(f"accepted {len(load.accepted)}: {told}; charged {used}; answers that came twice {twice}")
    return used == states["completed"] and twice == 0 and sum(states.values()) > 0


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(0 if main(*numbers) else 1)
