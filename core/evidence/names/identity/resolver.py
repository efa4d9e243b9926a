"""Names to entities: exact on some reading of the name, never by similarity.

Several entities for one name are "ambiguous": they are shown as candidates and joined with
nothing. "Unresolved" is an answer.

What a resolver and the readers built on it remember makes a second question fast; none of it may
outlive a change of the packs.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from core.evidence.names.identity.drug_names import (
    AS_WRITTEN,
    BRAND_ALONE,
    is_no_drug,
    readings,
    split_combination,
)
from core.evidence.names.identity.own_diseases import OwnDiseases, closest, disease_readings, widest
from core.identity_ports import Identity
from core.records.evidence import MentionKind
from core.records.identity import UNRESOLVED, Entity, EntityName, Match
from core.records.names import fold_name
from core.vocabulary.drugs import load_false_names, why_no_asset

SHORTEST = 3
"""A folded drug name of fewer signs stands for too many things."""
WEAK_LENGTH = 4
WEAK_LEVEL = 4
"""So short a name that is neither official, brand nor code gives way to what regulators say."""

PROTEIN = "gene with protein product"
"""Of several genes with one alias, the only one that makes a protein is what a drug acts on."""
BRAND_LEVEL = 2
WEAKLY = "abbreviation"
MOST_KNOWN = 200_000
"""Names whose answers are kept."""


class _Try(NamedTuple):
    """One reading of a name."""

    said: str
    folded: str
    how: str


class _Found(NamedTuple):
    """The names of a pack that answer to one reading."""

    names: Sequence[EntityName]
    how: str
    said: str


class Resolver:
    """Resolves names with the identity pack of the instance."""

    def __init__(self, identity: Identity, learned: Identity | None = None) -> None:
        """Keep the packs.

        Args:
            identity: The identity pack.
            learned: Names that regulators' records give to its drugs; asked where it knows none.
        """
        self.identity: Identity = OwnDiseases(identity)
        self.packs = (self.identity,) if learned is None else (self.identity, learned)
        self._known: dict[tuple[MentionKind, str], Match] = {}

    def resolve(self, kind: MentionKind, name: str) -> Match:
        """Return what one name stands for, drugs under their moiety."""
        return self.resolve_many(kind, [name])[name]

    def resolve_drug(self, name: str) -> Match:
        """Return what one drug's name stands for, under its moiety."""
        return self.resolve("drug", name)

    def resolve_combination(self, name: str) -> list[Match]:
        """Return the match of each drug in a label; the whole label first, if it is one drug."""
        drug = self.resolve_drug(name)
        parts = split_combination(name)
        if drug.status != "unresolved" or len(parts) == 1:
            return [drug]
        return [self.resolve_drug(component) for component in parts]

    def knows(self, name: str) -> bool:
        """Return whether the identity pack itself answers to a drug's name, not only weakly."""
        match = self.resolve_drug(name)
        return match.status != "unresolved" and match.how != WEAKLY

    def resolve_many(self, kind: MentionKind, names: Iterable[str]) -> Mapping[str, Match]:
        """Return what each of many names stands for, as `resolve` does, with few questions."""
        distinct = dict.fromkeys(names)
        unknown = [name for name in distinct if (kind, name) not in self._known]
        if len(self._known) + len(unknown) > MOST_KNOWN:
            self._known.clear()
            unknown = list(distinct)
        if not unknown:
            return {name: self._known[kind, name] for name in distinct}
        answers = self._look_up(kind, unknown)
        entities = self._entities(
            kind, [name.key for read in answers.values() for each in read for name in each.names]
        )
        for name, read in answers.items():
            match = _decide(kind, read, entities)
            if kind == "disease" and match.status == "ambiguous":
                match = self._widest(match, entities)
            is_false = (fold_name(name), fold_name(match.label)) in load_false_names()
            self._known[kind, name] = UNRESOLVED if is_false else match
        return {name: self._known[kind, name] for name in distinct}

    def _widest(self, match: Match, entities: Mapping[str, Entity]) -> Match:
        """Return the disease of which all others of one name are kinds, or the match as it is."""
        keys = widest(list(match.candidates), lambda key: self.identity.ancestors("disease", key))
        if len(keys) != 1:
            return match
        return Match("resolved", keys[0], entities[keys[0]].label, match.how)

    def _look_up(self, kind: MentionKind, names: Sequence[str]) -> dict[str, list[_Found]]:
        """Return what answers to each name: weak answers first, the first strong one last.

        Most names are written as the pack has them; further readings are made of the others only.
        """
        tried = {name: _tries(kind, name, 1) for name in names}
        known_names = self.identity.lookup(kind, _folded(tried.values()))
        answers = {name: _answers(kind, tries, known_names) for name, tries in tried.items()}
        left = [name for name in names if not _is_strong(kind, answers[name])]
        tried = {name: _tries(kind, name) for name in left}
        answers |= {name: [] for name in left}
        for pack in self.packs if kind == "drug" else self.packs[:1]:
            known_names = pack.lookup(kind, _folded(tried[name] for name in left))
            for name in left:
                answers[name] += _answers(kind, tried[name], known_names)
            left = [name for name in left if not _is_strong(kind, answers[name])]
        return answers

    def _entities(self, kind: MentionKind, keys: Sequence[str]) -> Mapping[str, Entity]:
        """Return entities and those under which they count."""
        entities = dict(self.identity.entities(kind, sorted(set(keys))))
        parents = sorted(
            {entity.parent for entity in entities.values() if entity.parent} - entities.keys()
        )
        return entities | dict(self.identity.entities(kind, parents))


