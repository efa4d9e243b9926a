"""Substances that are one drug though no rule of salts tells it.

The table (`same_drugs.csv`) is the curators' own. It joins a form with the short name of the drug
where that form is the only one given, so that the short name means nothing else: cefamandole is
sold as cefamandole nafate. An ester beside which another form is sold stays a drug of its own.
"""

import csv
from functools import lru_cache
from pathlib import Path

from core.records.names import fold_name

TABLE = Path(__file__).parents[1] / "same_drugs.csv"


@lru_cache(maxsize=1)
def load_same_drugs() -> dict[str, str]:
    """Return the drug under which each form counts, both folded."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        return {fold_name(row["said"]): fold_name(row["under"]) for row in csv.DictReader(text)}
