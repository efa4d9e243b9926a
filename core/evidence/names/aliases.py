"""A name in a question, and the other names under which records have it (MK-3475, Keytruda)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.evidence.names.identity.resolver import Resolver
from core.records.evidence import MentionKind

MOST_ALIASES = 12
_SOURCE_NOTE = re.compile(r"\s*\[[^\[\]]*\]$")


@dataclass(frozen=True)
class Named:
    """A name found in a question.

    Attributes:
        kind: What sort of thing.
        key: Its entity.
        label: The entity's name.
        said: As the question has it.
        aliases: Other names, official ones first.
    """

    kind: MentionKind
    key: str
    label: str
    said: str
    aliases: tuple[str, ...]


def aliases_of(
    kind: MentionKind, keys: Sequence[str], written: str, resolver: Resolver
) -> tuple[str, ...]:
    """Return further names of entities; a spelling with hyphen stands for that with a blank.

    A name that holds a shorter one finds nothing more than that and is left out.
    """
    aliases = [written]
    for key in keys:
        for name in resolver.identity.names(kind, key):
            if name.level < 4 and len(name.folded) > 2 and len(aliases) <= MOST_ALIASES:
                aliases.append(_SOURCE_NOTE.sub("", name.name))
    distinct = dict.fromkeys(aliases)
    kept_aliases: list[str] = []
    for spelled in sorted(distinct, key=len):
        words = f" {_plain(spelled)} "
        if not any(f" {_plain(shorter)} " in words for shorter in kept_aliases):
            kept_aliases.append(spelled)
    return tuple(alias for alias in distinct if alias in kept_aliases and alias != written)


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))
