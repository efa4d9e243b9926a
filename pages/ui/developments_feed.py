"""The feed of events: score bar, window slider, a drawer with the parts of the score."""

from functools import partial

import pandas as pd
import streamlit as st

from core.agents.new_developments.columns import CATALYSTS, PARTS
from core.agents.new_developments.records import Catalyst
from core.agents.new_developments.report import draw_themes
from core.agents.new_developments.schema import NewDevelopmentsData
from core.briefs.columns import show_rows
from core.briefs.developments.themes import TYPE_WORDS
from core.briefs.records import show_day
from core.records.runs import RunRecord
from core.reports.spreadsheet import safe_csv
from core.results import load_view
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.charts import show_chart
from pages.ui.citing import addresses
from pages.ui.downloads import offer_csv, run_stem
from pages.ui.drug_rows import choose, filter_menu, open_drawer, pick_row, show_known
from pages.ui.next_steps import show_next
from pages.ui.tables import draw_table

VIEW = (
    *("signal_score", "date", "title", "catalyst_type", "company", "ticker", "indication"),
    *("target", "stage", "modality", "told_by"),
)
LEAST_DAYS = 7


def show_feed(run: RunRecord, data: NewDevelopmentsData) -> None:
    """Draw the feed with its filters; a picked row opens the drawer."""
    if not data.catalysts:
        st.info("No event of the window passes the filters. What happened last stands below.")
        return
    kept_catalysts = _filter(data)
    if not kept_catalysts:
        st.info("No event passes these filters. Clear one of them to see rows again.")
        return
    frame = pd.DataFrame(show_rows(CATALYSTS, VIEW, kept_catalysts))
    alt = "Events by score with day, company, disease and target"
    row = pick_row(frame, _columns(), "feed", alt)
    offer_csv(frame, f"{run_stem(run)}_events", key="csv:feed", total=len(data.catalysts))
    st.caption("Pick a row to see its score and its sources.")
    if row is not None:
        open_drawer(kept_catalysts[row].title, partial(_draw_drawer, data, kept_catalysts[row]))


def all_events(run: RunRecord) -> bytes:
    """Return all events as CSV."""
    data = load_view(run, current())
    assert isinstance(data, NewDevelopmentsData)
    return safe_csv(pd.DataFrame(show_rows(CATALYSTS, VIEW, data.catalysts)))


def show_themes(_run: RunRecord, data: NewDevelopmentsData) -> None:
    """Draw the first themes over time."""
    chart = draw_themes(data)
    if chart is not None:
        show_chart(chart, "themes")


def _filter(data: NewDevelopmentsData) -> list[Catalyst]:
    """Draw the filters, whose values stand in the address, and return the events that pass."""
    longest = data.filters.lookback_days
    with filter_menu("type", "company"):
        present = {TYPE_WORDS[catalyst.catalyst_type] for catalyst in data.catalysts}
        types = choose("Type", "type", sorted(present))
        companies = sorted({catalyst.company for catalyst in data.catalysts if catalyst.company})
        chosen = choose("Company", "company", companies)
        days = longest
        if longest > LEAST_DAYS:
            days = st.slider("Last days", LEAST_DAYS, longest, longest, key="days", width=280)
    since = (pd.Timestamp(data.filters.window_end_on) - pd.Timedelta(days=days)).date().isoformat()
    return [
        catalyst
        for catalyst in data.catalysts
        if (not types or TYPE_WORDS[catalyst.catalyst_type] in types)
        and (not chosen or catalyst.company in chosen)
        and catalyst.date >= since[: len(catalyst.date)]
    ]


def _columns() -> dict[str, object]:
    columns = st.column_config
    return {
        "Score": columns.ProgressColumn(
            min_value=0, max_value=100, format="%d", width="small", pinned=True
        ),
        "Event": columns.TextColumn(width="large"),
        "Indication": columns.TextColumn(width="medium"),
    }


def _draw_drawer(data: NewDevelopmentsData, catalyst: Catalyst) -> None:
    """Draw what is known of an event, the parts of its score, and its sources."""
    links = addresses(data.sources)
    show_badge(TYPE_WORDS[catalyst.catalyst_type], color="blue")
    show_next(
        {
            "company": catalyst.company or "",
            "target": catalyst.target or "",
            "drug": catalyst.drug or "",
        }
    )
    show_known(_facts(catalyst), links)
    st.markdown("**Score**")
    parts = [
        {"Part": title, "Points": getattr(catalyst.score_components, name)}
        for name, title in PARTS.items()
    ]
    parts.append({"Part": "Score", "Points": float(catalyst.signal_score)})
    draw_table(pd.DataFrame(parts), "Parts of the score", height="auto")


def _facts(catalyst: Catalyst) -> dict[str, str]:
    day = show_day(catalyst.date, catalyst.date_precision)
    use = " (by the drug's uses; the record names none)" if catalyst.is_through_uses else ""
    return {
        "Day": f"{day}, after {catalyst.since}" if catalyst.since else day,
        "Company": f"{catalyst.company} ({catalyst.ticker})"
        if catalyst.ticker
        else catalyst.company or "",
        "Sponsor": catalyst.sponsor or "",
        "Owner of the drug": catalyst.owner or "",
        "Indication": f"{catalyst.indication}{use}" if catalyst.indication else "",
        "Acts on": catalyst.target or "",
        "Kind": catalyst.modality or "",
        "Before": catalyst.before or "",
        "Now": catalyst.after or "",
        "Reported by": ", ".join(catalyst.told_by),
        "Sources": "".join(f" [{source_id}]" for source_id in catalyst.source_ids),
    }
