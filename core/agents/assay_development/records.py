"""Records inside the answer: categories, protocols, validation, release, plan."""

from typing import Annotated, Literal

from pydantic import Field

from core.briefs.records import SourceIds
from core.knowledge.assays.rows import LimitType
from core.records.wire import Answer

Count = Annotated[int, Field(ge=0)]
Basis = Literal["published", "guideline", "expert", "assumption", "computed"]
Level = Literal["high", "medium", "low"]


class AssayFormat(Answer):
    """An assay."""

    name: str
    priority: Level
    stage: str = Field(description="First stage at which it is worth its cost.")
    controls: list[str]
    readouts: list[str]
    reasoning_trace: list[str] = Field(description="Rule, row and document that chose it.")
    key: str = Field(description="Its row in the table of formats.")
    principle: str
    weeks: Count = Field(description="To develop it.")
    source_ids: SourceIds


class PackageEntry(Answer):
    """A category with its assays."""

    category: str
    rationale: str
    formats: list[AssayFormat]
    need: Literal["mandatory", "supporting", "requested"]
    source_ids: SourceIds


class Material(Answer):
    """A material of a protocol."""

    name: str
    role: str
    critical: bool


class PlateLine(Answer):
    """A row of a plate."""

    row: str = Field(description="Its letter.", examples=["A"])
    wells: list[str] = Field(description="A code for each well, from column 1 on.")


class WellKind(Answer):
    """What a code of a well means."""

    code: str
    meaning: str


class Layout(Answer):
    """The plate, or the order of runs where there is none."""

    wells: Count = Field(description="0 where there is no plate.")
    replicates: Count
    rows: list[PlateLine] = Field(description="The plate, row by row; empty without one.")
    legend: list[WellKind]
    order: str = Field(description='Order of runs, vessels or groups; "" where a plate is used.')


class ProtocolStep(Answer):
    """A step."""

    n: Count
    action: str


class Limit(Answer):
    """A parameter with its criterion."""

    parameter: str
    criterion: str
    basis: Basis
    source_ids: SourceIds


class Reduction(Answer):
    """How signals become results."""

    model: str
    weighting: str


class ProtocolSkeleton(Answer):
    """The skeleton of a protocol: what to do, no amounts."""

    assay: str
    category: str
    principle: str
    materials: list[Material]
    layout: Layout
    steps: list[ProtocolStep]
    system_suitability: list[Limit]
    data_reduction: Reduction
    acceptance: list[Limit]
    safety_notes: list[str]
    source_ids: SourceIds


class GuidanceDocument(Answer):
    """A document that the plan follows."""

    id: str
    title: str
    status: str = Field(description="Whether it stands, is a draft, or was replaced.")
    opened_on: str = Field(description='Day on which its source was opened; "" if it was not.')
    source_ids: SourceIds


class ValidationParameter(Answer):
    """A parameter to be shown for an assay."""

    assay: str
    parameter: str
    design: str
    n: int | None
    criterion: str
    basis: Basis
    source_ids: SourceIds


class SampleSize(Answer):
    """A number of determinations with its formula."""

    assay: str
    purpose: str
    n: int | None
    formula: str
    inputs: dict[str, float]
    basis: Basis = Field(description="Basis of the inputs.")
    source_ids: SourceIds


class ValidationPlan(Answer):
    """How far the assays are validated, and with which experiments."""

    depth: Literal["exploratory", "qualified", "validated"]
    documents: list[GuidanceDocument]
    parameters: list[ValidationParameter]
    sample_sizes: list[SampleSize]
    source_ids: SourceIds


class ReleaseTest(Answer):
    """A test of a lot."""

    attribute: str
    method: str
    criterion: str
    limit_type: LimitType = Field(default="conforms", description="How the limit binds.")
    from_stage: str
    basis: Basis
    source_ids: SourceIds


class StabilityCondition(Answer):
    """A condition of storage."""

    condition: str
    months: list[int]
    tests: list[str]
    basis: Basis
    source_ids: SourceIds


class QcRelease(Answer):
    """Release and stability."""

    applies: bool
    reason: str
    tests: list[ReleaseTest]
    potency_strategy: str
    reference_standard: str
    stability: list[StabilityCondition]
    comparability: str
    source_ids: SourceIds


class ContextUsed(Answer):
    """An input and what it did."""

    input: str
    value: str
    effect: str
    source_ids: SourceIds


class ControlOrReagent(Answer):
    """A control or critical reagent."""

    name: str
    kind: Literal["positive", "negative", "reference", "critical_reagent"]
    assays: list[str]
    purpose: str
    qualification: str
    cost_band: str | None = Field(description="Null: no price known.")
    source_ids: SourceIds


class ModelSystem(Answer):
    """Cells or animals."""

    name: str
    type: Literal["cell_line", "primary", "organoid", "ex_vivo", "animal", "cell_free"]
    fit_for: str
    limits: str
    target_expression: str | None
    basis: Basis
    source_ids: SourceIds


class GateCriterion(Answer):
    """A metric of a gate."""

    metric: str
    go: str
    no_go: str
    basis: Basis
    source_ids: SourceIds


class Gate(Answer):
    """A decision."""

    gate: str
    question: str
    criteria: list[GateCriterion]
    if_between: str
    source_ids: SourceIds


class RankedAssay(Answer):
    """An assay in the order in which to develop it."""

    assay: str
    rank: Count
    reasons: list[str]
    source_ids: SourceIds


class DecisionFramework(Answer):
    """Gates, and what to develop first."""

    gates: list[Gate]
    ranking: list[RankedAssay]
    source_ids: SourceIds


class AssayEvidence(Answer):
    """A statement that the plan rests on."""

    statement: str
    kind: Literal["fact", "rule", "assumption"]
    supports: list[str]
    source_ids: SourceIds


class Risk(Answer):
    """What may go wrong."""

    risk: str
    severity: Level
    likelihood: Level
    affects: list[str]
    mitigation: str
    early_sign: str
    source_ids: SourceIds


class TimelineStep(Answer):
    """An activity in weeks from the start."""

    activity: str
    start_week: Count
    end_week: Count
    depends_on: list[str]
    deliverable: str
    source_ids: SourceIds


class FileResult(Answer):
    """What an uploaded table came to, against the criteria of the plan."""

    file: str
    sample: str
    n: Count
    lower: float | None
    upper: float | None
    slope: float | None
    midpoint: float | None
    relative_potency: float | None = Field(description="In percent of the reference.")
    parallel_p: float | None = Field(description="Probability under parallel curves.")
    percent_cv: float | None = Field(description="Median over levels with replicates.")
    z_prime: float | None
    verdict: str
    source_ids: SourceIds
