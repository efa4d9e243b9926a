"""The drugs of a company: phase badges, filters kept in the address, a drawer with the proof."""

from collections.abc import Sequence
from functools import partial
from typing import get_args

import pandas as pd
import streamlit as st

from core.agents.company_asset_searcher.columns import ASSETS
from core.agents.company_asset_searcher.records import DrugRecord
from core.agents.company_asset_searcher.report import draw_drugs
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.briefs.columns import show_rows
from core.evidence.proof.cells import NOTE
from core.records.runs import RunRecord
from core.records.stages import STAGE_WORDS
from core.reports.spreadsheet import safe_csv
from core.results import load_view
from core.vocabulary.stages import Phase
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.citing import addresses, cited
from pages.ui.downloads import offer_csv, run_stem
from pages.ui.drug_rows import beside, choose, filter_menu, open_drawer, pick_row, show_known
from pages.ui.next_steps import show_next
from pages.ui.saved_lists import choose_lists, offer_lists

VIEW = (
    *("name", "phase", "target", "indication", "next_event", "next_event_on", "partner"),
    *("origin", "modality", "code", "date_confidence", "weight_score", "unconfirmed"),
)
PHASES: tuple[Phase, ...] = get_args(Phase)
_COLORS = dict(
    zip(
        PHASES,
        ("green", "green", "blue", "violet", "orange", "yellow", "red", "gray"),
        strict=True,
    )
)


def show_drugs(run: RunRecord, data: CompanyAssetSearcherData) -> None:
    """Draw the table with its filters; a picked row opens the drawer."""
    if not data.drugs:
        st.info("No drug of this company is listed.")
        return
    kept_drugs = _filter(data.drugs)
    if not kept_drugs:
        st.info("No drug passes these filters. Clear one of them to see rows again.")
        return
    left, picked = beside(draw_drugs(kept_drugs))
    if picked is not None:
        kept_drugs = [drug for drug in kept_drugs if drug.name in picked]
    with left:
        _show_table(run, data, kept_drugs)


def _show_table(
    run: RunRecord, data: CompanyAssetSearcherData, kept_drugs: Sequence[DrugRecord]
) -> None:
    alt = "Drugs by stage with origin, partners and next event"
    row = pick_row(_frame(kept_drugs), _columns(), "assets", alt)
    plain_rows = _frame(kept_drugs).assign(Phase=[record.phase for record in kept_drugs])
    with st.container(horizontal=True):
        offer_csv(plain_rows, f"{run_stem(run)}_drugs", key="csv:assets", total=len(data.drugs))
        offer_lists({"drug": [record.name for record in kept_drugs]}, "rows")
    st.caption(f"Pick a row to see its sources. {NOTE}.")
    if row is not None:
        open_drawer(kept_drugs[row].name, partial(_draw_drawer, data, kept_drugs[row]))


def all_drugs(run: RunRecord) -> bytes:
    """Return all drugs as CSV."""
    data = load_view(run, current())
    assert isinstance(data, CompanyAssetSearcherData)
    return safe_csv(_frame(data.drugs).assign(Phase=[drug.phase for drug in data.drugs]))


def _filter(drugs: Sequence[DrugRecord]) -> list[DrugRecord]:
    """Draw the filters, whose values stand in the address, and return the drugs that pass."""
    with filter_menu("phase", "origin", "kind", "list", "ahead"):
        present = [phase for phase in PHASES if any(drug.phase == phase for drug in drugs)]
        phases = choose("Phase", "phase", present)
        origins = choose("Origin", "origin", sorted({drug.origin or "not known" for drug in drugs}))
        kinds = choose("Kind", "kind", sorted({drug.modality or "" for drug in drugs} - {""}))
        listed = choose_lists()
        ahead = st.toggle("Only with an event ahead", key="ahead", bind="query-params")
    return [
        drug
        for drug in drugs
        if (not phases or drug.phase in phases)
        and (not origins or (drug.origin or "not known") in origins)
        and (not kinds or drug.modality in kinds)
        and listed({"drug": [drug.name, *drug.aliases], "company": [drug.partner or ""]})
        and (not ahead or drug.next_catalyst.weight_score > 0)
    ]


def _frame(drugs: Sequence[DrugRecord]) -> pd.DataFrame:
    """Return the rows as the table shows them."""
    shown = pd.DataFrame(show_rows(ASSETS, VIEW, drugs))
    return shown.assign(Phase=[[drug.phase] for drug in drugs])


def _columns() -> dict[str, object]:
    columns = st.column_config
    return {
        "Drug": columns.TextColumn(pinned=True),
        "Phase": columns.MultiselectColumn(
            options=list(PHASES), color=[_COLORS[phase] for phase in PHASES], width=120
        ),
        "Indications": columns.TextColumn(width="medium"),
        "Next event": columns.TextColumn(width="medium"),
        "Weight": columns.ProgressColumn(min_value=0, max_value=100, format="%d", width="small"),
    }


def _draw_drawer(data: CompanyAssetSearcherData, drug: DrugRecord) -> None:
    """Draw what is known of a drug, each part with its sources."""
    links = addresses(data.sources)
    show_badge(drug.phase, color=_COLORS[drug.phase])
    show_next({"company": drug.partner or "", "target": drug.target or "", "drug": drug.name})
    offer_lists({"drug": [drug.name], "company": [drug.partner or ""]}, "drawer")
    event = drug.next_catalyst
    facts = {
        "Origin": f"{drug.origin or 'not known'}: {drug.origin_rule}",
        "Companies": "; ".join(
            f"{partner.company} "
            f"({partner.role}{', ' + partner.territory if partner.territory else ''})"
            f"{_marks(partner.source_ids)}"
            for partner in drug.parts
        ),
        "Acts on": drug.target or "",
        "Kind": drug.modality or "",
        "Next event": f"{event.event}, {event.date} ({event.date_confidence})"
        f"{_marks(event.source_ids)}",
        "Why then": event.rationale,
        "Note": drug.note or "",
        "Other names": ", ".join(drug.aliases),
        "Sources": _marks(drug.source_ids),
    }
    show_known(facts, links)
    st.markdown("**Programs**")
    for program in drug.programs:
        region_text = f", {program.region}" if program.region else ""
        stage = "Discontinued" if program.is_discontinued else STAGE_WORDS[program.phase]
        text = f"{program.indication}{region_text}: {stage} {_marks(program.source_ids)}"
        st.markdown(f"- {cited(text, links)}")


def _marks(source_ids: Sequence[str]) -> str:
    return "".join(f" [{source_id}]" for source_id in source_ids)
