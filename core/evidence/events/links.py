"""What belongs to the drug of an event: targets, kind, uses, and whose it was on a day.

Registers of approvals name no disease: their drug's uses, by labels, other registers and the
curators' tables, stand in for it, and are told as such.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.joined_names import joined_names
from core.evidence.names.companies import company_group
from core.evidence.names.drug_labels import NamedDrug, Naming
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.modalities import find_stem, modality_of_name
from core.evidence.names.target_tables import TargetNames, target_names
from core.evidence.readers.target_expressions import read_mechanism
from core.evidence_ports import EvidenceReader
from core.records.events import LinkedDrug
from core.records.evidence_pack import FactQuery
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate

TARGET_SOURCES = ("pack", "pipeline")
SEARCHED = 4
"""Names from this level on are synonyms that few records write."""


def drugs_on(
    evidence: EvidenceReader, resolver: Resolver, gene_keys: Sequence[str]
) -> tuple[str, ...]:
    """Return the names of drugs of which it is said that they act on one of the genes."""
    requested_genes, expressions = set(gene_keys), target_names(resolver)
    facts = evidence.facts(FactQuery(sources=TARGET_SOURCES, predicates=(Predicate.ACTS_ON,)))
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
    query = FactQuery(subjects=subjects, sources=TARGET_SOURCES, predicates=(Predicate.ACTS_ON,))
    return frozenset(
        key for fact in evidence.facts(query) for key in _genes(fact.fact.object, names)
    )


@lru_cache(maxsize=20_000)
def _genes(words: str, names: TargetNames) -> frozenset[str]:
    """Return the genes that words for a mechanism name."""
    return frozenset(
        key for expression in read_mechanism(words, names) for key in expression.gene_keys
    )


STATING = ("pipeline", "label")
"""Sources that say in words what a drug acts on; the curators' table has it as an expression."""
HOLDING = frozenset({"holder", "licensee"})
WIDE = ("", "worldwide", "United States")
LATE = ("APPROVED", "FILED", "PHASE3", "PHASE2_3", "PHASE2", "PHASE1_2", "PHASE1")
BROAD = ("oncology", "")
"""Uses that name no disease."""


@dataclass(frozen=True, slots=True)
class Use:
    """A disease for which a drug is used or tested.

    Attributes:
        disease: As written.
        stage: How far; "APPROVED" of a label or register.
        record_id: Record that says it.
    """

    disease: str
    stage: str
    record_id: str


@dataclass(frozen=True, slots=True)
class Held:
    """Whose a drug is, from when to when.

    Attributes:
        company: Group of the company.
        from_on: First day, month or year; "" where not known.
        to_on: Last one; "" where it still is.
        record_id: Record that says it.
    """

    company: str
    from_on: str
    to_on: str
    record_id: str

    def was_on(self, day: str) -> bool:
        """Return whether it was the company's on a day, as far as the dates tell."""
        begun = not self.from_on or self.from_on <= day[: len(self.from_on)]
        return begun and (not self.to_on or day[: len(self.to_on)] <= self.to_on)


