"""Live sources on the Evidence page: how far each has been read, and the button that reads on."""

import pandas as pd
import streamlit as st

from core.errors import WorkbenchError
from core.evidence.sources.sync.sources import SYNCED, SyncedSource, find_sources
from core.execution.syncing import find_syncing, start_sync
from core.records.mirrors import SyncCursor
from core.records.runs import Caller
from core.reports.phrases import show_date
from core.workbench import Workbench, current
from pages.ui.plain import plain, show_count
from pages.ui.tables import draw_table

EVERY_S = 2.0
STARTING_TICKS = 2
"""How often a sync is looked for that has just been started."""
ALL = "All sources"
_TICKS = "sync_ticks"
_STATUS = {
    "": "Never synced",
    "answered": "Up to date",
    "empty": "Up to date, nothing had changed",
    "unchanged": "Up to date, nothing had changed",
    "partial": "Partly read; the next sync goes on from there",
    "refused": "The source refused the request",
    "not_configured": "The source refused the key",
    "unavailable": "The source did not answer",
    "interrupted": "Interrupted; the next sync goes on from there",
    "over_budget": "Out of time; the next sync goes on from there",
}


def show_sync(caller: Caller, workbench: Workbench) -> None:
    """Draw what syncs brought, how far one under way is, and the button that starts one."""
    if find_syncing(workbench):
        _follow_sync()
        return
    rows = [row for source in SYNCED if (row := _describe(source, workbench))]
    if not rows and not caller.is_admin:
        return
    st.subheader("Live sources", anchor=False)
    if rows:
        draw_table(pd.DataFrame(rows), "Live sources", width="stretch")
    if workbench.settings.sync_at:
        st.caption(f"Synced daily at {workbench.settings.sync_at} UTC")
    if caller.is_admin and workbench.settings.offline:
        st.caption("This instance opens no connections (BPW_OFFLINE).")
    elif caller.is_admin:
        _offer_sync(caller, workbench)


def _offer_sync(caller: Caller, workbench: Workbench) -> None:
    """Draw the choice of sources and the button that starts their sync."""
    names = {ALL: (), **{source.title: (source.name,) for source in SYNCED}}
    chosen = st.selectbox("Source", list(names), key="sync_source", width=320)
    if st.button("Sync", icon=":material/sync:", key="sync"):
        try:
            start_sync(workbench, caller, names[chosen])
        except WorkbenchError as error:
            st.error(plain(error.message), icon=":material/error:")
            return
        st.toast("The sync has started.")
        _follow_sync()


def _describe(source: SyncedSource, workbench: Workbench) -> dict[str, str] | None:
    """Return the row of a source; None for one that was never synced."""
    mirror = workbench.stores.evidence.mirror(source.name)
    try:
        cursor, count = mirror.cursor(), mirror.count()
    except WorkbenchError as error:
        return {"Source": source.title, "Status": error.message}
    if not cursor.status:
        return None
    status = _STATUS.get(cursor.status, cursor.status)
    return {
        "Source": source.title,
        "Status": f"{status}: {cursor.message}" if cursor.message else status,
        "Records": show_count(count.records),
        "No longer listed": show_count(count.withdrawn),
        "Data of": show_date(cursor.high_water),
        "Last sync (UTC)": cursor.synced_at[:16].replace("T", " "),
    }


@st.fragment(run_every=EVERY_S)
def _follow_sync() -> None:
    """Draw how far the sync is until it ends; then draw the page anew."""
    workbench = current()
    running = find_syncing(workbench)
    for source in find_sources(running) if running else ():
        _draw_progress(source, workbench.stores.evidence.mirror(source.name).cursor())
    ticks = st.session_state.get(_TICKS, 0)
    if ticks >= STARTING_TICKS and not running:
        del st.session_state[_TICKS]
        st.rerun(scope="app")
    st.session_state[_TICKS] = ticks + 1


def _draw_progress(source: SyncedSource, cursor: SyncCursor) -> None:
    """Draw how far the sync of one source is."""
    with st.container(border=True, width=820):
        st.markdown(f"**Syncing {source.title}**")
        share = cursor.read / cursor.counted if cursor.counted else 0.0
        words = f"{show_count(cursor.read)} of {show_count(cursor.counted)} changed records read"
        st.progress(min(1.0, share), text=words if cursor.counted else "Asking what changed")
        st.caption("You can leave this page: the sync goes on.")
