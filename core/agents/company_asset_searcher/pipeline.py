"""From a company's name to its drugs, how it came by them, and what comes next."""

from core.agents.company_asset_searcher.assemble import Portfolio, assemble
from core.agents.company_asset_searcher.company import Company, find_company
from core.agents.company_asset_searcher.drugs import study_drugs
from core.agents.company_asset_searcher.schema import (
    CompanyAssetSearcherData,
    CompanyAssetSearcherRequest,
)
from core.evidence.assets.gather import gather_assets
from core.evidence.sources.pack.notice import starter_notice
from core.records.asset_queries import AssetQuery, Gathered
from core.workbench import RunContext

NOTHING = Gathered((), (), ())


def run(request: CompanyAssetSearcherRequest, context: RunContext) -> CompanyAssetSearcherData:
    """Run the agent.

    Args:
        request: The validated request.
        context: Evidence, names, the clock and progress.
    """
    aliases = request.company_aliases or ()
    company = find_company(request.company, aliases, context.evidence, context.resolver)
    context.progress("Resolve company", 1, 1, f"{len(company.checked)} names")
    gathered = _gather(company, context)
    context.progress("Gather drugs", 1, 1, f"{len(gathered.assets)} drugs")
    as_of = context.now.date()
    drugs = study_drugs(gathered.assets, company, context.evidence, as_of)
    context.progress("Trace origin and next event", 1, 1, f"{len(drugs)} drugs")
    is_held = bool(context.evidence.version())
    notice = starter_notice(context.evidence)
    found = Portfolio(company, drugs, gathered.excluded, is_held, notice)
    data = assemble(request, found, context)
    context.progress("Write summary", 1, 1, f"{len(data.sources)} sources")
    return data


def _gather(company: Company, context: RunContext) -> Gathered:
    """Return the drugs in which the company has a part; nothing where no record names it."""
    if not company.groups:
        return NOTHING
    query = AssetQuery(companies=company.groups, company_names=company.written, figures=False)
    return gather_assets(query, context.evidence, context.resolver, context.now.date())
