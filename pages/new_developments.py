"""New developments: form, feed, themes over time, what lies ahead."""

from core.agents.new_developments import AGENT
from core.agents.new_developments.report import AHEAD, NEAREST, OVERDUE, THEMED
from core.agents.new_developments.schema import NewDevelopmentsData
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui.developments_feed import all_events, show_feed, show_themes
from pages.ui.developments_form import draw
from pages.ui.pack_notice import show_pack_notice
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(data: NewDevelopmentsData) -> Tabs:
    """Return what each tab shows; the feed stands in the place of its printed form."""
    return {
        "Answer": (show_feed, NEAREST, "Summary"),
        "Themes": (show_themes, THEMED) if data.themes else (),
        "Upcoming": (OVERDUE, AHEAD),
    }


def _above(_run: RunRecord, data: NewDevelopmentsData) -> None:
    if not data.catalysts:
        show_pack_notice(current().stores.evidence)


VIEW = View(tabs=_tabs, draw=draw, table=all_events, files=("upcoming.ics",), above=_above)
show_agent(AGENT, signed_in_caller(), VIEW)
