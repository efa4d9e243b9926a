"""From what somebody typed, or an identifier in an address, to the thing that has a page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from core.briefs.portfolio.companies import find_company
from core.evidence.assets.joined_names import joined_names
from core.evidence.names.companies import is_known, sharing_name
from core.evidence.names.drug_labels import NamedDrug, Naming
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import rows_by_alias, split_glued, target_names
from core.evidence_ports import EvidenceReader
from core.records.entities import Entity, EntityKind, Identified
from core.records.evidence import MentionKind
from core.records.identity import Match
from core.records.names import fold_name
from core.records.programs import TargetExpression

MOST_NEAREST = 5
MOST_CHOICES = 8


@dataclass(frozen=True)
class Library:
    """What pages about things read from.

    Attributes:
        evidence: The records.
        resolver: Knows names.
        as_of: Day of which everything is told.
    """

    evidence: EvidenceReader
    resolver: Resolver
    as_of: date

    def naming(self) -> Naming:
        """Return what reads names of drugs as the evidence writes them."""
        return Naming(self.resolver, joined_names(self.evidence, self.resolver))


def identify(kind: EntityKind, text: str, library: Library) -> Identified:
    """Return what an identifier or a name stands for.

    Args:
        kind: What sort of thing is meant.
        text: Identifier as in an address, or any name: brand, code, ticker, former name, symbol.
        library: Evidence and names.

    Returns:
        The thing; or the things that it may be; or the nearest names, where it is none of them.
    """
    answer = {
        "drug": _identify_drug,
        "company": _identify_company,
        "target": _identify_target,
        "disease": _identify_disease,
    }[kind](text.strip(), library)
    if answer.entity is None and not answer.choices:
        nearest_names = library.evidence.nearest_names(kind, text, MOST_NEAREST)
        return Identified(nearest=tuple(name for name, _ in nearest_names))
    return answer


def _identify_drug(text: str, library: Library) -> Identified:
    if text.startswith("UNII:"):
        return _labeled("drug", [text], library)
    if text.startswith("name:"):
        named = library.naming().read([text.removeprefix("name:")])
        drugs = [drug for drugs in named.values() for drug in drugs if drug.key]
        return _one_of(_entity_of(drug) for drug in drugs)
    if not text:
        return Identified()
    match = library.resolver.resolve_drug(text)
    if match.status == "ambiguous":
        return _labeled("drug", match.candidates, library)
    drugs = [drug for drug in library.naming().read([text])[text] if drug.key]
    is_held = match.key or any(
        fold_name(text) in fold_name(label) for label in library.evidence.names_with("drug", [text])
    )
    return _one_of(_entity_of(drug) for drug in drugs) if is_held else Identified()


def _identify_company(text: str, library: Library) -> Identified:
    sharing = () if is_known(text) else sharing_name(text)
    if len(sharing) > 1:
        return Identified(choices=tuple(Entity("company", name, name) for name in sharing))
    company = find_company(text, (), library.evidence, library.resolver) if text else None
    if company is None or not company.groups:
        return Identified()
    return Identified(Entity("company", company.name, company.name))


def _identify_target(text: str, library: Library) -> Identified:
    target = find_target(text, library.resolver)
    return Identified(Entity("target", target.text, target.text) if target else None)


def _identify_disease(text: str, library: Library) -> Identified:
    if ":" in text and " " not in text:
        return _labeled("disease", [text], library)
    match: Match = library.resolver.resolve("disease", text)
    keys = [match.key] if match.key else match.candidates
    return _labeled("disease", keys, library)


def find_target(text: str, resolver: Resolver) -> TargetExpression | None:
    """Return the expression that a text stands for: as pages show it, an alias, or a gene's symbol.

    >>> # find_target("programmed death 1", resolver).text == "PD-1"
    """
    names = target_names(resolver)
    target = names.of_text(text)
    if target is not None:
        return target
    folded = fold_name(split_glued(text))
    if row := rows_by_alias().get(folded):
        return names.of_row(row)
    match = resolver.resolve("target", text)
    if not match.key:
        return names.by_symbol().get(folded)
    symbol = next(
        (name.name for name in resolver.identity.names("target", match.key) if name.level == 1),
        text,
    )
    return names.of_gene(match.key, symbol)


def _entity_of(drug: NamedDrug) -> Entity:
    return Entity("drug", drug.key, drug.name)


def _labeled(kind: MentionKind, keys: Sequence[str], library: Library) -> Identified:
    """Return the things of some keys under their labels; unknown keys fall away."""
    entities = library.resolver.identity.entities(kind, keys)
    return _one_of(Entity(kind, key, entities[key].label) for key in keys if key in entities)


def _one_of(entities: Iterable[Entity]) -> Identified:
    """Return the only thing there is, or all of them as a choice."""
    distinct = list({entity.id: entity for entity in entities}.values())
    if len(distinct) == 1:
        return Identified(distinct[0])
    return Identified(choices=tuple(distinct[:MOST_CHOICES]))
