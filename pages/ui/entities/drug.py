"""The asset page: head, six tabs, and the rail of what to ask next."""

import streamlit as st

from core.briefs.entities.charts import draw_matrix, draw_trials
from core.briefs.entities.profiles import DrugProfile
from core.briefs.entities.sentences import drug_sentences
from core.briefs.entities.steps import drug_steps
from core.briefs.entities.tables import (
    CATALYSTS,
    EVENTS,
    FACTS,
    REGIONS,
    RESULTS,
    RIGHTS,
    TRIALS,
    USES,
    stage_words,
    uses_of,
)
from core.briefs.entities.views import DrugView
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.records.programs import Program
from core.records.projects import BlockContent
from core.records.runs import Caller
from core.reports.phrases import show_date
from core.runner import subscriptions_of
from core.workbench import current
from pages.ui.acting import act, keep_to_show, show_kept
from pages.ui.badges import show_badge
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
from pages.ui.next_steps import show_door, show_steps
from pages.ui.plain import plain, show_number
from pages.ui.projects.offering import card_block, frozen, offer_project
from pages.ui.saved_lists import offer_lists
from pages.ui.watching import newest_import

MOST_NAMES = 8
_TABS = ("Overview", "Trials", "Results", "Rights and deals", "Label", "Sources")
_COLORS = {"approved": "green", "filed": "green", "phase 3": "blue", "phase 2/3": "blue"}


def show_drug(view: DrugView, caller: Caller) -> None:
    """Draw all about a drug.

    Args:
        view: What the store holds of it.
        caller: Who reads it.
    """
    drug, cite = view.drug, cite_from(view.records)
    st.set_page_config(page_title=f"{drug.name} · Biopharma workbench")
    page, rail = st.columns(WIDTHS, gap="medium")
    with page:
        _show_head(drug)
        tabs = st.tabs(_TABS, on_change="rerun", key="tabs", bind="query-params")
        draws = (_show_overview, _show_trials, _show_results, _show_rights, _show_label)
        for tab, draw in zip(tabs, (*draws, _show_facts), strict=True):
            if tab.open:
                with tab:
                    draw(view, cite)
    with rail:
        _show_rail(view, caller)


def _show_head(drug: DrugProfile) -> None:
    words = stage_words(drug)
    chips = [(words, _COLORS.get(words, "violet" if drug.is_active else "red"))]
    chips += [(drug.modality, "gray")] if drug.modality else []
    chips += [(unmark(target), "gray") for target in drug.targets[:3]]
    names = [unmark(alias) for alias in (drug.board.brand, *drug.asset.aliases) if alias]
    more = len(names) - MOST_NAMES
    caption = " · ".join([*names[:MOST_NAMES], *([f"{more} more names"] if more > 0 else [])])
    show_head(drug.name, chips, caption)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for owner in drug.owners:
            show_door("company", owner, unmark(owner))
        for role in drug.asset.companies:
            if role.role in {"licensee", "partner"} and role.company not in drug.owners:
                where = role.territory or "territory not reported"
                show_door("company", role.company, f"{unmark(role.company)} ({where})")
        for region in drug.asset.regions:
            if region.stage == "APPROVED":
                state = "approval ended" if region.is_over else "approved"
                text = f"{region.region} {state} {show_date(region.first_on)}".strip()
                show_badge(text, "red" if region.is_over else "green")


def _show_overview(view: DrugView, cite: Cite) -> None:
    show_sentences(drug_sentences(view.drug, cite), cite)
    if view.drug.catalysts:
        st.subheader("Catalysts", anchor=False)
        show_table(CATALYSTS, view.drug.catalysts, cite, "catalysts", "Catalysts ahead by date")
    st.subheader("Stage by indication and region", anchor=False)
    show_chart(draw_matrix(view.drug), "chart:matrix", view.drug.name)
    show_table(REGIONS, view.drug.asset.regions, cite, "regions", "Highest stage by region")
    st.subheader("Latest events", anchor=False)
    if show_table(EVENTS, view.events[:10], cite, "latest-events", "Latest events") is None:
        st.caption("No dated event found.")


def _show_trials(view: DrugView, cite: Cite) -> None:
    own_trials = view.drug.own_trials
    others = [trial for trial in view.drug.trials if not trial.is_own]
    chart = draw_trials(own_trials, current().now().date().isoformat())
    show_chart(chart, "chart:trials", view.drug.name)
    if show_table(TRIALS, own_trials, cite, "trials", "Trials of its companies") is None:
        st.info("No company-sponsored trial found.")
    if others:
        with st.expander(f"{show_number(len(others), 'trial')} of other sponsors"):
            show_table(TRIALS, others, cite, "other-trials", "Trials of other sponsors")


def _show_results(view: DrugView, cite: Cite) -> None:
    for kind, title in (("efficacy", "Efficacy"), ("toxicity", "Safety")):
        rows = [outcome for outcome in view.drug.asset.outcomes if outcome.kind == kind]
        if rows:
            st.subheader(title, anchor=False)
            show_table(RESULTS, rows, cite, kind, f"{title} results with comparator and source")
    if not view.drug.asset.outcomes:
        st.info("No efficacy or safety result found in trial registers, labels or curated tables.")


