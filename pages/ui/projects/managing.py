"""What changes a project: notes and decisions, people, name, deletion, exports."""

from datetime import date
from functools import partial

import streamlit as st

from core.records.projects import LONGEST_TEXT, LONGEST_TITLE, ROLES, BlockContent, Project
from core.records.runs import Caller
from core.reports.projects import render_project
from core.workbench import current
from pages.ui.acting import act
from pages.ui.downloads import LABELS, MEDIA
from pages.ui.plain import file_stem, plain

EXPORTS = ("pdf", "pptx", "xlsx", "md")


def show_writer(project: Project, caller: Caller) -> None:
    """Draw the form of a new note or decision."""
    with st.form("new-block", clear_on_submit=True, width=820):
        kind = st.segmented_control(
            "Write a", ["note", "decision"], default="note", required=True, key="block-kind"
        )
        title = st.text_input("Title", max_chars=LONGEST_TITLE)
        text = st.text_area("Text", max_chars=LONGEST_TEXT, height=100)
        decided_on = st.date_input("Date of a decision", value="today")
        if st.form_submit_button("Add"):
            if not title.strip():
                st.error("Title is blank; write one.")
                return
            act(partial(_write, project, caller, kind or "note", title, text, decided_on))


def _write(
    project: Project, caller: Caller, kind: str, title: str, text: str, decided_on: date | None
) -> None:
    content = BlockContent(
        kind="decision" if kind == "decision" else "note",
        title=title.strip(),
        sentences=(text,) if text.strip() else (),
        decided_on=decided_on if kind == "decision" else None,
    )
    current().stores.projects.add(caller.user_id, project.project_id, content)


def show_people(project: Project, caller: Caller) -> None:
    """Draw the members; owners give and take roles, anybody may leave."""
    store = current().stores.projects
    for name, role in project.members:
        st.markdown(f"{plain(name)} · {role}")
    if project.role == "owner":
        name = st.text_input("Name of an account", key="member-name", max_chars=64)
        role = st.selectbox("Role", [*ROLES, "remove"], index=2, key="member-role")
        given = None if role == "remove" else role
        if st.button("Save", key="member-save", disabled=not name.strip()):
            act(partial(store.share, caller.user_id, project.project_id, name.strip(), given))
    if st.button("Leave this project", key="leave"):
        act(partial(_leave, project, caller))


def _leave(project: Project, caller: Caller) -> None:
    current().stores.projects.share(caller.user_id, project.project_id, caller.name, None)
    st.query_params.clear()


def show_manage(project: Project, caller: Caller) -> None:
    """Draw renaming and deletion."""
    store = current().stores.projects
    name = st.text_input("Name", project.name, max_chars=120, key="project-name")
    if st.button("Rename", key="project-rename"):
        act(partial(store.rename, caller.user_id, project.project_id, name))
    if st.button("Delete project", key="project-delete", icon=":material/delete:"):
        act(partial(_delete, project, caller))


def _delete(project: Project, caller: Caller) -> None:
    current().stores.projects.delete(caller.user_id, project.project_id)
    st.query_params.clear()


def show_exports(project: Project, caller: Caller) -> None:
    """Draw a button for each format; a file is made in a child when its button is pressed."""
    workbench = current()
    for form in EXPORTS:

        def render(form: str = form) -> bytes:
            made: bytes = workbench.executor.call(render_project, project, workbench.now(), form)
            note = (caller.name, "export", f"project {project.project_id}", form)
            workbench.stores.audit.note(*note)
            return made

        st.download_button(
            LABELS[form],
            render,
            f"{file_stem(project.name)}.{form}",
            MEDIA[form],
            key=f"export:{form}",
            on_click="ignore",
            width="stretch",
        )
