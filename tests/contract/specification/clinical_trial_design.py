"""The tables of clinical-trial-design in the specification."""

from tests.contract.tables import Row

_REQUIRED = (
    *("asset_name", "indication", "modality", "mechanism_of_action", "target"),
    *("development_stage", "geography"),
)
_TEXTS = (
    *("intended_label_claim", "line_of_therapy", "biomarker_strategy"),
    *("target_patient_population", "preferred_endpoint", "route_of_administration"),
    "dosing_schedule",
)
_LISTS = ("competitor_trials", "combination_partners", "regulatory_designations")
_OBJECTS = ("safety_profile", "preliminary_efficacy_data", "manufacturing_constraints")
REQUEST = (
    *(Row(name, "string", required=True) for name in _REQUIRED),
    *(Row(name, "string") for name in _TEXTS),
    *(Row(name, "array of strings") for name in _LISTS),
    *(Row(name, "object") for name in _OBJECTS),
    Row("use_cache", "boolean", default=False),
)
_SECTIONS = (
    *("recommended_trial_design", "proposed_trial_schema", "target_patient_population"),
    *("comparator_strategy", "statistical_design_recommendations"),
    *("safety_monitoring_recommendations", "operational_feasibility_analysis", "input"),
)
_RECORDS = (
    *("endpoint_strategy", "competitive_trial_benchmarking", "regulatory_risks"),
    *("strategy_scenarios", "recommended_next_steps", "precedents", "sources"),
)
_BENCHMARK = ("asset", "phase", "population", "endpoint", "comparator", "sample_size", "outcome")
_SUMMARY = {
    "recommended_trial_strategy": "string",
    "likely_regulatory_pathway": "string",
    "major_design_risks": "array of strings",
    "competitive_positioning_considerations": "array of strings",
}
_DESIGN = {
    **dict.fromkeys(("design_type", "rationale", "regulatory_feasibility"), "string"),
    "precedent_support": "array of strings",
}
_SURE = {"confidence": "string", "confidence_score": "integer", "source_ids": "array of strings"}
_SOURCE = ("id", "title", "url", "source_type", "relevance")

DATA = {
    "executive_summary": "object",
    **dict.fromkeys(_SECTIONS, "object"),
    **dict.fromkeys(_RECORDS, "array of objects"),
    "assumptions": "array of strings",
    "warnings": "array of strings",
    **{f"executive_summary.{name}": kind for name, kind in (_SUMMARY | _SURE).items()},
    **{f"recommended_trial_design.{name}": kind for name, kind in (_DESIGN | _SURE).items()},
    **{f"competitive_trial_benchmarking[].{name}": "string" for name in _BENCHMARK},
    "competitive_trial_benchmarking[].source_ids": "array of strings",
    **{f"sources[].{name}": "string" for name in _SOURCE},
    "query_id": "integer",
    "run_uuid": "string",
    "status": "string",
}
