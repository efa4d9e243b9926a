"""The tables of deal-sourcing in the specification."""

from tests.contract.tables import Row

REQUEST = (
    Row("thesis", "string", required=True),
    Row("lookback_days", "integer", default=30),
    Row("use_cache", "boolean", default=False),
)

DATA = {
    "thesis": "string",
    "week_of": "string",
    "deals[].deal_uuid": "string",
    "deals[].title": "string",
    "deals[].deal_type": "string",
    "deals[].deal_score": "integer",
    "deals[].memo": "string",
    "deals[].entities.company": "string",
    "deals[].entities.geography": "string",
    "deals[].entities.modality": "string",
    "deals[].entities.stage": "string",
    "deals[].suggested_next_action.text": "string",
    "deals[].suggested_next_action.agent_key": "string",
    "deals[].source_ids": "array of strings",
    "sources": "array of objects",
    "warnings": "array of strings",
    "generated_at": "string",
}
