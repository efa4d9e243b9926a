"""Public names of schemas: words of the agent and the class, never the path of a module.

Two classes of one name would be told apart by their modules, so that a moved module would rename
a type in every generated client. Such a class carries its agent's name instead; one that agents
share keeps its own.
"""

from typing import Any

_PREFIX = "#/components/schemas/"
_AGENTS = ["core", "agents"]
_APART = "__"


def name_schemas(description: dict[str, Any]) -> None:
    """Give every schema of a description its public name, and a title that is the name.

    Args:
        description: The OpenAPI description; it is changed in place.

    Raises:
        ValueError: Two schemas would have one name: give one of the classes another.
    """
    schemas: dict[str, Any] = description["components"]["schemas"]
    names = {name: _public_name(name) for name in schemas}
    if len(set(names.values())) < len(names):
        twice = sorted(name for name in names.values() if [*names.values()].count(name) > 1)
        raise ValueError(f"schemas of one public name: {', '.join(dict.fromkeys(twice))}")
    description["components"]["schemas"] = {
        names[name]: schema | ({"title": names[name]} if name != names[name] else {})
        for name, schema in schemas.items()
    }
    _rename({_PREFIX + name: _PREFIX + public for name, public in names.items()}, description)


def _public_name(name: str) -> str:
    """Return the name of a schema without the path of its module.

    >>> _public_name("core__agents__deal_sourcing__records__ScoreComponents")
    'DealSourcingScoreComponents'
    >>> _public_name("core__briefs__records__Narrative"), _public_name("Asset")
    ('Narrative', 'Asset')
    """
    *path, word = name.split(_APART)
    if path[:2] != _AGENTS:
        return word
    agent = "".join(word.capitalize() for word in path[2].split("_"))
    return word if word.startswith(agent) else agent + word


def _rename(references: dict[str, str], node: Any) -> None:
    """Point every reference within a part of the description to the new name."""
    if isinstance(node, list):
        for inner in node:
            _rename(references, inner)
        return
    if not isinstance(node, dict):
        return
    for key, inner in node.items():
        if isinstance(inner, str):
            node[key] = references.get(inner, inner)
        else:
            _rename(references, inner)
