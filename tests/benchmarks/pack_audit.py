"""Draws rows of an area of the starter pack, each beside what the sources at hand say of its drug.

    python -m tests.benchmarks.pack_audit --area lung --full FOLDER [--seed N] [--rows 50]
    python -m tests.benchmarks.pack_audit --errors 1 --rows 50

A person judges every row and then asks for the Wilson interval of the errors found. FOLDER is an
instance with all reference files.
"""

import argparse
import random
from collections.abc import Mapping
from math import sqrt
from pathlib import Path

from core.evidence.assets.joined_names import joined_names
from core.evidence.assets.shelf import Shelf, fill_shelf
from core.evidence.names.drug_labels import Naming
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.pack.schema import TABLES
from core.records.evidence_pack import FactQuery
from tests.benchmarks.starter_pack import SEED, opened, say
from tests.benchmarks.starter_scores import World

DRAWN = 50
MOST_TITLES = 5
_TOLD = ("acts_on", "has_class", "in_stage", "approved_on", "application_holder", "developed_by")
Z = 1.96


def wilson(errors: int, rows: int) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    share = errors / rows
    middle = share + Z**2 / (2 * rows)
    reach = Z * sqrt(share * (1 - share) / rows + Z**2 / (4 * rows**2))
    whole = 1 + Z**2 / rows
    return max(0.0, (middle - reach) / whole), min(1.0, (middle + reach) / whole)


def show_row(number: int, table: str, row: Mapping[str, str], held: tuple[str, Shelf]) -> None:
    """Print a row and what sources say of its drug."""
    key, shelf = held
    columns = next(one for one in TABLES if one.name == table).columns
    say(f"{number}. {table}: " + "; ".join(f"{x}={row[x]}" for x in columns if row[x]))
    if row["source_id"]:
        say(f"     from {row['source_id']} ({row['source_title']})")
    own = [one for one in shelf.of(key) if one == row["source_id"]]
    others = [one for one in shelf.of(key) if one not in own]
    for record_id in [*own, *others][:MOST_TITLES]:
        say(f"     {record_id}: {shelf.records[record_id].title[:150]}")


def show_facts(key: str, shelf: Shelf, world: World) -> None:
    """Print what registers, labels and pipelines state of a drug."""
    ids = [one for one in shelf.of(key) if not one.startswith("ctgov")]
    query = FactQuery(record_ids=ids[:20], predicates=_TOLD)
    said = [
        f"{one.fact.predicate} {one.fact.object} {one.fact.qualifiers.indication}".strip()
        for one in (world.stores.evidence.facts(query) if ids else ())
    ]
    if said:
        say("     stated: " + "; ".join(list(dict.fromkeys(said))[:6])[:400])


def draw(area: str, seed: int, rows: int) -> list[tuple[str, Mapping[str, str]]]:
    """Return rows of an area, of all tables about drugs."""
    every = [
        (table.name, row)
        for table in TABLES
        for row in load_rows(table.name)
        if row["area"] == area and "drug" in row
    ]
    return random.Random(seed).sample(every, min(rows, len(every)))


def main() -> None:
    """Print the rows, or the interval of errors."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--area")
    parser.add_argument("--full", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--rows", type=int, default=DRAWN)
    parser.add_argument("--errors", type=int)
    chosen = parser.parse_args()
    if chosen.errors is not None:
        low, high = wilson(chosen.errors, chosen.rows)
        say(f"{chosen.errors} of {chosen.rows}: {low:.1%} to {high:.1%} (Wilson, 95 %)")
        return
    drawn = draw(chosen.area, chosen.seed, chosen.rows)
    say(f"{chosen.area}, seed {chosen.seed}: {len(drawn)} rows")
    with opened(chosen.full) as world:
        naming = Naming(world.resolver, joined_names(world.stores.evidence, world.resolver))
        names = sorted({row["drug"] for _, row in drawn})
        read = naming.read(names)
        keys = {name: next((x.key for x in read[name] if x.key), "") for name in names}
        shelf = fill_shelf(
            {key: [name] for name, key in keys.items() if key}, world.stores.evidence, naming
        )
        for number, (table, row) in enumerate(drawn, 1):
            show_row(number, table, row, (keys[row["drug"]], shelf))
            show_facts(keys[row["drug"]], shelf, world)


if __name__ == "__main__":
    main()
