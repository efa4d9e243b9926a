"""Substances that registers list and trials name, but that are nobody's drug."""

import csv
from functools import lru_cache
from pathlib import Path

from core.records.names import fold_name

TABLE = Path(__file__).parents[1] / "no_assets.csv"


@lru_cache(maxsize=1)
def _load() -> dict[str, str]:
    """Return the reasons by folded name."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        return {fold_name(row["name"]): row["reason"] for row in csv.DictReader(text)}


def why_no_asset(name: str) -> str:
    """Return why a substance is no drug of anybody; "" for a drug.

    >>> why_no_asset("pembrolizumab")
    ''
    """
    return _load().get(fold_name(name), "")
