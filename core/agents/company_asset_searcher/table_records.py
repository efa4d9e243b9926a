"""The tables of drugs and programs, flat for spreadsheets."""

from pydantic import Field

from core.agents.company_asset_searcher.records import (
    Category,
    DateConfidence,
    Origin,
    Weight,
)
from core.records.stages import Stage
from core.records.table import Table
from core.records.wire import Answer
from core.vocabulary.stages import Phase


class AssetLine(Answer):
    """One drug, flat: a record of `drugs` as a line of a table."""

    name: str
    code: str | None
    phase: Phase
    origin: Origin | None
    origin_rule: str
    partner: str | None
    target: str | None
    modality: str | None
    indication: str | None
    next_event: str
    next_event_on: str
    date_confidence: DateConfidence
    category: Category
    weight: Weight
    weight_score: int
    rationale: str
    last_patent_on: str | None
    last_exclusivity_on: str | None
    biologic_until: str | None
    note: str | None
    aliases: str
    drug_key: str | None
    is_expert_only: bool
    unconfirmed: str = Field(description="Cells that are expert, not confirmed.")
    sources: str = Field(description="Numbers of its sources.")


class AssetTable(Table):
    """Drugs by stage."""

    row_model = AssetLine


class ProgramLine(Answer):
    """One drug in one indication and region, flat."""

    name: str
    indication: str
    region: str
    phase: Stage
    is_discontinued: bool
    reason: str
    trial_ids: str
    as_of: str
    sources: str = Field(description="Numbers of its sources.")


class ProgramTable(Table):
    """Programs by drug."""

    row_model = ProgramLine
