"""Names to entities: exact on some reading of the name, never by similarity.

Several entities for one name are "ambiguous": they are shown as candidates and joined with
nothing. "Unresolved" is an answer.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from core.evidence.identity.drug_names import (
    is_no_drug,
    readings,
    split_combination,
)
from core.identity_ports import Identity
from core.records.evidence import MentionKind
from core.records.identity import UNRESOLVED, Entity, EntityName, Match
from core.records.names import fold_name

SHORTEST = 3
"""A folded drug name of fewer signs stands for too many things."""


PROTEIN = "gene with protein product"
"""Of several genes with one alias, the only one that makes a protein is what a drug acts on."""


class Resolver:
    """Resolves names with the identity pack of the instance."""

    def __init__(self, identity: Identity, learned: Identity | None = None) -> None:
        """Keep the packs.

        Args:
            identity: The identity pack.
            learned: Names that regulators' records give to its drugs; asked where it knows none.
        """
        self.identity = identity
        self.packs = (identity,) if learned is None else (identity, learned)
        self.resolve_drug = lru_cache(maxsize=100_000)(self._resolve_drug)
        self._known: dict[tuple[MentionKind, str], Match] = {}

    def resolve(self, kind: MentionKind, name: str) -> Match:
        """Return what one name stands for, drugs under their moiety."""
        if kind == "drug":
            return self.resolve_drug(name)
        found = self.identity.lookup(kind, [fold_name(name)])
        return self._choose(kind, [one for names in found.values() for one in names], "as written")

    def resolve_combination(self, name: str) -> list[Match]:
        """Return the match of each drug in a label; the whole label first, if it is one drug."""
        whole = self.resolve_drug(name)
        parts = split_combination(name)
        if whole.status != "unresolved" or len(parts) == 1:
            return [whole]
        return [self.resolve_drug(part) for part in parts]

    def resolve_many(self, kind: MentionKind, names: Iterable[str]) -> Mapping[str, Match]:
        """Return what each of many names stands for, as `resolve` does, with few questions."""
        wanted = dict.fromkeys(names)
        asked = [name for name in wanted if (kind, name) not in self._known]
        if len(self._known) + len(asked) > MOST_KNOWN:
            self._known.clear()
            asked = list(wanted)
        tried = {name: _tries(kind, name) for name in asked}
        best: dict[str, tuple[Sequence[EntityName], str]] = dict.fromkeys(asked, ((), ""))
        for pack in self.packs if kind == "drug" else self.packs[:1]:
            left = [name for name in asked if not best[name][0]]
            folded = {one for name in left for one, _ in tried[name]}
            found = pack.lookup(kind, sorted(folded))
            best |= {name: _best(tried[name], found) for name in left}
        entities = self._entities(kind, [one.key for named, _ in best.values() for one in named])
        for name, (named, how) in best.items():
            self._known[kind, name] = self._match(kind, named, how, entities)
        return {name: self._known[kind, name] for name in wanted}

    def _entities(self, kind: MentionKind, keys: Sequence[str]) -> Mapping[str, Entity]:
        """Return entities and those under which they count."""
        found = dict(self.identity.entities(kind, sorted(set(keys))))
        parents = sorted({one.parent for one in found.values() if one.parent} - found.keys())
        return found | dict(self.identity.entities(kind, parents))

    def _resolve_drug(self, name: str) -> Match:
        """Return what one drug's name stands for, under its moiety."""
        tried = _tries("drug", name)
        for pack in self.packs:
            found = pack.lookup("drug", [folded for folded, _ in tried])
            for folded, how in tried:
                if folded in found:
                    return self._choose("drug", found[folded], how)
        return UNRESOLVED

    def _choose(self, kind: MentionKind, names: Sequence[EntityName], how: str) -> Match:
        """Return the one entity of the best level; several are candidates."""
        return self._match(kind, names, how, self._entities(kind, [one.key for one in names]))

    def _match(
        self,
        kind: MentionKind,
        names: Sequence[EntityName],
        how: str,
        entities: Mapping[str, Entity],
    ) -> Match:
        if not names:
            return UNRESOLVED
        best = min(one.level for one in names)
        keys = sorted({one.key for one in names if one.level == best})
        counted = sorted({entities[key].parent or key for key in keys if key in entities})
        if kind == "target" and len(counted) > 1:
            proteins = [key for key in counted if entities[key].note == PROTEIN]
            counted = proteins if len(proteins) == 1 else counted
        if kind == "disease" and len(counted) > 1:
            counted = _closest(names[0].name, {key: entities[key].label for key in counted})
        if len(counted) != 1:
            return Match("ambiguous", how=how, candidates=tuple(counted))
        return Match("resolved", counted[0], entities[counted[0]].label, how)


_CANCER = re.compile(r"carcinomas?|neoplasms?|cancers?|tumou?rs?|malignant|malignancy")
_OF_DISEASES = re.compile(r"disorders?|diseases?|of|the|and")
_NO_DISEASE = re.compile(r"susceptib|tumor suppressor gene|, type \d+$| type \d+$| \d+$")


def _closest(name: str, labels: Mapping[str, str]) -> list[str]:
    """Return which of several diseases a name means where their own names tell it.

    A name of MONDO counts before one that only MeSH has; of two in MONDO the one that is made of
    the same words ("non-small cell lung cancer", "… carcinoma"); a susceptibility never counts.
    """
    in_mondo = [key for key in labels if key.startswith("MONDO:")]
    plain = [key for key in in_mondo if not _NO_DISEASE.search(labels[key])]
    for kept in (in_mondo, plain):
        if len(kept) == 1:
            return kept
    same = [key for key in in_mondo if _words(labels[key]) == _words(name)]
    return same if len(same) == 1 else list(labels)


def _words(name: str) -> frozenset[str]:
    """Return a disease's words, whatever their order and the word for cancer or disease."""
    words = re.findall(r"[^\W_]+", name.casefold())
    kept = (word for word in words if not _OF_DISEASES.fullmatch(word))
    return frozenset("cancer" if _CANCER.fullmatch(word) else word for word in kept)


MOST_KNOWN = 200_000
"""Names whose answers are kept."""


def _tries(kind: MentionKind, name: str) -> list[tuple[str, str]]:
    """Return folded readings of a name, the plainest first, each with how it was read."""
    if kind != "drug":
        return [(fold_name(name), "as written")]
    if is_no_drug(name):
        return []
    tried = [(fold_name(said), how) for said, how in readings(name)]
    return [(folded, how) for folded, how in tried if len(folded) >= SHORTEST]


def _best(
    tries: Sequence[tuple[str, str]], found: Mapping[str, Sequence[EntityName]]
) -> tuple[Sequence[EntityName], str]:
    for folded, how in tries:
        if folded in found:
            return found[folded], how
    return (), ""
