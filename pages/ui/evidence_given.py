"""Press releases and papers given by hand: findings with their quotes, accepted one by one."""

from datetime import date

import streamlit as st

from core.briefs.web import describe
from core.checking.given_pages import GivenPage, list_accepted
from core.documents.guard import MOST_MB
from core.errors import WorkbenchError
from core.evidence.sources.files.accepted import number_of
from core.execution.given_pages import accept, read_page, remove
from core.records.runs import Caller
from core.workbench import Workbench
from pages.ui.acting import act
from pages.ui.look import on_accent
from pages.ui.plain import plain

KINDS = ("pdf", "docx", "pptx", "html", "htm", "txt", "md")
PAGE = "given_page"
MOST_SHOWN = 50


def offer_page(caller: Caller, workbench: Workbench) -> None:
    """Draw the box for a text or file, what it states, and what was accepted before.

    Args:
        caller: An administrator.
        workbench: Of this process.
    """
    is_open = PAGE in st.session_state
    with st.expander("Add a press release or paper", expanded=is_open, icon=":material/article:"):
        st.caption(
            "Statements about drugs and companies are read by rules, each with its quote. Nothing "
            "enters the evidence until you accept it. It then carries your name and the day, and "
            "counts as not confirmed until another source states the same."
        )
        _draw_form(workbench)
        page = st.session_state.get(PAGE)
        if page is not None:
            _show_findings(page, caller, workbench)
        _show_accepted(caller, workbench)


def _draw_form(workbench: Workbench) -> None:
    with st.form("given", border=False, width=820):
        text = st.text_area("Text", height=160, placeholder="Paste a press release or abstract")
        file = st.file_uploader("Or a file", type=KINDS, max_upload_size=MOST_MB)
        left, right = st.columns(2)
        url = left.text_input("Address (optional)", placeholder="https://")
        day: date | None = right.date_input("Published on (optional)", value=None)
        pressed = st.form_submit_button(on_accent("Read"), type="primary")
    if not pressed:
        return
    st.session_state.pop(PAGE, None)
    if file is None and not text.strip():
        st.error("Paste a text or choose a file.", icon=":material/error:")
        return
    name, content = (file.name, file.getvalue()) if file else ("Pasted text.txt", text.encode())
    try:
        with st.spinner("Reading"):
            st.session_state[PAGE] = read_page(workbench, name, content, url.strip(), day)
    except WorkbenchError as error:
        st.error(plain(error.message), icon=":material/error:")


def _show_findings(page: GivenPage, caller: Caller, workbench: Workbench) -> None:
    if not page.rows:
        st.info(
            "No statement about a drug or company could be proved by a quote.",
            icon=":material/search_off:",
        )
    accepted = {record.source_id for record in list_accepted(workbench.stores.evidence)}
    for number, row in enumerate(page.rows[:MOST_SHOWN]):
        finding = page.findings[number]
        words, button = st.columns([6, 1], vertical_alignment="center")
        words.markdown(f"**{plain(describe(row))}**")
        words.caption(f"\u201c{plain(row.quote)}\u201d")
        label = "Add as a source" if row.is_stated else "Accept"
        if number_of(finding) in accepted:
            button.caption("Accepted")
        elif button.button(label, key=f"accept_{number}"):
            act(lambda finding=finding: accept(workbench, caller, [finding]))
    if page.refused:
        listed = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in page.refused)
        st.caption(f"Not taken: {plain(listed)}.")


def _show_accepted(caller: Caller, workbench: Workbench) -> None:
    records = list_accepted(workbench.stores.evidence)
    if not records:
        return
    st.markdown("**Accepted statements**")
    for record in records[:MOST_SHOWN]:
        words, button = st.columns([6, 1], vertical_alignment="center")
        words.markdown(plain(record.title))
        words.caption(plain(f"\u201c{record.spans[0].text}\u201d {record.url}".strip()))
        if button.button("Remove", key=f"remove_{record.source_id}"):
            act(lambda record_id=record.id: remove(workbench, caller, record_id))
