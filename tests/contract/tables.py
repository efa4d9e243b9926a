"""The tables of the specification, as the tests hold them against the description.

One module an agent lies in `specification/`, named like the agent's folder, with REQUEST (a row a
field) and DATA (path -> type). A further agent is one more module.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from tests.contract.form import parts_of, resolve

SPECIFIED = (
    "alerts",
    "assay-development",
    "attribution-engine",
    "clinical-trial-design",
    "company-asset-searcher",
    "competitive-landscaping",
    "compound-map",
    "deal-sourcing",
    "differential-expression",
    "label-strategy",
    "new-developments",
)
NOTHING = object()
"""The specification names no default: the field is required, or absent unless given."""


@dataclass(frozen=True)
class Row:
    """One field of a request table."""

    name: str
    type: str
    required: bool = False
    default: object = NOTHING
    words: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


def table_of(slug: str) -> ModuleType:
    """Return the tables of an agent."""
    return import_module(f"tests.contract.specification.{slug}")


def kinds(schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the branches of a field that are not null, references followed."""
    parts = [resolve(part, root) for part in parts_of(schema)]
    flat = [inner for part in parts for inner in (parts_of(part) if "type" not in part else [part])]
    return [part for part in flat if part.get("type") != "null"]


def type_of(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """Return a field's type as the specification writes it."""
    found = {_one_type(part, root) for part in kinds(schema, root)}
    return " or ".join(sorted(found))


def _one_type(part: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    if part.get("type") == "array":
        return f"array of {type_of(part['items'], root)}s"
    words = part.get("enum", [part["const"]] if "const" in part else [])
    if words and "type" not in part:
        return "string" if all(isinstance(word, str) for word in words) else "mixed"
    return str(part.get("type"))


def walk(path: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong on the way to a field: a part that is missing or not required.

    Args:
        path: Names joined by dots; `[]` steps into an array, `*` into a map.
        schema: Schema of `data`.
        root: The whole description.
    """
    here: Mapping[str, Any] = resolve(schema, root)
    for name in path.split("."):
        field = name.removesuffix("[]")
        if field not in here.get("properties", {}):
            yield f"{path}: {field} is missing"
            return
        if field not in here.get("required", []):
            yield f"{path}: {field} may be left out"
        here = kinds(here["properties"][field], root)[0]
        if name.endswith("[]"):
            here = kinds(here["items"], root)[0]


def field_at(path: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a field."""
    here: Mapping[str, Any] = resolve(schema, root)
    *way, last = path.split(".")
    for name in way:
        here = kinds(here["properties"][name.removesuffix("[]")], root)[0]
        if name.endswith("[]"):
            here = kinds(here["items"], root)[0]
    found: Mapping[str, Any] = here["properties"][last]
    return found
