"""Assay development: form, package, criteria, plate, weeks."""

from core.agents.assay_development import AGENT
from core.agents.assay_development.report import (
    CRITERIA_HEAD,
    GATES,
    MATERIALS,
    RELEASE,
    RESULTS,
    RISKS,
    SIZES,
)
from core.agents.assay_development.schema import AssayDevelopmentData
from pages.ui.assay_form import draw, fill
from pages.ui.assay_package import show_package
from pages.ui.assay_plates import show_plates, show_weeks
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(data: AssayDevelopmentData) -> Tabs:
    return {
        "Answer": (show_package, RESULTS, CRITERIA_HEAD, SIZES, MATERIALS, RELEASE),
        "Timeline": (show_weeks, GATES, RISKS) if data.timeline else (),
        "Protocols": (show_plates,) if data.protocol_skeletons else (),
    }


show_agent(AGENT, signed_in_caller(), View(tabs=_tabs, draw=draw, fill=fill))
