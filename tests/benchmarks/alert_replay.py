"""Alerts over real imports: the starter pack, then all reference files in three parts.

    python -m tests.benchmarks.alert_replay HOME [SEED]

HOME holds names and the starter pack alone; it is copied. Questions are drawn by the seed: drugs,
companies and targets of the pack, and one that asks for everything. Each is watched at three
levels. After every part the watched questions are evaluated. Told are the hits by part; whether
the preview on the final evidence finds the same; whether high is within medium within low; and
what a second import of all files fires (nothing). A fault ends with 1.
"""

import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from core.briefs.developments.scanning import ALL, find_developments
from core.briefs.watching.asked import read_question
from core.briefs.watching.firing import preview, read_past
from core.evidence.assets.learned_names import learn
from core.evidence.events.preparing import prepare_events
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.importing import find_files, import_files
from core.execution.watching import evaluate, newest_prepared
from core.ports import Stores
from core.records.alerts import HitSearch, SignalLevel, WatchQuestion
from core.records.events import EventQuery
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.copies import evidence_of
from tests.benchmarks.targets import say

EVIDENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")).resolve() / "evidence"
SEED = 20_261_124
PARTS = 3
EACH = 8
"""Questions of each kind."""
TARGETS = ("EGFR", "KRAS", "PD-1", "GLP-1 receptor", "HER2", "TROP2", "BTK", "PCSK9")
LEVELS: tuple[SignalLevel, ...] = ("low", "medium", "high")
DAYS = 36_500
"""Days of the preview: all that is on record."""
PASSWORD = "correct horse battery"
Key = tuple[int, SignalLevel]


def draw(stores: Stores, chance: random.Random) -> list[WatchQuestion]:
    """Return the questions that are watched."""
    resolver = Resolver(stores.identity, stores.learned_names)
    told = find_developments(EventQuery(limit=ALL), stores.evidence, resolver)
    drugs = sorted({one.drug.name for one in told if one.drug})
    companies = sorted({one.company for one in told} - {""})
    return [
        WatchQuestion(),
        *(WatchQuestion(drug=name) for name in chance.sample(drugs, min(EACH, len(drugs)))),
        *(
            WatchQuestion(company=one)
            for one in chance.sample(companies, min(EACH, len(companies)))
        ),
        *(WatchQuestion(target=one) for one in TARGETS),
    ]


def watch(stores: Stores, questions: Sequence[WatchQuestion]) -> Iterator[tuple[Key, int, int]]:
    """Watch each question at each level from now on; yield its key, owner and query."""
    generation = newest_prepared(stores.evidence) or 0
    for level in LEVELS:
        owner = stores.users.create(f"reader-{level}", PASSWORD).user_id
        own = stores.watches.of(owner, [], len(questions))
        for place, question in enumerate(questions):
            made = own.add_manual(f"question {place}", f"q{place}", level, generation=generation)
            stores.watches.ask(made.query_id, question)
            yield (place, level), owner, made.query_id


def bring(stores: Stores, files: Sequence[Path], now: datetime) -> None:
    """Import files as one part, with all that follows an import."""
    import_files(stores.evidence, find_files(list(files)), now=now)
    learn(stores.evidence, stores.identity, stores.learned_names)
    prepare_events(stores.evidence, stores.identity, stores.learned_names)


def fired(stores: Stores, owner: int, query: int) -> set[str]:
    """Return what tells the hits of a query apart."""
    own = stores.watches.of(owner, [], 0)
    return {one.identity for one in own.hits(HitSearch(query_id=query, limit=100_000))}


def check(stores: Stores, questions: Sequence[WatchQuestion], hits: dict[Key, set[str]]) -> int:
    """Compare hits with the preview, and the levels with each other; return the faults."""
    resolver = Resolver(stores.identity, stores.learned_names)
    today = datetime.now(UTC).date()
    past = read_past(today, stores.evidence, resolver, days=DAYS)
    faults = 0
    for place, question in enumerate(questions):
        asked = read_question(question, stores.evidence, resolver)
        for level in LEVELS:
            found = preview(asked, level, past)
            seen = {one.identity for one in found.hits}
            held = hits[place, level]
            if seen != held:
                faults += 1
                more, less = len(held - seen), len(seen - held)
                say(f"  {question} {level}: {len(held)} hits, {more} not previewed, {less} missed")
        nested = [hits[place, level] for level in LEVELS]
        if any(not lower >= higher for lower, higher in pairwise(nested)):
            faults += 1
            say(f"  {question}: a level does not hold the next: {[len(one) for one in nested]}")
    return faults


def replay(home: Path, seed: int) -> int:
    """Import in parts, evaluate after each, and return the faults."""
    settings = Settings(home=home, database_url=None)
    stores = open_stores(settings)
    stores.engine.upgrade()
    chance = random.Random(seed)
    questions = draw(stores, chance)
    watched = list(watch(stores, questions))
    files = sorted(EVIDENCE.iterdir())
    chance.shuffle(files)
    parts = [files[place::PARTS] for place in range(PARTS)]
    say(f"seed {seed}: {len(questions)} questions at {len(LEVELS)} levels, {len(files)} files")
    for number, part in enumerate([*parts, files], start=1):
        began = time.perf_counter()
        now = datetime.now(UTC)
        bring(stores, part, now)
        took = time.perf_counter() - began
        told = evaluate(stores, settings, "replay", now)
        name = f"part {number}" if number <= PARTS else "all files again"
        say(f"{name}: {told.hits} hits, {told.failed} failed, import {took:.0f} s; {told.note}")
        if number > PARTS and told.hits:
            return 1
        if number == PARTS:
            hits = {key: fired(stores, owner, query) for key, owner, query in watched}
            faults = check(stores, questions, hits)
            low, medium, high = (
                sum(len(hits[place, level]) for place in range(len(questions))) for level in LEVELS
            )
            say(f"hits: low {low}, medium {medium}, high {high}; faults {faults}")
    stores.engine.close()
    return faults


def main(home: Path, seed: int) -> int:
    """Copy the instance and replay on it."""
    with evidence_of(home) as copy:
        return replay(copy, seed)


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else SEED)))
