"""The tables of new-developments in the specification."""

from tests.contract.tables import Row

REQUEST = (
    Row("query", "string"),
    Row("indication", "string"),
    Row("modality", "string"),
    Row("target", "string"),
    Row("stage_focus", "string", default="any"),
    Row("lookback_days", "integer", default=60),
    Row("include_live_discovery", "boolean", default=False),
    Row("use_cache", "boolean", default=False),
)

DATA = {
    "catalysts[].title": "string",
    "catalysts[].signal_score": "integer",
    "catalysts[].catalyst_type": "string",
    "themes[].theme_key": "string",
    "themes[].label": "string",
    "themes[].catalyst_count": "integer",
    "briefs": "array of objects",
    "filters": "object",
    "sources": "array of objects",
    "warnings": "array of strings",
    "generated_at": "string",
}
