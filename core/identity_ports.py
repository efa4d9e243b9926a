"""What the identity pack must offer: names to keys, keys to names, is-a."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from core.records.evidence import MentionKind
from core.records.identity import Entity, EntityName, IdentityRow, NameKind


class Identity(Protocol):
    """Looks names up; it holds no rules of its own."""

    def version(self) -> str:
        """Return what the pack was built from; "" when there is none."""
        ...

    def lookup(
        self, kind: MentionKind, folded: Sequence[str]
    ) -> Mapping[str, Sequence[EntityName]]:
        """Return the entities of folded names; names without any are left out."""
        ...

    def entities(self, kind: MentionKind, keys: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities of keys; unknown keys are left out."""
        ...

    def names(self, kind: MentionKind, key: str) -> Sequence[EntityName]:
        """Return the names of an entity and of those that count under it, official ones first."""
        ...

    def all_names(self, kind: NameKind) -> Sequence[EntityName]:
        """Return every name of a kind, by folded name."""
        ...

    def ancestors(self, kind: MentionKind, key: str) -> frozenset[str]:
        """Return every entity that this one is a kind of."""
        ...

    def descendants(self, kind: MentionKind, key: str) -> frozenset[str]:
        """Return every entity that is a kind of this one."""
        ...

    def references(self, kind: MentionKind, scheme: str, code: str) -> Sequence[str]:
        """Return the keys that carry a code of another scheme."""
        ...

    def labels_of_codes(
        self, kind: MentionKind, scheme: str, codes: Sequence[str]
    ) -> Mapping[str, str]:
        """Return the entity's label by code; codes that none or several carry are left out."""
        ...

    def systematic_names(self, key: str) -> Sequence[str]:
        """Return a drug's systematic names, its own before its salts', to draw its structure."""
        ...

    def build(
        self, rows: Iterable[IdentityRow], systematic: Iterable[tuple[str, str]], version: str
    ) -> None:
        """Write a new pack beside the old one and put it in its place."""
        ...
