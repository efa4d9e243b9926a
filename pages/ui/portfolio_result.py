"""The result of company assets: key figures, summary, and one function a tab."""

from collections import Counter
from collections.abc import Iterable

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.agents.company_asset_searcher.columns import (
    ASSETS,
    EVENT_VIEW,
    PROGRAM_VIEW,
    PROGRAMS,
    TERM_VIEW,
    programs_of,
)
from core.agents.company_asset_searcher.records import DrugRecord
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.briefs.columns import show_rows
from core.records.runs import RunRecord
from pages.ui.charts import show_plotly
from pages.ui.citing import addresses, cited
from pages.ui.look import group_colors
from pages.ui.plain import plain, show_count
from pages.ui.result_parts import show_rows as show_records
from pages.ui.tables import show_table

_FEW = 20


def show_summary(data: CompanyAssetSearcherData) -> None:
    """Draw the company, the key figures and the summary, citations as links."""
    phases = Counter(one.phase for one in data.drugs)
    ahead = [one for one in data.drugs if one.next_catalyst.date != "TBD"]
    known = sum(one.origin is not None for one in data.drugs)
    figures = [
        ("Drugs", show_count(data.drugdb.count), f"{show_count(len(data.drugs))} listed"),
        ("Approved", show_count(phases["Approved"]), "in any region"),
        ("Phase 3 or filed", show_count(phases["Phase 3"] + phases["Filed"]), "highest stage"),
        ("Events dated", show_count(len(ahead)), "of active own trials"),
        ("Origin known", show_count(known), "by rule"),
    ]
    ticker = f" ({data.ticker})" if data.ticker else ""
    st.subheader(plain(f"{data.company}{ticker}"), anchor=False)
    with st.grid(len(figures), min_column_width=130):
        for label, number, note in figures:
            with st.container(border=True):
                st.metric(label, number)
                st.caption(plain(note))
    links = addresses(data.sources)
    if data.claims:
        with st.container(border=True):
            st.markdown("\n".join(f"- {cited(claim.text, links)}" for claim in data.claims))


def show_events(_run: RunRecord, data: CompanyAssetSearcherData) -> None:
    """Draw the next events by time and weight."""
    drugs = [one for one in data.drugs if one.next_catalyst.weight_score > 0]
    dated = [one for one in drugs if one.next_catalyst.date != "TBD"]
    if not drugs:
        st.info("No active trial of the company and no filing is on record.")
        return
    if dated:
        frame = _event_frame(dated)
        show_plotly(
            _timeline(frame),
            frame,
            name="next-events",
            caption="Data that active trials may give: registered primary completion plus the "
            "months that a trial of its phase takes to report; the larger, the weightier.",
            describe="Next event of each drug by month",
        )
    frame = _event_frame(drugs).sort_values(["Weight", "Drug"], ascending=[False, True])
    show_table(
        frame,
        total=len(frame),
        name="next-events-all",
        formats={"Weight": st.column_config.ProgressColumn(max_value=100, format="%d")},
        describe="Next events by weight",
    )


def _event_frame(drugs: Iterable[DrugRecord]) -> pd.DataFrame:
    return pd.DataFrame(show_rows(ASSETS, ("name", "phase", *EVENT_VIEW), drugs))


def _timeline(frame: pd.DataFrame) -> go.Figure:
    """Return one dot an event, by month and drug."""
    shown = frame.sort_values(["When", "Drug"]).head(_FEW)
    figure = go.Figure(
        go.Scatter(
            x=shown["When"],
            y=shown["Drug"],
            mode="markers",
            customdata=shown[["Drug", "Next event", "Weight"]],
            marker={"size": 8 + shown["Weight"] / 6, "color": group_colors()[0], "opacity": 0.85},
            hovertemplate="%{customdata[1]}<br>%{x}, weight %{customdata[2]}<extra></extra>",
        )
    )
    figure.update_xaxes(type="date", tickformat="%b %Y")
    figure.update_yaxes(autorange="reversed", automargin=True)
    return figure


def show_programs(_run: RunRecord, data: CompanyAssetSearcherData) -> None:
    """Draw every program by indication and region."""
    rows = show_rows(PROGRAMS, PROGRAM_VIEW, programs_of(data.drugs))
    if not rows:
        st.caption("None on record.")
        return
    frame = pd.DataFrame(rows)
    describe = "Programs by drug, indication and region"
    show_table(frame, total=len(frame), name="programs", formats={}, describe=describe)


def show_exclusivity(_run: RunRecord, data: CompanyAssetSearcherData) -> None:
    """Draw until when approved products are protected."""
    rows = show_rows(ASSETS, TERM_VIEW, [one for one in data.drugs if one.exclusivity])
    if not rows:
        st.info("No product approved in the United States is on record.")
        return
    frame = pd.DataFrame(rows)
    describe = "Loss of exclusivity of approved products"
    show_table(frame, total=len(frame), name="exclusivity", formats={}, describe=describe)


def show_names(_run: RunRecord, data: CompanyAssetSearcherData) -> None:
    """Draw the names that count under the company, and the candidates left out."""
    st.markdown(plain(f"{data.drugdb.message} {data.web_search.message}"))
    st.markdown("**Names that count under the company**")
    show_records(data.alias_trail, "names")
    st.markdown("**Names searched**")
    st.markdown(plain(", ".join(data.drugdb.company_aliases_checked)))
    st.markdown("**Candidates left out**")
    show_records(data.excluded, "candidates")
