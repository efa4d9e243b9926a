"""Two runs side by side: added, gone, changed."""

import pandas as pd
import streamlit as st

from core.comparing import Difference, compare_runs
from core.errors import InvalidInput, NotFound
from core.records.runs import Caller
from core.workbench import current
from pages.ui.plain import plain, show_count, show_time
from pages.ui.run_list import show_run_line
from pages.ui.session import note_refusal
from pages.ui.tables import draw_table

PAIR = 2


def show_comparison(caller: Caller, run_uuids: list[str]) -> None:
    """Draw what two runs of the caller tell differently.

    Args:
        caller: Their owner.
        run_uuids: Two runs.
    """
    runs = current().stores.runs
    try:
        pair = sorted(
            (runs.get(caller.user_id, uuid) for uuid in run_uuids), key=lambda run: run.created_at
        )
        difference = compare_runs(*pair, current()) if len(pair) == PAIR else None
    except (NotFound, InvalidInput) as error:
        note_refusal(caller)
        st.warning(plain(error.message))
        return
    if difference is None:
        st.warning("Choose two runs.")
        return
    for run, word in zip(pair, ("Earlier", "Later"), strict=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{word}**", width="content")
            show_run_line(run)
            reach = f"data {run.data_version.rpartition('/')[2]} of {show_time(run.finished_at)}"
            st.caption(plain(reach), width="content")
    _show_difference(difference)


def _show_difference(difference: Difference) -> None:
    figures = {
        "Added": len(difference.added),
        "Gone": len(difference.gone),
        "Changed": len({change.line for change in difference.changed}),
        "Equal": difference.n_equal,
    }
    with st.grid(len(figures), min_column_width=140):
        for label, number in figures.items():
            with st.container(border=True, height="stretch"):
                st.metric(label, show_count(number))
    rows = [
        *(("added", name, "", "", "") for name in difference.added),
        *(("gone", name, "", "", "") for name in difference.gone),
        *(("changed", *change.model_dump().values()) for change in difference.changed),
    ]
    if not rows:
        st.info("The two runs give the same answer.")
        return
    columns = ["what", "line", "column", "before", "after"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["column"] = frame["column"].str.replace("_", " ")
    draw_table(frame, "Differences between two runs", csv="difference", height=520)
