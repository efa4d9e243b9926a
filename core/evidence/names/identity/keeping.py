"""Keeps one resolver a process, for as long as names and records stay as they are.

What a resolver and the readers built on it remember makes a second question fast; none of it may
outlive a change of the packs.
"""

from core.evidence.names.identity.resolver import Resolver
from core.identity_ports import Identity

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
