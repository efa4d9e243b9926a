"""The words for an event ahead of a drug: kind, how sure its date is, how much it weighs."""

from typing import Literal

from pydantic import Field

from core.records.wire import Answer

Origin = Literal["in-house", "licensed-in", "acquired", "licensed-out", "partnered"]
Category = Literal[
    "Data",
    "Regulatory",
    "Conference",
    "BD / licensing",
    "IND / timing",
    "Commercial",
    "None",
    "Unknown",
]
DateConfidence = Literal["confirmed", "estimated", "window", "tbd"]
Weight = Literal["very_high", "high", "medium", "low", "timing_only", "none"]


class WeightParts(Answer):
    """The factors whose product is the weight."""

    category: float = Field(description="Weight of the event, 0 to 100.")
    confidence: float = Field(description="Share for how sure the date is.")
    ownership: float = Field(description="Share for how much of it is the company's.")
    time: float = Field(description="Share that the distance leaves.")
