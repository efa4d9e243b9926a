"""Compound map: form, and what patents on a target draw."""

from core.agents.compound_map import AGENT
from core.agents.compound_map.report import CLAIMS, KNOWN, SAMPLE, YOURS
from core.agents.compound_map.schema import EXPORTS, CompoundMapData
from core.briefs.report import METHOD
from core.records.runs import RunRecord
from pages.ui import map_form
from pages.ui.document_view import SOURCES, show_result
from pages.ui.files import show_files
from pages.ui.map_result import show_claims, show_clinical, show_series
from pages.ui.map_view import all_compounds, show_map
from pages.ui.run_view import View, show_agent
from pages.ui.session import signed_in_caller

TABS = {
    "Compounds": (show_map,),
    "Drawn in the claims": (CLAIMS, show_claims),
    "Clinical compounds": (KNOWN, show_clinical),
    "Series": (show_series,),
    "Your compounds": (YOURS,),
    "Documents": (SAMPLE,),
    "Sources": (SOURCES,),
    "How it came about": (METHOD,),
}


def _show(run: RunRecord, data: CompoundMapData) -> None:
    if data.compounds:
        show_files(run, tuple(EXPORTS))
    show_result(run, data, TABS)


show_agent(
    AGENT,
    signed_in_caller(),
    View(show=_show, draw=map_form.draw, fill=map_form.fill, table=all_compounds),
)
