"""Company assets: form, summary, and the drugs of a company."""

from core.agents.company_asset_searcher import AGENT
from core.agents.company_asset_searcher.report import EVENTS, PROTECTED, STAGED
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.briefs.records import RECENT
from core.briefs.web import WEB_FINDINGS
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui.pack_notice import show_pack_notice
from pages.ui.portfolio_form import draw
from pages.ui.portfolio_table import all_drugs, show_drugs
from pages.ui.portfolio_timeline import show_timeline
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(data: CompanyAssetSearcherData) -> Tabs:
    return {
        "Answer": (show_drugs, "Summary", STAGED, PROTECTED, WEB_FINDINGS),
        "Timeline": (show_timeline, EVENTS, RECENT) if data.drugs else (),
    }


def _above(_run: RunRecord, data: CompanyAssetSearcherData) -> None:
    if not data.drugs:
        show_pack_notice(current().stores.evidence)


VIEW = View(tabs=_tabs, draw=draw, table=all_drugs, above=_above)
show_agent(AGENT, signed_in_caller(), VIEW)
