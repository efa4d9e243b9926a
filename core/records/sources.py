"""The source record of the wire: what a bracketed number in a text refers to."""

from typing import Literal

from pydantic import Field

from core.records.evidence import SourceType
from core.records.wire import Answer

AnswerStatus = Literal[
    "answered",
    "empty",
    "partial",
    "unchanged",
    "refused",
    "unavailable",
    "not_configured",
    "over_budget",
    "offline",
    "switched_off",
]
"""What became of a question. `empty` only where the source itself says that there is nothing;
`refused`: our question was wrong; `offline`: no connection may be opened."""


class Source(Answer):
    """A source, cited in text as `[id]`."""

    id: str = Field(description="Number by which texts cite it.", examples=["1"])
    title: str = Field(description="Title of the source, or our short description of it.")
    url: str = Field(
        description="Its web address; without one, its page on this instance (/record?id=...)."
    )
    source_type: SourceType = Field(description="Kind of source.")
