"""Records inside the answer, section by section; every one names its sources."""

from typing import Annotated, Literal

from pydantic import Field

from core.briefs.records import SourceIds
from core.records.sources import Source
from core.records.wire import Answer
from core.vocabulary.endpoints import EndpointType

Level = Literal["high", "medium", "low"]
Basis = Literal["evidence", "request", "planning", "rule", "computed", "assumption"]
ComparatorType = Literal["active", "placebo", "add_on_placebo", "single_arm", "dose_control"]
Share = Annotated[float, Field(ge=0, le=1)]
Score = Annotated[int, Field(ge=0, le=100)]
Cell = float | int | str | None
Support = Literal["full", "accelerated", "animal rule", "none"]
Framework = Literal["superiority", "non_inferiority", "equivalence", "single_arm", "dose_finding"]
PlannedBy = Literal[
    "power",
    "exposure as in precedents",
    "pivotal trials of the class",
    "first studies of the class",
    "not calculated",
]


class Cited(Answer):
    """A record that names its sources."""

    source_ids: SourceIds = []


class DesignSource(Source):
    """A source with its part in the answer."""

    relevance: str = Field(description='What it is cited for; "background" where it is not.')


class NumberRange(Cited):
    """How a number lies among precedents."""

    low: float | None = Field(description="First quartile.")
    median: float | None
    high: float | None = Field(description="Third quartile.")
    n: int = Field(description="Precedents that report it.")
    unit: str


class Computed(Cited):
    """A number with its formula and inputs."""

    value: float | None
    unit: str
    formula: str
    inputs: dict[str, Cell]
    basis: Basis


class ExecutiveSummary(Cited):
    """The strategy in a few sentences."""

    recommended_trial_strategy: str
    likely_regulatory_pathway: str
    major_design_risks: list[str]
    competitive_positioning_considerations: list[str]
    confidence: Level
    confidence_score: Score
    confidence_inputs: dict[str, int] = Field(description="What the score is the lowest of.")


class RecommendedDesign(Cited):
    """The next study."""

    design_type: str
    rationale: str
    regulatory_feasibility: str
    precedent_support: list[str]
    confidence: Level
    confidence_score: Score


class Arm(Cited):
    """An arm."""

    name: str
    role: Literal["experimental", "control", "add_on"]
    regimen: str
    n: int | None


class Randomization(Cited):
    """How patients come to their arms."""

    ratio: str
    stratification: list[str]


class Period(Cited):
    """A period of the study."""

    name: str
    months: float | None


class TrialSchema(Cited):
    """Arms, periods and looks."""

    arms: list[Arm]
    randomization: Randomization | None
    blinding: str
    periods: list[Period]
    interim_looks: int
    diagram: str


class Criterion(Cited):
    """A criterion of eligibility."""

    criterion: str
    share: Share | None = Field(description="Share of close precedents that name it.")
    rationale: str


class BiomarkerPlan(Cited):
    """Whether patients are chosen by a biomarker."""

    required: bool
    marker: str | None
    companion_diagnostic: bool


class AgeLimits(Cited):
    """Ages in years; null where there is no limit."""

    min: float | None
    max: float | None


class TargetPopulation(Cited):
    """Who is enrolled."""

    summary: str
    inclusion: list[Criterion]
    exclusion: list[Criterion]
    biomarker: BiomarkerPlan
    line_of_therapy: str | None
    age: AgeLimits


class Acceptance(Cited):
    """How often trials behind approvals used the endpoint."""

    regulator: str
    n_precedents: int
    share: Share | None


class EndpointEntry(Cited):
    """An endpoint with its place."""

    role: Literal["primary", "key_secondary", "secondary", "exploratory"]
    endpoint: str
    endpoint_class: str
    timepoint: str | None
    registered: Acceptance = Field(description="Primary endpoint of registered precedents.")
    acceptance: Acceptance = Field(description="Endpoint of trials named in approved labels.")
    supports: Support
    rationale: str


class CareOption(Cited):
    """A regimen of standard care."""

    regimen: str
    setting: str


class HistoricalControl(Cited):
    """The rate that a single arm must beat."""

    p0: Share
    lower_bound_rule: str


class NonInferiority(Cited):
    """Whether non-inferiority may be claimed."""

    applicable: bool
    margin: float | None
    basis: str


class Alternative(Cited):
    """Another comparator."""

    comparator: str
    when: str
    tradeoff: str


