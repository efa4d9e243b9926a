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


def map_compounds() -> list[tuple[str, Compound]]:
    """Return the compounds of the replayed maps, each with its target."""
    files = sorted((REFERENCE / "patents").glob("us_2024_*.json"))
    found: list[tuple[str, Compound]] = []
    with tempfile.TemporaryDirectory() as folder, open_bench(Path(folder), files) as context:
        for symbol in ("KRAS", "NLRP3"):
            data = run(CompoundMapRequest(target=symbol, seed="benchmark"), context)
            found += [(symbol, one) for one in data.compounds]
    return sorted(found, key=lambda pair: (pair[0], pair[1].inchikey))


def read_verdicts() -> dict[tuple[str, str], str]:
    """Return the role that a reader gave, by target and InChIKey."""
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        return {(row["target"], row["inchikey"]): row["role"] for row in csv.DictReader(text)}


def show_roles(table: Table, seed: int) -> None:
    """Print how often the rule's role is the reader's; with no verdict left, a list to read."""
    compounds = map_compounds()
    verdicts = read_verdicts()
    read = [pair for pair in compounds if (pair[0], pair[1].inchikey) in verdicts]
    n_same = 0
    for number, (symbol, one) in enumerate(read or random.Random(seed).sample(compounds, N_READ)):
        verdict = verdicts.get((symbol, one.inchikey), "unread")
        n_same += verdict == one.role
        if verdict != one.role:
            places = [f"{place.publication_number} {place.location}" for place in one.patents]
            say(
                f"{number:>3} {symbol} {one.inchikey} {one.role} ({one.role_reason}) "
                f"[reader: {verdict}] {'; '.join(places[:MOST_PLACES])}; {one.smiles}"
            )
    share = n_same / len(read) if read else 0.0
    table.add(
        f"role by rule is the reader's, of {len(read)} of {len(verdicts)} read that are mapped",
        f"{100 * share:.0f} %",
        ">= 90 %",
        "95 %",
        share >= MUST_ROLES and len(read) >= MUST_ROLES * len(verdicts),
    )
