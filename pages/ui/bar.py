"""The bar on every page: find a thing or a run, or ask; account and administration at its right.

What is typed and sent is asked where it is a question; a name leads to its page without a run.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from core.asking.words import is_question
from core.records.runs import Caller
from core.registry import find_agent
from pages.ui.asking import remember_pressed
from pages.ui.next_steps import DOORS
from pages.ui.plain import plain
from pages.ui.session import GUIDES, SIGN_OUT

_ASSETS = Path(__file__).parents[1] / "assets"
PERSONAL = (
    ("runs.py", "Runs", "list_alt"),
    ("lists.py", "Lists", "bookmarks"),
    ("account.py", "Account", "person"),
    ("keys.py", "API keys", "key"),
)
ADMINISTRATION = (
    ("admin_users.py", "People", "group"),
    ("admin_keys.py", "All API keys", "vpn_key"),
    ("admin_audit.py", "Audit log", "history"),
    ("admin_instance.py", "Instance", "monitoring"),
)


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    """Register the component once in a process; all it holds is ours."""
    parts = {name: (_ASSETS / f"bar.{name}").read_text() for name in ("html", "css", "js")}
    return st.components.v2.component("workbench.bar", **parts)


def show_bar(caller: Caller) -> None:
    """Draw the bar, and turn to the page of what is chosen in it.

    Args:
        caller: Who is signed in.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        result = _component()(key="bar", on_go_change=lambda: None, width="stretch")
        with st.popover(_initials(caller.name), help=f"Signed in as {plain(caller.name)}"):
            for page, title, icon in (*PERSONAL, *(ADMINISTRATION if caller.is_admin else ())):
                st.page_link(page, label=title, icon=f":material/{icon}:")
            st.link_button("Guides", GUIDES, icon=":material/menu_book:", width="stretch")
            st.link_button("Sign out", SIGN_OUT, icon=":material/logout:", width="stretch")
    chosen = getattr(result, "go", None)
    if isinstance(chosen, dict):
        _go({name: str(value) for name, value in chosen.items()})


def _initials(name: str) -> str:
    """Return the initials of a name.

    >>> _initials("ana maria lopez"), _initials("admin")
    ('AL', 'AD')
    """
    words = [word for word in name.replace(".", " ").replace("_", " ").split() if word[0].isalnum()]
    letters = f"{words[0][0]}{words[-1][0]}" if len(words) > 1 else name[:2]
    return plain(letters.upper())


def _go(chosen: dict[str, str]) -> None:
    """Turn to the page of a choice; the browser may have sent anything."""
    kind, key = chosen.get("kind", ""), chosen.get("id", "")
    if kind in DOORS and key:
        door = DOORS[kind]
        st.switch_page(door.page, query_params={door.param: key})
    agent = find_agent(chosen.get("said", "")) if kind == "run" else None
    if agent is not None:
        st.switch_page(f"{agent.slug}.py", query_params={"run": key})
    if kind == "ask" or (kind == "find" and is_question(key)):
        remember_pressed(key)
        st.switch_page("ask.py", query_params={"q": key})
    if kind == "find" and key:
        st.switch_page("explore.py", query_params={"q": key})
