"""Deal sourcing: candidates in a table with their memos, and what was excluded."""

from core.agents.deal_sourcing import AGENT
from core.agents.deal_sourcing.report import DROPPED, MEMOS, THESIS
from core.agents.deal_sourcing.schema import DealSourcingData
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui.deal_table import all_deals, show_deals
from pages.ui.pack_notice import show_pack_notice
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(_data: DealSourcingData) -> Tabs:
    """Return what each tab shows."""
    return {
        "Answer": (show_deals, THESIS),
        "Mini-memos": (MEMOS,),
        "Excluded": (DROPPED,),
    }


def _above(_run: RunRecord, data: DealSourcingData) -> None:
    if not data.deals:
        show_pack_notice(current().stores.evidence)


VIEW = View(tabs=_tabs, table=all_deals, above=_above)
show_agent(AGENT, signed_in_caller(), VIEW)
