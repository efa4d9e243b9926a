"""The tables of company-asset-searcher in the specification."""

from tests.contract.tables import Row

REQUEST = (
    Row("company", "string", required=True),
    Row("company_aliases", "array of strings"),
    Row("max_searches", "integer", default=12, low=1, high=25),
    Row("model", "string", default="sonnet", words=("sonnet", "opus", "haiku")),
    Row("drugdb_limit", "integer", default=60, low=1, high=150),
)

_TEXTS = ("code", "indication", "modality", "target", "partner", "note", "source", "origin")

DATA = {
    "asOf": "string",
    "company": "string",
    "ticker": "string",
    "summary": "string",
    "generated_at": "string",
    "model": "string",
    "drugs[].name": "string",
    "drugs[].aliases": "array of strings",
    **{f"drugs[].{name}": "string" for name in _TEXTS},
    "drugs[].phase": "string",
    "drugs[].next_catalyst.category": "string",
    "drugs[].next_catalyst.date": "string",
    "drugs[].next_catalyst.date_confidence": "string",
    "drugs[].next_catalyst.event": "string",
    "drugs[].next_catalyst.rationale": "string",
    "drugs[].next_catalyst.source": "string",
    "drugs[].next_catalyst.weight": "string",
    "drugs[].next_catalyst.weight_score": "integer",
    "drugdb.company_aliases_checked": "array of strings",
    "drugdb.count": "integer",
    "drugdb.first": "boolean",
    "drugdb.message": "string",
    "drugdb.status": "string",
    "web_search.message": "string",
    "web_search.status": "string",
    "usage.web_search_requests": "integer",
    "sources": "array of objects",
    "warnings": "array of strings",
}
