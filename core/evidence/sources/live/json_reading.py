"""Fields of JSON answers that may be of any type."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from core.evidence.sources.live.web import NoAnswer, Reply, changed
from core.tables.values import read_date

Object = Mapping[str, Any]
MISSING_MEANS_NONE = frozenset(
    {"drugsfda", "openfda-labels", "openfda-letters", "openfda-shortages"}
)
"""Sources that answer with 404 where nothing matches: those of openFDA."""


def read_object(source: str, reply: Reply) -> Object:
    """Return the object of an answer; a 404 is one of openFDA alone. Raises NoAnswer."""
    if reply.is_missing and source not in MISSING_MEANS_NONE:
        raise NoAnswer("unavailable", f"{source} answered with {reply.status}")
    if "json" not in reply.content_type:
        kind = reply.content_type.split(";")[0][:40] or "no type"
        raise NoAnswer("unavailable", f"{source} answered with {kind} instead of JSON")
    try:
        document = json.loads(reply.content.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        raise NoAnswer("unavailable", f"the answer of {source} is incomplete JSON") from None
    if not isinstance(document, dict):
        raise changed(source)
    if not reply.is_missing and any(document.get(name) for name in ("error", "errors")):
        raise NoAnswer("unavailable", f"{source} answered with an error")
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


def valid_date(text: str) -> str:
    """Return a day, month or year of the calendar; "" for any other text.

    >>> valid_date("2026-11-28"), valid_date("2026-11"), valid_date("2026-45-99")
    ('2026-11-28', '2026-11', '')
    """
    day = read_date(text)
    try:
        date.fromisoformat(_first_day(day))
    except ValueError:
        return ""
    return day


def past_date(text: str, today: date) -> str:
    """Return a day, month or year of the calendar that has begun; "" for any other text."""
    day = valid_date(text)
    return day if day and _first_day(day) <= today.isoformat() else ""


def _first_day(day: str) -> str:
    return f"{day}-01-01"[: len("2026-11-28")]


def quoted(names: list[str], joint: str = " OR ") -> str:
    """Return names as phrases of a query; what could be query language is taken out.

    >>> quoted(["K-RAS", 'x" OR *:*', "Merck & Co."])
    '"K-RAS" OR "x OR" OR "Merck Co."'
    """
    signs = ("".join(s if s.isalnum() or s in "-./" else " " for s in name) for name in names)
    cleaned = (" ".join(name.split()) for name in signs)
    return joint.join(f'"{name}"' for name in cleaned if any(map(str.isalnum, name)))
