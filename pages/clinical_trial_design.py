"""Trial design: form, strategy, statistics, precedents."""

from core.agents.clinical_trial_design import AGENT
from core.agents.clinical_trial_design import report as part
from core.agents.clinical_trial_design.report import STATISTICS
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData
from pages.ui.design_form import draw, fill
from pages.ui.design_sizing import show_sizing, show_sizing_first
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(_data: ClinicalTrialDesignData) -> Tabs:
    return {
        "Answer": (
            *(show_sizing_first, part.STRATEGY, part.SCHEMA, part.ENDPOINTS),
            *(part.COMPARATOR, part.SCENARIOS),
        ),
        "Statistics": (show_sizing, STATISTICS),
        "Patients and safety": (part.PATIENTS, part.SAFETY, part.OPERATIONS),
        "Regulators": (part.PATHWAY, part.STEPS),
        "Precedents": (part.PRECEDENT, part.COMPETITION),
    }


show_agent(AGENT, signed_in_caller(), View(tabs=_tabs, draw=draw, fill=fill))
