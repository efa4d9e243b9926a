"""The field page: scope, grid of targets by phase, table, timeline, and a tray to compare."""

from collections.abc import Sequence

import streamlit as st

from core.briefs.entities.charts import draw_catalysts
from core.briefs.entities.profiles import DrugProfile
from core.briefs.entities.sentences import field_name, field_sentences
from core.briefs.entities.steps import field_steps
from core.briefs.entities.tables import DRUGS, EVENTS
from core.briefs.entities.views import FieldView
from core.briefs.report import Placed, draw_pipeline
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.records.entities import SCOPES, Scope
from core.records.projects import BlockContent
from core.records.runs import Caller
from core.vocabulary.stages import phase_of
from core.workbench import current
from pages.ui.drug_rows import beside
from pages.ui.entities.company import stage_chips
from pages.ui.entities.compare import show_compare
from pages.ui.entities.frame import (
    WIDTHS,
    cite_from,
    frame_of,
    show_chart,
    show_head,
    show_sentences,
    show_sources,
    show_table,
)
from pages.ui.entities.table import show_drug_table
from pages.ui.next_steps import show_door, show_steps
from pages.ui.plain import plain
from pages.ui.projects.offering import card_block, frozen, offer_project
from pages.ui.saved_lists import offer_lists

_TABS = ("Drugs", "Catalysts", "Compare", "News", "Sources")
MOST_REASONS = 4


def show_field(view: FieldView, caller: Caller) -> None:
    """Draw the drugs of a field.

    Args:
        view: What the store holds of it, all scopes.
        caller: Who reads it.
    """
    cite = cite_from(view.records)
    st.set_page_config(page_title=f"{field_name(view)} · Biopharma workbench")
    page, rail = st.columns(WIDTHS, gap="medium")
    with page:
        scope = _choose_scope(view)
        drugs = view.within(scope)
        if not drugs:
            _show_nothing(view, scope)
            return
        tabs = st.tabs(_TABS, on_change="rerun", key="tabs", bind="query-params")
        for tab, name in zip(tabs, _TABS, strict=True):
            if tab.open:
                with tab:
                    _show_tab(name, view, scope, cite)
    with rail:
        st.markdown("**Next**")
        target = view.target.name if view.target else ""
        disease = view.disease.name if view.disease else ""
        show_steps(field_steps(target, disease))
        if target and disease:
            show_door("target", target, f"All of {target}")
            show_door("disease", view.disease.id if view.disease else "", f"All of {disease}")
        offer_lists({"drug": [drug.name for drug in drugs]}, "field")
        offer_project(lambda: _card(view, scope), "card", "a card of this field")


def _card(view: FieldView, scope: Scope) -> BlockContent:
    """Return the top of the page with the drugs of its scope as a block."""
    cite, drugs = cite_from(view.records), view.within(scope)
    sentences = field_sentences(view, scope, cite)
    chart = draw_catalysts(drugs, current().now().date().isoformat())
    tables = [frozen(frame_of(DRUGS, drugs, cite), "Drugs")]
    return card_block(field_name(view), sentences, cite, chart, tables)


def _choose_scope(view: FieldView) -> Scope:
    """Draw the head with the switch of scopes, each with what it adds."""
    counts = {scope: len(view.within(scope)) for scope in SCOPES}
    first = next((scope for scope in SCOPES if counts[scope]), SCOPES[0])
    chosen: Scope = st.session_state.get("scope") or first
    show_head(field_name(view), [(text, "gray") for text in stage_chips(view.within(chosen))])
    labels = {
        "narrow": f"Exact match ({counts['narrow']:,})",
        "near": f"+ sister targets and wider uses ({counts['near']:,})",
        "wide": f"+ related targets and diseases ({counts['wide']:,})",
    }
    picked = st.segmented_control(
        "Scope",
        SCOPES,
        default=first,
        key="scope",
        bind="query-params",
        required=True,
        format_func=labels.__getitem__,
        label_visibility="collapsed",
    )
    return picked or first


def _show_nothing(view: FieldView, scope: Scope) -> None:
    """Say which condition removed how many, and offer the nearest wider scope."""
    st.info(plain(f"No drug matches {field_name(view)}."))
    for reason, number in view.excluded[:MOST_REASONS]:
        noun = "candidate" if number == 1 else "candidates"
        st.markdown(f"- {number:,} {noun}: {plain(reason)}")
    wider = [scope for scope in SCOPES if view.within(scope)]
    if wider:
        st.markdown(plain(f"The next wider scope has {len(view.within(wider[0])):,} drugs."))
    if view.target and view.disease:
        show_door("target", view.target.id, f"All drugs on {view.target.name}")
        show_door("disease", view.disease.id, f"All drugs in {view.disease.name}")


def _show_tab(name: str, view: FieldView, scope: Scope, cite: Cite) -> None:
    drugs = view.within(scope)
    if name == "Drugs":
        show_sentences(field_sentences(view, scope, cite), cite)
        _show_drugs(view, drugs, cite)
    elif name == "Catalysts":
        chart = draw_catalysts(drugs, current().now().date().isoformat())
        show_chart(chart, "chart:catalysts", field_name(view))
        if chart is None:
            st.info("No dated catalyst in the next 24 months found.")
    elif name == "Compare":
        show_compare(drugs, cite)
    elif name == "News":
        keys = {record_id for drug in drugs for record_id in drug.record_ids()}
        news = [event for event in view.events if keys & {*event.record_ids}]
        if show_table(EVENTS, news, cite, "news", "Events by date") is None:
            st.info("No dated event found.")
    else:
        field_sentences(view, scope, cite)
        cite.numbers(record for drug in drugs for record in drug.stage_records()[:1])
        show_sources(cite)


def _show_drugs(view: FieldView, drugs: Sequence[DrugProfile], cite: Cite) -> None:
    placed = {
        noun: [
            Placed(
                group,
                phase_of(drug.stage),
                drug.name,
                unmark(drug.owners[0]) if drug.owners else "",
            )
            for drug in drugs
            for group in groups(drug)
        ]
        for noun, groups in (
            ("target", lambda drug: map(unmark, drug.targets)),
            ("indication", lambda drug: {unmark(x.indication) for x in drug.programs}),
            ("company", lambda drug: map(unmark, drug.owners)),
        )
    }
    left, picked = beside(draw_pipeline(placed))
    shown = [drug for drug in drugs if picked is None or drug.name in picked]
    with left:
        show_drug_table(shown, cite, f"{field_name(view)} drugs", hides_inactive=True)
    if view.excluded:
        with st.expander("Excluded candidates, with the reason"):
            for reason, number in view.excluded:
                st.markdown(f"- {number:,}: {plain(reason)}")
