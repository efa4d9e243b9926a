"""Values of the request that need reading: dates, instants, free JSON of bounded depth."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated

from pydantic import BeforeValidator, JsonValue
from pydantic_core import PydanticCustomError

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DEEPEST = 8
_LONGEST = 64_000
_YEARS = range(2, 9999)


def _read_date(value: object) -> object:
    """Return a calendar date from YYYY-MM-DD; a date stays as it is."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("wrong_type", "must be a date as text, YYYY-MM-DD")
    try:
        if not _DATE.fullmatch(value, endpos=len(value)):
            raise ValueError(value)
        return date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError(
            "value_malformed", "must be a day of the calendar, written YYYY-MM-DD"
        ) from None


def _read_instant(value: object) -> object:
    """Return an instant with its zone from ISO 8601 text."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = None
    if not isinstance(value, datetime) or value.tzinfo is None or value.year not in _YEARS:
        raise PydanticCustomError(
            "value_malformed",
            "must be an instant with its zone, for example 2020-05-15T16:05:00-04:00",
        )
    return value


Day = Annotated[date, BeforeValidator(_read_date)]
"""A calendar day; the wire form is YYYY-MM-DD and nothing else."""

Instant = Annotated[datetime, BeforeValidator(_read_instant)]
"""An instant with its zone, ISO 8601."""


def check_free(value: Mapping[str, JsonValue] | None) -> None:
    """Refuse free fields that are nested more than 8 deep or longer than 64 kB.

    Raises:
        PydanticCustomError: `too_deep` or `value_too_long`.
    """
    size = 0
    pending: list[tuple[JsonValue, int]] = [(dict(value or {}), 1)]
    while pending:
        node, depth = pending.pop()
        if depth > _DEEPEST:
            raise PydanticCustomError("too_deep", "free fields may be nested 8 deep at most")
        match node:
            case dict():
                size += sum(len(name) for name in node)
                pending += [(part, depth + 1) for part in node.values()]
            case list():
                pending += [(part, depth + 1) for part in node]
            case _:
                size += len(node) if isinstance(node, str) else 8
        if size > _LONGEST:
            raise PydanticCustomError("value_too_long", "free fields may hold 64 kB at most")
