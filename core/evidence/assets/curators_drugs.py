"""The starter pack's table of drugs: what they act on, for drugs whose records do not say.

A row is somebody's own knowledge, unverified and without identifiers, or what somebody read at the
address that it names; a stage never rests on it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.evidence.names.drug_labels import NamedDrug, Naming
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.own_records import published_id
from core.evidence.sources.pack.reading import load_rows, starter_version
from core.evidence.sources.pack.schema import is_published
from core.records.identity import EntityName, NameKind
from core.records.names import fold_name
from core.records.programs import Statement

CURATORS_TABLE = "curators' table"
"""Rule of what a row of the table states."""


@dataclass(frozen=True, slots=True)
class KnownDrug:
    """A row of the table.

    Attributes:
        drug: Non-proprietary name or code.
        target: Expression, such as "PD-1 x VEGF"; "" where the drug has none of its own.
        mechanism: In plain words.
        modality: Word of the modality table; "" where the name tells it.
        originator: Company that made it; "" if left open.
        record_id: Record of the address at which it was read; "" where somebody knows it.
    """

    drug: str
    target: str
    mechanism: str
    modality: str
    originator: str
    record_id: str = ""

    def state(self, text: str) -> Statement:
        """Return a word of the row with what it rests on."""
        ids = (self.record_id,) if self.record_id else ()
        return Statement(text, ids, (), CURATORS_TABLE, is_expert=not ids)


@lru_cache(maxsize=1)
def load_drugs() -> tuple[KnownDrug, ...]:
    """Return the rows of the table."""
    return tuple(
        KnownDrug(
            row["drug"],
            row["target"],
            row["mechanism"],
            row["modality"],
            row["originator"],
            published_id(row["drug"], row["source_url"]) if is_published(row) else "",
        )
        for row in load_rows("drugs")
    )


@lru_cache(maxsize=1)
def mechanisms_by_drug() -> Mapping[str, frozenset[str]]:
    """Return the mechanisms that the rows state of each drug, by its name in small letters."""
    stated: dict[str, set[str]] = defaultdict(set)
    for row in load_drugs():
        stated[row.drug.casefold()].add(row.mechanism)
    return {drug: frozenset(mechanisms) for drug, mechanisms in stated.items()}


def known_names() -> tuple[tuple[str, str], ...]:
    """Return each drug and another name that the starter pack gives to it."""
    return tuple((row["drug"], row["name"]) for row in load_rows("drug_names"))


@lru_cache(maxsize=4)
def naming_of_known(resolver: Resolver) -> Naming:
    """Return a reader of labels that has read the names of the starter pack already."""
    naming = Naming(resolver, {})
    naming.read(name for pair in known_names() for name in pair)
    naming.read(row.drug for row in load_drugs())
    return naming


@lru_cache(maxsize=4)
def known_by_key(resolver: Resolver) -> Mapping[str, tuple[KnownDrug, ...]]:
    """Return the rows by key of their drug, all looked up at once.

    A drug that nothing knows by the name of its row counts under its other names.
    """
    rows = load_drugs()
    names = kept_names("starter", resolver)
    if names is not None:
        keys = {name.name: name.key for name in names}
        return _by_key(rows, keys)
    others: dict[str, list[str]] = {row.drug: [] for row in rows}
    for drug, name in known_names():
        others.get(drug, []).append(name)
    read = naming_of_known(resolver).read(
        [*others, *(name for aliases in others.values() for name in aliases)]
    )
    return _by_key(rows, {drug: _key_of(drug, aliases, read) for drug, aliases in others.items()})


def display_name(key: str, name: str, resolver: Resolver) -> str:
    """Return a drug's name for display: as the table writes it, else as its register does.

    Registers write "AZD-8186" and "antihemophilic factor, human recombinant" where the field says
    AZD8186 and octocog alfa.
    """
    rows = known_by_key(resolver).get(key, ())
    return rows[0].drug if rows else name


def _key_of(drug: str, others: Sequence[str], read: Mapping[str, Sequence[NamedDrug]]) -> str:
    """Return the key of a drug: what its name stands for, else what its other names do."""
    own_keys = [drug.key for drug in read[drug] if drug.key]
    keys = {drug.key for name in others for drug in read[name] if drug.key.startswith("UNII:")}
    if len(own_keys) == 1 and (own_keys[0].startswith("UNII:") or len(keys) != 1):
        return own_keys[0]
    return keys.pop() if len(own_keys) < 2 and len(keys) == 1 else f"name:{fold_name(drug)}"


def _by_key(
    rows: Sequence[KnownDrug], keys: Mapping[str, str]
) -> Mapping[str, tuple[KnownDrug, ...]]:
    drugs: dict[str, tuple[KnownDrug, ...]] = {}
    for row in rows:
        key = keys[row.drug]
        drugs[key] = (*drugs.get(key, ()), row)
    return drugs


def kept_names(
    kind: NameKind, resolver: Resolver, records: str = ""
) -> Sequence[EntityName] | None:
    """Return the names of a kind as they were found after the last import; None if none are kept.

    Args:
        kind: Which names.
        resolver: Its learned names may hold them.
        records: Version of the records that they must have been found for; "" for any.
    """
    learned = resolver.packs[-1]
    mark = f"{records} starter {starter_version()}"
    return learned.all_names(kind) if learned.version().endswith(mark) else None
