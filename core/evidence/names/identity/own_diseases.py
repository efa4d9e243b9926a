"""The identity pack with the diseases and the words for diseases of the curators' own tables.

They lie before the pack and are read beside it: a row counts at once, and records and questions
read one table. What a row means is a name of the pack or a disease of our own, whose key is
"own:" and its name.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.evidence.names.identity.disease_names import closest, disease_readings, widest
from core.identity_ports import Identity
from core.records.evidence import MentionKind
from core.records.identity import Entity, EntityName, IdentityRow, NameKind
from core.records.names import fold_name
from core.vocabulary.diseases import load_disease_kinds, load_disease_words, load_own_diseases
from core.vocabulary.query_words import take_words

OWN = "own:"


@dataclass
class _Tables:
    """What the tables say, in keys.

    Attributes:
        names: Names of the tables by their folded form.
        of: Names of the tables by key.
        entities: Diseases of our own by key.
        parents: What a disease is a kind of, by the tables.
        children: What is a kind of a disease, by the tables.
        foreign: What is no kind of a disease, although the pack says so.
    """

    names: dict[str, list[EntityName]] = field(default_factory=lambda: defaultdict(list))
    of: dict[str, list[EntityName]] = field(default_factory=lambda: defaultdict(list))
    entities: dict[str, Entity] = field(default_factory=dict)
    parents: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    children: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    foreign: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def own_key(label: str) -> str:
    """Return the key of a disease of our own.

    >>> own_key("solid tumor")
    'own:solid-tumor'
    """
    return OWN + "-".join(re.findall(r"[^\W_]+", label.casefold()))


class OwnDiseases:
    """An identity pack that knows our own diseases, too (core.identity_ports.Identity)."""

    def __init__(self, pack: Identity) -> None:
        """Keep the pack; the tables are read with the first question about a disease.

        Args:
            pack: The identity pack.
        """
        self.pack = pack
        self._made: _Tables | None = None

    @property
    def _own(self) -> _Tables:
        if self._made is None:
            self._made, cuts = _read_tables(self.pack)
            for parent, diseases in cuts.items():
                kinds = {kind for key in diseases for kind in self.descendants("disease", key)}
                self._made.foreign[parent] |= diseases | kinds
        return self._made

    def version(self) -> str:
        """Return what the pack was built from; "" when there is none."""
        return self.pack.version()

    def lookup(
        self, kind: MentionKind, folded: Sequence[str]
    ) -> Mapping[str, Sequence[EntityName]]:
        """Return the entities of folded names; a row of the tables counts before the pack."""
        if kind != "disease":
            return self.pack.lookup(kind, folded)
        names = self._own.names
        missing = [text for text in folded if text not in names]
        names_by_text = dict(self.pack.lookup(kind, missing)) if missing else {}
        return names_by_text | {text: names[text] for text in folded if text in names}

    def entities(self, kind: MentionKind, keys: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities of keys; unknown keys are left out."""
        entities = dict(self.pack.entities(kind, [key for key in keys if not key.startswith(OWN)]))
        if kind == "disease":
            own_entities = self._own.entities
            entities |= {key: own_entities[key] for key in keys if key in own_entities}
        return entities

    def names(self, kind: MentionKind, key: str) -> Sequence[EntityName]:
        """Return the names of an entity, official ones first, those of the tables last."""
        if kind != "disease":
            return self.pack.names(kind, key)
        tables = self._own
        stored_names = [
            name for name in self.pack.names(kind, key) if name.folded not in tables.names
        ]
        return [*stored_names, *tables.of.get(key, ())]

    def all_names(self, kind: NameKind) -> Sequence[EntityName]:
        """Return every name of the pack of a kind, by folded name."""
        return self.pack.all_names(kind)

    def ancestors(self, kind: MentionKind, key: str) -> frozenset[str]:
        """Return every entity that this one is a kind of."""
        ancestors = frozenset() if key.startswith(OWN) else self.pack.ancestors(kind, key)
        if kind != "disease":
            return ancestors
        foreign = self._own.foreign
        reached = self._reached(key, ancestors, self._own.parents, self.pack.ancestors)
        return frozenset(above for above in reached if key not in foreign.get(above, ()))

    def descendants(self, kind: MentionKind, key: str) -> frozenset[str]:
        """Return every entity that is a kind of this one."""
        descendants = frozenset() if key.startswith(OWN) else self.pack.descendants(kind, key)
        if kind != "disease":
            return descendants
        reached = self._reached(key, descendants, self._own.children, self.pack.descendants)
        return reached - self._own.foreign.get(key, set())

    def _reached(
        self,
        key: str,
        keys: frozenset[str],
        steps: Mapping[str, set[str]],
        climb: Callable[[MentionKind, str], frozenset[str]],
    ) -> frozenset[str]:
        """Return what is reached from a key by the tables' steps and by those of the pack."""
        reached, left = set(keys), [key, *keys]
        while left:
            for step in sorted(steps.get(left.pop(), set()) - reached - {key}):
                new = {step} if step.startswith(OWN) else {step, *climb("disease", step)}
                left += new - reached
                reached |= new
        return frozenset(reached)

    def references(self, kind: MentionKind, scheme: str, code: str) -> Sequence[str]:
        """Return the keys that carry a code of another scheme."""
        return self.pack.references(kind, scheme, code)

    def labels_of_codes(
        self, kind: MentionKind, scheme: str, codes: Sequence[str]
    ) -> Mapping[str, str]:
        """Return the entity's label by code; codes that none or several carry are left out."""
        return self.pack.labels_of_codes(kind, scheme, codes)

    def systematic_names(self, key: str) -> Sequence[str]:
        """Return a drug's systematic names, its own before its salts'."""
        return self.pack.systematic_names(key)

    def build(
        self, rows: Iterable[IdentityRow], systematic: Iterable[tuple[str, str]], version: str
    ) -> None:
        """Write a new pack and read the tables anew."""
        self.pack.build(rows, systematic, version)
        self._made = None


