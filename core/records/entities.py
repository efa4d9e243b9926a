"""What a page can be about: a drug, a company, a target or a disease, under one identifier."""

from dataclasses import dataclass
from typing import Literal

EntityKind = Literal["drug", "company", "target", "disease"]
Scope = Literal["narrow", "near", "wide"]
"""How far a field page reaches: exactly what was asked, sister targets too, or anything close."""
SCOPES: tuple[Scope, ...] = ("narrow", "near", "wide")


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing with a page of its own.

    Attributes:
        kind: What sort of thing.
        id: Key under which its page opens: "UNII:…" or "name:…" for a drug, the group for a
            company, the expression for a target ("PD-1 x VEGF"), the disease's key.
        name: Name for display.
    """

    kind: EntityKind
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Identified:
    """What a name or identifier stands for.

    Attributes:
        entity: The one thing that is meant; None where it is none or several.
        choices: The things it may mean, where they are several.
        nearest: Names of the evidence that are spelled nearly so, where it means nothing.
    """

    entity: Entity | None = None
    choices: tuple[Entity, ...] = ()
    nearest: tuple[str, ...] = ()
