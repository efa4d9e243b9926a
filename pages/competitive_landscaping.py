"""Competitive landscaping: form, memo, and the drugs that compete."""

from core.agents.competitive_landscaping import AGENT
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui import landscape_form
from pages.ui.landscape_result import (
    show_comparison,
    show_density,
    show_events,
    show_memo,
    show_method,
    show_patients,
    show_summary,
)
from pages.ui.landscape_table import all_drugs, show_drugs
from pages.ui.pack_notice import show_pack_notice
from pages.ui.result_parts import show_numbered_sources, show_tabs, show_warnings
from pages.ui.run_view import View, show_agent
from pages.ui.session import signed_in_caller

TABS = {
    "Drugs": show_drugs,
    "Density": show_density,
    "Next twelve months": show_events,
    "Patients and endpoints": show_patients,
    "Compare": show_comparison,
    "Sources": show_numbered_sources,
    "How it came about": show_method,
}


def _show(run: RunRecord, data: CompetitiveLandscapingData) -> None:
    show_summary(data)
    show_warnings(data.warnings)
    if not data.drugs:
        show_pack_notice(current().stores.evidence)
    show_memo(data)
    show_tabs(TABS, run, data)


show_agent(AGENT, signed_in_caller(), View(show=_show, draw=landscape_form.draw, table=all_drugs))
