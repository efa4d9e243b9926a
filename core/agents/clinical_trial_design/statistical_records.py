"""Records of the statistical design."""

from typing import Literal

from pydantic import Field

from core.agents.clinical_trial_design.records import Cited, Computed, NumberRange, Share
from core.vocabulary.endpoints import EndpointType

Cell = float | int | str | None
Framework = Literal["superiority", "non_inferiority", "equivalence", "single_arm", "dose_finding"]
PlannedBy = Literal[
    "power",
    "exposure as in precedents",
    "pivotal trials of the class",
    "first studies of the class",
    "not calculated",
]


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
