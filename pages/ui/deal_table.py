"""The table of candidates: filters kept in the address, a picked row opens its memo."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.agents.deal_sourcing.columns import DEALS
from core.agents.deal_sourcing.records import DEAL_WORDS, Deal
from core.agents.deal_sourcing.report import draw_deals
from core.agents.deal_sourcing.schema import DealSourcingData
from core.briefs.columns import show_rows
from core.records.runs import RunRecord
from core.reports.evidence_parts import marks
from core.reports.spreadsheet import safe_csv
from core.results import load_view
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.citing import addresses, cited
from pages.ui.downloads import offer_csv, run_stem
from pages.ui.drug_rows import beside, choose, filter_menu, open_drawer, pick_row, show_known
from pages.ui.next_steps import show_next
from pages.ui.plain import plain
from pages.ui.saved_lists import choose_lists, offer_lists

VIEW = (
    *("deal_score", "asset", "company", "geography", "deal_kind", "stage", "modality"),
    *("target", "indication", "signal", "newest_signal_on"),
)


def show_deals(run: RunRecord, data: DealSourcingData) -> None:
    """Draw the candidates with their filters; a picked row opens the drawer."""
    if not data.deals:
        more = " The tab “Excluded” lists near matches." if data.rejected else ""
        st.info(f"No asset matches these criteria.{more}")
        return
    kept_deals = _filter(data.deals)
    if not kept_deals:
        st.info("No candidate passes these filters. Clear one of them to see rows again.")
        return
    left, picked = beside(draw_deals(kept_deals))
    if picked is not None:
        kept_deals = [deal for deal in kept_deals if deal.entities.asset in picked]
    with left:
        _show_table(run, data, kept_deals)


def all_deals(run: RunRecord) -> bytes:
    """Return every candidate of a run as CSV."""
    view = load_view(run, current())
    return safe_csv(_frame(view.deals if isinstance(view, DealSourcingData) else []))


def _filter(deals: Sequence[Deal]) -> list[Deal]:
    """Draw the filters, whose values stand in the address, and return the deals that pass."""

    def values(name: str) -> list[str]:
        return sorted({str(getattr(deal.entities, name)) for deal in deals} - {""})

    with filter_menu("deal", "stage", "kind", "home", "owner", "list", "recent"):
        offers = choose("Deal", "deal", sorted({DEAL_WORDS[deal.deal_kind] for deal in deals}))
        stages = choose("Stage", "stage", values("stage"))
        kinds = choose("Kind", "kind", values("modality"))
        homes = choose("Home", "home", values("geography"))
        owners = choose("Owner", "owner", values("company"))
        listed = choose_lists()
        recent = st.toggle("Only with recent news", key="recent", bind="query-params")
    return [
        deal
        for deal in deals
        if (not offers or DEAL_WORDS[deal.deal_kind] in offers)
        and (not stages or deal.entities.stage in stages)
        and (not kinds or deal.entities.modality in kinds)
        and (not homes or deal.entities.geography in homes)
        and (not owners or deal.entities.company in owners)
        and listed({"drug": [deal.entities.asset], "company": [deal.entities.company]})
        and (not recent or deal.in_window)
    ]


def _show_table(run: RunRecord, data: DealSourcingData, kept_deals: Sequence[Deal]) -> None:
    frame = _frame(kept_deals)
    row = pick_row(frame, _columns(), "deals", "Candidates by score with owner, stage and target")
    with st.container(horizontal=True):
        stem = f"{run_stem(run)}_candidates"
        offer_csv(frame, stem, key="csv:deals", total=len(data.deals))
        names = {
            "drug": [deal.entities.asset for deal in kept_deals if deal.entities.asset],
            "company": sorted({deal.entities.company for deal in kept_deals}),
        }
        offer_lists(names, "rows")
    st.caption("Pick a row to read its memo, its score and what to check next.")
    if row is not None:
        deal = kept_deals[row]
        open_drawer(deal.entities.asset or deal.title, partial(_draw_drawer, data, deal))


def _frame(deals: Sequence[Deal]) -> pd.DataFrame:
    return pd.DataFrame(show_rows(DEALS, VIEW, deals))


def _columns() -> dict[str, object]:
    columns = st.column_config
    return {
        "Score": columns.ProgressColumn(min_value=0, max_value=100, format="%d", width=90),
        "Asset": columns.TextColumn(pinned=True, width=150),
        "Owner": columns.TextColumn(width=150),
        "Why": columns.TextColumn(width="medium"),
        "Indication": columns.TextColumn(width=150),
    }


def _draw_drawer(data: DealSourcingData, deal: Deal) -> None:
    """Draw the memo of a deal, what is known of its asset, and how it was scored."""
    links, about = addresses(data.sources), deal.entities
    show_badge(f"{DEAL_WORDS[deal.deal_kind]}, score {deal.deal_score}", "blue")
    show_next({"company": about.company, "target": about.target, "drug": about.asset})
    named = {"drug": [about.asset], "company": [about.company]}
    offer_lists({kind: names for kind, names in named.items() if any(names)}, "drawer")
    for memo_part in deal.memo_parts:
        text = " ".join(f"{claim.text}" for claim in memo_part.claims)
        st.markdown(f"**{plain(memo_part.title)}.** {cited(text, links)}")
    if deal.comparables:
        st.markdown("**Comparable deals**")
        for comparable in deal.comparables:
            st.markdown(f"- {cited(f'{comparable.deal} {marks(comparable.source_ids)}', links)}")
    show_known(
        {
            "Stage": about.stage,
            "Kind": about.modality,
            "Target": about.target,
            "Indications": about.indication,
            "Home": about.geography,
            "Listing": about.owner_kind,
            "Next": deal.suggested_next_action.text,
            "Score": _tell_score(deal),
        },
        links,
    )


def _tell_score(deal: Deal) -> str:
    """Return the points of each part; one that could not be scored is named so."""
    parts = deal.score_components.model_dump().items()
    unknown = set(deal.unknown_parts)
    components = (
        f"{name.replace('_', ' ')} {'not scored' if name in unknown else f'{points:g}'}"
        for name, points in parts
    )
    return f"{deal.deal_score}: {', '.join(components)}"
