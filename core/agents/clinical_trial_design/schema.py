"""Request and answer of clinical-trial-design, word for word as specified."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from core.agents.clinical_trial_design import records as part
from core.agents.clinical_trial_design.columns import PrecedentTable
from core.agents.clinical_trial_design.records import (
    Expectation,
    PrecedentRow,
    RegulatoryPathway,
    Statistics,
)
from core.briefs.records import AnyNarrative, ExcludedDrug, SummaryClaim
from core.records.evidence_sheets import FactTable, SourceTable
from core.records.wire import NOT_BLANK, JsonObject, Request, RunEcho, says_something

Word = Annotated[str, Field(min_length=1, max_length=200)]


def _required(description: str, example: str, longest: int = 300) -> Any:
    return Field(
        min_length=1,
        max_length=longest,
        description=description,
        examples=[example],
        json_schema_extra={"pattern": NOT_BLANK},
    )


def _text(description: str, example: str, longest: int = 1000) -> Any:
    return Field(default=None, max_length=longest, description=description, examples=[example])


def _list(description: str, example: str) -> Any:
    return Field(default=None, max_length=30, description=description, examples=[[example]])


def _object(description: str, example: JsonObject) -> Any:
    return Field(default=None, description=description, examples=[example])


class ClinicalTrialDesignRequest(Request):
    """The asset, its setting, and what is known of it."""

    watched: ClassVar[Mapping[str, str]] = {"indication": "indication", "target": "known_target"}

    asset_name: str = _required("Name or code of the drug.", "ABC-101", 200)
    indication: str = _required("Disease.", "non-small cell lung cancer")
    modality: str = _required("Kind of drug.", "antibody-drug conjugate")
    mechanism_of_action: str = _required("How it acts.", "TROP2-directed cytotoxic", 500)
    target: str = _required("What it acts on.", "TROP2")
    development_stage: str = _required("How far it is.", "Phase 2")
    geography: str = _required("Regulator; several with commas.", "FDA", 100)
    intended_label_claim: str | None = _text("What the label shall claim.", "longer survival")
    line_of_therapy: str | None = _text("Line of treatment.", "second line", 200)
    biomarker_strategy: str | None = _text("By which patients are chosen.", "EGFR wild-type", 500)
    target_patient_population: str | None = _text("Patients meant.", "adults after platinum")
    safety_profile: JsonObject | None = _object(
        "Known of safety; read: events [{term, rate, grade3_rate}], dlt, boxed_class, n.",
        {"events": [{"term": "stomatitis", "rate": 0.5, "grade3_rate": 0.1}], "n": 60},
    )
    preliminary_efficacy_data: JsonObject | None = _object(
        "Own data; read: measure, value, n, ci_low, ci_high, control_value, standard_deviation, "
        "margin, historical_trials [{effect, ci_low, ci_high}], preserved_fraction, other_measures "
        "[{measure, value, control_value}] of further endpoints, source. With a hazard ratio, "
        "control_value is the median of the control arm in months. control_value and "
        "standard_deviation may stand without a value; historical_trials are of the comparator "
        "against placebo and give the non-inferiority margin.",
        {"measure": "objective response rate", "value": 0.33, "n": 60, "control_value": 0.14},
    )
    competitor_trials: list[Word] | None = _list("Trials or drugs to compare with.", "NCT04656652")
    preferred_endpoint: str | None = _text("Primary endpoint preferred.", "overall survival", 300)
    combination_partners: list[Word] | None = _list("Drugs given with it.", "pembrolizumab")
    route_of_administration: str | None = _text("Route.", "intravenous", 200)
    dosing_schedule: str | None = _text("Dose and interval.", "6 mg/kg every 3 weeks", 300)
    regulatory_designations: list[Word] | None = _list("Designations granted.", "fast track")
    manufacturing_constraints: JsonObject | None = _object(
        "Limits of supply; read: vein_to_vein_days, slots_per_month, cold_chain, notes.",
        {"slots_per_month": 20, "cold_chain": "-80 °C"},
    )
    use_cache: bool = Field(
        default=False, description="Whether a stored answer to the same request will do."
    )

    @field_validator(
        *("asset_name", "indication", "modality", "mechanism_of_action"),
        *("target", "development_stage", "geography"),
    )
    @classmethod
    def _check_said(cls, value: str) -> str:
        if not says_something(value):
            raise ValueError("the field is blank; write what is meant, or “unknown”")
        return value


class ClinicalTrialDesignData(RunEcho):
    """A strategy for the next study, with its precedents."""

    input: ClinicalTrialDesignRequest = Field(description="Echo of the request.")
    as_of: str = Field(alias="asOf", description="Day of the answer.")
    executive_summary: part.ExecutiveSummary
    recommended_trial_design: part.RecommendedDesign
    proposed_trial_schema: part.TrialSchema
    target_patient_population: part.TargetPopulation
    endpoint_strategy: list[part.EndpointEntry]
    comparator_strategy: part.ComparatorStrategy
    statistical_design_recommendations: Statistics
    safety_monitoring_recommendations: part.SafetyPlan
    operational_feasibility_analysis: part.Feasibility
    competitive_trial_benchmarking: list[part.Benchmark]
    regulatory_risks: list[part.Risk]
    strategy_scenarios: list[part.Scenario]
    recommended_next_steps: list[part.NextStep]
    regulatory_pathway: RegulatoryPathway
    regulatory_expectations: list[Expectation] = Field(
        default=[],
        description="What each agency accepts in the setting; empty where no row is on file.",
    )
    precedents: list[PrecedentRow]
    precedent_table: PrecedentTable = Field(description="The records of `precedents`, flat.")
    summary: str = Field(description="A few sentences with numbered citations.")
    claims: list[SummaryClaim] = Field(description="The summary by sentence.")
    facts: FactTable = Field(description="The records behind the precedents.")
    source_table: SourceTable = Field(description="The records of `sources` as a flat table.")
    excluded: list[ExcludedDrug] = Field(description="Excluded trials, by reason.")
    sources: list[part.DesignSource] = Field(description="What [n] refers to.")
    assumptions: list[str]
    narrative: AnyNarrative
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
