"""Names that a list of substances gives to another drug than the one meant.

The table (`false_names.csv`) is the curators' own: a name and the drug that it is not.
"""

import csv
from functools import lru_cache
from pathlib import Path

from core.records.names import fold_name

TABLE = Path(__file__).parents[1] / "false_names.csv"


@lru_cache(maxsize=1)
def load_false_names() -> frozenset[tuple[str, str]]:
    """Return name and drug, both folded, that are never joined."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        return frozenset(
            (fold_name(row["said"]), fold_name(row["not"])) for row in csv.DictReader(text)
        )
