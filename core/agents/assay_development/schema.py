"""Request and answer of assay-development, word for word as specified."""

from typing import Annotated, Literal

from pydantic import Field

from core.agents.assay_development.records import (
    AssayEvidence,
    ContextUsed,
    ControlOrReagent,
    DecisionFramework,
    FileResult,
    ModelSystem,
    PackageEntry,
    ProtocolSkeleton,
    QcRelease,
    Risk,
    TimelineStep,
    ValidationPlan,
)
from core.agents.assay_development.tables import CriterionTable, FormatTable
from core.briefs.records import Narrative
from core.records.free_fields import FreeObject
from core.records.sources import Source
from core.records.wire import NOT_BLANK, Answer, Request, RunEcho

Modality = Literal[
    "CAR-T",
    "TCR-T",
    "TIL therapy",
    "NK cell therapy",
    "T cell engager",
    "antibody",
    "ADC",
    "small molecule",
    "protein biologic",
    "gene therapy",
    "RNA therapy",
    "vaccine",
    "other",
]
Goal = Literal[
    "candidate_selection",
    "mechanism_of_action",
    "potency",
    "CMC_release",
    "IND_enabling",
    "translational_biomarkers",
]
Stage = Literal[
    "discovery",
    "lead_optimization",
    "preclinical",
    "IND_enabling",
    "phase1",
    "phase2",
    "phase3",
    "commercial",
]
Word = Annotated[str, Field(min_length=1, max_length=200, pattern=NOT_BLANK)]


class AssayDevelopmentRequest(Request):
    """A product, its goal and its stage."""

    modality: Modality = Field(description="Kind of product.", examples=["CAR-T"])
    indication: str = Field(
        min_length=1,
        max_length=300,
        pattern=NOT_BLANK,
        description="Disease or experimental context.",
        examples=["multiple myeloma"],
    )
    assay_goal: Goal = Field(description="What the assays are for.", examples=["potency"])
    target: str | None = Field(
        default=None, max_length=200, description="What the product acts on.", examples=["BCMA"]
    )
    mechanism: str | None = Field(
        default=None,
        max_length=1_000,
        description="How it is thought to act.",
        examples=["killing of BCMA-positive plasma cells"],
    )
    development_stage: Stage = Field(
        default="preclinical", description="Where the product stands.", examples=["IND_enabling"]
    )
    product_details: FreeObject | None = Field(
        default=None,
        description="Of the product: format, payload, linker, vector, cell_source, formulation, "
        "dose_form.",
        json_schema_extra={
            "known": [
                *("format", "payload", "linker", "vector", "cell_source"),
                *("formulation", "dose_form"),
            ]
        },
        examples=[{"cell_source": "allogeneic donors"}],
    )
    sample_context: FreeObject | None = Field(
        default=None,
        description="Of the samples: matrix, species, n_samples, volume_ul, fresh.",
        json_schema_extra={"known": ["matrix", "species", "n_samples", "volume_ul", "fresh"]},
        examples=[{"matrix": "serum", "n_samples": 400}],
    )
    constraints: FreeObject | None = Field(
        default=None,
        description="Limits: budget_band (low, medium, high), weeks, biosafety_level, "
        "instruments, excluded_formats.",
        json_schema_extra={
            "known": [
                *("budget_band", "weeks", "biosafety_level", "instruments", "excluded_formats")
            ]
        },
        examples=[{"weeks": 26}],
    )
    requested_categories: list[Word] = Field(
        default_factory=list,
        max_length=20,
        description="Only these categories, such as potency, safety, pharmacokinetics; none: all.",
        examples=[["potency"]],
    )
    uploaded_files: list[Word] = Field(
        default_factory=list,
        max_length=10,
        description="IDs of uploaded files: a table of results (concentration, signal, sample) "
        "is fitted and judged.",
    )
    include_qc_release: bool = Field(
        default=True, description="Add the strategy of release and stability."
    )
    include_protocol_skeletons: bool = Field(
        default=True, description="Add a skeleton of each protocol."
    )
    use_cache: bool = Field(
        default=False, description="Take the stored result of an earlier equal run if there is one."
    )


class RequestEcho(Answer):
    """The request with every default written out."""

    modality: Modality
    indication: str
    assay_goal: Goal
    target: str | None
    mechanism: str | None
    development_stage: Stage
    product_details: FreeObject | None
    sample_context: FreeObject | None
    constraints: FreeObject | None
    requested_categories: list[str]
    uploaded_files: list[str]
    include_qc_release: bool
    include_protocol_skeletons: bool
    use_cache: bool


class AssayDevelopmentData(RunEcho):
    """The plan."""

    input: RequestEcho = Field(description="Echo of the request.")
    as_of: str = Field(description="Day of the answer.")
    executive_summary: str = Field(description="A few sentences with numbered citations.")
    assay_strategy: str = Field(description="Why these assays, in paragraphs with citations.")
    recommended_assay_package: list[PackageEntry] = Field(
        description="Categories in the order of their weight, with their formats."
    )
    protocol_skeletons: list[ProtocolSkeleton]
    validation_plan: ValidationPlan
    qc_release_strategy: QcRelease
    context_used: list[ContextUsed] = Field(description="Every input that changed the plan.")
    controls_and_reagents: list[ControlOrReagent]
    decision_framework: DecisionFramework
    evidence: list[AssayEvidence] = Field(description="Facts from the evidence, and rules.")
    model_systems: list[ModelSystem]
    risks_and_mitigations: list[Risk]
    sources: list[Source] = Field(description="What [n] refers to, by first citation.")
    timeline: list[TimelineStep]
    file_results: list[FileResult] = Field(description="What uploaded tables came to.")
    confidence_score: Annotated[int, Field(ge=0, le=100)]
    format_table: FormatTable = Field(description="The assays, one line each.")
    criterion_table: CriterionTable = Field(description="The criteria, one line each.")
    narrative: Narrative
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
