"""The result of competitive landscaping: key figures, memo, and one function a tab."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.agents.competitive_landscaping.completeness import in_words
from core.agents.competitive_landscaping.figures import ACROSS_TRIALS
from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.records.runs import RunRecord
from core.records.stages import STAGE_WORDS
from core.vocabulary.stages import band_of
from pages.ui.charts import show_plotly
from pages.ui.citing import addresses, cited
from pages.ui.landscape_charts import density_map, timeline
from pages.ui.plain import plain, show_count
from pages.ui.result_parts import show_rows

LATE = frozenset({"Approved", "Filed", "Phase 3"})
_KINDS = {"fact": "fact", "computed": "computed", "rule": "note", "assumption": "assumption"}
MOST_COMPARED = 4


def show_summary(data: CompetitiveLandscapingData) -> None:
    """Draw the key figures."""
    hhi = data.concentration.hhi
    top = data.concentration.top_sponsors[:1]
    figures = [
        ("Drugs", show_count(len(data.drugs)), f"{len(data.excluded)} left out"),
        (
            "Phase 3 or later",
            show_count(sum(band_of(one.stage) in LATE for one in data.drugs)),
            "in scope",
        ),
        (
            "Under test",
            show_count(sum(one.n_active_trials > 0 for one in data.drugs)),
            "own trials",
        ),
        ("Readouts", show_count(len(data.events)), "in the next twelve months"),
        (
            "Concentration",
            "–" if hhi is None else f"{hhi:.2f}",
            f"{top[0].company} holds {top[0].n}" if top else "no company known",
        ),
        ("Sources", show_count(len(data.sources)), "cited"),
    ]
    with st.grid(len(figures), min_column_width=130):
        for label, number, note in figures:
            with st.container(border=True):
                st.metric(label, number)
                st.caption(plain(note))


def show_memo(data: CompetitiveLandscapingData) -> None:
    """Draw the memo, citations as links."""
    links = addresses(data.sources)
    with st.container(border=True):
        for section in data.memo:
            st.markdown(f"##### {plain(section.title)}")
            st.markdown("\n".join(f"- {cited(claim.text, links)}" for claim in section.claims))


def show_density(_run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw where it is crowded, who holds the field, and where it is open."""
    found = density_map(data)
    if found is None:
        st.info("Too little is on record to draw a map.")
        return
    show_plotly(
        found[0],
        found[1],
        name="density",
        caption="Drugs by indication and phase: the stronger the color, the more crowded. A drug "
        "counts once at each of its programs.",
        describe="Number of drugs per indication and phase",
    )
    held, free = st.columns(2)
    with held:
        st.markdown("**Companies**")
        show_rows(data.concentration.top_sponsors, "companies", ("company", "n"), {"n": "drugs"})
    with free:
        st.markdown("**Open indications**")
        show_rows(data.white_space, "white-space", ("indication", "reason"))


def show_events(_run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw the readouts ahead."""
    found = timeline(data)
    if found is None:
        st.info("No active trial on record has its primary completion in the next twelve months.")
        return
    show_plotly(
        found[0],
        found[1],
        name="events",
        caption="Primary completions of active trials as registered; results follow later.",
        describe="Readouts of the next twelve months by drug",
    )
    columns = ("expected_on", "drug_name", "company", "trial_id", "phase", "indication", "endpoint")
    show_rows(data.events, "events", columns)


def show_patients(_run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw what trials measure and in whom."""
    found = data.indication_specific_results
    for text in found.warnings:
        st.info(plain(text.partition(":")[2]))
    parts = (
        ("Endpoints", found.clinical_endpoints, ("endpoint", "role", "n_trials", "timepoint")),
        ("Biomarkers that choose patients", found.biomarkers, ("name", "role", "n_trials")),
        ("Patients", found.patient_subsets, ("subset", "definition", "n_trials", "n_recruiting")),
    )
    for title, rows, columns in parts:
        st.markdown(f"**{title}**")
        show_rows(rows, title, (*columns, "drugs"), {"n_trials": "trials"})


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


def show_method(_run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw how the query was understood, which sources answered, and what was left out."""
    st.markdown(plain(data.relevance_criterion))
    st.markdown(f"**Completeness**: {plain(in_words(data.completeness))}")
    parsed = {
        plain(name.replace("_", " ")): plain(", ".join(value) if isinstance(value, list) else value)
        for name, value in data.parsed_query.model_dump().items()
        if value
    }
    if parsed:
        st.table(parsed, border="horizontal", width="content", alt="How the query was understood")
    st.markdown("**Sources**")
    show_rows(data.source_report, "groups", ("source", "status", "as_of", "n_hits", "flag"))
    st.markdown("**Candidates left out**")
    show_rows(data.excluded, "excluded", ("drug_name", "reason"), {"drug_name": "candidate"})
