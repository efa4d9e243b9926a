"""The tables of label-strategy in the specification."""

from tests.contract.tables import Row

REQUEST = (
    *(
        Row(name, "string", required=True)
        for name in (
            *("asset_name", "indication", "modality", "mechanism_of_action", "target"),
            *("development_stage", "geography"),
        )
    ),
    Row("clinical_trial_data", "object"),
    Row("endpoints", "array of strings"),
    Row("biomarker", "string"),
    Row("line_of_therapy", "string"),
    Row("comparator", "string"),
    Row("safety_data", "object"),
    Row("dosing_information", "string"),
    Row("competitor_assets", "array of strings"),
    Row("prior_regulatory_feedback", "object"),
    Row("use_cache", "boolean", default=False),
)

DATA = {
    "executive_summary.likely_regulatory_positioning": "string",
    "executive_summary.expected_label_scope": "string",
    "executive_summary.source_ids": "array of strings",
    "proposed_indication_language.language": "string",
    "proposed_indication_language.confidence": "string",
    "proposed_indication_language.confidence_score": "integer",
    "proposed_indication_language.source_ids": "array of strings",
    "likely_label_restrictions": "array of objects",
    "safety_warning_expectations": "object",
    "competitor_label_comparison": "array of objects",
    "evidence_to_claim_mapping": "array of objects",
    "label_scenarios": "array of objects",
    "regulatory_risks[].risk": "string",
    "regulatory_risks[].severity": "string",
    "regulatory_risks[].mitigation": "string",
    "regulatory_risks[].source_ids": "array of strings",
    "risk_scores.claim_feasibility_score": "integer",
    "risk_scores.regulatory_risk_score": "integer",
    "risk_scores.label_breadth_score": "integer",
    "risk_scores.safety_burden_score": "integer",
    "risk_scores.source_ids": "array of strings",
    "recommended_next_steps": "array of objects",
    "precedents": "array of objects",
    "sources": "array of objects",
    **{
        f"sources[].{name}": "string" for name in ("id", "title", "url", "source_type", "relevance")
    },
    "warnings": "array of strings",
}
