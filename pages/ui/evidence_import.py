"""Imports of evidence through the page: choose files, follow, what came of it; export."""

from datetime import UTC, datetime

import streamlit as st

from core.errors import WorkbenchError
from core.evidence.sources.import_state import ImportState, read_state
from core.execution.importing import export_pack, start_import
from core.records.runs import Caller
from core.workbench import Workbench, current
from pages.ui.look import on_accent
from pages.ui.plain import plain, show_count, show_seconds

EVERY_S = 1.0
MEGABYTE = 1024 * 1024
KINDS = ("csv", "gz", "json", "ndjson", "jsonl", "zip", "tar", "xml", "txt", "db")
KNOWN = (
    "Recognized by content: ClinicalTrials.gov API v2 JSON and trial tables, Drugs@FDA, Purple "
    "Book, Orange Book, US labels (openFDA JSON, SPL XML), PMDA's list, company pipelines, US "
    "patents with structures (weekly chemistry JSON; Red Book XML alone, or zip or tar with its "
    "ChemDraw and MOL files), exports of ICTRP, ChiCTR and CDE, and packs carried from another "
    "host."
)


def offer_import(caller: Caller, workbench: Workbench, *, is_first: bool) -> None:
    """Draw the box for files and the button that imports them.

    Args:
        caller: An administrator.
        workbench: Of this process.
        is_first: Nothing is held yet, so the box stands open.
    """
    with st.expander("Import files", icon=":material/upload_file:", expanded=is_first):
        with st.form("import", border=False, width=820):
            files = st.file_uploader(
                "Files",
                type=KINDS,
                accept_multiple_files=True,
                max_upload_size=workbench.settings.upload_limit_mb,
                help=KNOWN,
            )
            pressed = st.form_submit_button(on_accent("Import"), type="primary")
        st.caption(
            "All files or none: the present evidence goes on working until the new one has "
            "passed its check. Larger files: python -m api evidence import PATH"
        )
    if pressed:
        try:
            start_import(workbench, caller, [(file.name, file) for file in files])
        except WorkbenchError as error:
            st.error(plain(error.message), icon=":material/error:")
            return
        st.rerun()


@st.fragment(run_every=EVERY_S)
def follow_import() -> None:
    """Draw how far the import is, once a second, until it ends; then draw the page anew."""
    workbench = current()
    state = read_state(workbench.stores, workbench.executor.worker)
    if state.status != "running":
        st.rerun(scope="app")
    with st.container(border=True, width=820):
        st.markdown("**Importing evidence**")
        share = state.done / max(1, state.total + 1)
        st.progress(share, text=_progress_words(state))
        st.caption(
            f"Started by {plain(state.by)}. You can leave this page: the import goes on, and the "
            "present evidence goes on working."
        )


def _progress_words(state: ImportState) -> str:
    seconds = (datetime.now(UTC) - datetime.fromisoformat(state.started_at)).total_seconds()
    position = f"file {min(state.done + 1, state.total)} of {state.total}"
    rows = f" · {show_count(state.rows)} records" if state.rows else ""
    return f"{plain(state.step)} · {position}{rows} · {show_seconds(max(0.0, seconds))}"


def show_last(state: ImportState) -> None:
    """Say what the last import came to."""
    if state.status == "failed":
        st.error(
            f"The last import failed and changed nothing: {plain(state.error)}",
            icon=":material/error:",
        )
        return
    if state.status == "interrupted":
        st.warning(
            "The last import was interrupted and changed nothing; import the files again.",
            icon=":material/warning:",
        )
        return
    records = show_count(sum(file.records for file in state.files))
    damaged = sum(file.damaged for file in state.files)
    when = state.finished_at[:16].replace("T", " ")
    words = f"Import completed {when} UTC: {records} records of {len(state.files)} files"
    if damaged:
        words += f"; {show_count(damaged)} damaged rows were skipped and are listed below"
    st.success(f"{plain(words)}.", icon=":material/check_circle:")
    if state.left_out:
        names = ", ".join(map(plain, state.left_out))
        st.warning(f"Skipped, unknown file type: {names}", icon=":material/warning:")


def offer_export(caller: Caller, workbench: Workbench) -> None:
    """Draw the button that writes the pack into one file, and then the file."""
    st.subheader("Export for an offline machine", anchor=False)
    st.caption("One file with its sha256; import it on a host without a network.")
    if st.button("Write the pack file", icon=":material/archive:", key="export"):
        try:
            with st.spinner("Writing the pack file"):
                st.session_state["carried"] = export_pack(workbench, caller)
        except WorkbenchError as error:
            st.error(plain(error.message), icon=":material/error:")
            return
    if "carried" in st.session_state:
        target, mark = st.session_state["carried"]
        if not target.exists():
            return
        size = target.stat().st_size
        st.code(f"{mark}  {target.name}", language=None)
        if size <= workbench.settings.upload_limit_mb * MEGABYTE:
            st.download_button(
                f"Download · {show_count(size // MEGABYTE)} MB",
                target.read_bytes,
                target.name,
                "application/vnd.sqlite3",
                on_click="ignore",
                icon=":material/download:",
            )
        else:
            st.caption(
                f"{show_count(size // MEGABYTE)} MB, too large for the browser: it is in the "
                f"instance folder as evidence/carried/{target.name}."
            )
