"""Read-only links: made and ended by the owner of a run, opened by people of the instance."""

import streamlit as st

from core.agent import Agent
from core.errors import NotFound
from core.records.runs import Caller, RunRecord, RunShare
from core.workbench import current
from pages.ui.acting import act
from pages.ui.plain import show_time
from pages.ui.session import base_address, note_refusal

PARAM = "shared"
_MADE = "shared-link"


def show_share_menu(agent: Agent, caller: Caller, run: RunRecord) -> None:
    """Draw what the owner of a run does with its links.

    Args:
        agent: Whose run it is.
        caller: Its owner.
        run: The run.
    """
    shares = current().stores.shares
    st.caption("Anyone with an account and the link can view this result.")
    hides = st.toggle("Hide exports and request", key=f"hide:{run.run_uuid}")
    if st.button("Make a link", icon=":material/link:", key="share", width="stretch"):
        share, token = shares.create(caller.user_id, run.run_uuid, hides_inputs=hides)
        _note(caller, "share", run.run_uuid, str(share.share_id))
        st.session_state[_MADE] = (run.run_uuid, token)
    made = st.session_state.get(_MADE)
    if made and made[0] == run.run_uuid:
        st.code(f"{base_address()}/{agent.name}?{PARAM}={made[1]}", language=None, wrap_lines=True)
    for run_share in shares.list(caller.user_id, run.run_uuid):
        hidden = ", without exports" if run_share.hides_inputs else ""
        label = f"End the link of {show_time(run_share.created_at)}{hidden}"
        if st.button(label, key=f"end:{run_share.share_id}", width="stretch"):
            st.session_state.pop(_MADE, None)
            _note(caller, "unshare", run.run_uuid, str(run_share.share_id))
            act(lambda share=run_share: shares.revoke(caller.user_id, share.share_id))  # type: ignore[misc]


def find_shared(agent: Agent, caller: Caller, token: str) -> tuple[RunRecord, RunShare] | None:
    """Return the run of this agent that a link leads to, and note who opened it.

    Args:
        agent: Whose page it is.
        caller: Who opens it.
        token: Of the link.
    """
    try:
        run, share = current().stores.shares.open(token)
    except NotFound:
        note_refusal(caller)
        return None
    if run.agent != agent.name:
        return None
    seen = f"{PARAM}:{share.share_id}"
    if seen not in st.session_state:
        st.session_state[seen] = True
        _note(caller, "open_shared", run.run_uuid, str(share.share_id))
    return run, share


def _note(caller: Caller, action: str, run_uuid: str, note: str) -> None:
    current().stores.audit.note(caller.name, action, run_uuid, note)
