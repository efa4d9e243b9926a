"""The company page: pipeline chart, all drugs in one filterable table, catalysts, LOE, deals."""

from collections.abc import Sequence

import streamlit as st

from core.briefs.entities.charts import draw_catalysts, draw_exclusivity, draw_pipeline
from core.briefs.entities.profiles import DrugProfile
from core.briefs.entities.sentences import company_sentences, count_stages
from core.briefs.entities.steps import company_steps
from core.briefs.entities.tables import DRUGS, EVENTS
from core.briefs.entities.views import CompanyView
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.records.projects import BlockContent
from core.records.runs import Caller
from core.records.stages import STAGE_WORDS
from core.workbench import current
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
from pages.ui.next_steps import show_steps
from pages.ui.projects.offering import card_block, frozen, offer_project
from pages.ui.saved_lists import offer_lists

_TABS = ("Overview", "Pipeline", "Catalysts", "Exclusivity", "Deals and news", "Sources")


def show_company(view: CompanyView, caller: Caller) -> None:
    """Draw a company with all its drugs.

    Args:
        view: What the store holds of it.
        caller: Who reads it.
    """
    name, cite = unmark(view.company.name), cite_from(view.records)
    st.set_page_config(page_title=f"{name} · Biopharma workbench")
    page, rail = st.columns(WIDTHS, gap="medium")
    with page:
        _show_head(view)
        tabs = st.tabs(_TABS, on_change="rerun", key="tabs", bind="query-params")
        draws = (
            _show_overview,
            _show_pipeline,
            _show_catalysts,
            _show_exclusivity,
            _show_news,
            _show_sources,
        )
        for tab, draw in zip(tabs, draws, strict=True):
            if tab.open:
                with tab:
                    draw(view, cite)
    with rail:
        st.markdown("**Next**")
        show_steps(company_steps(name, view.company.ticker))
        offer_lists({"company": [name]}, "company")
        offer_project(lambda: _card(view), "card", "a card of this company")


def _card(view: CompanyView) -> BlockContent:
    """Return the top of the page with all drugs as a block."""
    cite = cite_from(view.records)
    sentences = company_sentences(view, cite)
    tables = [frozen(frame_of(DRUGS, view.drugs, cite), "Drugs")]
    chart = draw_pipeline(view.drugs, view.areas)
    return card_block(unmark(view.company.name), sentences, cite, chart, tables)


def _show_head(view: CompanyView) -> None:
    chips = [(view.company.ticker, "blue")] if view.company.ticker else []
    chips += [(text, "gray") for text in stage_chips(view.drugs)]
    former = [row.name for row in view.company.trail if row.relation != "own name"]
    caption = f"Includes {', '.join(former[:8])}" if former else ""
    show_head(unmark(view.company.name), chips, caption)


def stage_chips(drugs: Sequence[DrugProfile]) -> list[str]:
    """Return how many drugs are at each stage, as a head shows it: the sentence's own counts."""
    words = {**STAGE_WORDS, "UNKNOWN": "stage not reported"}
    return [f"{number:,} {words[stage]}" for stage, number in count_stages(drugs).items()]


def _show_overview(view: CompanyView, cite: Cite) -> None:
    show_sentences(company_sentences(view, cite), cite)
    show_chart(draw_pipeline(view.drugs, view.areas), "chart:pipeline", unmark(view.company.name))


def _show_pipeline(view: CompanyView, cite: Cite) -> None:
    show_drug_table(view.drugs, cite, f"{view.company.name} drugs", hides_inactive=True)


def _show_catalysts(view: CompanyView, cite: Cite) -> None:
    show_chart(
        draw_catalysts(view.drugs, current().now().date().isoformat()),
        "chart:catalysts",
        unmark(view.company.name),
    )
    ahead = [drug for drug in view.drugs if drug.catalyst.category not in {"None", "Unknown"}]
    ahead.sort(key=lambda drug: (drug.catalyst.date == "TBD", drug.catalyst.date, drug.name))
    if show_table(DRUGS, ahead, cite, "catalysts", "Drugs by date of their next catalyst") is None:
        st.info("No upcoming catalyst found.")


def _show_exclusivity(view: CompanyView, cite: Cite) -> None:
    day = current().now().date().isoformat()
    show_chart(draw_exclusivity(view.drugs, day), "chart:exclusivity", unmark(view.company.name))
    protected = [drug for drug in view.drugs if drug.protection and drug.protection.last_on >= day]
    protected.sort(key=lambda drug: drug.protection.last_on if drug.protection else "")
    if show_table(DRUGS, protected, cite, "exclusivity", "Products by loss of exclusivity") is None:
        st.info("No product with a listed term of exclusivity found.")


def _show_news(view: CompanyView, cite: Cite) -> None:
    deals = [event for event in view.events if event.is_deal]
    st.subheader("Deals", anchor=False)
    if show_table(EVENTS, deals, cite, "deals", "Deals by date") is None:
        st.caption("No deal found.")
    st.subheader("News", anchor=False)
    others = [event for event in view.events if not event.is_deal]
    if show_table(EVENTS, others, cite, "news", "Events by date") is None:
        st.caption("No dated event found.")


def _show_sources(view: CompanyView, cite: Cite) -> None:
    company_sentences(view, cite)
    cite.numbers(record for drug in view.drugs for record in drug.stage_records()[:1])
    show_sources(cite)
