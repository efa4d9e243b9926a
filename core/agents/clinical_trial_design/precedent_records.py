"""Records of regulatory pathways and of precedents."""

from typing import Literal

from pydantic import Field

from core.agents.clinical_trial_design.records import Cited, Score


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
    kind: Literal["registered trial", "own trial", "asked for"]
