"""The instance at a glance, for administrators: work under way, failures, disk, backups."""

import shutil

import pandas as pd
import streamlit as st

from core.execution.backups import list_backups
from core.records.runs import FailedRun
from core.workbench import current
from pages.ui.plain import plain, show_count
from pages.ui.session import require_admin
from pages.ui.tables import draw_table

MOST_FAILURES = 200
GIGABYTE = 1_000_000_000
LATE_S = 2 * 86_400

require_admin()
workbench = current()
stores, settings = workbench.stores, workbench.settings
st.title("Instance", anchor=False)
st.caption("Numbers of all people together, never what they asked.")

counts = stores.runs.counts()
by_status = {
    status: sum(number for (_, state), number in counts.items() if state == status)
    for status in ("queued", "running", "completed", "failed", "timed_out")
}
with st.container(horizontal=True):
    for status, number in by_status.items():
        st.metric(status.replace("_", " ").capitalize(), show_count(number), border=True, width=165)
    free = shutil.disk_usage(settings.home).free / GIGABYTE
    st.metric("Free disk", f"{free:,.1f} GB", border=True, width=165)

alerts = stores.watches.counts()
st.subheader("Alerts and backups", anchor=False)
note = f" Last evaluation: {plain(alerts.note)}" if alerts.note else ""
st.markdown(
    f"{show_count(alerts.enabled)} watched questions, {show_count(alerts.failing)} of them failing."
    + note
)
folder = settings.backup_to
backups = list_backups(folder, settings.home) if folder is not None and folder.is_dir() else []
if settings.backup_at is None:
    st.markdown("No daily backup is set (`BPW_BACKUP_AT`).")
elif backups and workbench.now().timestamp() - backups[-1].stat().st_mtime > LATE_S:
    st.warning(f"The newest daily backup is `{backups[-1].name}`; the log says why none followed.")
elif backups:
    st.markdown(f"{show_count(len(backups))} daily backups, the newest `{backups[-1].name}`.")
else:
    st.warning("No daily backup has been made yet.")

st.subheader("Runs without an answer", anchor=False)
frame = pd.DataFrame(
    [failure.model_dump() for failure in stores.runs.failures(MOST_FAILURES)],
    columns=list(FailedRun.model_fields),
)
if frame.empty:
    st.info("Every kept run has its answer.")
else:
    frame.columns = ["run", "agent", "state", "error", "last step", "ended"]
    frame["state"] = frame["state"].str.replace("_", " ")
    draw_table(frame, "Runs without an answer, newest first", csv="failed-runs", height=420)
