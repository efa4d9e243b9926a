"""Competitive landscaping: form, memo, and the drugs that compete."""

from core.agents.competitive_landscaping import AGENT
from core.agents.competitive_landscaping.report import AHEAD, PATIENTS, PUBLISHED, ROOM
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.briefs.records import RECENT
from core.briefs.web import WEB_FINDINGS
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui import landscape_form
from pages.ui.asked_chips import show_chips
from pages.ui.landscape_scope import show_scope
from pages.ui.landscape_table import all_drugs, show_drugs
from pages.ui.landscape_views import show_comparison, show_timeline
from pages.ui.pack_notice import show_pack_notice
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View


def _tabs(data: CompetitiveLandscapingData) -> Tabs:
    drugs = data.drugs
    return {
        "Answer": (show_scope, show_drugs, "Memo", ROOM, PATIENTS, PUBLISHED, WEB_FINDINGS),
        "Timeline": (show_timeline, AHEAD, RECENT) if data.events or data.recent else (),
        "Compare": (show_comparison,) if len(drugs) > 1 else (),
    }


def _above(run: RunRecord, data: CompetitiveLandscapingData) -> None:
    if not data.drugs:
        show_pack_notice(current().stores.evidence)
    show_chips(AGENT, run, data.parsed_query)


VIEW = View(
    tabs=_tabs,
    draw=landscape_form.draw,
    fill=landscape_form.fill,
    table=all_drugs,
    above=_above,
)
show_agent(AGENT, signed_in_caller(), VIEW)
