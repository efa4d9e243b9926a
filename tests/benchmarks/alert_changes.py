"""Alerts over the real differences of trials: exactly those of the watched drugs fire.

    python -m tests.benchmarks.alert_changes HOME [SEED]

HOME holds names and the starter pack alone. A first copy imports all reference files, the newest
copy of the trial registry last, and tells by a second reading of the states which trials differ
and which drugs they test. Half of these drugs, drawn by the seed, are watched in a second copy,
between the two imports. Told are the differences, those that score below the lowest level, and
the hits that fired against those that should have. A difference that is missed or fires for a
drug that nobody watches ends with 1.
"""

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from core.briefs.developments.question import Wanted
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import ALL, find_developments, score_developments
from core.briefs.watching.firing import identify
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.execution.watching import evaluate, newest_prepared
from core.ports import Stores
from core.records.alerts import LEAST_SCORE, HitSearch, WatchQuestion
from core.records.events import EventQuery
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.alert_replay import EVIDENCE, PASSWORD, SEED, bring
from tests.benchmarks.copies import evidence_of
from tests.benchmarks.developments import CHANGES, real_changes
from tests.benchmarks.targets import say

NEWEST = "trials_facts.csv.gz"
"""The newest copy of the trial registry at hand."""
Trial = str


@contextmanager
def copy_of(home: Path) -> Iterator[tuple[Stores, Settings]]:
    """Yield the stores of a copy of an instance's evidence, and its settings."""
    with evidence_of(home) as copy:
        settings = Settings(home=copy, database_url=None)
        stores = open_stores(settings)
        stores.engine.upgrade()
        yield stores, settings
        stores.engine.close()


def bring_all_but_newest(stores: Stores, now: datetime) -> None:
    """Import every reference file but the newest copy of the trial registry."""
    bring(stores, [one for one in sorted(EVIDENCE.iterdir()) if one.name != NEWEST], now)


def changed(evidence: EvidenceReader, resolver: Resolver, after: int) -> list[Development]:
    """Return the changes of trials that imports after one brought, of trials that do differ."""
    trials = {trial for trial, _ in real_changes(evidence)[0]}
    query = EventQuery(types=CHANGES, after_generation=after, limit=ALL)
    told = find_developments(query, evidence, resolver)
    return [one for one in told if one.event.lead.subject in trials]


def identity_of(one: Development) -> str:
    """Return what tells the hit of a change from another."""
    return identify(one.asset, one.catalyst_type, one.day)


def drugs_of(told: Sequence[Development]) -> Mapping[Trial, set[str]]:
    """Return the drugs of each trial."""
    found: dict[Trial, set[str]] = {}
    for one in told:
        found.setdefault(one.event.lead.subject, set()).update(each.name for each in one.drugs)
    return found


def watched_half(home: Path, chance: random.Random) -> list[str]:
    """Return half of the drugs whose trials differ, drawn."""
    with copy_of(home) as (stores, _):
        now = datetime.now(UTC)
        bring_all_but_newest(stores, now)
        last = newest_prepared(stores.evidence) or 0
        bring(stores, [EVIDENCE / NEWEST], now)
        resolver = Resolver(stores.identity, stores.learned_names)
        trials = drugs_of(changed(stores.evidence, resolver, last))
        names = sorted(set().union(*trials.values()))
        say(f"{len(trials)} trials of {len(names)} drugs differ with the last import")
        return chance.sample(names, len(names) // 2)


def replay(home: Path, watched: Sequence[str]) -> int:
    """Watch, import the newest copy, evaluate; return how many trials fired wrongly or not."""
    with copy_of(home) as (stores, settings):
        now = datetime.now(UTC)
        bring_all_but_newest(stores, now)
        last = newest_prepared(stores.evidence) or 0
        own = stores.watches.of(stores.users.create("reader", PASSWORD).user_id, [], len(watched))
        for place, name in enumerate(watched):
            made = own.add_manual(name, f"q{place}", "low", generation=last)
            stores.watches.ask(made.query_id, WatchQuestion(drug=name))
        bring(stores, [EVIDENCE / NEWEST], now)
        told = evaluate(stores, settings, "replay", now)
        resolver = Resolver(stores.identity, stores.learned_names)
        scored = score_developments(
            changed(stores.evidence, resolver, last), Wanted(), now.date(), stores.evidence
        )
        loud = [one.what for one in scored if one.score.total >= LEAST_SCORE["low"]]
        say(f"{len(scored)} changes, {len(scored) - len(loud)} of them score below low")
        changes = {identity_of(one) for one in loud}
        wanted = set(watched)
        due = {identity_of(one) for one in loud if wanted & {each.name for each in one.drugs}}
        fired = {one.identity for one in own.hits(HitSearch(limit=ALL))} & changes
        say(f"{len(watched)} drugs watched, {told.hits} hits of all kinds, {told.failed} failed")
        say(f"changes: {len(due)} due, {len(due & fired)} fired, {len(fired - due)} of nobody's")
        for one in loud:
            if identity_of(one) in due ^ fired:
                verb = "missed" if identity_of(one) in due else "not watched"
                say(f"  {verb}: {one.event.lead.subject} {one.catalyst_type} {one.day}")
        return len(due ^ fired) + told.failed


def main(home: Path, seed: int) -> int:
    """Draw what is watched on a first copy, replay on a second."""
    return replay(home, watched_half(home, random.Random(seed)))


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else SEED)))
