"""Every name that somebody may type, with the one thing that it stands for."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.briefs.entities.identifying import Library
from core.evidence.assets.gather import show_name
from core.evidence.names.companies import company_group, group_of_key
from core.evidence.names.identity.vocabularies import PRIMARY_TICKER
from core.evidence.names.target_tables import target_names
from core.records.entities import Entity, EntityKind
from core.records.names import fold_name
from core.vocabulary.companies import load_companies
from core.vocabulary.targets import load_targets

SHORTEST = 2
MOST_KEYS = 3_000
"""Names that begin with what was typed that are looked at."""
MOST_OF_KIND = 4
"""Things of one kind that come before things of another kind are cut off."""
LONGEST_NAME = 60
BRAND_OR_CODE = 3
"""Names of the dictionary up to this level are offered: official names, brands, codes."""
_WORD = re.compile(r"[\s\-/(),]+")


class Suggestion(NamedTuple):
    """A thing that may be meant.

    Attributes:
        entity: The thing.
        said: The name that matches what was typed, where it is another one than the thing's own.
        n_records: Records that name it.
    """

    entity: Entity
    said: str
    n_records: int


class _Key(NamedTuple):
    """A beginning under which a name is found."""

    folded: str
    entry: int
    name: str
    is_whole: bool


@dataclass(frozen=True)
class EntityIndex:
    """Names in the order of their folded form, so that beginnings are found by bisection.

    Attributes:
        entities: The things, each with the number of its records.
        keys: Whole names, and names from each of their words on, sorted.
    """

    entities: tuple[tuple[Entity, int], ...]
    keys: tuple[_Key, ...]

    def find(self, text: str, most: int) -> list[Suggestion]:
        """Return the things of which a name begins with a text, or has a word that does.

        Returns:
            One suggestion per thing: whole matches first, then beginnings of names, then words
            inside names, each by number of records.
        """
        folded = fold_name(text)
        if len(folded) < SHORTEST:
            return []
        best: dict[int, tuple[int, int, str]] = {}
        start = bisect_left(self.keys, (folded,))
        for key in self.keys[start : start + MOST_KEYS]:
            if not key.folded.startswith(folded):
                break
            is_own = key.name == self.entities[key.entry][0].name
            rank = 0 if key.is_whole and key.folded == folded else 3 - is_own - key.is_whole
            rank_key = (rank, -self.entities[key.entry][1], key.name)
            best[key.entry] = min(rank_key, best.get(key.entry, rank_key))
        ordered = sorted(best.items(), key=lambda pair: (*pair[1], pair[0]))
        ranked = [self._suggest(entry, name) for entry, (_, _, name) in ordered]
        seen: Counter[str] = Counter()
        first: list[Suggestion] = []
        later: list[Suggestion] = []
        for suggestion in ranked:
            seen[suggestion.entity.kind] += 1
            is_first = seen[suggestion.entity.kind] <= MOST_OF_KIND
            (first if is_first else later).append(suggestion)
        chosen = {*[*first, *later][:most]}
        return [suggestion for suggestion in ranked if suggestion in chosen]

    def _suggest(self, entry: int, text: str) -> Suggestion:
        entity, n_records = self.entities[entry]
        is_own = fold_name(text) == fold_name(entity.name)
        return Suggestion(entity, "" if is_own else text, n_records)


def build_index(library: Library) -> EntityIndex:
    """Return the index of every drug, company, target and disease of the evidence."""
    counts: Counter[Entity] = Counter()
    names: dict[Entity, set[str]] = {}
    for entity, name, number in _named(library):
        counts[entity] += number
        names.setdefault(entity, {entity.name}).add(name)
    ordered = sorted(counts, key=lambda count: (count.kind, count.id))
    keys = [
        key
        for index, entity in enumerate(ordered)
        for name in names[entity]
        for key in _keys_of(name, index)
    ]
    return EntityIndex(
        tuple((entity, counts[entity]) for entity in ordered), tuple(sorted(set(keys)))
    )


def _keys_of(name: str, entry: int) -> Iterator[_Key]:
    yield _Key(fold_name(name), entry, name, is_whole=True)
    for match in _WORD.finditer(name):
        folded = fold_name(name[match.end() :])
        if len(folded) > SHORTEST:
            yield _Key(folded, entry, name, is_whole=False)


def _named(library: Library) -> Iterator[tuple[Entity, str, int]]:
    """Yield each name with the thing that it stands for and the number of its records."""
    yield from _drugs(library)
    yield from _companies(library)
    yield from _diseases(library)
    expressions = target_names(library.resolver)
    for row in load_targets():
        target = expressions.of_row(row)
        for alias in (row.expression, *row.aliases, *row.genes):
            yield Entity("target", target.text, target.text), alias, 1


def _drugs(library: Library) -> Iterator[tuple[Entity, str, int]]:
    labels = {
        name: number
        for _, name, number in library.evidence.names("drug")
        if len(name) <= LONGEST_NAME
    }
    seen: set[str] = set()
    for label, drugs in library.naming().read(labels).items():
        if len(drugs) != 1 or not drugs[0].key:
            continue
        drug = Entity("drug", drugs[0].key, show_name(drugs[0].name))
        yield drug, label, labels[label]
        if drug.id in seen:
            continue
        seen.add(drug.id)
        for pack in library.resolver.packs:
            for spelling in pack.names("drug", drug.id) if drug.id.startswith("UNII:") else ():
                if spelling.level <= BRAND_OR_CODE and len(spelling.name) <= LONGEST_NAME:
                    yield drug, spelling.name, 0


def _companies(library: Library) -> Iterator[tuple[Entity, str, int]]:
    entities: dict[str, Entity] = {}
    tabled = {fold_name(row.group): row.group for row in load_companies()}
    for _, name, number in library.evidence.names("company"):
        group = company_group(name)
        key = fold_name(group)
        shown = tabled.get(key, group)
        yield entities.setdefault(key, Entity("company", shown, shown)), name, number
    for row in load_companies():
        if company := entities.get(fold_name(row.group)):
            yield company, row.name, 0
    yield from _tickers(entities, library)


def _tickers(entities: Mapping[str, Entity], library: Library) -> Iterator[tuple[Entity, str, int]]:
    """Yield the primary tickers of companies that the evidence names."""
    for name in library.resolver.identity.all_names("company"):
        if name.level == PRIMARY_TICKER:
            group = group_of_key({name.key}, library.resolver)
            if company := entities.get(fold_name(group)):
                yield company, name.name, 0


def _diseases(library: Library) -> Iterator[tuple[Entity, str, int]]:
    kind: EntityKind = "disease"
    labels = {name: number for _, name, number in library.evidence.names(kind)}
    seen: set[str] = set()
    for label, match in library.resolver.resolve_many(kind, labels).items():
        if not match.key:
            continue
        disease = Entity(kind, match.key, match.label)
        yield disease, label, labels[label]
        if match.key not in seen:
            seen.add(match.key)
            for spelling in library.resolver.identity.names(kind, match.key):
                if spelling.level <= BRAND_OR_CODE and len(spelling.name) <= LONGEST_NAME:
                    yield disease, spelling.name, 0
