"""Compound map: form, and what patents on a target draw."""

from core.agents.compound_map import AGENT
from core.agents.compound_map.report import CLAIMS, KNOWN, SAMPLE, YOURS
from core.agents.compound_map.schema import EXPORTS, CompoundMapData
from pages.ui import map_form
from pages.ui.map_result import show_claims, show_clinical, show_series
from pages.ui.map_view import all_compounds, show_map
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(data: CompoundMapData) -> Tabs:
    has = bool(data.compounds)
    return {
        "Answer": (show_map, "Summary") if has else ("Summary",),
        "Claims": (CLAIMS, show_claims) if has else (),
        "Clinical compounds": (KNOWN, show_clinical) if data.clinical_reference else (),
        "Series": (show_series,) if data.series else (),
        "Your compounds": (YOURS,),
        "Documents": (SAMPLE,),
    }


VIEW = View(
    tabs=_tabs,
    draw=map_form.draw,
    fill=map_form.fill,
    table=all_compounds,
    files=tuple(EXPORTS),
)
show_agent(AGENT, signed_in_caller(), VIEW)
