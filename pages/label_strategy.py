"""Label strategy: form, draft, claim matrix, uses side by side, warnings with their labels."""

from core.agents.label_strategy import AGENT
from core.agents.label_strategy.report import (
    COMPARED,
    HISTORY,
    RESTRICTIONS,
    RISKS,
    SCENARIOS,
    SCORES,
    STEPS,
    WARNS,
)
from core.agents.label_strategy.schema import LabelStrategyData
from pages.ui.label_slots import show_draft
from pages.ui.label_views import as_list, show_shares, show_uses
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(_data: LabelStrategyData) -> Tabs:
    return {
        "Answer": (
            *(show_draft, as_list(SCORES), SCENARIOS),
            *(as_list(RISKS), as_list(STEPS)),
        ),
        "Warnings": (WARNS, show_shares, as_list(RESTRICTIONS)),
        "Compare": (show_uses, COMPARED),
        "Timeline": (HISTORY,),
    }


show_agent(AGENT, signed_in_caller(), View(tabs=_tabs))
