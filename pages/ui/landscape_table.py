"""The table of drugs: stage badges, filters kept in the address, a drawer with the facts."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.agents.competitive_landscaping.columns import BOARD_VIEW, DRUGS, use_words
from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.report import draw_drugs
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.agents.competitive_landscaping.standing import EARLY_ASSET, STANDINGS, count_listed
from core.briefs.columns import show_rows
from core.briefs.figures import (
    ACROSS_TRIALS,
    Comparison,
    figure_for,
    find_ways,
    order_of,
    words_of,
)
from core.evidence.proof.cells import NOTE
from core.records.runs import RunRecord
from core.records.stages import STAGE_WORDS, STAGES
from core.reports.spreadsheet import safe_csv
from core.results import load_view, read_table
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.citing import addresses
from pages.ui.downloads import offer_csv, run_stem
from pages.ui.drug_rows import beside, choose, filter_menu, open_drawer, pick_row, show_known
from pages.ui.next_steps import show_next
from pages.ui.plain import plain, show_count
from pages.ui.saved_lists import choose_lists, offer_lists
from pages.ui.tables import draw_table

MOST_REASONS = 4
"""Reasons for exclusion that are shown below the table; the last tab has all."""
VIEW = (
    *("drug_name", "stage", "label_use", "company", "target", "indication", "next_readout"),
    "efficacy",
    *("n_active_trials", "standing", "not_known", "modality", "rank_score", "unconfirmed"),
    "as_of",
)
VIEWS = {
    "Overview": VIEW,
    "Board": BOARD_VIEW,
    "Figures": ("drug_name", "stage", "efficacy", "toxicity", "line", "biomarker", "trial"),
}
"""Columns by what they are for."""
_COLORS = {
    "APPROVED": "green",
    "FILED": "green",
    "PHASE3": "blue",
    "PHASE2_3": "blue",
    "PHASE2": "violet",
    "PHASE1_2": "violet",
    "PHASE1": "orange",
    "PRECLINICAL": "yellow",
    "DISCOVERY": "yellow",
    "DISCONTINUED": "red",
    "UNKNOWN": "gray",
}


def show_drugs(run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw the table with its filters; a picked row opens the drawer."""
    if not data.drugs:
        st.info("No matching drug is listed. “Methods and sources” above lists what was searched.")
        return
    kept_drugs = _filter(data.drugs)
    if not kept_drugs:
        st.info("No drug passes these filters. Clear one of them to see rows again.")
        return
    left, picked = beside(draw_drugs(kept_drugs))
    if picked is not None:
        kept_drugs = [drug for drug in kept_drugs if drug.drug_name in picked]
    with left:
        _show_table(run, data, kept_drugs)