class DrugLinks:
    """Links drugs that records name with one evidence pack."""

    def __init__(self, evidence: EvidenceReader, resolver: Resolver) -> None:
        """Read what the pack says of drugs as such."""
        self._evidence, self._resolver = evidence, resolver
        self._naming = Naming(resolver, joined_names(evidence, resolver))
        self._targets = target_names(resolver)
        self._curated = known_by_key(resolver)
        self._known: dict[tuple[str, str], LinkedDrug] = {}
        self._stated: Mapping[str, list[tuple[str, str]]] = self._read_stated()

    def drugs(self, names: Iterable[str]) -> Mapping[str, tuple[LinkedDrug, ...]]:
        """Return the drugs that each name stands for; none for what is no drug."""
        read = self._naming.read(names)
        return {
            name: tuple(self._link(drug) for drug in drugs if drug.key)
            for name, drugs in read.items()
        }

    def by_key(self, keys: Iterable[str]) -> Mapping[str, LinkedDrug]:
        """Return the drugs of keys, under the names of their register; combinations in one."""
        parts = {key: key.split(" + ") for key in keys}
        requested = sorted({label for split in parts.values() for label in split})
        entities = self._resolver.identity.entities("drug", requested)
        drugs: dict[str, LinkedDrug] = {}
        for key, split in parts.items():
            linked = [
                self._link(NamedDrug(label, entities[label].label, key))
                for label in split
                if label in entities
            ]
            if len(linked) == len(split):
                drugs[key] = _joined(key, linked)
        return drugs

    def uses(self, names: Mapping[str, Iterable[str]]) -> Mapping[str, tuple[Use, ...]]:
        """Return the uses of drugs, the furthest first."""
        spelled = self._spelled(names)
        query = FactQuery(
            subjects=sorted({name for spellings in spelled.values() for name in spellings}),
            predicates=(Predicate.INDICATED_FOR, Predicate.IN_STAGE),
        )
        uses: dict[str, list[Use]] = defaultdict(list)
        for stored in self._evidence.facts(query) if query.subjects else ():
            fact = stored.fact
            is_stage = fact.predicate == Predicate.IN_STAGE
            stage = fact.object if is_stage else "APPROVED"
            indication = fact.qualifiers.indication if is_stage else fact.object
            if indication.strip() not in BROAD and stage in LATE:
                uses[fold_name(fact.subject)].append(Use(indication.strip(), stage, fact.record_id))
        return {
            key: tuple(
                sorted(
                    {use for name in spellings for use in uses.get(fold_name(name), ())},
                    key=lambda use: (LATE.index(use.stage), use.disease, use.record_id),
                )
            )
            for key, spellings in spelled.items()
        }

    def holders(self, names: Mapping[str, Iterable[str]]) -> Mapping[str, tuple[Held, ...]]:
        """Return whose drugs are by the curators' table of roles."""
        spelled = self._spelled(names)
        subjects = sorted({name for spellings in spelled.values() for name in spellings})
        query = FactQuery(subjects=subjects, predicates=(Predicate.HAS_ROLE,))
        ownerships: dict[str, list[Held]] = defaultdict(list)
        for stored in self._evidence.facts(query) if subjects else ():
            fact = stored.fact
            if (
                fact.unit in HOLDING
                and fact.qualifiers.region.startswith(WIDE[1:] + (" ",))
                or (fact.unit in HOLDING and not fact.qualifiers.region)
            ):
                from_on, _, to_on = fact.qualifiers.time_point.partition(" to")
                ownership = Held(company_group(fact.object), from_on, to_on.strip(), fact.record_id)
                ownerships[fold_name(fact.subject)].append(ownership)
        return {
            key: tuple(
                sorted(
                    {
                        ownership
                        for name in spellings
                        for ownership in ownerships.get(fold_name(name), ())
                    },
                    key=lambda ownership: (ownership.from_on, ownership.company),
                )
            )
            for key, spellings in spelled.items()
        }

    def _spelled(self, names: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
        """Return the names of drugs with those of the curators' table."""
        return {
            key: {*spellings, *(row.drug for row in self._curated.get(key, ()))}
            for key, spellings in names.items()
        }

    def _read_stated(self) -> Mapping[str, list[tuple[str, str]]]:
        """Return the mechanisms in words, with their records, by key of the drug."""
        query = FactQuery(sources=STATING, predicates=(Predicate.ACTS_ON,))
        facts = self._evidence.facts(query)
        read = self._naming.read({stored.fact.subject for stored in facts})
        stated: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for fact in facts:
            for drug in read[fact.fact.subject]:
                if drug.key:
                    stated[drug.key].append((fact.fact.object, fact.fact.record_id))
        return stated

    def _link(self, drug: NamedDrug) -> LinkedDrug:
        entry = drug.key, drug.name
        if entry not in self._known:
            self._known[entry] = self._make(drug)
        return self._known[entry]

    def _make(self, drug: NamedDrug) -> LinkedDrug:
        rows = self._curated.get(drug.key, ())
        targets = {
            target.text: target
            for row in rows
            if (target := self._targets.of_text(row.target)) is not None
        }
        ids = [row.record_id for row in rows if row.record_id]
        is_expert = bool(targets) and not ids
        if not targets:
            for words, record_id in self._stated.get(drug.key, ()):
                for target in read_mechanism(words, self._targets):
                    targets.setdefault(target.text, target)
                    ids.append(record_id)
        stem = find_stem(drug.name)
        if not targets and stem and (stem_target := self._targets.of_text(stem.target)):
            targets[stem_target.text] = stem_target
        kind = next((row.modality for row in rows if row.modality), "")
        return LinkedDrug(
            drug.key,
            rows[0].drug if rows else drug.name,
            tuple(targets[text] for text in sorted(targets)),
            kind or modality_of_name(drug.name),
            is_expert,
            tuple(dict.fromkeys(ids)),
        )


def _joined(key: str, parts: Sequence[LinkedDrug]) -> LinkedDrug:
    """Return several drugs in one product as one."""
    if len(parts) == 1:
        return parts[0]
    targets = {target.text: target for drug in parts for target in drug.targets}
    return LinkedDrug(
        key,
        " + ".join(drug.name for drug in parts),
        tuple(targets[text] for text in sorted(targets)),
        "",
        any(drug.is_expert for drug in parts),
        tuple(dict.fromkeys(record_id for drug in parts for record_id in drug.record_ids)),
    )
