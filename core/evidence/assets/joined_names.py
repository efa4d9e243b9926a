"""Names that records teach: codes beside a drug, assets that no register knows."""

import re
from collections.abc import Iterator, Mapping, Sequence

from core.code_digest import READING, code_digest
from core.evidence.assets.curators_drugs import (
    kept_names,
    known_by_key,
    known_names,
    naming_of_known,
)
from core.evidence.names.drug_labels import UNKNOWN, NamedDrug
from core.evidence.names.identity.learned import learn_names
from core.evidence.names.identity.resolver import WEAKLY, Resolver
from core.evidence.readers.diseases import Diseases
from core.evidence.sources.pack.reading import starter_version
from core.evidence_ports import EvidenceReader
from core.identity_ports import Identity
from core.records.evidence_pack import FactQuery
from core.records.identity import Entity, EntityName, IdentityRow
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate
from core.vocabulary.sources import DISCLOSED, PATENT_SOURCES

Joined = Mapping[str, tuple[str, str]]
_NO_ASSET = re.compile(
    r"\bplatform\b|\b(?:biosciences|therapeutics|pharmaceuticals?|pharma)$", re.IGNORECASE
)
"""A partner or a trial that a pipeline lists in the place of a drug."""


def joined_names(evidence: EvidenceReader, resolver: Resolver) -> Mapping[str, tuple[str, str]]:
    """Return key and name by folded name, for what companies say of their own assets.

    A code that a company puts beside a known drug is that drug; an asset of a pipeline that no
    register knows counts under its own name, as does one that is only some abbreviation there.
    """
    stored_names = kept_names("asset", resolver, evidence.version(PATENT_SOURCES))
    if stored_names is not None:
        return {name.folded: (name.key, name.name) for name in stored_names}
    pairs = [*evidence.aliases(DISCLOSED), *known_names()]
    curated = {*known_names(), *((drug, drug) for drug, _ in known_names())}
    plain = naming_of_known(resolver)
    stated = evidence.facts(FactQuery(sources=DISCLOSED, predicates=(Predicate.DEVELOPED_BY,)))
    assets = {stored.fact.subject for stored in stated}
    read = plain.read({name for pair in pairs for name in pair} | assets)
    matches = resolver.resolve_many("drug", assets)
    companies = resolver.resolve_many("company", assets)
    groups: dict[str, list[str]] = {}
    for asset, name in pairs:
        groups.setdefault(asset, [asset]).append(name)
    own_names = {
        key.removeprefix("name:"): (key, rows[0].drug)
        for key, rows in known_by_key(resolver).items()
        if key.startswith("name:")
    }
    joined = own_names | {
        fold_name(name): (f"name:{fold_name(name)}", name)
        for name in sorted(assets)
        if not _NO_ASSET.search(name) and not companies[name].key
        if [drug.reason for drug in read[name]] == [UNKNOWN] or matches[name].how == WEAKLY
    }
    for asset, names in groups.items():
        best = _best(names, read, joined, own_names)
        for spelling in names if best else ():
            keys = {drug.key for drug in read[spelling]}
            is_told = keys == {""} and (asset, spelling) in curated
            for key in {f"name:{fold_name(spelling)}"} if is_told else keys:
                if best and key.startswith("name:") and key != best.key:
                    joined[key.removeprefix("name:")] = (best.key, best.name)
    return {folded: _follow(entry, joined) for folded, entry in joined.items()}


def _best(
    names: Sequence[str],
    read: Mapping[str, Sequence[NamedDrug]],
    joined: Joined,
    own_names: Joined,
) -> NamedDrug | None:
    """Return the drug under which all names of an asset count; None where they name several.

    What nothing else knows counts under the name that the starter pack has, else its own.
    """
    asset = names[0]
    labels = names[1:] if len(read[asset]) > 1 and fold_name(asset) in own_names else names
    drugs = {drug.key: drug for label in labels for drug in read[label] if drug.key}
    known_drugs = [drug for key, drug in drugs.items() if key.startswith("UNII:")]
    if len(known_drugs) > 1:
        return None
    joined_entries = [joined[folded] for name in names if (folded := fold_name(name)) in joined]
    if not known_drugs and joined_entries:
        return NamedDrug(
            *next(
                (
                    entry
                    for entry in joined_entries
                    if own_names.get(entry[0].removeprefix("name:")) == entry
                ),
                joined_entries[0],
            ),
            asset,
        )
    return known_drugs[0] if known_drugs else next(iter(drugs.values()), None)


def _follow(entry: tuple[str, str], joined: Joined) -> tuple[str, str]:
    """Return what a name counts under in the end: code, name and drug may be joined in a row."""
    seen = {entry[0]}
    while (further := joined.get(entry[0].removeprefix("name:"))) and further[0] not in seen:
        entry = further
        seen.add(entry[0])
    return entry


def learn(evidence: EvidenceReader, identity: Identity, learned: Identity) -> bool:
    """Build the pack of learned names when names, records or the starter pack have changed since.

    Returns:
        Whether it was built.
    """
    if is_learned(evidence, identity, learned):
        return False
    rows = list(learn_names(evidence, Resolver(identity)))
    learned.build(rows, (), "names without assets")  # assets are read with these names at hand
    rows += _assets(evidence, Resolver(identity, learned))
    rows += _conditions(evidence, Resolver(identity))
    learned.build(rows, (), _version(evidence, identity))
    return True


def is_learned(evidence: EvidenceReader, identity: Identity, learned: Identity) -> bool:
    """Return whether learned names are up to date, or cannot be made without other names."""
    return not identity.version() or learned.version() == _version(evidence, identity)


def _version(evidence: EvidenceReader, identity: Identity) -> str:
    """Return what learned names are made of: names, code, records and starter pack."""
    version = f"{evidence.version(PATENT_SOURCES)} starter {starter_version()}"
    code = code_digest(*READING, "evidence/assets")
    return f"{identity.version()} code {code} records {version}"


def _assets(evidence: EvidenceReader, resolver: Resolver) -> list[IdentityRow]:
    """Return what would otherwise be found anew in every run: joined names and curated drugs."""
    rows: list[IdentityRow] = []
    for folded, (key, name) in joined_names(evidence, resolver).items():
        rows += (Entity("asset", key, name), EntityName("asset", folded, key, 4, name))
    for key, drugs in known_by_key(resolver).items():
        for drug in dict.fromkeys(drug.drug for drug in drugs):
            rows += (Entity("starter", key, drug), EntityName("starter", drug, key, 4, drug))
    return rows


def _conditions(evidence: EvidenceReader, resolver: Resolver) -> Iterator[IdentityRow]:
    """Yield the conditions of records that are read as a disease without being a name of it.

    A question finds them by the disease, as their programs count.
    """
    diseases = Diseases(resolver)
    written = [(folded, name) for folded, name, _ in evidence.names("disease")]
    diseases.read_ahead(name for _, name in written)
    for folded, name in written:
        for disease in diseases.of_conditions([name]):
            if disease.key:
                yield Entity("disease", disease.key, disease.name)
                yield EntityName("disease", folded, disease.key, 4, name)
