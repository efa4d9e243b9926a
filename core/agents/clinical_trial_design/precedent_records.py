"""Records of regulatory pathways and of precedents."""

from typing import Literal

from pydantic import Field

from core.agents.clinical_trial_design.records import Cited, Score
from core.records.wire import Answer


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
    supports: Literal["full", "accelerated"]
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
