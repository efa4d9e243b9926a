"""Live sources on the Evidence page: how far each has been read, and the button that reads on."""

import streamlit as st

from core.errors import WorkbenchError
from core.evidence.sources.live.clinicaltrials import NAME
from core.execution.syncing import start_sync
from core.records.mirrors import SyncCursor
from core.records.runs import Caller
from core.reports.text import readable
from core.workbench import Workbench, current
from pages.ui.plain import plain, show_count, show_number

EVERY_S = 2.0
STARTING_TICKS = 2
"""How often a sync is looked for that has just been started."""
TITLE = "ClinicalTrials.gov"
_TICKS = "sync_ticks"
_STATUS = {
    "": "Never synced",
    "answered": "Up to date",
    "empty": "Up to date, nothing had changed",
    "unchanged": "Up to date, nothing had changed",
    "partial": "Partly read; the next sync goes on from there",
    "refused": "The source refused the request",
    "unavailable": "The source did not answer",
    "interrupted": "Interrupted; the next sync goes on from there",
    "over_budget": "Out of time; the next sync goes on from there",
}


def show_sync(caller: Caller, workbench: Workbench) -> None:
    """Draw what a sync brought last, how far one under way is, and the button that starts one."""
    mirror = workbench.stores.evidence.mirror(NAME)
    if mirror.is_syncing():
        _follow_sync()
        return
    try:
        cursor = mirror.cursor()
    except WorkbenchError as error:
        st.error(plain(error.message), icon=":material/error:")
        return
    if not cursor.status and not caller.is_admin:
        return
    st.subheader("Live sources", anchor=False)
    st.caption(_describe(cursor, workbench))
    if caller.is_admin and not workbench.settings.offline:
        if st.button(f"Sync {TITLE}", icon=":material/sync:", key="sync"):
            try:
                start_sync(workbench, caller)
            except WorkbenchError as error:
                st.error(plain(error.message), icon=":material/error:")
                return
            st.toast("The sync has started.")
            _follow_sync()
    elif caller.is_admin:
        st.caption("This instance opens no connections (BPW_OFFLINE).")


def _describe(cursor: SyncCursor, workbench: Workbench) -> str:
    """Return one line: status, what is mirrored, when it was read, and the daily time."""
    count = workbench.stores.evidence.mirror(NAME).count()
    parts = [f"{TITLE}: {_STATUS.get(cursor.status, cursor.status)}"]
    if cursor.message:
        parts.append(plain(cursor.message))
    if count.records:
        parts.append(f"{show_number(count.records, 'changed trial')} mirrored")
    if count.withdrawn:
        parts.append(f"{show_count(count.withdrawn)} no longer listed by the source")
    if cursor.data_version:
        parts.append(f"data of {cursor.data_version[:16].replace('T', ' ')}")
    if cursor.synced_at:
        parts.append(f"last sync {cursor.synced_at[:16].replace('T', ' ')} UTC")
    if workbench.settings.sync_at:
        parts.append(f"synced daily at {workbench.settings.sync_at} UTC")
    return readable(" · ".join(parts))


@st.fragment(run_every=EVERY_S)
def _follow_sync() -> None:
    """Draw how far the sync is until it ends; then draw the page anew."""
    mirror = current().stores.evidence.mirror(NAME)
    cursor = mirror.cursor()
    with st.container(border=True, width=820):
        st.markdown(f"**Syncing {TITLE}**")
        share = cursor.read / cursor.counted if cursor.counted else 0.0
        words = f"{show_count(cursor.read)} of {show_count(cursor.counted)} changed trials read"
        st.progress(min(1.0, share), text=words if cursor.counted else "Asking what changed")
        st.caption("You can leave this page: the sync goes on.")
    ticks = st.session_state.get(_TICKS, 0)
    if ticks >= STARTING_TICKS and not mirror.is_syncing():
        del st.session_state[_TICKS]
        st.rerun(scope="app")
    st.session_state[_TICKS] = ticks + 1
