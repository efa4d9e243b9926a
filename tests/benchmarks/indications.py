"""Whether any drug of the pack is silently absent from the answer about its own indication.

python -m tests.benchmarks.indications HOME [SEED]

HOME is an instance with names and starter pack. Drawn: indications of the pack's table of stages,
each with every row of that indication or of a kind of it. Printed: how many rows come back, how
many are counted as left out with a reason, and which are neither; seconds an answer.
"""

import random
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from core.agents.competitive_landscaping.gathering import find_drugs, understand
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.competitive_landscaping.standing import group_left_out
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import Diseases
from core.evidence.sources.pack.reading import load_rows
from core.ports import Stores
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores
from tests.benchmarks.landscape_rows import say
from tests.contexts import make_context

SEED = 20_261_123
DRAWN = 50
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@dataclass
class Fate:
    """What became of the rows of an indication.

    Attributes:
        indication: As the pack writes it.
        listed: Drugs of rows that are in the answer.
        counted: Drugs of rows that are counted as left out, with the reason.
        absent: Drugs of rows that are in neither.
        elapsed_s: Seconds that gathering took.
    """

    indication: str
    listed: list[str] = field(default_factory=list)
    counted: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    elapsed_s: float = 0.0


def context_of(stores: Stores, resolver: Resolver) -> RunContext:
    """Return what a run on an instance may reach."""
    return make_context(NOW, stores, resolver=resolver)


def draw(seed: int, most: int = DRAWN) -> list[str]:
    """Return indications of drawn rows, so that those of many rows are likelier."""
    said = [row["indication"] for row in load_rows("stages")]
    random.Random(seed).shuffle(said)
    return list(dict.fromkeys(said))[:most]


def rows_of(indications: Iterable[str], resolver: Resolver) -> Mapping[str, set[str]]:
    """Return the drugs of which a row states an indication or a kind of it, by indication."""
    rows, diseases = load_rows("stages"), Diseases(resolver)
    written = list(dict.fromkeys(row["indication"] for row in rows))
    diseases.read_ahead(written)
    keys = {one: diseases.of_conditions([one])[0].key for one in written}
    found: dict[str, set[str]] = {}
    for asked in indications:
        key = keys[asked]
        kinds = {key, *resolver.identity.descendants("disease", key)} if key else set()
        named = {one for one in written if one == asked or keys[one] in kinds}
        found[asked] = {row["drug"] for row in rows if row["indication"] in named}
    return found


def follow(indications: Iterable[str], context: RunContext) -> Iterator[Fate]:
    """Yield what became of the rows of each indication, asked as "<indication> pipeline"."""
    resolver = context.resolver
    wanted = rows_of(indications, resolver)
    keys = {row.drug: key for key, rows in known_by_key(resolver).items() for row in rows}
    for asked, drugs in wanted.items():
        query = f"{asked} pipeline"
        request = CompetitiveLandscapingRequest(query=query, query_type="clinical")
        begun = time.perf_counter()
        taken = find_drugs(understand(request, context), request, context)
        fate = Fate(asked, elapsed_s=time.perf_counter() - begun)
        listed = {one.asset.key for one in taken.drugs}
        reasons = {one.key: one.reason for one in taken.excluded if one.key}
        counted = sum(len(names) for names in group_left_out(taken.excluded).values())
        assert counted == len(taken.excluded), "a candidate is left out without being counted"
        for drug in sorted(drugs):
            key = keys.get(drug, "")
            if key in listed:
                fate.listed.append(drug)
            elif key in reasons:
                fate.counted[drug] = reasons[key]
            else:
                fate.absent.append(drug)
        yield fate


def main(home: str, seed: int = SEED) -> None:
    """Print the fates."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    context = context_of(stores, Resolver(stores.identity, stores.learned_names))
    listed = counted = absent = 0
    for fate in follow(draw(seed), context):
        listed, counted = listed + len(fate.listed), counted + len(fate.counted)
        absent += len(fate.absent)
        said = f"{fate.indication}: {len(fate.listed)} listed, {len(fate.counted)} left out"
        say(f"{said}, {len(fate.absent)} absent, {fate.elapsed_s:.1f} s")
        for drug, reason in fate.counted.items():
            say(f"    {drug}: {reason}")
        for drug in fate.absent:
            say(f"    absent: {drug}")
    total = listed + counted + absent
    say(f"seed {seed}: {listed} of {total} drugs come back ({listed / total:.1%}), {counted} are")
    say(f"counted as left out, {absent} absent: {(listed + counted) / total:.1%} accounted for")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
