"""The tables of competitive-landscaping in the specification."""

from tests.contract.tables import Row

REQUEST = (
    Row("query", "string", required=True),
    Row(
        "query_type",
        "string",
        default="preclinical",
        words=("preclinical", "clinical", "both"),
    ),
    Row("indication", "string"),
    Row("candidate_asset_description", "string"),
    Row("include_aact", "boolean", default=True),
    Row("include_chinese", "boolean", default=True),
    Row("include_chictr", "boolean", default=False),
    Row("include_neuralsearch", "boolean", default=True),
    Row("include_opensearch", "boolean", default=True),
    Row("include_llm_web_search", "boolean", default=True),
    Row("include_conferences", "boolean", default=True),
    Row("include_patents", "boolean", default=False),
    Row("use_cache", "boolean", default=False),
    Row("skip_drug_cache", "boolean", default=False),
)

_TOKENS = ("input_tokens", "output_tokens", "total_tokens")
_ROW = (
    "drug_name",
    "target",
    "modality",
    "stage",
    "company",
    "indication",
    "efficacy",
    "toxicity",
)

DATA = {
    "run_id": "string",
    "run_uuid": "string",
    "query_id": "integer",
    "query": "string",
    "query_type": "string",
    **{f"drugs[].{name}": "string" for name in _ROW},
    "pipeline_summary": "string",
    "indication_specific_results.indication": "string",
    "indication_specific_results.biomarkers": "array of objects",
    "indication_specific_results.clinical_endpoints": "array of objects",
    "indication_specific_results.patient_subsets": "array of objects",
    "indication_specific_results.sources": "array of objects",
    "indication_specific_results.warnings": "array of strings",
    "relevance_criteria.clinical": "string",
    "relevance_criteria.preclinical": "string",
    "relevance_criterion": "string",
    **{
        f"runs.{mode}.{name}": "integer"
        for mode in ("clinical", "preclinical")
        for name in ("drug_count", *_TOKENS)
    },
    "runs.clinical.run_id": "string",
    "runs.preclinical.run_id": "string",
    **dict.fromkeys(_TOKENS, "integer"),
    **{
        f"usage.by_mode.{mode}.{name}": "integer"
        for mode in ("clinical", "preclinical")
        for name in _TOKENS
    },
    "usage.pipeline": "string",
    "usage.schema_version": "integer",
    "sources": "array of objects",
    "warnings": "array of strings",
}
