"""Held events near unexplained moves: the user ticks those that join the list, and runs again."""

import streamlit as st

from core.agent import Agent
from core.agents.attribution_engine.records import Proposal
from core.agents.attribution_engine.schema import AttributionEngineData
from core.records.runs import RunRecord
from pages.ui.citing import web_address, web_link
from pages.ui.look import on_accent
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller
from pages.ui.starting import begin, stored_request

MOST = 60


def show_proposals(agent: Agent, run: RunRecord, data: AttributionEngineData) -> None:
    """List the proposals with a box each, and run again with those that are ticked."""
    st.markdown(
        "**None of these is counted as explained.** Each is a dated record of this instance on the "
        "days of an unexplained move or just before; its chance says how often records of its kind "
        "would lie as near on any dates of the stock."
    )
    shown = sorted(data.proposals, key=lambda proposal: proposal.chance)[:MOST]
    ticked = [proposal for index, proposal in enumerate(shown) if _draw(index, proposal)]
    if len(data.proposals) > MOST:
        st.caption(f"The {MOST} least likely by chance of {len(data.proposals):,} are shown.")
    caller = signed_in_caller()
    if run.owner_id != caller.user_id:
        return
    label = on_accent(f"Run again with {len(ticked)} more events")
    if st.button(label, type="primary", key="proposals-run", disabled=not ticked):
        request = stored_request(agent, run)
        body = request.model_dump(mode="json", by_alias=True)
        body["events"] += [as_event(proposal) for proposal in ticked]
        begin(agent, caller, agent.request.model_validate(body))


def _draw(index: int, proposal: Proposal) -> bool:
    """Draw one proposal; return whether it is ticked."""
    stock = f"{proposal.ticker} " if proposal.ticker else ""
    event = f"{proposal.event_type} of {proposal.asset}"
    title = f"{stock}{proposal.move_date} ({proposal.car:+.1%}): {event}"
    with st.container(gap=None):
        is_ticked = st.checkbox(plain(title), key=f"proposal-{index}")
        source = f" {web_link('[1]', proposal.url)}" if web_address(proposal.url) else ""
        st.caption(f"{plain(proposal.note)}{source}")
    return is_ticked


def as_event(proposal: Proposal) -> dict[str, object]:
    """Return a proposal as an event of a request; whether it is sure, its source says."""
    event: dict[str, object] = {
        "date": proposal.date.isoformat(),
        "asset": proposal.asset,
        "event_type": proposal.event_type,
        "relationship": proposal.relationship,
        "confirmed": True,
        "source": {"records": proposal.records, "url": proposal.url},
    }
    return event | ({"ticker": proposal.ticker} if proposal.ticker else {})
