"""Keeps one resolver a process, for as long as names and records stay as they are.

What a resolver and the readers built on it remember makes a second question fast; none of it may
outlive a change of the packs.
"""

from core.evidence.names.identity.resolver import Resolver
from core.identity_ports import Identity

_kept: dict[str, tuple[str, Resolver]] = {}


def keep_resolver(location: str, version: str, identity: Identity, learned: Identity) -> Resolver:
    """Return the resolver of this process, a fresh one when the evidence has changed.

    Args:
        location: Instance whose names these are.
        version: Version of its evidence.
        identity: Its identity pack, asked anew for every question.
        learned: Its learned names.
    """
    kept = _kept.get(location)
    if kept is not None and kept[0] == version:
        return kept[1]
    resolver = Resolver(identity, learned)
    _kept.clear()
    _kept[location] = (version, resolver)
    return resolver
