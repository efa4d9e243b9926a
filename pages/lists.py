"""Lists of drugs and companies that this person keeps: made, filled, used, taken apart."""

import pandas as pd
import streamlit as st

from core.records.lists import ListKind, SavedList
from core.records.runs import Caller
from core.workbench import current
from pages.ui.acting import act, keep_to_show, show_kept
from pages.ui.downloads import offer_csv
from pages.ui.look import on_accent
from pages.ui.next_steps import show_next
from pages.ui.plain import file_stem, plain, show_number
from pages.ui.saved_lists import KINDS, own_lists
from pages.ui.session import signed_in_caller

MOST_LINKED = 40  # names with links to the questions that follow; more make the page slow
_LONGEST = 20_000


def _show_form(caller: Caller) -> None:
    with st.form("new-list", width=820, clear_on_submit=False):
        name = st.text_input("Name", max_chars=80, placeholder="Such as KRAS inhibitors to watch")
        kind = st.segmented_control("Of", list(KINDS), default=KINDS[0], required=True)
        text = st.text_area("Names, one a line", max_chars=_LONGEST, height=120)
        if st.form_submit_button(on_accent("Make list"), type="primary"):
            act(lambda: _make(caller, name, kind or KINDS[0], text))


def _make(caller: Caller, name: str, kind: ListKind, text: str) -> None:
    lists = current().stores.lists
    made = lists.make(caller.user_id, name, kind)
    if names := _lines(text):
        made = lists.change(caller.user_id, made.list_id, add=names)
    keep_to_show(f"“{made.name}” holds {len(made.entries)}.")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _show_list(caller: Caller, saved_list: SavedList) -> None:
    lists, key = current().stores.lists, str(saved_list.list_id)
    for index, entry in enumerate(saved_list.entries):
        line, after = st.columns([2, 5], vertical_alignment="center")
        line.markdown(plain(entry))
        with after:
            show_next({saved_list.kind: entry} if index < MOST_LINKED else {})
    frame = pd.DataFrame({saved_list.kind: saved_list.entries})
    offer_csv(frame, file_stem(saved_list.name), key=f"csv:{key}", total=len(frame))
    more = st.text_area("Add names, one a line", max_chars=_LONGEST, key=f"more:{key}", height=80)
    gone = st.multiselect("Take names away", saved_list.entries, key=f"gone:{key}")
    with st.container(horizontal=True):
        if st.button("Save", key=f"save:{key}", disabled=not (_lines(more) or gone)):
            act(
                lambda: lists.change(
                    caller.user_id, saved_list.list_id, add=_lines(more), remove=gone
                )
            )
        with st.popover("Rename or delete", key=f"manage:{key}"):
            name = st.text_input("Name", saved_list.name, max_chars=80, key=f"name:{key}")
            if st.button("Rename", key=f"rename:{key}"):
                act(lambda: lists.change(caller.user_id, saved_list.list_id, name=name))
            if st.button("Delete", key=f"delete:{key}", icon=":material/delete:"):
                act(lambda: lists.delete(caller.user_id, saved_list.list_id))


caller = signed_in_caller()
st.title("Lists", anchor=False)
st.caption(
    "Drugs and companies that belong together. Tables of an answer put rows into a list and are "
    "narrowed to one; forms take the names of one. Nobody else sees your lists."
)
show_kept()
saved = own_lists()
for saved_list in saved:
    noun = f"{saved_list.kind} name"
    label = f"{plain(saved_list.name)}: {show_number(len(saved_list.entries), noun)}"
    with st.expander(label, key=f"list:{saved_list.list_id}", expanded=len(saved) == 1):
        _show_list(caller, saved_list)
if not saved:
    st.info("There is no list yet. Make one below, or add rows of an answer to a new one.")
st.subheader("New list", anchor=False)
_show_form(caller)
