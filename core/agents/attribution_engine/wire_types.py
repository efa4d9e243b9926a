"""Values of the request that need reading: dates and instants."""

from datetime import date, datetime
from typing import Annotated

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

_LENGTH = len("YYYY-MM-DD")
_YEARS = range(2, 9999)


def _read_date(value: object) -> object:
    """Return a calendar date from YYYY-MM-DD; a date stays as it is."""
    if type(value) is date:
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("wrong_type", "must be a date as text, YYYY-MM-DD")
    try:
        if len(value) != _LENGTH or value[4] != "-" or value[7] != "-":
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
