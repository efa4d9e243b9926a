"""Saved lists where answers and forms use them: add names, filter rows, fill a field."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from core.errors import WorkbenchError
from core.records.lists import ListKind, SavedList
from core.records.names import fold_name
from core.workbench import current
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller

KINDS: tuple[ListKind, ...] = ("drug", "company")
FIELDS: Mapping[str, ListKind] = {
    "competitor_assets": "drug",
    "competitor_trials": "drug",
    "combination_partners": "drug",
}
"""Fields of requests that take the names of a list, and what these are."""
_NEW = "A new list"
_LONGEST_NAME = 80


def own_lists(kind: ListKind | None = None) -> list[SavedList]:
    """Return the lists of who is signed in, those of a kind alone if one is named."""
    saved = current().stores.lists.of(signed_in_caller().user_id)
    return [saved_list for saved_list in saved if kind in {None, saved_list.kind}]


def offer_lists(names: Mapping[ListKind, Sequence[str]], key: str) -> None:
    """Draw the buttons that put what is shown into a list.

    Args:
        names: Names by what they are; a kind without any has no button.
        key: Tells this place of the page from another.
    """
    for kind, list_names in names.items():
        named = [list_name for list_name in list_names if fold_name(list_name)]
        if named:
            noun = {"drug": "drugs", "company": "companies"}[kind]
            what = kind if len(named) == 1 else f"{len(named)} {noun}"
            label = f"Add {what} to a list"
            with st.popover(label, icon=":material/bookmark_add:", key=f"list:{key}:{kind}"):
                _offer(kind, named, f"{key}:{kind}")


def _offer(kind: ListKind, names: Sequence[str], key: str) -> None:
    saved = {saved_list.name: saved_list for saved_list in own_lists(kind)}
    chosen = st.selectbox("List", [*saved, _NEW], key=f"list-of:{key}")
    name = chosen
    if chosen == _NEW:
        name = st.text_input("Name", max_chars=_LONGEST_NAME, key=f"list-name:{key}")
    if st.button("Add", key=f"list-add:{key}", type="primary"):
        try:
            message = _add(kind, name, names)
        except WorkbenchError as error:
            st.error(plain(error.message))
            return
        st.success(plain(message))


def _add(kind: ListKind, name: str, names: Sequence[str]) -> str:
    """Add names to the list of this name, made if there is none, and say what came of it."""
    lists, owner_id = current().stores.lists, signed_in_caller().user_id
    before = lists.make(owner_id, name, kind)
    after = lists.change(owner_id, before.list_id, add=names)
    fresh = len(after.entries) - len(before.entries)
    n_listed = len({fold_name(name) for name in names}) - fresh
    listed_text = f"; {n_listed} stood there already" if n_listed else ""
    return f"{fresh} added to “{after.name}”{listed_text}. It holds {len(after.entries)}."


def choose_lists() -> Callable[[Mapping[ListKind, Sequence[str]]], bool]:
    """Draw the filter by lists, whose choice stands in the address.

    Returns:
        Whether a row passes, by its names: one of them is in one of the chosen lists.
    """
    saved = {saved_list.name: saved_list for saved_list in own_lists()}
    if not saved:
        return lambda _: True
    chosen = st.multiselect("In list", list(saved), key="list", bind="query-params", width=180)
    if not chosen:
        return lambda _: True
    members = {
        (saved[name].kind, fold_name(entry)) for name in chosen for entry in saved[name].entries
    }
    return lambda names: any(
        (kind, fold_name(list_name)) in members
        for kind, list_names in names.items()
        for list_name in list_names
    )


def offer_entries(name: str, key: str) -> None:
    """Draw, under a field that takes names, the lists whose names it may take.

    Args:
        name: The field.
        key: Its place in the session state.
    """
    if name not in FIELDS or not (
        saved := [saved_list for saved_list in own_lists(FIELDS[name]) if saved_list.entries]
    ):
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption("Add the names of")
        for saved_list in saved:
            st.button(
                plain(f"{saved_list.name} ({len(saved_list.entries)})"),
                key=f"{key}:from:{saved_list.list_id}",
                type="tertiary",
                on_click=partial(_fill, key, saved_list.entries),
            )


def _fill(key: str, entries: Sequence[str]) -> None:
    st.session_state[key] = list(dict.fromkeys([*(st.session_state[key] or []), *entries]))
