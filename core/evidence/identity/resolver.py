"""Names to entities: exact on some reading of the name, never by similarity.

Several entities for one name are "ambiguous": they are shown as candidates and joined with
nothing. "Unresolved" is an answer.
"""

from collections.abc import Sequence
from functools import lru_cache

from core.evidence.identity.drug_names import (
    BRAND_ALONE,
    is_no_drug,
    readings,
    split_combination,
)
from core.identity_ports import Identity
from core.records.evidence import MentionKind
from core.records.identity import UNRESOLVED, EntityName, Match
from core.records.names import fold_name

SHORTEST = 3
"""A folded drug name of fewer signs stands for too many things."""
WEAK_LENGTH = 4
WEAK_LEVEL = 4
"""So short a name that is neither official, brand nor code gives way to what regulators say."""

PROTEIN = "gene with protein product"
"""Of several genes with one alias, the only one that makes a protein is what a drug acts on."""
BRAND_LEVEL = 2
WEAKLY = "abbreviation"
FIRST_OF_DISEASES = "MONDO:"
"""MeSH and ICD-10-CM stand in where MONDO has no entry of a name."""


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

    def resolve(self, kind: MentionKind, name: str) -> Match:
        """Return what one name stands for, drugs under their moiety."""
        if kind == "drug":
            return self.resolve_drug(name)
        found = self.identity.lookup(kind, [fold_name(name)])
        names = [one for each in found.values() for one in each]
        return self._choose(kind, names, "as written", name.strip())

    def resolve_combination(self, name: str) -> list[Match]:
        """Return the match of each drug in a label; the whole label first, if it is one drug."""
        whole = self.resolve_drug(name)
        parts = split_combination(name)
        if whole.status != "unresolved" or len(parts) == 1:
            return [whole]
        return [self.resolve_drug(part) for part in parts]

    def knows(self, name: str) -> bool:
        """Return whether the identity pack itself answers to a drug's name, not only weakly."""
        match = self.resolve_drug(name)
        return match.status != "unresolved" and match.how != WEAKLY

    def _resolve_drug(self, name: str) -> Match:
        """Return what one drug's name stands for, under its moiety."""
        if is_no_drug(name):
            return UNRESOLVED
        tried = [(said, fold_name(said), how) for said, how in readings(name)]
        tried = [one for one in tried if len(one[1]) >= SHORTEST]
        weak = UNRESOLVED
        for pack in self.packs:
            found = pack.lookup("drug", [folded for _, folded, _ in tried])
            for said, folded, how in tried:
                names = found.get(folded, ())
                if how == BRAND_ALONE:
                    names = [one for one in names if one.level == BRAND_LEVEL]
                if names and _is_weak(names):
                    weak = weak if weak.key else self._choose("drug", names, WEAKLY, said)
                elif names:
                    return self._choose("drug", names, how, said)
        return weak

    def _choose(
        self, kind: MentionKind, names: Sequence[EntityName], how: str, said: str = ""
    ) -> Match:
        """Return the one entity of the best level; several are candidates.

        Where several names fold alike, one that is spelled as said comes first: cyclosporine
        is not cyclosporin E. Of codes, a hyphen more or less tells no two apart. A gene whose
        alias is spelled as said is shown beside one whose symbol only folds alike.
        """
        if not names:
            return UNRESOLVED
        best = min(one.level for one in names)
        chosen = [one for one in names if one.level == best]
        spelled = [one for one in names if one.name.casefold() == said.casefold()]
        if kind == "drug" and best <= BRAND_LEVEL:
            chosen = [one for one in spelled if one.level == best] or chosen
        if kind == "target" and not any(one.level == best for one in spelled):
            chosen += spelled
        keys = sorted({one.key for one in chosen})
        entities = self.identity.entities(kind, keys)
        counted = sorted({entities[key].parent or key for key in keys if key in entities})
        if kind == "target" and len(counted) > 1:
            proteins = [key for key in counted if entities[key].note == PROTEIN]
            counted = proteins if len(proteins) == 1 else counted
        if kind == "disease" and len(counted) > 1:
            counted = [key for key in counted if key.startswith(FIRST_OF_DISEASES)] or counted
        if len(counted) != 1:
            return Match("ambiguous", how=how, candidates=tuple(counted))
        labels = self.identity.entities(kind, counted)
        return Match("resolved", counted[0], labels[counted[0]].label, how)


def _is_weak(names: Sequence[EntityName]) -> bool:
    """Return whether short abbreviations are all that a name is known as."""
    return all(one.level >= WEAK_LEVEL and len(one.folded) <= WEAK_LENGTH for one in names)
