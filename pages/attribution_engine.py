"""Attribution engine: form, and the result as an analyst judges it."""

import pandas as pd
import streamlit as st

from core.agents.attribution_engine import AGENT
from core.agents.attribution_engine.report import MOST_SENTENCES, make_front
from core.agents.attribution_engine.schema import AttributionEngineData
from core.records.runs import RunRecord
from core.reports.spreadsheet import safe_csv
from core.results import read_table
from core.workbench import current
from pages.ui import attribution_form
from pages.ui.attribution_result import (
    pick_stock,
    show_days,
    show_events,
    show_moves,
    show_paths,
    show_portfolio,
    show_proposals,
    show_timeline,
    show_unexplained,
)
from pages.ui.charts import show_findings
from pages.ui.composing import front_alone
from pages.ui.plain import plain
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.tables import draw_table
from pages.ui.view import Tabs, View


def _show_method(_run: RunRecord, data: AttributionEngineData) -> None:
    st.markdown(plain(data.method))
    show_findings(data.input_notes)
    settings = {name: plain(str(value)) for name, value in data.config.model_dump().items()}
    st.table(settings, border="horizontal", width="content", alt="Settings of the run")
    if not data.tests:
        st.caption("Tests of all events together need five events that moved.")
        return
    rows = [
        {"test": t.name, "statistic": t.statistic, "p": t.p_value, "events": t.n_events}
        for t in data.tests
    ]
    draw_table(pd.DataFrame(rows), "Tests of all events together", csv="tests", width="content")
    st.caption(plain(data.tests[0].about.partition(": ")[2]))


def _all_moves(run: RunRecord) -> bytes:
    """Return the table of moves as CSV."""
    return safe_csv(read_table(run, "moves", current()))


def _show_memo(_run: RunRecord, data: AttributionEngineData) -> None:
    show_findings(data.memo[MOST_SENTENCES:])  # the page opens with those before


def _pick(_run: RunRecord, data: AttributionEngineData) -> None:
    pick_stock(data)


TABS: Tabs = {
    "Answer": (_pick, show_timeline, _show_memo, show_moves),
    "Unexplained": (show_unexplained,),
    "Before and after": (show_paths,),
    "Events": (show_events,),
    "Days": (show_days,),
    "Method and settings": (_show_method,),
}


def _propose(run: RunRecord, data: AttributionEngineData) -> None:
    show_proposals(AGENT, run, data)


def _tabs(data: AttributionEngineData) -> Tabs:
    """Return the tabs; those of several stocks begin with all of them side by side."""
    tabs = {"Stocks": (show_portfolio,), **TABS} if len(data.stocks) > 1 else TABS
    return tabs | ({"From the evidence": (_propose,)} if data.proposals else {})


VIEW = View(
    tabs=_tabs,
    draw=attribution_form.draw,
    fill=attribution_form.fill,
    table=_all_moves,
    document=front_alone(make_front),
)
show_agent(AGENT, signed_in_caller(), VIEW)
