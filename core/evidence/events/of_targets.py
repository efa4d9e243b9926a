"""Events of the drugs that act on a target, by what companies and curators say of them."""

from collections.abc import Collection, Sequence
from functools import lru_cache

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import TargetNames, target_names
from core.evidence.readers.target_expressions import read_mechanism
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery
from core.vocabulary.predicates import Predicate

STATING = ("pack", "pipeline")
SEARCHED = 4
"""Names from this level on are synonyms that few records write."""


def drugs_on(
    evidence: EvidenceReader, resolver: Resolver, gene_keys: Sequence[str]
) -> tuple[str, ...]:
    """Return the names of drugs of which it is said that they act on one of the genes."""
    requested_genes, expressions = set(gene_keys), target_names(resolver)
    facts = evidence.facts(FactQuery(sources=STATING, predicates=(Predicate.ACTS_ON,)))
    drugs = {
        fact.fact.subject: None
        for fact in facts
        if requested_genes & _genes(fact.fact.object, expressions)
    }
    names = dict.fromkeys(drugs)
    for match in resolver.resolve_many("drug", drugs).values():
        for pack in resolver.packs if match.key else ():
            known_names = pack.names("drug", match.key)
            names |= {
                known_name.name: None for known_name in known_names if known_name.level < SEARCHED
            }
    return tuple(names)


def genes_of(
    evidence: EvidenceReader, resolver: Resolver, drugs: Collection[str]
) -> frozenset[str]:
    """Return the keys of the genes on which these drugs are said to act."""
    if not drugs:
        return frozenset()
    names, subjects = target_names(resolver), tuple(sorted(drugs))
    query = FactQuery(subjects=subjects, sources=STATING, predicates=(Predicate.ACTS_ON,))
    return frozenset(
        key for fact in evidence.facts(query) for key in _genes(fact.fact.object, names)
    )


@lru_cache(maxsize=20_000)
def _genes(words: str, names: TargetNames) -> frozenset[str]:
    """Return the genes that words for a mechanism name."""
    return frozenset(
        key for expression in read_mechanism(words, names) for key in expression.gene_keys
    )
