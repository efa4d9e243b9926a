"""What drugs act on and of what kind they are, by the names that records write."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.modalities import find_stem, normalize_modality
from core.evidence.names.target_tables import TargetNames, target_names
from core.evidence.readers.target_expressions import read_mechanism
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate


@dataclass(frozen=True)
class DrugTraits:
    """What drugs act on and of what kind they are, by folded name.

    Attributes:
        targets: Expressions as shown.
        modalities: Words of the modality table.
    """

    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    modalities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the targets and the kinds of some drugs."""
        folded = [fold_name(name) for name in names]
        targets = dict.fromkeys(target for name in folded for target in self.targets.get(name, ()))
        kinds = dict.fromkeys(kind for name in folded for kind in self.modalities.get(name, ()))
        return tuple(targets), tuple(kinds)


def names_of_diseases(keys: Iterable[str], resolver: Resolver) -> list[str]:
    """Return all names of diseases, as records write them."""
    packs = resolver.packs
    names = (name.name for key in keys for pack in packs for name in pack.names("disease", key))
    return list(dict.fromkeys(names))


def read_traits(names: Sequence[str], evidence: EvidenceReader, resolver: Resolver) -> DrugTraits:
    """Return what records and the curators' tables say of drugs: target and kind.

    A code or brand of which nothing is known by itself gets what is known of its drug.
    """
    read = _read_named(names, evidence, resolver)
    untold = [name for name in names if not any(read.of([name]))]
    matches = resolver.resolve_many("drug", untold) if untold else {}
    labels = {
        name: match.label
        for name, match in matches.items()
        if match.key and fold_name(match.label) != fold_name(name)
    }
    if not labels:
        return read
    of_drugs = _read_named(sorted(set(labels.values())), evidence, resolver)
    joined = {fold_name(name): of_drugs.of([label]) for name, label in labels.items()}
    return DrugTraits(
        {**read.targets, **{name: found[0] for name, found in joined.items() if found[0]}},
        {**read.modalities, **{name: found[1] for name, found in joined.items() if found[1]}},
    )


def _read_named(names: Sequence[str], evidence: EvidenceReader, resolver: Resolver) -> DrugTraits:
    """Return target and kind of drugs by the names given alone."""
    targets: dict[str, dict[str, None]] = defaultdict(dict)
    kinds: dict[str, dict[str, None]] = defaultdict(dict)
    known_targets = target_names(resolver)
    query = FactQuery(subjects=names, predicates=(Predicate.ACTS_ON, Predicate.HAS_MODALITY))
    for fact in evidence.facts(query) if names else ():
        folded = fold_name(fact.fact.subject)
        if fact.fact.predicate == Predicate.ACTS_ON:
            targets[folded].update(dict.fromkeys(_targets(fact.fact.object, known_targets)))
        elif normalize_modality(fact.fact.object):
            kinds[folded][normalize_modality(fact.fact.object)] = None
    for name in names:
        stem = find_stem(name)
        if stem and stem.modality:
            kinds[fold_name(name)].setdefault(stem.modality)
        if stem and stem.target and fold_name(name) not in targets:
            targets[fold_name(name)][stem.target] = None
    return DrugTraits(
        {name: tuple(expressions) for name, expressions in targets.items()},
        {name: tuple(words) for name, words in kinds.items()},
    )


def _targets(text: str, names: TargetNames) -> list[str]:
    row = names.of_text(text)
    return [row.text] if row else [expression.text for expression in read_mechanism(text, names)]
