"""Label strategy: form, draft, claim matrix, uses side by side, warnings with their labels."""

from core.agents.label_strategy import AGENT
from core.agents.label_strategy.report import (
    COMPARED,
    DRAFT,
    HISTORY,
    MATRIX,
    RESTRICTIONS,
    RISKS,
    SCENARIOS,
    SCORES,
    SHARES,
    STEPS,
    WARNS,
)
from core.agents.label_strategy.schema import LabelStrategyData
from core.briefs.report import METHOD
from pages.ui.document_view import SOURCES
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(_data: LabelStrategyData) -> Tabs:
    return {
        "Answer": (DRAFT, SCORES, MATRIX, SCENARIOS, RISKS, STEPS),
        "Warnings": (WARNS, SHARES, RESTRICTIONS),
        "Compare": (COMPARED,),
        "Timeline": (HISTORY,),
        "Sources and method": ("Summary", METHOD, SOURCES),
    }


show_agent(AGENT, signed_in_caller(), View(tabs=_tabs))