class ComparatorStrategy(Cited):
    """With what the drug is compared."""

    recommended: str
    type: ComparatorType
    rule: str
    standard_of_care: list[CareOption]
    historical_control: HistoricalControl | None
    non_inferiority: NonInferiority
    alternatives: list[Alternative]
    precedent_types: dict[str, int] = Field(description="Controls of close precedents.")


class Monitoring(Cited):
    """A committee, and why."""

    needed: bool
    reason: str
    share: Share | None = Field(description="Precedents with a committee, of those that say.")
    n_precedents: int


class StoppingRule(Cited):
    """When the study is stopped for an event."""

    event: str
    rule: str


class SpecialInterest(Cited):
    """An event of special interest."""

    term: str
    share: Share | None = Field(description="Labels of the class that name it.")
    n_labels: int
    monitoring: str


class SafetyDatabase(Cited):
    """What the number of treated patients can see."""

    n: int
    detectable_rate: float
    expected: str = Field(default="", description="What agencies ask for in the setting.")


class SafetyPlan(Cited):
    """How safety is watched."""

    dmc: Monitoring
    stopping_rules: list[StoppingRule]
    special_interest: list[SpecialInterest]
    safety_database: SafetyDatabase
    follow_up_years: float | None


class CompetingTrials(Cited):
    """Trials that recruit the same patients now."""

    count: int
    nct_ids: list[str]


class RegionShare(Cited):
    """Share of close precedents with sites in a region."""

    region: str
    share: Share
    n: int = Field(description="Precedents that name their countries.")


class Feasibility(Cited):
    """How long recruitment takes."""

    index: Literal["feasible", "stretched", "infeasible", "unknown"]
    sites: NumberRange
    rate_per_site_month: NumberRange
    planned_sites: int | None = Field(default=None, description="Sites that N asks for.")
    ramp_months: float
    enrollment_months: float | None
    percentile: float | None = Field(description="Of the months among precedents, 0 to 100.")
    competing_trials: CompetingTrials
    pool_share: Share | None
    regions: list[RegionShare]
    manufacturing_notes: list[str]
    assumptions: list[str]


class Benchmark(Cited):
    """A competing trial."""

    asset: str
    phase: str
    population: str
    endpoint: str
    comparator: str
    sample_size: str
    outcome: str


class Risk(Cited):
    """A regulatory risk with the rule that raised it."""

    risk: str
    severity: Level
    trigger: str
    mitigation: str


class Adjustment(Cited):
    """A step on the log-odds scale."""

    name: str
    delta_logit: float


class SuccessProbability(Cited):
    """Probability that the study reaches the next step, as the rule gives it."""

    value: float
    low: float
    high: float
    base: float
    adjustments: list[Adjustment]


class Scenario(Cited):
    """One way of doing it."""

    name: Literal["base", "accelerated", "conservative"]
    design_type: str
    primary_endpoint: str
    n: int | None
    months_to_readout: float | None
    pathway: str
    success_probability: SuccessProbability
    tradeoffs: list[str]


class NextStep(Cited):
    """What to do next."""

    step: str
    why: str
    timing: str
    priority: Level


class Effect(Computed):
    """The effect planned for, with the arm, patients and time point it was seen in."""

    low: float | None
    high: float | None
    n: int = Field(description="Results behind it.")
    seen_in: list[str] = Field(description="Arms, participants and time point of each result.")


class SampleSize(Cited):
    """Participants; null where no effect is on record."""

    total: int | None
    per_arm: dict[str, int]
    events: int | None = Field(description="Of each comparison with the control.")
    formula: str = Field(description='How N was calculated; "" where it was not.')
    inputs: dict[str, Cell] = Field(description="Every number that enters the formula.")
    dropout: Share
    inflated_total: int | None
    planned_total: int | None = Field(
        description="To enroll: for power, or what like precedents enroll where that is twice "
        "as many or more, for the exposure that agencies expect."
    )
    like_precedents: int | None = Field(
        description="Participants within whose factor of two most like precedents lie, by weight."
    )
    planned_by: PlannedBy
    class_range: list[int] = Field(
        default=[], description="Least and most participants of trials of the class; else empty."
    )


class GridPoint(Cited):
    """Participants for an effect and a power."""

    effect: float = Field(description="Of non-inferiority and equivalence: the margin.")
    power: float
    n: int | None
    events: int | None


class Look(Cited):
    """A look with its bounds."""

    information: float
    events: int | None
    z: float
    p: float = Field(description="One-sided.")
    futility_z: float | None
    month: float | None
    ratio: float | None = Field(default=None, description="Hazard ratio at the bound of success.")


