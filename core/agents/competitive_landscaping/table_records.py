"""The table of drugs, flat for spreadsheets."""

from pydantic import Field

from core.records.stages import Stage
from core.records.table import Table
from core.records.wire import Answer


class DrugLine(Answer):
    """One drug, flat: a record of `drugs` as a line of a table."""

    rank_score: int
    drug_name: str
    stage: Stage
    company: str
    target: str
    mechanism: str
    modality: str
    indication: str
    efficacy: str
    toxicity: str
    partners: str
    regions: str = Field(description="Highest stage stated per region.")
    n_active_trials: int
    n_other_trials: int
    trial_ids: str
    aliases: str
    drug_key: str
    is_expert_only: bool
    unconfirmed: str = Field(description="Cells that are expert, not confirmed.")
    as_of: str
    sources: str = Field(description="Numbers of its sources.")


class DrugTable(Table):
    """Drugs by rank."""

    row_model = DrugLine
