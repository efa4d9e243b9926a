"""Names to entities: exact on some reading of the name, never by similarity.

Several entities for one name are "ambiguous": they are shown as candidates and joined with
nothing. "Unresolved" is an answer.
"""

from collections.abc import Sequence
from functools import lru_cache

from core.evidence.identity.drug_names import (
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

    def _resolve_drug(self, name: str) -> Match:
        """Return what one drug's name stands for, under its moiety."""
        if is_no_drug(name):
            return UNRESOLVED
        tried = [(fold_name(said), how) for said, how in readings(name)]
        tried = [(folded, how) for folded, how in tried if len(folded) >= SHORTEST]
        for pack in self.packs:
            found = pack.lookup("drug", [folded for folded, _ in tried])
            for folded, how in tried:
                if folded in found:
                    return self._choose("drug", found[folded], how)
        return UNRESOLVED

    def _choose(self, kind: MentionKind, names: Sequence[EntityName], how: str) -> Match:
        """Return the one entity of the best level; several are candidates."""
        if not names:
            return UNRESOLVED
        best = min(one.level for one in names)
        keys = sorted({one.key for one in names if one.level == best})
        entities = self.identity.entities(kind, keys)
        counted = sorted({entities[key].parent or key for key in keys if key in entities})
        if kind == "target" and len(counted) > 1:
            proteins = [key for key in counted if entities[key].note == PROTEIN]
            counted = proteins if len(proteins) == 1 else counted
        if len(counted) != 1:
            return Match("ambiguous", how=how, candidates=tuple(counted))
        labels = self.identity.entities(kind, counted)
        return Match("resolved", counted[0], labels[counted[0]].label, how)
