"""Names that regulators' records give to drugs and that the identity pack lacks.

A brand counts only where every record that has it names one single substance; a brand of two
products stays unresolved.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from core.evidence.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.identity_ports import Identity
from core.records.identity import Entity, EntityName, IdentityRow
from core.records.names import fold_name

REGULATORS = ("purplebook", "drugsfda", "label", "pmda")


def learn_names(
    evidence: EvidenceReader, resolver: Resolver, sources: Iterable[str] = REGULATORS
) -> Iterator[IdentityRow]:
    """Yield names with the one drug that they stand for.

    Args:
        evidence: The pack whose records are read.
        resolver: Resolves their ingredients, without learned names.
        sources: Sources to learn from.
    """
    drugs: dict[str, set[str]] = defaultdict(set)
    spelled: dict[str, str] = {}
    for ingredient, name in evidence.aliases(tuple(sources)):
        if resolver.resolve_drug(name).status != "unresolved":
            continue
        keys = [match.key for match in resolver.resolve_combination(ingredient)]
        folded = fold_name(name)
        drugs[folded].add(keys[0] if len(keys) == 1 and keys[0] else "")
        spelled.setdefault(folded, name)
    for folded, found in sorted(drugs.items()):
        key, *others = sorted(found)
        if key and not others and len(folded) > 3:
            yield Entity("drug", key, spelled[folded])
            yield EntityName("drug", folded, key, 2, spelled[folded])


def learn(evidence: EvidenceReader, identity: Identity, learned: Identity) -> bool:
    """Build the pack of learned names when names or records have changed since."""
    version = f"{identity.version()} generation-{evidence.info().generation}"
    if not identity.version() or learned.version() == version:
        return False
    learned.build(learn_names(evidence, Resolver(identity)), (), version)
    return True
