"""What web pages say about a company and its drugs, behind all that records say."""

from typing import get_args

from core.agents.company_asset_searcher.records import SearchUsage, WebSearch
from core.agents.company_asset_searcher.schema import (
    CompanyAssetSearcherData,
    CompanyAssetSearcherRequest,
)
from core.briefs.entities.identifying import Library
from core.briefs.live import names_of
from core.briefs.portfolio.companies import Company
from core.checking.web_findings import (
    key_of,
    list_findings,
    search_web,
    warn_of_web,
    with_model,
)
from core.drafting.findings import Focus
from core.records.model import Spend
from core.records.web import SearchKind
from core.workbench import RunContext

NOT_RESOLVED = "No company was recognized, so that no web search was made."
TOPICS = ("pipeline", "license agreement", "acquires", "clinical trial results", "financing")
MOST_DRUGS = 12


def add_web(
    data: CompanyAssetSearcherData,
    request: CompanyAssetSearcherRequest,
    company: Company,
    context: RunContext,
) -> CompanyAssetSearcherData:
    """Return an answer with the findings of the web; its rows stay as they are."""
    if not company.groups:
        skipped = WebSearch(message=NOT_RESOLVED, status="skipped")
        return data.model_copy(update={"web_search": skipped})
    names = names_of(company.name)
    focus = Focus(
        drugs=frozenset(key_of(drug.name, drug.drug_key) for drug in data.drugs),
        companies=frozenset(company.groups) | {company.name},
        company=company.name,
        spellings=tuple(dict.fromkeys((*names, *company.written))),
        unlisted=tuple(drug.name for drug in data.drugs if not drug.drug_key),
    )
    queries = [
        *(f"{company.name} {topic}" for topic in TOPICS),
        *(f"{company.name} {drug.name}" for drug in data.drugs[:MOST_DRUGS]),
    ]
    kinds: tuple[SearchKind, ...] = get_args(SearchKind)
    found = search_web(queries, kinds, request.max_searches, focus, context)
    spend = context.model.spend if context.model else Spend()
    usage = SearchUsage(
        web_search_requests=found.requests,
        input_tokens=spend.input_tokens,
        output_tokens=spend.output_tokens,
        total_tokens=spend.total_tokens,
    )
    library = Library(context.evidence, context.resolver, context.now.date())
    return data.model_copy(
        update={
            "web_findings": list_findings(found, library),
            "web_search": WebSearch(message=found.message, status=found.status),
            "usage": usage,
            "narrative": with_model(data.narrative, context),
            "warnings": list(dict.fromkeys([*data.warnings, *warn_of_web(found, context)])),
        }
    )
