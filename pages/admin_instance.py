"""The instance at a glance, for administrators: work under way, failures, disk, backups."""

import shutil

import pandas as pd
import streamlit as st

from core.execution.backups import read_state
from core.records.runs import FailedRun
from core.version import product_version
from core.workbench import current
from pages.ui.evidence_held import show_sources
from pages.ui.plain import plain, show_count, show_number
from pages.ui.session import require_admin
from pages.ui.tables import draw_table

MOST_FAILURES = 200
GIGABYTE = 1_000_000_000
DAY_HOURS = 24

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
state = read_state(settings, stores)
if state.failure:
    st.error(f"The last daily backup failed: {plain(state.failure)}")
if settings.backup_at is None:
    st.markdown("No daily backup is set (`BPW_BACKUP_AT`).")
elif state.newest_at is None:
    st.warning("No daily backup has been made yet.")
else:
    hours = int((workbench.now() - state.newest_at).total_seconds() // 3600)
    age = show_number(hours, "hour") if hours < 2 * DAY_HOURS else f"{hours // DAY_HOURS} days"
    show = st.warning if hours > 2 * DAY_HOURS else st.markdown
    show(
        f"{show_number(state.number, 'daily backup')}, the newest of {age} ago; each was checked "
        "as a restore would check it."
    )
kept = [
    f"{name} for {show_number(days, 'day')}" if days else f"{name} for ever"
    for name, days in (
        ("Finished runs are kept", settings.keep_runs_days),
        ("uploads that no run uses", settings.keep_uploads_days),
    )
]
st.markdown(f"{', '.join(kept)}. Release {product_version()}.")

show_sources(stores.evidence.info(), workbench)
files = stores.evidence.files()
if files:
    newest = max(file.imported_at for file in files)
    st.caption(f"The newest import: {newest[:16].replace('T', ' ')} UTC.")

st.subheader("Runs without an answer", anchor=False)
errors = pd.DataFrame(
    [(agent, code, number) for (agent, code), number in sorted(stores.runs.errors().items())],
    columns=["agent", "error", "runs"],
)
if not errors.empty:
    draw_table(errors, "Failed runs by agent and error", csv="errors", height=200)
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
