"""The draft on the answer itself: its slots as choices, sentence and cards follow in place."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from core.agents.label_strategy import AGENT
from core.agents.label_strategy.records import (
    ClaimRow,
    ProposedIndication,
    SlotOption,
    SlotRow,
)
from core.agents.label_strategy.report import DRAFT, NOT_APPROVED
from core.agents.label_strategy.schema import LabelStrategyData
from core.agents.label_strategy.sentence import build_claim, write_sentence
from core.records.runs import RunRecord
from core.reports.evidence_parts import marks
from pages.ui.citing import addresses, cited
from pages.ui.label_views import show_cards
from pages.ui.plain import plain, show_number
from pages.ui.session import signed_in_caller
from pages.ui.starting import begin, stored_request, uncached

_KEPT = "label-slots"
_WIDE = "not restricted"
_REQUEST = {"line": "line_of_therapy", "biomarker": "biomarker"}
"""Fields of the request that fix a slot."""


def show_draft(run: RunRecord, data: LabelStrategyData) -> None:
    """Draw the slots of the draft as choices, the sentence, and its claim against evidence."""
    st.subheader(DRAFT, anchor=False)
    st.fragment(_steer)(run, data)


def _steer(run: RunRecord, data: LabelStrategyData) -> None:
    draft = data.proposed_indication_language
    links = addresses(data.sources)
    with st.container(border=True):
        values = _choose(run, draft)
        changed = [slot for slot in draft.slots if values[slot.slot] != slot.value]
        _show_sentence(draft, values, changed, links)
        if changed:
            _show_changes(run, changed, values, links)
        else:
            st.caption("Choose another value of a slot to reword the draft.")
    show_cards(_overlay(data.evidence_to_claim_mapping, changed, values), links)


def _choose(run: RunRecord, draft: ProposedIndication) -> dict[str, str]:
    """Draw a choice for each slot and return the values; they last while the run is shown."""
    kept_state = st.session_state.get(_KEPT)
    if kept_state is None or kept_state[0] != run.run_uuid:
        kept_state = st.session_state[_KEPT] = (run.run_uuid, {})
    values: dict[str, str] = {}
    with st.grid(len(draft.slots) or 1, min_column_width=190):
        for slot in draft.slots:
            counts = {option.value: _count(option) for option in slot.options}
            key = _key(run, slot.slot)
            options = [slot.value, *counts]
            st.session_state.setdefault(key, kept_state[1].get(slot.slot, slot.value))
            values[slot.slot] = st.selectbox(
                plain(slot.slot.capitalize()),
                options,
                key=key,
                format_func=partial(_name, counts),
            )
    kept_state[1].update(values)
    return values


def _count(option: SlotOption) -> str:
    noun = "trial" if option.basis == "trials" else "label"
    return f" ({show_number(option.n_having, noun)})"


def _name(counts: Mapping[str, str], value: str) -> str:
    """Return what a choice is called: its words, and how many labels or trials have it."""
    return f"{value or _WIDE}{counts.get(value, '')}"


def _key(run: RunRecord, name: str) -> str:
    return f"{_KEPT}:{run.run_uuid}:{name}"


def _show_sentence(
    draft: ProposedIndication,
    values: Mapping[str, str],
    changed: Sequence[SlotRow],
    links: Mapping[str, str],
) -> None:
    text = draft.language
    ids = draft.source_ids
    if changed:
        terms = draft.terms
        text = f"{terms.prefix}{write_sentence(build_claim(values, terms), terms, terms.agency)}"
        ids = []
    st.markdown(f"**Draft:** {cited(f'{text} {marks(ids)}', links)}")
    st.caption(NOT_APPROVED)


def _show_changes(
    run: RunRecord,
    changed: Sequence[SlotRow],
    values: Mapping[str, str],
    links: Mapping[str, str],
) -> None:
    """Draw what differs from the run, with reset and a new run where the request has the slot."""
    for slot in changed:
        new = values[slot.slot] or _WIDE
        option = next(option for option in slot.options if option.value == values[slot.slot])
        text = f"{slot.slot.capitalize()}: {slot.value or _WIDE} → {new}. {option.rationale}"
        st.markdown(f"- {cited(f'{text} {marks(option.source_ids)}', links)}")
    fields = {
        _REQUEST[row.slot]: values[row.slot] or None for row in changed if row.slot in _REQUEST
    }
    is_own = signed_in_caller().user_id == run.owner_id
    with st.container(horizontal=True, vertical_alignment="center"):
        icon = ":material/undo:"
        st.button("Reset to the run", icon=icon, key="slots:reset", on_click=_reset, args=(run,))
        if is_own and any(fields.values()):
            if st.button("Save as a new run", icon=":material/save:", key="slots:save"):
                request = uncached(stored_request(AGENT, run))
                begin(AGENT, signed_in_caller(), request.model_copy(update=fields))
            st.caption("A new run takes line and biomarker; the other slots follow precedents.")


def _reset(run: RunRecord) -> None:
    """Forget the choices of the page."""
    st.session_state.pop(_KEPT, None)
    for key in [
        state_key for state_key in st.session_state if str(state_key).startswith(_key(run, ""))
    ]:
        del st.session_state[key]


def _overlay(
    rows: Sequence[ClaimRow], changed: Sequence[SlotRow], values: Mapping[str, str]
) -> list[ClaimRow]:
    """Return the cards with those that the chosen values change."""
    new: dict[str, ClaimRow] = {}
    for slot in changed:
        option = next(option for option in slot.options if option.value == values[slot.slot])
        new |= {row.claim_element: row for row in option.rows}
    return [new.get(row.claim_element, row) for row in rows]
