"""Request and answer of label-strategy, word for word as specified."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, JsonValue, field_validator

from core.agents.label_strategy.columns import FrequencyTable, UseTable
from core.agents.label_strategy.records import (
    ClaimRow,
    ComparedUse,
    ExecutiveSummary,
    FrequencyRow,
    HistoryRow,
    LabelRestriction,
    LabelScenario,
    LabelSource,
    NextStep,
    PrecedentRow,
    ProposedIndication,
    RegulatoryRisk,
    RiskScores,
    SafetyExpectations,
)
from core.briefs.records import BriefData
from core.records.wire import NOT_BLANK, JsonObject, Request, says_something

REQUIRED = (
    *("asset_name", "indication", "modality", "mechanism_of_action", "target"),
    *("development_stage", "geography"),
)
_SAYS: dict[str, JsonValue] = {"pattern": NOT_BLANK}
Words = Annotated[str, Field(min_length=1, max_length=300)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class LabelStrategyRequest(Request):
    """For what asset and use a label is planned, and what is known of both."""

    watched: ClassVar[Mapping[str, str]] = {"indication": "indication", "target": "known_target"}

    asset_name: str = Field(
        min_length=1,
        max_length=200,
        description="Name or code of the asset.",
        examples=["sacituzumab tirumotecan"],
        json_schema_extra=_SAYS,
    )
    indication: str = Field(
        min_length=1,
        max_length=500,
        description="Disease that is aimed at, as narrow as it is planned.",
        examples=["EGFR-mutated non-small cell lung cancer"],
        json_schema_extra=_SAYS,
    )
    modality: str = Field(
        min_length=1,
        max_length=200,
        description="Kind of drug.",
        examples=["antibody-drug conjugate"],
        json_schema_extra=_SAYS,
    )
    mechanism_of_action: str = Field(
        min_length=1,
        max_length=500,
        description="How it acts.",
        examples=["TROP2-directed antibody with a topoisomerase I inhibitor"],
        json_schema_extra=_SAYS,
    )
    target: str = Field(
        min_length=1,
        max_length=200,
        description="What it acts on.",
        examples=["TROP2"],
        json_schema_extra=_SAYS,
    )
    development_stage: str = Field(
        min_length=1,
        max_length=200,
        description="How far it is.",
        examples=["phase 3"],
        json_schema_extra=_SAYS,
    )
    geography: str = Field(
        min_length=1,
        max_length=200,
        description="Agency or country: FDA, EMA, MHRA, PMDA, NMPA, Health Canada.",
        examples=["FDA"],
        json_schema_extra=_SAYS,
    )
    clinical_trial_data: JsonObject | None = Field(
        default=None,
        description="Own data: {trials: [{id, phase, design, randomized, blinded, n, population, "
        "endpoint, effect, ci_low, ci_high, p}]}.",
    )
    endpoints: list[Words] | None = Field(
        default=None,
        max_length=30,
        description="Endpoints on which the claim shall rest, the primary one first.",
        examples=[["progression-free survival"]],
    )
    biomarker: Words | None = Field(
        default=None, description="Biomarker by which patients are chosen."
    )
    line_of_therapy: Words | None = Field(default=None, description="Line of treatment.")
    comparator: Words | None = Field(default=None, description="Control of the pivotal trial.")
    safety_data: JsonObject | None = Field(
        default=None,
        description="Own safety data: {events: [{term, rate, grade3_rate, serious}], sae_rate, "
        "deaths, n}; rates are shares from 0 to 1.",
    )
    dosing_information: str | None = Field(
        default=None, min_length=1, max_length=1_000, description="Dose, schedule and route."
    )
    competitor_assets: list[Name] | None = Field(
        default=None, max_length=50, description="Drugs whose labels to compare with the draft."
    )
    prior_regulatory_feedback: JsonObject | None = Field(
        default=None,
        description="What an agency said: {agency, date, meeting, points: [text]}; quoted as yours."
        ".",
    )
    use_cache: bool = Field(
        default=False, description="Whether a stored answer to the same request will do."
    )

    @field_validator(*REQUIRED)
    @classmethod
    def _check_words(cls, value: str) -> str:
        if not says_something(value):
            raise ValueError("the text is blank; write what is meant")
        return value


class LabelStrategyData(BriefData):
    """A draft indication with its precedents, restrictions, warnings, gaps and scores."""

    sources: list[LabelSource] = Field(  # type: ignore[assignment]  # a narrower record
        description="What [n] refers to, by first citation, and what it is cited for."
    )
    executive_summary: ExecutiveSummary
    proposed_indication_language: ProposedIndication
    likely_label_restrictions: list[LabelRestriction]
    safety_warning_expectations: SafetyExpectations
    competitor_label_comparison: list[ComparedUse]
    evidence_to_claim_mapping: list[ClaimRow]
    label_scenarios: list[LabelScenario]
    regulatory_risks: list[RegulatoryRisk]
    risk_scores: RiskScores
    recommended_next_steps: list[NextStep]
    precedents: list[PrecedentRow]
    label_history: list[HistoryRow] = Field(
        description="Label changes and complete response letters of the class, newest first."
    )
    frequencies: list[FrequencyRow] = Field(description="Every share with its labels.")
    use_table: UseTable = Field(description="The compared uses as a flat table.")
    frequency_table: FrequencyTable = Field(description="The shares as a flat table.")