class Interim(Cited):
    """Looks and their spending."""

    spending: str
    futility: str
    inflation: float
    looks: list[Look]


class TwoStagePlan(Cited):
    """Simon's design: stop at r1 or fewer of n1, fail at r or fewer of n."""

    r1: int
    n1: int
    r: int
    n: int
    en0: float
    pet0: float


class DoseFindingPlan(Cited):
    """How doses are found."""

    method: str
    target: float | None
    escalate: str
    deescalate: str
    optimization: str


class AlphaStep(Cited):
    """A hypothesis with its one-sided level."""

    hypothesis: str
    alpha: float
    passes_to: str


class Multiplicity(Cited):
    """How the level is kept over hypotheses."""

    method: str
    family: list[str]
    alpha_map: list[AlphaStep]


class IntercurrentEvent(Cited):
    """An intercurrent event with its strategy."""

    event: str
    strategy: str


class Estimand(Cited):
    """What is estimated."""

    population: str
    variable: str
    intercurrent_events: list[IntercurrentEvent]
    summary: str


class Calculation(Cited):
    """A calculation beside the headline, with all that a reader needs to do it again."""

    method: str
    applies: bool
    why: str = Field(description="What calls for it, or why it is not called for.")
    formula: str = Field(description='"" where it is not called for.')
    inputs: dict[str, Cell] = Field(description="All that enters the formula but the rows.")
    results: list[dict[str, Cell]] = Field(description="What is assumed and what it gives.")


class Statistics(Cited):
    """The statistical design."""

    framework: Framework
    endpoint_type: EndpointType | None
    alpha: float = Field(description="In all, of as many sides as `sides` says.")
    sides: Literal[1, 2]
    power: float
    effect: Effect
    control: Computed = Field(description="What the control arm is planned with.")
    variance: Computed = Field(description="Of the effect, times participants.")
    dropout: NumberRange
    duration: NumberRange
    sample_size: SampleSize
    precedent_total: NumberRange = Field(description="Participants of near precedents.")
    grid: list[GridPoint]
    interim: Interim | None
    simon: TwoStagePlan | None
    dose_finding: DoseFindingPlan | None
    multiplicity: Multiplicity
    estimand: Estimand
    calculations: list[Calculation] = Field(
        description="In addition to the headline: of each what calls for it, formula, inputs "
        "and results; of one that is not called for why not."
    )
    assumptions: list[str]


class PathwayOption(Cited):
    """A regulatory pathway with the trigger that fired."""

    agency: str
    pathway: str
    fired: bool
    trigger: str
    consequence: str
    review_months: float | None
    document: str = Field(description="Basis of the rule.")


class RegulatoryPathway(Cited):
    """Pathways of the agency asked for."""

    agency: str
    likely: str
    options: list[PathwayOption]
    differences: list[str] = Field(description="What this agency sees otherwise.")


class Guidance(Answer):
    """A guidance that governs the setting."""

    document: str = Field(description="Federal Register document of the notice.")
    title: str
    status: Literal["draft", "final"]
    published_on: str


class Expectation(Answer):
    """What an agency accepts in the setting, as the curators' table has it."""

    agency: str
    setting: str
    endpoint: str
    time_point: str
    supports: Literal["full", "accelerated", "animal rule"]
    co_endpoint: str = Field(description="Second primary endpoint; empty for none.")
    other_endpoints: list[str]
    control: str
    comparison: Literal["superiority", "non_inferiority", "equivalence"]
    margin: float | None
    size_range: list[int] = Field(description="Participants of pivotal trials of the class.")
    trials: int = Field(description="Pivotal trials that are usual.")
    safety_database: str
    guidances: list[Guidance]
    basis: str = Field(description="Expert, or the source of the row.")


class PrecedentRow(Cited):
    """A trial of the setting."""

    asset: str
    sponsor: str
    nct_id: str | None
    phase: str
    indication: str
    line: str
    population: str
    design_type: str
    n: int | None = Field(description="Participants of all arms.")
    primary_endpoint: str
    endpoint_class: str
    comparator: str
    duration_months: float | None = Field(description="Start to primary completion.")
    sites: int | None
    status: str
    outcome: str
    effect: str
    approved_on: str | None
    match_score: Score
    match_parts: dict[str, float]
    kind: Literal["registered trial", "own trial", "named in the request"]
