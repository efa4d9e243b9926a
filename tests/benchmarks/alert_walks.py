"""Alerts under load and under kill -9: every hit once, the cap held, on both databases.

Run with `python -m tests.benchmarks.alert_walks`. In a new instance with drugs of its own:

- 1,000 watched drugs over an import of 1,000 trials are evaluated in one process (<= 20 s), and
  the first 50 of 10,000 hits are read (<= 300 ms);
- the evaluation is killed 20 times at moments drawn by a printed seed, and two evaluate at once:
  the hits are those of the load, none lost, none double;
- eight processes enable 5 queries each at a cap of 25: exactly 25 are on;
- eight processes do 125 drawn actions each on queries of their own: the list is their sum.

A fault ends with 1.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from core.alert_ports import Subscriptions
from core.errors import QuotaExceeded, StorageUnavailable
from core.evidence.events.preparing import prepare_events
from core.execution.watching import evaluate
from core.ports import Stores
from core.records.alerts import HitSearch, Subscription
from core.records.evidence import Parsed
from core.records.evidence_pack import ImportedFile
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.targets import say
from tests.core.agents.new_developments.test_answers import (
    NAMES_MADE_AFTER_AN_IMPORT,
    NOW,
    ago,
    license_,
    trial,
)
from tests.postgres import find_binaries, run_cluster

SEED = 20_261_124
QUERIES = EVENTS = 1_000
HITS = 10_000
SECOND = 2
"""Number of the import that is evaluated."""
KILLS, PROCESSES, ACTIONS, CAP = 20, 8, 125, 25
MOST_S, MOST_PAGE_S = 20.0, 0.3
WORDS = 4_000
"""Characters of a failing worker that are shown."""


def names() -> list[str]:
    """Return the drugs of the instance."""
    return [f"wardrug {number:04d}" for number in range(QUERIES)]


def rows() -> Iterator[Entity | EntityName]:
    """Yield the names that the instance knows."""
    for number, name in enumerate(names(), start=1):
        yield Entity("drug", f"UNII:{number}", name)
        yield EntityName("drug", fold_name(name), f"UNII:{number}", 1, name)
    yield Entity("disease", "MONDO:1", "asthma")
    yield EntityName("disease", "asthma", "MONDO:1", 1, "asthma")


def bring(stores: Stores, parsed: list[Parsed], name: str) -> None:
    """Import records as one generation."""
    with stores.evidence.next_generation() as writer:
        writer.add(parsed)
        writer.finish_file(ImportedFile(name, "t", "0" * 64, NOW.isoformat(), 1, 0))
    prepare_events(stores.evidence, stores.identity, stores.learned_names)


def own(stores: Stores, most: int = QUERIES) -> Subscriptions:
    """Return the subscriptions of the first account."""
    return stores.watches.of(1, [], most)


def build(settings: Settings) -> None:
    """Make an instance whose queries wait for an evaluation of one import."""
    stores = open_stores(settings, now=lambda: NOW)
    stores.engine.upgrade()
    stores.identity.build(rows(), (), "names of the walks")
    stores.users.create("anna", "correct horse battery")
    bring(stores, [trial(9_000, "wardrug 0000", ago(900)), license_("1", "x", ago(900))], "first")
    for number, name in enumerate(names(), start=1):
        own(stores).add_manual(name, f"UNII:{number}", "low", generation=0)
    drawn = random.Random(SEED)
    days = [ago(drawn.randrange(2, 60)) for _ in range(EVENTS)]
    drugs = drawn.choices(names(), k=EVENTS)
    told = [trial(n, drug, day) for n, (drug, day) in enumerate(zip(drugs, days, strict=True), 1)]
    bring(stores, told, "second")
    stores.engine.close()


def all_hits(stores: Stores) -> Counter[tuple[int, str]]:
    """Return how often each query has each hit."""
    found: Counter[tuple[int, str]] = Counter()
    for offset in range(0, 100_000, 1_000):
        page = own(stores).hits(HitSearch(limit=1_000, offset=offset))
        found.update((one.query_id, one.identity) for one in page)
        if len(page) < 1_000:
            break
    return found


def expected(settings: Settings) -> tuple[Counter[tuple[int, str]], bool]:
    """Evaluate in this process, print its time and that of the inbox; return its hits."""
    stores = open_stores(settings, now=lambda: NOW)
    began, worked = time.perf_counter(), time.process_time()
    told = evaluate(stores, settings, "load", NOW)
    took, computed = time.perf_counter() - began, time.process_time() - worked
    hits = all_hits(stores)
    say(
        f"load: {told.queries} queries over {EVENTS} events, {told.hits} hits, {took:.1f} s, "
        f"{computed:.1f} s of them computing"
    )
    page = inbox(stores)
    stores.engine.close()
    good = told.hits == sum(hits.values()) > 0 and took <= MOST_S and page <= MOST_PAGE_S
    return hits, good


def inbox(stores: Stores) -> float:
    """Return the seconds that the first 50 of 10,000 hits take, with what stands around them."""
    mine = own(stores)
    model = mine.hits(HitSearch(limit=1))[0]
    bare = model.model_dump(exclude={"hit_id", "query_id", "query", "found_at", "seen_at"})
    bare.pop("snoozed_until")
    stores.watches.of(1, [], QUERIES)
    (one, *_) = mine.list()
    mine.enable(one.query_id, "low", generation=1)
    (watch,) = [each for each in stores.watches.due(99) if each.query_id == one.query_id]
    many = [type(model).__bases__[0](**bare | {"identity": f"{n:064d}"}) for n in range(HITS)]
    stores.watches.fire(watch, many, 2, NOW)
    began, worked = time.perf_counter(), time.process_time()
    shown = (mine.hits(HitSearch(limit=50)), mine.list(), mine.unseen(), mine.quota())
    took = time.perf_counter() - began
    say(
        f"inbox: first {len(shown[0])} of {shown[2]} hits with the list, {took * 1000:.0f} ms, "
        f"{(time.process_time() - worked) * 1000:.0f} of them computing"
    )
    return took


def spawn(task: str, settings: Settings, *words: str) -> subprocess.Popen[str]:
    """Start a task of this module in a process of its own."""
    place = {"BPW_HOME": str(settings.home), "DATABASE_URL": settings.database}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.alert_walks", task, *words],
        env=os.environ | place,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended_well(process: subprocess.Popen[str]) -> bool:
    """Wait for a process; print what it said where it failed."""
    _, said = process.communicate(timeout=300)
    if process.returncode:
        say(said[-WORDS:])
    return process.returncode == 0


def killed(settings: Settings, wanted: Counter[tuple[int, str]], drawn: random.Random) -> bool:
    """Kill the evaluation at drawn moments, let two end it, and compare the hits."""
    stores = open_stores(settings, now=lambda: NOW)
    marks = []
    for _ in range(KILLS):
        process = spawn("evaluate", settings)
        before = len(stores.watches.due(SECOND))
        end = time.monotonic() + 60
        # The moment is drawn in work done, so that kills fall into the evaluation itself.
        until = before - drawn.randrange(1, max(2, QUERIES // KILLS))
        while process.poll() is None and time.monotonic() < end:
            if len(stores.watches.due(SECOND)) <= until:
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        marks.append(before - len(stores.watches.due(SECOND)))
        stores.watches.end("evaluate", "", NOW)  # a lease runs out by itself after two minutes
    say(f"kills: {KILLS}, queries done before each {marks}, left {len(stores.watches.due(SECOND))}")
    pair = [spawn("evaluate", settings), spawn("evaluate", settings, "unleased")]
    ended = [ended_well(each) for each in pair]
    hits = all_hits(stores)
    left = len(stores.watches.due(SECOND))
    stores.engine.close()
    lost, double = wanted - hits, [key for key, times in hits.items() if times > 1]
    extra = set(hits) - set(wanted)
    say(f"after two at once: {len(lost)} lost, {len(double)} double, {len(extra)} more, {left} due")
    return all(ended) and not (lost or double or extra or left)


def crowd(settings: Settings) -> bool:
    """Enable at the cap and act at once from eight processes; compare with the sum."""
    stores = open_stores(settings, now=lambda: NOW)
    for task, most in (("cap", CAP), ("mixed", QUERIES)):
        stores.users.create(task, "correct horse battery")
        person = {"cap": 2, "mixed": 3}[task]
        working = [spawn(task, settings, str(n), str(person)) for n in range(PROCESSES)]
        if not all([ended_well(each) for each in working]):
            return False
        mine = stores.watches.of(person, [], most)
        on = sorted(one.query for one in mine.list() if one.is_enabled)
        if task == "cap":
            say(f"cap: {len(on)} of {PROCESSES * 5} are on, the count says {mine.quota()}")
            if len(on) != CAP or mine.quota().enabled_count != CAP:
                return False
    summed = sorted(name for number in range(PROCESSES) for name in expected_on(number))
    say(f"mixed: {len(on)} on, the sum of {PROCESSES * ACTIONS} actions is {len(summed)}")
    stores.engine.close()
    return on == summed


def actions(number: int) -> Iterator[tuple[str, str]]:
    """Yield the drawn actions of a process: what, and on which drug of its own."""
    drawn = random.Random(SEED + number)
    for _ in range(ACTIONS):
        yield drawn.choice(("add", "add", "remove")), f"drug {number}-{drawn.randrange(12)}"


def expected_on(number: int) -> set[str]:
    """Return the drugs of a process that are watched when its actions are done."""
    on: set[str] = set()
    for act, drug in actions(number):
        (on.add if act == "add" else on.discard)(drug)
    return on


def patient(act: Callable[[], Subscription]) -> int:
    """Act again while the database says "try again in a moment"; return the query's number."""
    for _ in range(30):
        try:
            return act().query_id
        except StorageUnavailable:
            time.sleep(0.2)
    return act().query_id


