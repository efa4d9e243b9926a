"""Fields of JSON answers that may be of any type."""

import json
from collections.abc import Mapping
from typing import Any

from core.evidence.sources.live.web import NoAnswer, Reply, changed

Object = Mapping[str, Any]


def read_object(source: str, reply: Reply) -> Object:
    """Return the object of an answer. Raises NoAnswer."""
    if "json" not in reply.content_type:
        kind = reply.content_type.split(";")[0][:40] or "no type"
        raise NoAnswer("unavailable", f"{source} answered with {kind} instead of JSON")
    try:
        document = json.loads(reply.content.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        raise NoAnswer("unavailable", f"the answer of {source} is incomplete JSON") from None
    if not isinstance(document, dict):
        raise changed(source)
    return document


def inner(value: object, *path: str) -> Object:
    """Return an object inside an object; an empty one where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def objects(value: object, *path: str) -> list[Object]:
    """Return the objects of a list inside an object; a lone object counts as a list of it."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    listed = value if isinstance(value, list) else [value]
    return [entry for entry in listed if isinstance(entry, dict)]


def word(value: object, name: str) -> str:
    """Return a text of an object; "" where there is none."""
    inner_value = value.get(name) if isinstance(value, dict) else None
    return inner_value.strip() if isinstance(inner_value, str) else ""


def words(value: object, name: str) -> list[str]:
    """Return the texts of a list inside an object."""
    inner_value = value.get(name) if isinstance(value, dict) else None
    return (
        [text for text in inner_value if isinstance(text, str)]
        if isinstance(inner_value, list)
        else []
    )


def count(value: object, name: str) -> int | None:
    """Return a whole number, also one that is sent as text; None where there is none."""
    inner_value = value.get(name) if isinstance(value, dict) else None
    if isinstance(inner_value, str) and inner_value.isdecimal() and len(inner_value) < 10:  # noqa: PLR2004 - a count
        return int(inner_value)
    return (
        inner_value if isinstance(inner_value, int) and not isinstance(inner_value, bool) else None
    )


def quoted(names: list[str], joint: str = " OR ") -> str:
    """Return names as phrases of a query; what could be query language is taken out.

    >>> quoted(["K-RAS", 'x" OR *:*', "Merck & Co."])
    '"K-RAS" OR "x OR" OR "Merck Co."'
    """
    signs = ("".join(s if s.isalnum() or s in "-./" else " " for s in name) for name in names)
    cleaned = (" ".join(name.split()) for name in signs)
    return joint.join(f'"{name}"' for name in cleaned if any(map(str.isalnum, name)))
