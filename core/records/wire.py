"""Shared wire forms: the base of every request and answer, and the envelope.

Requests are strict: an unknown field, a number in quotes or a boolean where a number belongs is
an error, while `30.0` is a whole number (contract: numbers are strict).
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _read_whole(value: object) -> object:
    """Turn 30.0 into 30 and leave all else to the strict integer check."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


WHOLE = BeforeValidator(_read_whole)
"""Write `Annotated[int, Field(ge=…), WHOLE]`: put `Field` first, or the schema loses its bounds."""


NOT_BLANK = r"[^\x00-\x20!-/:-@\[-`{-\xa0\u2000-\u206f\u3000\ufeff]"
"""Pattern of a text that says something: one sign that is no blank and no ASCII punctuation.

Written out sign by sign, since dialects of regular expressions differ in what `\\w` and `\\s` are.
"""


def says_something(text: str) -> bool:
    """Return whether a text is more than blanks and punctuation."""
    return re.search(NOT_BLANK, text) is not None


class Request(BaseModel):
    """Base of every agent's request."""

    watched: ClassVar[Mapping[str, str]] = {}
    """Field -> part of a `WatchQuestion` that it is; empty: such requests cannot be watched."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        populate_by_name=True,
        defer_build=True,
    )


class Answer(BaseModel):
    """Base of every record in an answer; fields are written by their wire names.

    The schema calls every field required: one with a default is written all the same.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
        populate_by_name=True,
        json_schema_serialization_defaults_required=True,
        defer_build=True,  # some 300 records, of which a process needs those of few agents
    )


class AgentData(Answer):
    """Base of every agent's `data`."""

    cached: bool = Field(
        default=False, description="True when this is the stored result of an earlier equal run."
    )


class RunEcho(AgentData):
    """The fields by which some agents name the run inside `data`."""

    query_id: int = Field(description="The caller's saved query (same agent and input).")
    run_uuid: str = Field(description="The run's UUID.")
    status: Literal["completed"] = Field(default="completed", description="State of the run.")


Data = TypeVar("Data", bound=BaseModel)


class Envelope(BaseModel, Generic[Data]):
    """The body of every 200 of an agent operation."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )

    ok: Literal[True] = Field(default=True, description="Always true.")
    agent: str = Field(description="Agent name from the path.")
    data: Data
    elapsed_s: float = Field(ge=0, description="Seconds from receipt to answer.")
    run_id: str = Field(description="The run's UUID.")


JsonObject = dict[str, Any]
"""A JSON object whose inner form is checked elsewhere (edge modules only)."""
