"""The curators' table of important drugs: what they act on, for drugs whose records do not say.

Every row is somebody's own knowledge, unverified and without identifiers; a stage never rests
on it.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.evidence.assets.naming import Naming
from core.evidence.identity.resolver import Resolver
from core.records.names import fold_name

TABLE = Path(__file__).parents[1] / "drug_targets.csv"


@dataclass(frozen=True, slots=True)
class KnownDrug:
    """A row of the table.

    Attributes:
        drug: Non-proprietary name or code.
        target: Expression, such as "PD-1 x VEGF".
        mechanism: In plain words.
        modality: Word of the modality table; "" where the name tells it.
        originator: Company that made it; "" if left open.
    """

    drug: str
    target: str
    mechanism: str
    modality: str
    originator: str


@lru_cache(maxsize=1)
def load_drugs() -> tuple[KnownDrug, ...]:
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        return tuple(
            KnownDrug(
                row["drug"],
                row["target"],
                row["mechanism"],
                row["modality"],
                row["originator"],
            )
            for row in csv.DictReader(text)
        )


@lru_cache(maxsize=4)
def known_by_key(resolver: Resolver) -> Mapping[str, tuple[KnownDrug, ...]]:
    """Return the rows by key of their drug, all looked up at once."""
    rows = load_drugs()
    drugs = Naming(resolver, {}).read(row.drug for row in rows)
    found: dict[str, tuple[KnownDrug, ...]] = {}
    for row in rows:
        named = [drug for drug in drugs[row.drug] if drug.key]
        key = named[0].key if len(named) == 1 else f"name:{fold_name(row.drug)}"
        found[key] = (*found.get(key, ()), row)
    return found
