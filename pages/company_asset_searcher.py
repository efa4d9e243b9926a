"""Company assets: form, summary, and the drugs of a company."""

from core.agents.company_asset_searcher import AGENT
from core.agents.company_asset_searcher.report import EVENTS, PROTECTED, STAGED
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.briefs.report import METHOD
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui.document_view import SOURCES, show_result
from pages.ui.pack_notice import show_pack_notice
from pages.ui.portfolio_form import draw
from pages.ui.portfolio_table import all_drugs, show_drugs
from pages.ui.portfolio_timeline import show_timeline
from pages.ui.run_view import View, show_agent
from pages.ui.session import signed_in_caller

TABS = {
    "Drugs": (show_drugs,),
    "Next events": (show_timeline, EVENTS),
    "Programs": (STAGED,),
    "Exclusivity": (PROTECTED,),
    "Names and candidates": (METHOD,),
    "Sources": (SOURCES,),
}


def _show(run: RunRecord, data: CompanyAssetSearcherData) -> None:
    if not data.drugs:
        show_pack_notice(current().stores.evidence)
    show_result(run, data, TABS)


show_agent(AGENT, signed_in_caller(), View(show=_show, draw=draw, table=all_drugs))
