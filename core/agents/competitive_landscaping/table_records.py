"""The table of facts behind the rows of drugs."""

from pydantic import Field

from core.records.stages import Stage
from core.records.table import Table
from core.records.wire import Answer


class FactRow(Answer):
    """One fact behind a cell."""

    drug_name: str
    cell: str = Field(description="Column of the drug row that rests on it.")
    statement: str = Field(description="What is said, in the words of the answer.")
    predicate: str
    value: str = Field(description="What the record says.")
    qualifiers: str = Field(description="Arm, n, time point and the like, as the record says.")
    as_of: str
    locator: str = Field(description="Place in the record.")
    record_id: str
    url: str
    source_id: str = Field(description="Number of the source.")
    rule: str = Field(description="Rule that derived the statement; empty if the record says so.")
    is_expert: bool = Field(description="Whether only a curator's own knowledge carries it.")


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


class SourceRow(Answer):
    """One source, flat."""

    id: str
    title: str
    source_type: str
    url: str


class SourceTable(Table):
    """Sources by number."""

    row_model = SourceRow


class FactTable(Table):
    """Facts by drug and cell."""

    row_model = FactRow
