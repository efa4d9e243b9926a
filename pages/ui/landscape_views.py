"""Views of a landscape: the timeline, drugs side by side."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.report import draw_times
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.briefs.figures import ACROSS_TRIALS
from core.records.runs import RunRecord
from core.records.stages import STAGE_WORDS
from pages.ui.citing import addresses, cited
from pages.ui.plain import plain
from pages.ui.timeline import show_times

MOST_COMPARED = 4


def show_timeline(_run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw what happened, what lies ahead and until when drugs are protected."""
    show_times(draw_times(data))
    if not data.events:
        st.info("No active trial is due to reach primary completion in the next twelve months.")


def show_comparison(_run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw chosen drugs side by side."""
    names = [drug.drug_name for drug in data.drugs]
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
    picked = [drug for drug in data.drugs if drug.drug_name in chosen]
    if picked:
        st.table(_side_by_side(picked, links), border="horizontal", alt="Drugs side by side")
    st.caption(f"Figures stand {ACROSS_TRIALS}.")


def _side_by_side(drugs: Sequence[DrugRow], links: Mapping[str, str]) -> pd.DataFrame:
    """Return the drugs as columns."""
    columns = {
        plain(drug.drug_name): {
            "Company": plain(drug.company),
            "Stage": STAGE_WORDS[drug.stage],
            "Acts on": plain(drug.target),
            "Kind": plain(drug.modality),
            "Indications": plain(drug.indication),
            "Efficacy": cited(drug.efficacy, links) or "not found",
            "Toxicity": cited(drug.toxicity, links) or "not found",
            "Active trials": str(drug.n_active_trials),
            "Rank": str(drug.rank_score),
        }
        for drug in drugs
    }
    return pd.DataFrame(columns)
