"""The table of compounds, flat for spreadsheets."""

from pydantic import Field

from core.records.table import Table
from core.records.wire import Answer

EXPORTS = {
    "compounds.sdf": "chemical/x-mdl-sdfile",
    "compounds.smi": "chemical/x-daylight-smiles",
    "compounds_drawn.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""Files for other programs with their media types."""


class CompoundLine(Answer):
    """One compound, flat: a record of `compounds` as a line of a table."""

    id: str
    smiles: str
    inchikey: str
    confidence_score: int
    confidence: str
    extraction_method: str
    role: str
    claimed: bool
    label: str
    documents: str = Field(description="Publication numbers.")
    places: str = Field(description="Documents with section and block.")
    assignees: str
    first_disclosed_on: str
    scaffold: str
    cluster: int
    x: float
    y: float
    molecular_weight: float
    clogp: float
    tpsa: float
    hbd: int
    hba: int
    rotors: int
    nearest_clinical: str
    clinical_tanimoto: float | None
    same_skeleton: str
    sources: str = Field(description="Numbers of its sources.")


class CompoundTable(Table):
    """Compounds by rank."""

    row_model = CompoundLine
