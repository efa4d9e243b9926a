"""The exports of a run: made when they are asked for, noted in the audit log."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from core.exports import ReportFormat, render_report
from core.records.runs import Caller, RunRecord
from core.reports.spreadsheet import safe_csv
from core.workbench import current
from pages.ui.plain import file_stem, show_count

MEDIA = {
    "pdf": "application/pdf",
    "md": "text/markdown",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "json": "application/json",
    "csv": "text/csv",
}
LABELS: dict[ReportFormat, str] = {
    "pdf": "PDF",
    "pptx": "PPTX",
    "xlsx": "XLSX",
    "md": "Markdown",
    "json": "JSON",
}


def show_exports(run: RunRecord, caller: Caller, table: Callable[[], bytes] | None = None) -> None:
    """Draw one button a format; a file is rendered when its button is pressed.

    Args:
        run: A completed run.
        caller: Its owner, for the audit log.
        table: Makes the CSV of the run's main table, where there is one.
    """
    for form, label in LABELS.items():
        _button(run, label, form, _renderer(run, form, caller))
    if table is not None:
        _button(run, "CSV", "csv", table)


def _button(run: RunRecord, label: str, ending: str, make: Callable[[], bytes]) -> None:
    st.download_button(
        label,
        make,
        f"{run_stem(run)}.{ending}",
        MEDIA[ending],
        key=f"export:{run.run_uuid}:{ending}",
        on_click="ignore",
        width="stretch",
    )


def _renderer(run: RunRecord, form: ReportFormat, caller: Caller) -> Callable[[], bytes]:
    workbench = current()

    def render() -> bytes:
        content = render_report(run, form, workbench)
        workbench.stores.audit.note(caller.name, "export", run.run_uuid, form)
        return content

    return render


def run_stem(run: RunRecord) -> str:
    """Return the file name of a run's exports without ending: agent, query, date, run."""
    day = f"{run.finished_at or run.created_at:%Y-%m-%d}"
    return file_stem(run.agent, run.title, day, run.run_uuid[:8])


def offer_csv(
    frame: pd.DataFrame, name: str, *, key: str, total: int | None = None, label: str = ""
) -> None:
    """Draw a button that saves exactly the rows shown.

    Args:
        frame: The rows.
        name: File name without ending.
        key: Of the button.
        total: Rows before filtering; then the label says how many of how many.
        label: Of a button that does not say how many rows it saves.
    """
    rows = f"{show_count(len(frame))} of {show_count(total)} rows" if total is not None else ""
    st.download_button(
        f"CSV · {rows}" if rows else label or "CSV of this figure",
        lambda: safe_csv(frame),
        f"{name}.csv",
        MEDIA["csv"],
        key=key,
        type="secondary" if rows else "tertiary",
        icon=":material/download:",
        on_click="ignore",
    )
