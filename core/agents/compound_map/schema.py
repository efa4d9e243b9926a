"""Request and answer of compound-map, word for word as specified."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.agents.compound_map.columns import CompoundTable
from core.agents.compound_map.records import (
    AssigneeRow,
    ClinicalBasis,
    ClinicalRow,
    Compound,
    Disclosure,
    FreedomToOperate,
    Funnel,
    GenericDrawing,
    GroupTable,
    MatchedPairTable,
    MatchMode,
    MatrixCell,
    MentionedPatent,
    OwnCompound,
    PatentLeftOut,
    PatentRow,
    Series,
    Similarity,
    SourceAnswerRow,
    UploadRow,
)
from core.briefs.records import Narrative
from core.records.evidence_sheets import SourceTable
from core.records.sources import Source
from core.records.wire import NOT_BLANK, WHOLE, AgentData, Request, says_something

Count = Annotated[int, Field(ge=0)]
MOST_FILES = 20
EXPORTS = {
    "compounds.sdf": "chemical/x-mdl-sdfile",
    "compounds.smi": "chemical/x-daylight-smiles",
    "compounds_drawn.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""Files for other programs with their media types."""


class CompoundMapRequest(Request):
    """Which target's patents to draw, how many of them, and what to add of one's own."""

    watched: ClassVar[Mapping[str, str]] = {"target": "target"}

    target: str = Field(
        min_length=1,
        max_length=100,
        description="Gene or protein symbol.",
        examples=["KRAS"],
        json_schema_extra={"pattern": NOT_BLANK},
    )
    max_patents: Annotated[int, Field(ge=1, le=100), WHOLE] = Field(
        default=20, description="Documents in the sample, one a family."
    )
    candidate_pool: Annotated[int, Field(ge=1, le=2000), WHOLE] = Field(
        default=200,
        description="Documents among which the sample is chosen; raised to the size of the sample "
        "where it is smaller.",
    )
    max_panels_per_patent: Annotated[int, Field(ge=0, le=200), WHOLE] = Field(
        default=6, description="Most pages of one document that are cut into pictures."
    )
    max_crops_per_patent: Annotated[int, Field(ge=0, le=200), WHOLE] = Field(
        default=12, description="Most pictures of one document that are read."
    )
    seed: str | None = Field(
        default=None,
        max_length=200,
        description="Any text: the same seed and evidence give the same sample and map.",
        examples=["2026-review"],
    )
    include_full_clinical_landscape: bool = Field(
        default=True,
        description="Whether every clinical compound of the target in the evidence is compared, "
        "early and stopped ones too; without it only those that are approved or in phase 2 and "
        "later.",
    )
    file_ids: list[Annotated[str, Field(max_length=200)]] = Field(
        default_factory=list,
        max_length=MOST_FILES,
        description="Patent documents of your own as PDF or plain text, by upload id; their "
        "drawings and systematic names are read.",
    )
    compounds_file_id: str | None = Field(
        default=None,
        max_length=200,
        description="Compounds of your own as SDF, CSV or SMILES, by upload id; each is "
        "compared with what the documents draw.",
    )
    match_mode: MatchMode = Field(
        default="exact",
        description="When one of your compounds counts as drawn: the same molecule, the same "
        "without stereo, or the same but for tautomers.",
    )

    @field_validator("target")
    @classmethod
    def _check_target(cls, value: str) -> str:
        if not says_something(value):
            raise ValueError("the target is blank; name a gene or protein symbol")
        return value


class CompoundMapData(AgentData):
    """The sample of patents, what they draw, how alike it is, and where there is room."""

    target: str = Field(description="Approved symbol; the text as asked where none is known.")
    aliases: list[str] = Field(description="Symbols and names that were searched for.")
    assignees: list[AssigneeRow]
    similarity: Similarity
    n_selected: Count = Field(description="Documents in the sample.")
    n_compound_crops: Count = Field(description="Image crops read; 0 is normal.")
    n_smiles_raw: Count = Field(description="Strings as delivered, before any check.")
    n_similarity_pairs: Count = Field(description="Length of `similarity.pairs`.")
    elapsed_s: float = Field(ge=0, description="Seconds of the run.")
    seed: str = Field(description="Text from which every choice by lot was drawn.")
    n_candidates: Count = Field(description="Documents found before the sample was chosen.")
    funnel: Funnel
    compounds: list[Compound] = Field(description="Molecules by rank, each once.")
    n_sure: Count = Field(
        description="Compounds with a confidence score of 95 or more: a second witness confirms "
        "the structure."
    )
    generic: list[GenericDrawing] = Field(description="R-group drawings and reactions.")
    patents: list[PatentRow] = Field(description="The sample in the order of choice.")
    patents_left_out: list[PatentLeftOut]
    mentioned_in: list[MentionedPatent] = Field(
        default_factory=list,
        description="Documents that mention the target as a biomarker or combination partner; "
        "their compounds are not in the map.",
    )
    assignee_scaffolds: list[MatrixCell]
    timeline: list[Disclosure] = Field(description="Documents by priority date.")
    clinical_reference: list[ClinicalRow]
    clinical_basis: ClinicalBasis
    freedom_to_operate: FreedomToOperate
    series: list[Series]
    r_groups: GroupTable
    matched_pairs: MatchedPairTable
    own_compounds: list[OwnCompound]
    uploads: list[UploadRow]
    source_report: list[SourceAnswerRow]
    compound_table: CompoundTable = Field(description="The records of `compounds`, flat.")
    summary: list[str] = Field(description="Sentences that say what was found.")
    sources: list[Source] = Field(description="What [n] refers to.")
    source_table: SourceTable = Field(description="The records of `sources`, flat.")
    narrative: Narrative
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