def _read_tables(pack: Identity) -> tuple[_Tables, Mapping[str, set[str]]]:
    """Return the tables in keys, and what is no kind of a disease.

    What names nothing that the pack has is left out.
    """
    made = _Tables()
    own_keys: dict[str, str] = {}
    for row in load_own_diseases():
        key = own_key(row.label)
        made.entities[key] = Entity("disease", key, row.label)
        for name in dict.fromkeys((row.label, *row.also)):
            own_keys.setdefault(fold_name(name), key)
            _add(made, name, [own_keys[fold_name(name)]])
    keys = _meant_keys(pack, own_keys)
    for word in load_disease_words():
        known_keys = [keys[fold_name(name)] for name in word.meant if fold_name(name) in keys]
        _add(made, word.said, known_keys)
    links: list[tuple[str, str]] = []
    for row in load_own_diseases():
        key = own_key(row.label)
        steps = [(key, name) for name in row.parents] + [(name, key) for name in row.kinds]
        links += [
            (keys.get(fold_name(low), low), keys.get(fold_name(high), high)) for low, high in steps
        ]
    links += _links("yes", keys)
    for below, above in links:
        if ":" in below and ":" in above and below != above:
            made.parents[below].add(above)
            made.children[above].add(below)
    cuts: dict[str, set[str]] = defaultdict(set)
    for below, above in _links("no", keys):
        cuts[above].add(below)
    return made, cuts


def _links(counts: Literal["yes", "no"], keys: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the keys of diseases with those of what they are kinds of, or are not."""
    return [
        (keys[fold_name(disease)], keys[fold_name(parent)])
        for disease, parents in load_disease_kinds(counts)
        for parent in parents
        if fold_name(disease) in keys and fold_name(parent) in keys
    ]


def _meant_keys(pack: Identity, own_keys: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of all names that the tables mean, folded.

    A name that begins with the state of the patients is looked for without it, where it is none
    as a whole: "metastatic colorectal cancer".
    """
    meant = {name for word in load_disease_words() for name in word.meant}
    meant |= {name for row in load_own_diseases() for name in (*row.parents, *row.kinds)}
    kinds = [*load_disease_kinds("yes"), *load_disease_kinds("no")]
    meant |= {name for disease, parents in kinds for name in (disease, *parents)}
    plain = {name: take_words("population", name)[1] for name in meant}
    unread = {name for pair in plain.items() for name in pair if fold_name(name) not in own_keys}
    keys = {**own_keys, **_keys_of(pack, sorted(unread))}
    for name, shorter in plain.items():
        if fold_name(name) not in keys and fold_name(shorter) in keys:
            keys[fold_name(name)] = keys[fold_name(shorter)]
    return keys


def _add(made: _Tables, spelling: str, keys: Sequence[str]) -> None:
    folded = fold_name(spelling)
    if folded in made.names:
        return  # a name of one of our own counts before a word for it
    for key in dict.fromkeys(keys):
        name = EntityName("disease", folded, key, 1, spelling)
        made.names[folded].append(name)
        made.of[key].append(name)


def _keys_of(pack: Identity, names: Sequence[str]) -> dict[str, str]:
    """Return the one key of each folded name that the pack itself has one for."""
    readings = {name: list(disease_readings(name)) for name in names}
    folded = sorted({fold_name(name) for read in readings.values() for name in read})
    lookup = pack.lookup("disease", folded)
    labels = {
        key: entity.label
        for key, entity in pack.entities(
            "disease", sorted({name.key for names in lookup.values() for name in names})
        ).items()
    }
    keys: dict[str, str] = {}
    for name, read in readings.items():
        stored_names = next(
            (lookup[fold_name(name)] for name in read if fold_name(name) in lookup), ()
        )
        chosen = _choose(name, stored_names, labels, pack)
        if chosen:
            keys[fold_name(name)] = chosen
    return keys


def _choose(
    name: str, stored_names: Sequence[EntityName], labels: Mapping[str, str], pack: Identity
) -> str:
    best = min((stored_name.level for stored_name in stored_names), default=0)
    keys = sorted(
        {
            stored_name.key
            for stored_name in stored_names
            if stored_name.level == best and stored_name.key in labels
        }
    )
    if len(keys) > 1:
        keys = closest(name, {key: labels[key] for key in keys})
        keys = widest(keys, lambda key: pack.ancestors("disease", key))
    return keys[0] if len(keys) == 1 else ""
