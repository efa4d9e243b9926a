"""Files that a run made, to be saved."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.records.runs import Artifact, RunRecord
from core.workbench import current
from pages.ui.downloads import run_stem


def show_files(run: RunRecord, names: Sequence[str] = ()) -> None:
    """Draw one button for every file that the agent saved with the run.

    Args:
        run: A completed run.
        names: Files to offer; none: all.
    """
    files = [
        part for part in run.artifacts if part.kind == "file" and (not names or part.name in names)
    ]
    with st.container(horizontal=True):
        for part in files:
            st.download_button(
                part.name,
                _reader(part),
                f"{run_stem(run)}_{part.name}",
                part.media_type,
                key=f"file:{part.name}",
                icon=":material/download:",
                on_click="ignore",
            )


def _reader(part: Artifact) -> Callable[[], bytes]:
    blobs = current().stores.blobs

    def read() -> bytes:
        with blobs.open(part.sha256) as body:
            return body.read()

    return read