def _show_table(
    run: RunRecord, data: CompetitiveLandscapingData, kept_drugs: list[DrugRow]
) -> None:
    """Draw the drugs that passed, in the order that is chosen; a picked row opens the drawer."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view, by = _choose_view(), _choose_order(kept_drugs)
    if by:
        kept_drugs.sort(key=lambda row: order_of(row.compared, by))
    row = pick_row(
        _frame(kept_drugs, by, view),
        _columns(),
        "drugs",
        "Drugs by rank with stage, company, target, kind, indications and figures",
    )
    st.caption(plain(_count_kinds(data)))
    if by:
        _explain_order(kept_drugs, by)
    with st.container(horizontal=True):
        offer_csv(
            _plain_frame(kept_drugs),
            f"{run_stem(run)}_drugs",
            key="csv:drugs",
            total=len(data.drugs),
        )
        offer_lists({"drug": [row.drug_name for row in kept_drugs]}, "rows")
    st.caption(f"Pick a row to see the facts behind it. Figures stand {ACROSS_TRIALS}. {NOTE}.")
    if row is not None:
        drug = kept_drugs[row]
        open_drawer(drug.drug_name, partial(_draw_drawer, run, data, drug))


def _count_kinds(data: CompetitiveLandscapingData) -> str:
    """Say how many drugs are of which standing, how many early assets, and how many left out."""
    kinds = [
        count_listed(0, standing.n)
        if standing.standing == EARLY_ASSET
        else f"{show_count(standing.n)} {standing.standing}"
        for standing in data.standings
        if standing.n
    ]
    left = sum(count.n for count in data.left_out)
    first = "; ".join(
        f"{show_count(count.n)} {count.reason}" for count in data.left_out[:MOST_REASONS]
    )
    excluded_text = f" {show_count(left)} excluded: {first}." if left else ""
    return f"{', '.join(kinds)}.{excluded_text}"


def _filter(drugs: Sequence[DrugRow]) -> list[DrugRow]:
    """Draw the filters, whose values stand in the address, and return the drugs that pass."""
    with filter_menu("stage", "standing", "kind", "company", "list", "figures", "active"):
        stages = choose(
            "Stage", "stage", [stage for stage in STAGES if _has(drugs, "stage", stage)]
        )
        standings = choose(
            "Standing",
            "standing",
            [standing for standing in STANDINGS if _has(drugs, "standing", standing)],
        )
        kinds = choose("Kind", "kind", sorted({drug.modality for drug in drugs} - {""}))
        companies = choose("Company", "company", sorted({drug.company for drug in drugs} - {""}))
        listed = choose_lists()
        figures = st.toggle("Only with figures", key="figures", bind="query-params")
        active = st.toggle("Only with active trials", key="active", bind="query-params")
    return [
        drug
        for drug in drugs
        if (not stages or drug.stage in stages)
        and (not standings or drug.standing in standings)
        and (not kinds or drug.modality in kinds)
        and (not companies or drug.company in companies)
        and listed({"drug": [drug.drug_name, *drug.aliases], "company": [drug.company]})
        and (not figures or drug.efficacy or drug.toxicity)
        and (not active or drug.n_active_trials)
    ]


def _choose_order(drugs: Sequence[DrugRow]) -> Comparison | None:
    """Draw the choice of order; return by what the rows are to be compared, None for the rank."""
    ways = dict(find_ways(drug.compared for drug in drugs))
    if not ways:
        return None
    words = {words_of(by): by for by in ways}
    chosen = st.selectbox(
        "Order",
        ["rank", *words],
        format_func=lambda way: f"{way} ({ways[words[way]]} drugs)" if way in words else "by rank",
        key="order",
        bind="query-params",
        width=300,
        help="Figures are put in order only where endpoint, unit, line and biomarker are equal.",
    )
    return words.get(chosen)


def _explain_order(drugs: Sequence[DrugRow], by: Comparison) -> None:
    """Say what the order rests on, and what stands below."""
    count = sum(figure_for(drug.compared, by) is not None for drug in drugs)
    n_drugs = sum(drug.standing != EARLY_ASSET for drug in drugs)
    better = "highest" if by.is_higher_better else "lowest"
    st.caption(
        plain(
            f"Ordered by {words_of(by)}, the {better} first: {count} of {n_drugs} drugs have "
            "such a figure. The others have another endpoint, unit, line or biomarker, or none, "
            f"and stand below in their rank. {ACROSS_TRIALS.capitalize()}."
        )
    )


def _has(drugs: Sequence[DrugRow], field: str, value: str) -> bool:
    return any(getattr(drug, field) == value for drug in drugs)


def _choose_view() -> Sequence[str]:
    """Draw the choice of columns and return the chosen ones."""
    chosen = st.segmented_control(
        "Columns",
        list(VIEWS),
        default=next(iter(VIEWS)),
        key="columns",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return VIEWS[chosen or next(iter(VIEWS))]


def _frame(
    drugs: Sequence[DrugRow], by: Comparison | None = None, view: Sequence[str] = VIEW
) -> pd.DataFrame:
    """Return the rows as the table shows them, with the figure that orders them, if any does."""
    frame = pd.DataFrame(show_rows(DRUGS, view, drugs))
    frame = frame.assign(Stage=[[drug.stage] for drug in drugs])
    if by:
        figures = [figure_for(drug.compared, by) for drug in drugs]
        frame.insert(2, "Compared", [figure.value if figure else None for figure in figures])
        frame.insert(3, "n", [figure.n if figure else None for figure in figures])
    return frame


def _plain_frame(drugs: Sequence[DrugRow]) -> pd.DataFrame:
    """Return the rows as the CSV has them."""
    every = list(dict.fromkeys([*VIEW, *BOARD_VIEW, "toxicity"]))
    shown = pd.DataFrame(show_rows(DRUGS, every, drugs))
    return shown.assign(Stage=[drug.stage for drug in drugs])


def _columns() -> dict[str, object]:
    columns = st.column_config
    return {
        "Rank": columns.ProgressColumn(min_value=0, max_value=100, format="%d", width="small"),
        "Drug": columns.TextColumn(pinned=True, width=150),
        "Stage": columns.MultiselectColumn(
            options=list(STAGES),
            color=[_COLORS[stage] for stage in STAGES],
            format_func=lambda stage: STAGE_WORDS.get(stage, stage),
            width=110,
        ),
        "Standing": columns.TextColumn(width=110),
        "Company": columns.TextColumn(width=150),
        "Target": columns.TextColumn(width=140),
        "Kind": columns.TextColumn(width=130),
        "Not confirmed": columns.TextColumn(width=110, help=NOTE),
        "Approved use": columns.TextColumn(width=170),
        "Indications": columns.TextColumn(width=150),
        "Next readout": columns.TextColumn(width=110),
        "Active trials": columns.NumberColumn(width=80),
        "Compared": columns.NumberColumn(width=90, help="The figure by which rows are ordered"),
        "n": columns.NumberColumn(width=60, help="Participants analyzed"),
        "Efficacy": columns.TextColumn(width="medium", help=f"As reported, {ACROSS_TRIALS}"),
        "Toxicity": columns.TextColumn(width="medium", help=f"As reported, {ACROSS_TRIALS}"),
    }


def _draw_drawer(run: RunRecord, data: CompetitiveLandscapingData, drug: DrugRow) -> None:
    """Draw what is known of a drug, and the facts that say so."""
    links = addresses(data.sources)
    show_badge(STAGE_WORDS[drug.stage], color=_COLORS[drug.stage])
    show_next({"company": drug.company, "target": drug.target, "drug": drug.drug_name})
    offer_lists({"drug": [drug.drug_name], "company": [drug.company]}, "drawer")
    parts = drug.score_components
    facts = {
        "Company": drug.company,
        "Partners": ", ".join(drug.partners),
        "Acts on": drug.target,
        "Mechanism": drug.mechanism,
        "Kind": drug.modality,
        "Approved use": use_words(drug),
        "Indications": drug.indication,
        "Stage by region": ", ".join(
            f"{region}: {STAGE_WORDS[stage]}" for region, stage in drug.regions.items()
        ),
        "Efficacy": drug.efficacy,
        "Toxicity": drug.toxicity,
        "Trials": f"{len(drug.trial_ids)}, of which {drug.n_active_trials} active and "
        f"{drug.n_other_trials} of investigators",
        "Other names": ", ".join(drug.aliases),
        "Rank": f"{drug.rank_score}: mechanism {parts.mechanism:.2f}, phase {parts.phase:.2f}, "
        f"evidence {parts.evidence:.2f}, recency {parts.recency:.2f}",
    }
    show_known(facts, links)
    _draw_facts(run, drug)


def _draw_facts(run: RunRecord, drug: DrugRow) -> None:
    """Draw the facts behind the cells, with the place in the record and its address."""
    table = read_table(run, "facts", current())
    facts = table[table["drug_name"] == drug.drug_name]
    with st.expander(f"{len(facts):,} facts behind the row", icon=":material/fact_check:"):
        _draw_fact_table(run, facts)


def _draw_fact_table(run: RunRecord, facts: pd.DataFrame) -> None:
    draw_table(
        facts.drop(columns=["drug_name"]),
        "Facts behind the row",
        csv=f"{run_stem(run)}_facts",
        column_order=[
            "cell",
            "statement",
            "value",
            "qualifiers",
            "as_of",
            "source_id",
            "url",
            "locator",
            "record_id",
            "rule",
        ],
        columns={
            "url": st.column_config.LinkColumn("record", display_text="open"),
            "source_id": st.column_config.TextColumn("source"),
        },
    )


def all_drugs(run: RunRecord) -> bytes:
    """Return every drug of a run as CSV."""
    view = load_view(run, current())
    drugs = view.drugs if isinstance(view, CompetitiveLandscapingData) else []
    return safe_csv(_plain_frame(drugs))
