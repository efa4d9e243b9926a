"""Compound map: form, and what patents on a target draw."""

from core.agents.compound_map import AGENT
from core.agents.compound_map.schema import CompoundMapData
from core.records.runs import RunRecord
from pages.ui import map_form
from pages.ui.files import show_files
from pages.ui.map_result import (
    show_claims,
    show_clinical,
    show_documents,
    show_method,
    show_own,
    show_series,
    show_summary,
)
from pages.ui.map_view import all_compounds, show_map
from pages.ui.result_parts import show_numbered_sources, show_tabs, show_warnings
from pages.ui.run_view import View, show_agent
from pages.ui.session import signed_in_caller

TABS = {
    "Compounds": show_map,
    "Drawn in the claims": show_claims,
    "Clinical compounds": show_clinical,
    "Series": show_series,
    "Your compounds": show_own,
    "Documents": show_documents,
    "Sources": show_numbered_sources,
    "How it came about": show_method,
}


def _show(run: RunRecord, data: CompoundMapData) -> None:
    show_summary(data)
    show_warnings(data.warnings)
    if data.compounds:
        show_files(run, ("compounds.sdf", "compounds.smi", "compounds_drawn.xlsx"))
    show_tabs(TABS, run, data)


show_agent(
    AGENT,
    signed_in_caller(),
    View(show=_show, draw=map_form.draw, fill=map_form.fill, table=all_compounds),
)
