"""Files that a run made, to be saved."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.exports import export_file, list_files
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui.downloads import run_stem


def show_files(run: RunRecord, names: Sequence[str] = ()) -> None:
    """Draw one button for every file that the agent saved with the run.

    Args:
        run: A completed run.
        names: Files to offer; none: all.
    """
    files = [run_file for run_file in list_files(run) if not names or run_file.name in names]
    with st.container(horizontal=True):
        for file in files:
            st.download_button(
                file.name,
                _reader(run, file.name),
                f"{run_stem(run)}_{file.name}",
                file.media_type,
                key=f"file:{file.name}",
                icon=":material/download:",
                on_click="ignore",
            )


def _reader(run: RunRecord, name: str) -> Callable[[], bytes]:
    workbench = current()

    def read() -> bytes:
        artifact = run.artifact("file", name)
        if artifact is None:
            return export_file(run, name, workbench)
        with workbench.stores.blobs.open(artifact.sha256) as body:
            return body.read()

    return read
