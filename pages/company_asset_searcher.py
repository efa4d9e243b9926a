"""Company assets: form, summary, and the drugs of a company."""

from core.agents.company_asset_searcher import AGENT
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui.pack_notice import show_pack_notice
from pages.ui.portfolio_form import draw
from pages.ui.portfolio_result import (
    show_events,
    show_exclusivity,
    show_names,
    show_programs,
    show_summary,
)
from pages.ui.portfolio_table import all_drugs, show_drugs
from pages.ui.result_parts import show_numbered_sources, show_tabs, show_warnings
from pages.ui.run_view import View, show_agent
from pages.ui.session import signed_in_caller

TABS = {
    "Drugs": show_drugs,
    "Next events": show_events,
    "Programs": show_programs,
    "Exclusivity": show_exclusivity,
    "Names and candidates": show_names,
    "Sources": show_numbered_sources,
}


def _show(run: RunRecord, data: CompanyAssetSearcherData) -> None:
    show_summary(data)
    show_warnings(data.warnings)
    if not data.drugs:
        show_pack_notice(current().stores.evidence)
    show_tabs(TABS, run, data)


show_agent(AGENT, signed_in_caller(), View(show=_show, draw=draw, table=all_drugs))
