"""The starter pack's table of drugs: what they act on, for drugs whose records do not say.

Every row is somebody's own knowledge, unverified and without identifiers; a stage never rests
on it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.evidence.assets.naming import Naming
from core.evidence.identity.resolver import Resolver
from core.evidence.starter.reading import load_rows
from core.records.names import fold_name


@dataclass(frozen=True, slots=True)
class KnownDrug:
    """A row of the table.

    Attributes:
        drug: Non-proprietary name or code.
        target: Expression, such as "PD-1 x VEGF"; "" where the drug has none of its own.
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
    return tuple(
        KnownDrug(row["drug"], row["target"], row["mechanism"], row["modality"], row["originator"])
        for row in load_rows("drugs")
    )


def known_names() -> tuple[tuple[str, str], ...]:
    """Return each drug and another name that the starter pack gives to it."""
    return tuple((row["drug"], row["name"]) for row in load_rows("drug_names"))


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
