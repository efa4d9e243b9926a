"""Entities that names stand for: drugs, targets, diseases, companies."""

from dataclasses import dataclass
from typing import Literal

from core.records.evidence import MentionKind

Level = Literal[1, 2, 3, 4]
"""1 official name, 2 brand, alias or synonym, 3 code, ticker or former name, 4 any other."""
NameKind = MentionKind | Literal["asset", "starter"]
"""What a pack of names holds: what records mention, assets of companies by folded name, and drugs
of the starter pack's tables as written there."""
MatchStatus = Literal["resolved", "ambiguous", "unresolved"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing with a key of its own.

    Attributes:
        kind: What sort of thing.
        key: "UNII:…", "HGNC:…", "MONDO:…", "MESH:…", "ICD10CM:…" or "CIK:…".
        label: Its name for display.
        parent: Drug without its salt, brand holder, …: the key under which it counts; "" if itself.
        note: What kind of entry it is in its source.
    """

    kind: NameKind
    key: str
    label: str
    parent: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class EntityName:
    """A name of an entity."""

    kind: NameKind
    folded: str
    key: str
    level: Level
    name: str


@dataclass(frozen=True, slots=True)
class CrossReference:
    """The code of an entity in another scheme."""

    kind: MentionKind
    key: str
    scheme: str
    code: str


@dataclass(frozen=True, slots=True)
class IsA:
    """One entity is a kind of another."""

    kind: MentionKind
    child: str
    parent: str


@dataclass(frozen=True, slots=True)
class Match:
    """What a name came to.

    Attributes:
        status: "resolved" only when one key is left; several are shown, never merged.
        key: The key; "" unless resolved.
        label: Name of the entity; "" unless resolved.
        how: Which reading found it, such as "as written" or "without salt".
        candidates: Keys that the name may stand for.
    """

    status: MatchStatus
    key: str = ""
    label: str = ""
    how: str = ""
    candidates: tuple[str, ...] = ()


UNRESOLVED = Match("unresolved")
IdentityRow = Entity | EntityName | CrossReference | IsA
