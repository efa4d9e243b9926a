"""Builds the pack of names that the records themselves teach, once after every import."""

from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.joined_names import joined_names
from core.evidence.names.identity.learned import learn_names
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.reading import starter_version
from core.evidence_ports import EvidenceReader
from core.identity_ports import Identity
from core.records.identity import Entity, EntityName, IdentityRow
from core.vocabulary.sources import PATENT_SOURCES


def learn(evidence: EvidenceReader, identity: Identity, learned: Identity) -> bool:
    """Build the pack of learned names when names, records or the starter pack have changed since.

    Args:
        evidence: The pack whose records are read.
        identity: The identity pack.
        learned: The pack to build.

    Returns:
        Whether it was built.
    """
    held = f"{evidence.version(PATENT_SOURCES)} starter {starter_version()}"
    version = f"{identity.version()} records {held}"
    if not identity.version() or learned.version() == version:
        return False
    rows = list(learn_names(evidence, Resolver(identity)))
    learned.build(rows, (), "names without assets")  # assets are read with these names at hand
    rows += _assets(evidence, Resolver(identity, learned))
    learned.build(rows, (), version)
    return True


def _assets(evidence: EvidenceReader, resolver: Resolver) -> list[IdentityRow]:
    """Return what would otherwise be found anew in every run: joined names and curated drugs."""
    rows: list[IdentityRow] = []
    for folded, (key, name) in joined_names(evidence, resolver).items():
        rows += (Entity("asset", key, name), EntityName("asset", folded, key, 4, name))
    for key, drugs in known_by_key(resolver).items():
        for drug in dict.fromkeys(one.drug for one in drugs):
            rows += (Entity("starter", key, drug), EntityName("starter", drug, key, 4, drug))
    return rows
