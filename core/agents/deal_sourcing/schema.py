"""Request and answer of deal-sourcing, word for word as specified."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.agents.deal_sourcing.columns import DealTable
from core.agents.deal_sourcing.records import (
    Deal,
    DealSource,
    ParsedThesis,
    RejectedEntity,
    SearchWindow,
)
from core.briefs.records import BriefData
from core.records.wire import NOT_BLANK, WHOLE, Request, says_something


class DealSourcingRequest(Request):
    """What to look for, and which days count as new."""

    watched: ClassVar[Mapping[str, str]] = {"thesis": "query"}

    thesis: str = Field(
        min_length=1,
        max_length=2000,
        description="Sector, disease, target, kind of drug, stage, place, owner, partner, why a "
        "program was stopped, in plain words; “not …” leaves out.",
        examples=["Chinese ADCs without a Western partner"],
        json_schema_extra={"pattern": NOT_BLANK},
    )
    lookback_days: Annotated[
        int,
        Field(ge=7, le=30, description="Days back from today whose signals count as new."),
        WHOLE,
    ] = 30
    use_cache: bool = Field(
        default=False, description="Whether a stored answer to the same request will do."
    )

    @field_validator("thesis")
    @classmethod
    def _check_thesis(cls, value: str) -> str:
        if not says_something(value):
            raise ValueError("say what to look for, such as “shelved antivirals”")
        return value


class DealSourcingData(BriefData):
    """The deals, the thesis as understood, and what came near."""

    thesis: str
    week_of: str = Field(description="Monday of the week of the run.")
    deals: list[Deal] = Field(description="The best score first.")
    sources: list[DealSource]  # type: ignore[assignment]  # the specification adds two fields
    generated_at: str = Field(description="Instant of the answer.")
    parsed_thesis: ParsedThesis
    rejected: list[RejectedEntity] = Field(description="What came near, and why it is no deal.")
    window: SearchWindow
    n_candidates: int = Field(description="Drugs with a signal asked for, before any check.")
    deal_table: DealTable = Field(description="The records of `deals`, flat.")
