"""The tables of alerts in the specification."""

from tests.contract.tables import Row

REQUEST = (
    Row(
        "action",
        "string",
        required=True,
        words=("list", "enable_from_query", "remove", "add_manual"),
    ),
    Row("query_id", "integer"),
    Row("drug_name", "string"),
    Row("signal_level", "string", default="medium", words=("low", "medium", "high")),
)

DATA = {
    "action": "string",
    "queries[].id": "integer",
    "queries[].query": "string",
    "queries[].alerts_enabled": "boolean",
    "quota.enabled_count": "integer",
    "quota.max_enabled": "integer",
    "quota.at_cap": "boolean",
}
