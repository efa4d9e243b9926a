"""Request and answer of new-developments, word for word as specified."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, get_args

from pydantic import Field, field_validator

from core.agents.new_developments.columns import CatalystTable, ThemeTable
from core.agents.new_developments.records import (
    Catalyst,
    Count,
    DatedEvent,
    EchoedFilters,
    LiveDiscovery,
    SourceReach,
    Theme,
    ThemeBrief,
)
from core.briefs.developments.focus import STAGE_FOCUS, read_focus
from core.briefs.records import BriefData
from core.records.wire import WHOLE, Request, says_something

EXPORTS = {"upcoming.ics": "text/calendar"}
"""Files for other programs with their media types."""


class NewDevelopmentsRequest(Request):
    """What to scan, and how far back."""

    watched: ClassVar[Mapping[str, str]] = {
        "query": "query",
        "indication": "indication",
        "modality": "modality",
        "target": "target",
        "stage_focus": "stage_focus",
    }

    query: str | None = Field(
        default=None,
        max_length=1000,
        description="What to look for, in plain words: target, disease, drug, company, kind of "
        "drug, type of event; “not …” leaves out. Empty: everything.",
        examples=["bispecific antibodies in oncology"],
    )
    indication: str | None = Field(
        default=None,
        max_length=300,
        description="Only events in this disease, or in a kind of it.",
        examples=["non-small cell lung cancer"],
    )
    modality: str | None = Field(
        default=None,
        max_length=300,
        description="Only events of this kind of drug.",
        examples=["antibody-drug conjugate"],
    )
    target: str | None = Field(
        default=None,
        max_length=300,
        description="Only events of drugs that act on this.",
        examples=["PD-1", "KRAS G12C"],
    )
    stage_focus: str = Field(
        default="any",
        min_length=1,
        max_length=60,
        description=f"Only events at this stage: {', '.join(get_args(STAGE_FOCUS))}; spellings "
        "such as “Phase II” are read, too.",
        examples=["phase3"],
    )
    lookback_days: Annotated[
        int, Field(ge=1, le=365, description="Days back from today that count."), WHOLE
    ] = 60
    include_live_discovery: bool = Field(
        default=False, description="Whether to ask live sources, too, where they are connected."
    )
    use_cache: bool = Field(
        default=False, description="Whether a stored answer to the same request will do."
    )

    @field_validator("query", "indication", "modality", "target")
    @classmethod
    def _drop_blank(cls, value: str | None) -> str | None:
        return value if value and says_something(value) else None

    @field_validator("stage_focus")
    @classmethod
    def _check_focus(cls, value: str) -> str:
        read_focus(value)
        return value


class NewDevelopmentsData(BriefData):
    """What happened, what it adds up to, what lies ahead."""

    catalysts: list[Catalyst] = Field(description="Events of the window, the best score first.")
    themes: list[Theme] = Field(description="Those of most events first.")
    briefs: list[ThemeBrief] = Field(description="The first themes in words.")
    filters: EchoedFilters
    upcoming: list[DatedEvent] = Field(description="Events ahead, the soonest first; no score.")
    overdue: list[DatedEvent] = Field(
        description="Target dates of the window that passed without a reported result."
    )
    nearest: list[DatedEvent] = Field(
        description="Where the window holds nothing: what happened last before it."
    )
    reach: list[SourceReach] = Field(description="Up to when each source reaches.")
    n_catalysts: Count = Field(description="Events that pass the filters, before the limit.")
    live_discovery: LiveDiscovery
    generated_at: str = Field(description="Instant of the answer.")
    catalyst_table: CatalystTable = Field(description="The records of `catalysts`, flat.")
    theme_table: ThemeTable = Field(description="The records of `themes`, flat.")
