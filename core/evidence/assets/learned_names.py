"""Builds the pack of names that the records themselves teach, once after every import."""

from collections.abc import Iterator

from core.code_digest import READING, code_digest
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.joined_names import joined_names
from core.evidence.names.identity.learned import learn_names
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import Diseases
from core.evidence.sources.pack.reading import starter_version
from core.evidence_ports import EvidenceReader
from core.identity_ports import Identity
from core.records.identity import Entity, EntityName, IdentityRow
from core.vocabulary.sources import PATENT_SOURCES


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
