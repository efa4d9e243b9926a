"""What the instance knows: sources and their age, areas, files, damaged rows, and imports."""

import streamlit as st

from core.evidence.sources.import_state import read_state
from core.execution.counting import start_counting
from core.workbench import current
from pages.ui.acting import show_kept
from pages.ui.evidence_given import offer_page
from pages.ui.evidence_held import (
    show_areas,
    show_damages,
    show_files,
    show_key_figures,
    show_sources,
)
from pages.ui.evidence_import import follow_import, offer_export, offer_import, show_last
from pages.ui.evidence_sync import show_sync
from pages.ui.session import signed_in_caller

caller = signed_in_caller()
workbench = current()
st.title("Evidence", anchor=False)
st.caption("What agents answer from: records of registers, regulators and companies, and names.")
show_kept()
info = workbench.stores.evidence.info()
state = read_state(workbench.stores, workbench.executor.worker)
if state.status == "running":
    follow_import()
elif state.status != "none":
    show_last(state)
if info.records:
    show_key_figures(info, workbench)
elif state.status != "running":
    st.info(
        "No evidence is imported yet. An administrator imports files of registers and regulators "
        "here, or with the command python -m api evidence import.",
        icon=":material/inventory_2:",
    )
if caller.is_admin and state.status != "running":
    offer_import(caller, workbench, is_first=not info.records)
    offer_page(caller, workbench)
show_sync(caller, workbench)
if info.records:
    show_sources(info, workbench)
    show_areas(workbench, is_counting=start_counting(workbench, info.generation))
    show_files(info)
    show_damages(info, workbench)
    if caller.is_admin:
        offer_export(caller, workbench)
