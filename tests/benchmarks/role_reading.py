"""Roles of compounds by rule beside what a reader makes of them, on 100 drawn by a seed.

The records name the section of each drawing and no heading, so a reader judges by the document's
title, the sections and files where the compound stands, and its structure beside what the claims
draw. Verdicts lie in `role_verdicts.csv` with who read them and when.
"""

import csv
import os
import random
import tempfile
from pathlib import Path

from core.agents.compound_map.pipeline import run
from core.agents.compound_map.records import Compound
from core.agents.compound_map.schema import CompoundMapRequest
from tests.benchmarks.map_replay import open_bench
from tests.benchmarks.targets import Table, say

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
VERDICTS = Path(__file__).with_name("role_verdicts.csv")
N_READ = 100
MUST_ROLES = 0.9
MOST_PLACES = 3


def draw_compounds(seed: int) -> list[tuple[str, Compound]]:
    """Return compounds of the replayed maps, each with its target, drawn by lot."""
    files = sorted((REFERENCE / "patents").glob("us_2024_*.json"))
    found: list[tuple[str, Compound]] = []
    with tempfile.TemporaryDirectory() as folder, open_bench(Path(folder), files) as context:
        for symbol in ("KRAS", "NLRP3"):
            data = run(CompoundMapRequest(target=symbol, seed="benchmark"), context)
            found += [(symbol, one) for one in data.compounds]
    found.sort(key=lambda pair: (pair[0], pair[1].inchikey))
    return random.Random(seed).sample(found, N_READ)


def read_verdicts() -> dict[tuple[str, str], str]:
    """Return the role that a reader gave, by target and InChIKey."""
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        return {(row["target"], row["inchikey"]): row["role"] for row in csv.DictReader(text)}


def show_roles(table: Table, seed: int) -> None:
    """Print the reading list, and how often the rule's role is the reader's."""
    drawn = draw_compounds(seed)
    verdicts = read_verdicts()
    n_read = n_same = 0
    for number, (symbol, one) in enumerate(drawn, start=1):
        verdict = verdicts.get((symbol, one.inchikey), "")
        n_read += bool(verdict)
        n_same += verdict == one.role
        places = [f"{place.publication_number} {place.location}" for place in one.patents]
        mark = "unread" if not verdict else "same" if verdict == one.role else f"reader: {verdict}"
        say(
            f"{number:>3} {symbol} {one.inchikey} {one.role} ({one.role_reason}) [{mark}] "
            f"{'; '.join(places[:MOST_PLACES])}; {one.smiles}"
        )
    share = n_same / n_read if n_read else 0.0
    table.add(
        f"role by rule is the reader's, of {n_read} read of {N_READ} (seed {seed})",
        f"{100 * share:.0f} %",
        ">= 90 %",
        "95 %",
        share >= MUST_ROLES and n_read == N_READ,
    )
