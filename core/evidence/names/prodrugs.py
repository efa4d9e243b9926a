"""Which active part counts under its marketed ester: adefovir under adefovir dipivoxil.

Records often name the part that acts where they mean the ester that is given. The part counts
under the ester when it has one known ester only and no product of its own in a register:
cefuroxime, which is injected, stays apart from cefuroxime axetil, and tenofovir, which has two
esters, from both.
"""

from collections.abc import Mapping
from typing import NamedTuple

from core.evidence.names.drug_labels import Naming
from core.evidence_ports import EvidenceReader

_ESTERS_TEXT = """
axetil cilexetil dipivoxil disoproxil alafenamide etexilate etabonate marboxil medoxomil mofetil
pivoxil proxetil soproxil tipivoxil
"""
ESTERS = tuple(_ESTERS_TEXT.split())
OF_PRODUCTS = "ingredient"
REGISTERS = frozenset({"drugsfda", "purplebook"})
"""Where an ingredient is named as it is; labels often name the part that acts."""


class Ester(NamedTuple):
    """A marketed ester."""

    key: str
    name: str


def find_esters(
    names: Mapping[str, str], naming: Naming, evidence: EvidenceReader
) -> dict[str, Ester]:
    """Return the ester under which a drug counts, by the drug's key."""
    resolver = naming.resolver
    stems = {_stem(name) for name in names.values()}
    parts = resolver.resolve_many("drug", sorted(stems))
    spelled = {stem: [f"{stem} {ester}" for ester in ESTERS] for stem in stems if parts[stem].key}
    matches = resolver.resolve_many(
        "drug", [name for labels in spelled.values() for name in labels]
    )
    esters_by_key: dict[str, Ester] = {}
    for stem, labels in spelled.items():
        esters = {
            matches[label].key: matches[label].label for label in labels if matches[label].key
        }
        esters.pop(parts[stem].key, None)
        if len(esters) == 1:
            (ester,) = esters.items()
            esters_by_key[parts[stem].key] = Ester(*ester)
    return {
        key: ester
        for key, ester in esters_by_key.items()
        if not _has_product(key, next(s for s in spelled if parts[s].key == key), naming, evidence)
    }


def _stem(name: str) -> str:
    """Return a name without the word for its ester.

    >>> _stem("adefovir dipivoxil"), _stem("adefovir")
    ('adefovir', 'adefovir')
    """
    first, _, last = name.rpartition(" ")
    return first if first and last.casefold() in ESTERS else name


def _has_product(key: str, name: str, naming: Naming, evidence: EvidenceReader) -> bool:
    """Return whether a register has a product of which a drug is an ingredient."""
    labels = evidence.names_with("drug", [name])
    read = naming.read(labels)
    own_labels = [label for label in labels if [drug.key for drug in read[label]] == [key]]
    mentions = evidence.mentioning("drug", own_labels) if own_labels else {}
    return any(
        mention.relation == OF_PRODUCTS
        for record_id, record_mentions in mentions.items()
        for mention in record_mentions
        if record_id.partition(":")[0] in REGISTERS
    )
