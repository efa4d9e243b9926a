"""The tables of assay-development in the specification."""

from tests.contract.tables import Row

REQUEST = (
    Row(
        "modality",
        "string",
        required=True,
        words=(
            *("CAR-T", "TCR-T", "TIL therapy", "NK cell therapy", "T cell engager", "antibody"),
            *("ADC", "small molecule", "protein biologic", "gene therapy", "RNA therapy"),
            *("vaccine", "other"),
        ),
    ),
    Row("indication", "string", required=True),
    Row(
        "assay_goal",
        "string",
        required=True,
        words=(
            *("candidate_selection", "mechanism_of_action", "potency", "CMC_release"),
            *("IND_enabling", "translational_biomarkers"),
        ),
    ),
    Row("target", "string"),
    Row("mechanism", "string"),
    Row(
        "development_stage",
        "string",
        default="preclinical",
        words=(
            *("discovery", "lead_optimization", "preclinical", "IND_enabling"),
            *("phase1", "phase2", "phase3", "commercial"),
        ),
    ),
    Row("product_details", "object"),
    Row("sample_context", "object"),
    Row("constraints", "object"),
    Row("requested_categories", "array of strings"),
    Row("uploaded_files", "array of strings"),
    Row("include_qc_release", "boolean", default=True),
    Row("include_protocol_skeletons", "boolean", default=True),
    Row("use_cache", "boolean", default=False),
)

DATA = {
    "executive_summary": "string",
    "assay_strategy": "string",
    "recommended_assay_package[].category": "string",
    "recommended_assay_package[].rationale": "string",
    "recommended_assay_package[].formats[].name": "string",
    "recommended_assay_package[].formats[].priority": "string",
    "recommended_assay_package[].formats[].stage": "string",
    "recommended_assay_package[].formats[].controls": "array of strings",
    "recommended_assay_package[].formats[].readouts": "array of strings",
    "recommended_assay_package[].formats[].reasoning_trace": "array of strings",
    "protocol_skeletons": "array of objects",
    "validation_plan": "object",
    "qc_release_strategy": "object",
    "context_used": "array of objects",
    "controls_and_reagents": "array of objects",
    "decision_framework": "object",
    "evidence": "array of objects",
    "model_systems": "array of objects",
    "risks_and_mitigations": "array of objects",
    "sources[].id": "string",
    "timeline": "array of objects",
    "warnings": "array of strings",
    "input": "object",
    "query_id": "integer",
    "run_uuid": "string",
    "status": "string",
}