def _show_rights(view: DrugView, cite: Cite) -> None:
    st.subheader("Rights", anchor=False)
    roles = [
        company
        for company in view.drug.asset.companies
        if company.role != "sponsor" or not _has_holder(view)
    ]
    if show_table(RIGHTS, roles, cite, "rights", "Companies with rights by territory") is None:
        st.info("No owner, licensor or licensee found.")
    st.subheader("Deals", anchor=False)
    deals = [event for event in view.events if event.is_deal]
    if show_table(EVENTS, deals, cite, "deals", "Deals by date") is None:
        st.caption("No deal found.")
    st.subheader("Loss of exclusivity (LOE)", anchor=False)
    _show_exclusivity(view.drug)


def _has_holder(view: DrugView) -> bool:
    return any(company.role in {"holder", "originator"} for company in view.drug.asset.companies)


def _show_exclusivity(drug: DrugProfile) -> None:
    until = drug.protection
    if until is None:
        st.caption("Not approved: no term of exclusivity runs yet.")
        return
    terms = {
        "Latest listed patent (US)": show_date(until.last_patent_on),
        "Latest listed exclusivity (US)": show_date(until.last_exclusivity_on),
        "Biologic exclusivity (US), 12 years from licensure": show_date(until.biologic_until),
        "By statute": f"{show_date(until.law_until)} ({until.law_term})" if until.law_until else "",
        "Note": until.note,
    }
    shown = {plain(name): plain(value) for name, value in terms.items() if value}
    st.table(shown, border="horizontal", width="content", alt="Loss of exclusivity by basis")


def _show_label(view: DrugView, cite: Cite) -> None:
    uses = uses_of(view.drug)
    if show_table(USES, uses, cite, "approved-uses", "Approved uses by region") is None:
        st.info("No approved use found.")
    boxed = view.drug.asset.boxed_warnings
    if boxed:
        st.warning(
            plain(f"{boxed[0].text[:1].upper()}{boxed[0].text[1:]}."), icon=":material/warning:"
        )
    routes = ", ".join(dict.fromkeys(route.text for route in view.drug.asset.routes))
    if routes:
        st.markdown(f"**Route of administration** {plain(routes)}")


def _show_facts(view: DrugView, cite: Cite) -> None:
    st.subheader("Facts and their sources", anchor=False)
    show_table(FACTS, view.drug.cells(), cite, "facts", "Each field with its source")
    drug_sentences(view.drug, cite)
    cite.numbers(record_id for cell in view.drug.cells() for record_id in cell.record_ids[:3])
    st.subheader("Sources", anchor=False)
    show_sources(cite)


def _show_rail(view: DrugView, caller: Caller) -> None:
    drug = view.drug
    st.markdown("**Next**")
    program = _choose_program(drug)
    show_steps(drug_steps(drug, program, view.events))
    if program is not None and program.indication_key:
        show_door("disease", program.indication_key, f"Field: {unmark(program.indication)}")
    for target in drug.targets[:2]:
        show_door("target", target, f"Field: {unmark(target)}")
    show_kept()
    if st.button("Watch", icon=":material/notifications:", key="watch", width="stretch"):
        act(lambda: _watch(drug, caller))
    offer_lists({"drug": [drug.name]}, "asset")
    offer_project(lambda: _card(view), "card", "a card of this drug")


def _card(view: DrugView) -> BlockContent:
    """Return the top of the page as a block."""
    drug, cite = view.drug, cite_from(view.records)
    sentences = drug_sentences(drug, cite)
    tables = [
        frozen(frame_of(CATALYSTS, drug.catalysts, cite), "Catalysts"),
        frozen(frame_of(REGIONS, drug.asset.regions, cite), "Highest stage by region"),
    ]
    return card_block(drug.name, sentences, cite, draw_matrix(drug), tables)


def _watch(drug: DrugProfile, caller: Caller) -> None:
    subscriptions = subscriptions_of(caller, current())
    subscriptions.add_manual(drug.name, drug.asset.key, "medium", generation=newest_import())
    keep_to_show(plain(f"Watching {drug.name}. New events appear under Alerts."))


def _choose_program(drug: DrugProfile) -> Program | None:
    """Return the indication that the next question is about; the furthest at first."""
    programs = {
        program.indication: program for program in reversed(drug.programs) if program.indication
    }
    names = list(
        dict.fromkeys(program.indication for program in drug.programs if program.indication)
    )
    if len(names) < 2:
        return programs.get(names[0]) if names else None
    ahead = (
        program.indication
        for program in drug.programs
        if program.state == "live" and not program.approvals
    )
    first = next((name for name in ahead if name in names), names[0])
    chosen = st.selectbox(
        "Indication", names, names.index(first), key="indication", format_func=unmark
    )
    return programs.get(chosen)
