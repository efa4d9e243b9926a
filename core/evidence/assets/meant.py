"""Drugs that a question means without naming a target: by key, by disease, or by words.

A disease has more drugs than can be weighed in a moment: those with most records in it are taken,
the others are named as left out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from core.evidence.assets.naming import NamedDrug, Naming
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention
from core.records.evidence_pack import TextQuery
from core.records.names import fold_name
from core.records.programs import AssetQuery, ExcludedAsset

MOST_DRUGS = 60
MOST_KINDS = 400
MOST_RECORDS = 4_000
MOST_WORD_RECORDS = 200
_TESTED = frozenset({"investigational", ""})


def find_meant(
    query: AssetQuery, evidence: EvidenceReader, naming: Naming
) -> tuple[dict[str, NamedDrug], list[ExcludedAsset]]:
    """Return the drugs meant by key, and those of the disease that are not taken.

    Args:
        query: A question without targets.
        evidence: The pack.
        naming: Reads labels.
    """
    if query.drug_keys:
        labels = naming.resolver.identity.entities("drug", query.drug_keys)
        named = {key: one.label for key, one in labels.items()}
        named |= {key: key.partition(":")[2] for key in query.drug_keys if key not in named}
        return {key: NamedDrug(key, name, name) for key, name in named.items()}, []
    if query.disease_keys:
        found = evidence.mentioning("disease", _disease_names(query.disease_keys, naming))
        ids = sorted(found)[-MOST_RECORDS:]
    elif query.words:
        asked = TextQuery([[word] for word in query.words], limit=MOST_WORD_RECORDS)
        ids = [hit.record_id for hit in evidence.search(asked)]
    else:
        return {}, []
    kept = [one for one in ids if not query.sources or one.partition(":")[0] in query.sources]
    return _most_told(evidence.mentions(kept), naming)


def _disease_names(keys: Iterable[str], naming: Naming) -> list[str]:
    """Return the folded names of diseases."""
    names: dict[str, None] = {}
    for key in sorted(keys)[:MOST_KINDS]:
        for one in naming.resolver.identity.names("disease", key):
            if len(one.folded) > 3:
                names.setdefault(fold_name(one.name))
    return list(names)


def _most_told(
    mentions: Mapping[str, Sequence[Mention]], naming: Naming
) -> tuple[dict[str, NamedDrug], list[ExcludedAsset]]:
    """Return the drugs that most records test or sell, and the others."""
    labels: Counter[str] = Counter()
    for said in mentions.values():
        labels.update({one.name for one in said if one.kind == "drug" and one.role in _TESTED})
    read = naming.read(labels)
    drugs: dict[str, NamedDrug] = {}
    counts: Counter[str] = Counter()
    for label, number in labels.items():
        for drug in read[label]:
            if drug.key:
                drugs.setdefault(drug.key, drug)
                counts[drug.key] += number
    ordered = sorted(counts, key=lambda key: (-counts[key], key))
    reason = f"fewer records in what was asked for than the {MOST_DRUGS} drugs taken"
    left = [ExcludedAsset(drugs[key].name, reason) for key in ordered[MOST_DRUGS:]]
    return {key: drugs[key] for key in ordered[:MOST_DRUGS]}, left