def work(task: str, words: list[str]) -> None:
    """Do one task in a process of its own."""
    settings = Settings()
    stores = open_stores(settings, now=lambda: NOW)
    if task == "evaluate":
        if words:  # as when the lease ran out under the first one
            stores.watches.end("evaluate", "", NOW)
        evaluate(stores, settings, "unleased" if words else "evaluate", NOW)
    elif task == "cap":
        mine = stores.watches.of(int(words[1]), [], CAP)
        for each in range(5):
            try:
                mine.add_manual(
                    f"drug {words[0]}-{each}", f"{words[0]}-{each}", "low", generation=1
                )
            except QuotaExceeded:
                """The cap holds: the count is told by the parent."""
    else:
        mine = stores.watches.of(int(words[1]), [], QUERIES)
        ids: dict[str, int] = {}
        for act, drug in actions(int(words[0])):
            if act == "add":
                ids[drug] = patient(lambda d=drug: mine.add_manual(d, d, "low", generation=1))
            elif drug in ids:
                patient(lambda number=ids[drug]: mine.remove(number))
    stores.engine.close()


def walk(name: str, settings: Settings, copy: Settings) -> bool:
    """Do all walks on one database.

    Args:
        name: Of the database.
        settings: An empty instance for the load.
        copy: An empty instance for the kills.
    """
    say(f"-- {name}, seed {SEED}")
    for each in (settings, copy):
        build(each)
    wanted, loaded = expected(settings)
    unbroken = killed(copy, wanted, random.Random(SEED))
    return all([loaded, unbroken, crowd(copy)])


def main() -> int:
    """Walk on SQLite and, where it is installed, on PostgreSQL; return the exit code."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        lite = [
            Settings(home=home / n, database_url=f"sqlite:///{home / n / 'workbench.db'}")
            for n in ("load", "kills")
        ]
        good = walk("SQLite", *lite)
        if find_binaries() is None:
            say("left out: PostgreSQL is not installed (Debian: apt-get install postgresql)")
            return 0 if good else 1
        cluster = stack.enter_context(run_cluster())
        addresses = [cluster.database() for _ in range(2)]
        there = [
            Settings(home=home / f"pg{n}", database_url=one) for n, one in enumerate(addresses)
        ]
        return 0 if walk("PostgreSQL", *there) and good else 1


if __name__ == "__main__":
    for place in NAMES_MADE_AFTER_AN_IMPORT:  # a small instance has none of the starter pack
        patch(place, lambda *_: {}).start()
    if sys.argv[1:]:
        work(sys.argv[1], sys.argv[2:])
    else:
        raise SystemExit(main())