def _folded(tried: Iterable[Sequence[_Try]]) -> list[str]:
    return sorted({attempt.folded for each in tried for attempt in each})


def _tries(kind: MentionKind, name: str, most: int | None = None) -> list[_Try]:
    """Return folded readings of a name, the plainest first, each with how it was read."""
    if kind == "disease":
        read = islice(disease_readings(name.strip()), most)
        return [_Try(written, fold_name(written), AS_WRITTEN) for written in read]
    if kind != "drug":
        return [_Try(name.strip(), fold_name(name), AS_WRITTEN)]
    if is_no_drug(name):
        return []
    tried = [
        _Try(written, fold_name(written), how) for written, how in islice(readings(name), most)
    ]
    return [attempt for attempt in tried if len(attempt.folded) >= SHORTEST]


def _answers(
    kind: MentionKind, tried: Sequence[_Try], known_names: Mapping[str, Sequence[EntityName]]
) -> list[_Found]:
    """Return the answers of a pack up to the first strong one."""
    answers: list[_Found] = []
    for written, folded, how in tried:
        names = known_names.get(folded, ())
        if how == BRAND_ALONE:
            names = [name for name in names if name.level == BRAND_LEVEL]
        if names:
            answers.append(_Found(names, how, written))
            if _is_strong(kind, answers):
                break
    return answers


def _is_strong(kind: MentionKind, answers: Sequence[_Found]) -> bool:
    """Return whether the last answer is more than a short abbreviation."""
    return bool(answers) and not (
        kind == "drug"
        and all(
            name.level >= WEAK_LEVEL and len(name.folded) <= WEAK_LENGTH
            for name in answers[-1].names
        )
    )


def _decide(kind: MentionKind, read: Sequence[_Found], entities: Mapping[str, Entity]) -> Match:
    """Return the match of a name: the strong answer, else the first weak one with a key."""
    if _is_strong(kind, read):
        return _match(kind, read[-1], entities)
    weak = UNRESOLVED
    for attempt in read:
        if not weak.key:
            weak = _match(kind, _Found(attempt.names, WEAKLY, attempt.said), entities)
    return weak


def _match(kind: MentionKind, answer: _Found, entities: Mapping[str, Entity]) -> Match:
    """Return the one entity of the best level; several are candidates.

    Where several names fold alike, one that is spelled as said comes first: cyclosporine
    is not cyclosporin E. Of codes, a hyphen more or less tells no two apart. A gene whose
    alias is spelled as said is shown beside one whose symbol only folds alike.
    """
    names, how, written = answer
    best = min(name.level for name in names)
    chosen = [name for name in names if name.level == best]
    spelled = [name for name in names if name.name.casefold() == written.casefold()]
    if kind == "drug" and best <= BRAND_LEVEL:
        chosen = [name for name in spelled if name.level == best] or chosen
    if kind == "target" and not any(name.level == best for name in spelled):
        chosen += spelled
    keys = sorted({name.key for name in chosen})
    counted = sorted({entities[key].parent or key for key in keys if key in entities})
    if kind == "target" and len(counted) > 1:
        proteins = [key for key in counted if entities[key].note == PROTEIN]
        counted = proteins if len(proteins) == 1 else counted
    if kind == "disease" and len(counted) > 1:
        counted = closest(names[0].name, {key: entities[key].label for key in counted})
    if len(counted) != 1:
        return Match("ambiguous", how=how, candidates=tuple(counted))
    label = entities[counted[0]].label
    if (fold_name(written), fold_name(label)) in load_false_names():
        return UNRESOLVED
    if kind == "drug" and len(fold_name(written)) <= WEAK_LENGTH and why_no_asset(label):
        return UNRESOLVED  # so short a name of a plant is an abbreviation of something else
    return Match("resolved", counted[0], label, how)


_kept: dict[str, tuple[str, Resolver]] = {}


def keep_resolver(location: str, version: str, identity: Identity, learned: Identity) -> Resolver:
    """Return the resolver of this process, a fresh one when the evidence has changed."""
    cached = _kept.get(location)
    if cached is not None and cached[0] == version:
        return cached[1]
    resolver = Resolver(identity, learned)
    _kept.clear()
    _kept[location] = (version, resolver)
    return resolver
