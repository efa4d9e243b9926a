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
        found = json.loads(reply.content.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        raise NoAnswer("unavailable", f"the answer of {source} is no whole JSON") from None
    if not isinstance(found, dict):
        raise changed(source)
    return found


def inner(said: object, *path: str) -> Object:
    """Return an object inside an object; an empty one where there is none."""
    for name in path:
        said = said.get(name) if isinstance(said, dict) else None
    return said if isinstance(said, dict) else {}


def objects(said: object, *path: str) -> list[Object]:
    """Return the objects of a list inside an object; a lone object counts as a list of it."""
    for name in path:
        said = said.get(name) if isinstance(said, dict) else None
    listed = said if isinstance(said, list) else [said]
    return [one for one in listed if isinstance(one, dict)]


def word(said: object, name: str) -> str:
    """Return a text of an object; "" where there is none."""
    found = said.get(name) if isinstance(said, dict) else None
    return found.strip() if isinstance(found, str) else ""


def words(said: object, name: str) -> list[str]:
    """Return the texts of a list inside an object."""
    found = said.get(name) if isinstance(said, dict) else None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def count(said: object, name: str) -> int | None:
    """Return a whole number, also one that is sent as text; None where there is none."""
    found = said.get(name) if isinstance(said, dict) else None
    if isinstance(found, str) and found.isdecimal() and len(found) < 10:  # noqa: PLR2004 - a count
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def quoted(names: list[str], joint: str = " OR ") -> str:
    """Return names as phrases of a query; what could be query language is taken out.

    >>> quoted(["K-RAS", 'x" OR *:*'])
    '"K-RAS" OR "x OR "'
    """
    kept = ("".join(sign for sign in name if sign.isalnum() or sign in " -./") for name in names)
    return joint.join(f'"{name}"' for name in kept if any(map(str.isalnum, name)))
