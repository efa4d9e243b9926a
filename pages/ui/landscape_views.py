"""Views of a landscape: the timeline of readouts, drugs side by side."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.briefs.figures import ACROSS_TRIALS
from core.records.runs import RunRecord
from core.records.stages import STAGE_WORDS, phase_words
from pages.ui.charts import show_plotly
from pages.ui.citing import addresses, cited
from pages.ui.look import colors, group_colors
from pages.ui.plain import plain

LONGEST_LABEL = 34
MOST_COMPARED = 4


def show_timeline(_run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw the readouts ahead."""
    found = timeline(data)
    if found is None:
        st.info("No active trial on record has its primary completion in the next twelve months.")
        return
    show_plotly(
        *found,
        name="events",
        caption="Primary completions of active trials as registered; results follow later.",
        describe="Readouts of the next twelve months by drug",
    )


def _short(text: str) -> str:
    """Return a label that fits, in which Plotly finds no markup."""
    cut = text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1].rstrip() + "…"
    return cut.replace("<", "‹").replace(">", "›")


def timeline(data: CompetitiveLandscapingData) -> tuple[go.Figure, pd.DataFrame] | None:
    """Return the readouts ahead over time, with their rows."""
    frame = pd.DataFrame([one.model_dump(exclude={"source_ids"}) for one in data.events])
    if frame.empty:
        return None
    frame["day"] = pd.to_datetime(frame["expected_on"].map(_day))
    frame["phase"] = frame["phase"].map(lambda one: phase_words(one) or "phase not given")
    figure = go.Figure()
    for number, (phase, part) in enumerate(frame.groupby("phase", sort=True)):
        figure.add_scatter(
            x=part["day"],
            y=[_short(name) for name in part["drug_name"]],
            mode="markers",
            name=str(phase),
            marker={"size": 12, "color": group_colors()[number % len(group_colors())]},
            customdata=part[["trial_id", "indication"]].map(_short).to_numpy(),
            hovertemplate="%{y}<br>%{customdata[0]}: %{customdata[1]}<br>%{x|%Y-%m-%d}"
            "<extra></extra>",
        )
    figure.update_xaxes(showgrid=True, gridcolor=colors()["no call"], griddash="dot")
    figure.update_yaxes(automargin=True, autorange="reversed")
    return figure, frame.drop(columns=["day"])


def _day(said: str) -> str:
    """Return a date with a day: the middle of a month that is told without one."""
    parts = said.split("-")
    return "-".join([*parts, *["06", "15"][len(parts) - 1 :]][:3])


def show_comparison(_run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw chosen drugs side by side."""
    names = [one.drug_name for one in data.drugs]
    if len(names) < 2:
        st.info("There is nothing to compare.")
        return
    chosen = st.multiselect(
        "Drugs",
        names,
        default=names[: min(3, len(names))],
        key="compare",
        bind="query-params",
        max_selections=MOST_COMPARED,
    )
    links = addresses(data.sources)
    picked = [one for one in data.drugs if one.drug_name in chosen]
    if picked:
        st.table(_side_by_side(picked, links), border="horizontal", alt="Drugs side by side")
    st.caption(f"Figures stand {ACROSS_TRIALS}.")


def _side_by_side(drugs: Sequence[DrugRow], links: Mapping[str, str]) -> pd.DataFrame:
    """Return the drugs as columns."""
    columns = {
        plain(one.drug_name): {
            "Company": plain(one.company),
            "Stage": STAGE_WORDS[one.stage],
            "Acts on": plain(one.target),
            "Kind": plain(one.modality),
            "Indications": plain(one.indication),
            "Efficacy": cited(one.efficacy, links) or "not found",
            "Toxicity": cited(one.toxicity, links) or "not found",
            "Active trials": str(one.n_active_trials),
            "Rank": str(one.rank_score),
        }
        for one in drugs
    }
    return pd.DataFrame(columns)
