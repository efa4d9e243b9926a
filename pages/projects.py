"""Projects: those of this person, or one with its blocks, people and exports."""

from functools import partial

import streamlit as st

from core.errors import NotFound
from core.records.projects import Project
from core.records.runs import Caller
from core.workbench import current
from pages.ui.acting import act, show_kept
from pages.ui.badges import show_badge
from pages.ui.look import on_accent
from pages.ui.plain import plain, show_number, show_time
from pages.ui.projects.blocks import show_block
from pages.ui.projects.managing import show_exports, show_manage, show_people, show_writer
from pages.ui.session import note_refusal, signed_in_caller


def _show_list(caller: Caller) -> None:
    st.title("Projects", anchor=False)
    st.caption(
        "A project collects answers, tables, charts, cards, notes and decisions in one order, "
        "shared with people of this instance. Add to one from any answer or page."
    )
    show_kept()
    store = current().stores.projects
    for line in store.of(caller.user_id):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(
                "projects.py",
                label=f"**{plain(line.name)}**",
                icon=":material/folder_open:",
                query_params={"id": str(line.project_id)},
            )
            show_badge(line.role, "gray")
            st.caption(
                plain(f"{show_number(line.n_blocks, 'block')} · {show_time(line.updated_at)}"),
                width="content",
            )
    with st.form("new-project", width=620):
        name = st.text_input("New project", max_chars=120, placeholder="Menin inhibitors in AML")
        if st.form_submit_button(on_accent("Create project"), type="primary"):
            act(partial(_create, caller, name))


def _create(caller: Caller, name: str) -> None:
    made = current().stores.projects.make(caller.user_id, name)
    st.query_params["id"] = str(made.project_id)


def _show_project(project: Project, caller: Caller) -> None:
    st.set_page_config(page_title=f"{project.name} · Biopharma workbench")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(plain(project.name), anchor=False, width="content")
        show_badge(project.role, "gray")
        with st.popover("People", icon=":material/group:"):
            show_people(project, caller)
        with st.popover(on_accent("Export"), icon=":material/download:", type="primary"):
            show_exports(project, caller)
        if project.role == "owner":
            with st.popover("Manage", icon=":material/settings:"):
                show_manage(project, caller)
        st.page_link("projects.py", label="All projects", icon=":material/arrow_back:")
    show_kept()
    if not project.blocks:
        st.info(
            "No blocks yet. Use “Add to project” on an answer or on the page of a drug, company "
            "or field, or write a note below."
        )
    for block in project.blocks:
        show_block(project, block, caller)
    if project.may_edit:
        show_writer(project, caller)


caller = signed_in_caller()
project_id = st.query_params.get("id", "")
try:
    project = (
        current().stores.projects.get(caller.user_id, int(project_id[:9]))
        if project_id.isdecimal()
        else None
    )
except NotFound:
    note_refusal(caller)
    project = None
    st.warning("Project not found. It may have been deleted, or you are not a member.")
if project is None:
    _show_list(caller)
else:
    _show_project(project, caller)
