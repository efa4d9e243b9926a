"""The frame of every page: name, menu built from the registry, who is signed in."""

from pathlib import Path

import streamlit as st

from core.agent import Agent
from core.records.runs import Caller
from core.registry import all_agents
from pages.ui.plain import plain
from pages.ui.session import SIGN_OUT, signed_in_caller

ASSETS = Path(__file__).with_name("assets")


def _agent_page(agent: Agent) -> st.Page:
    return st.Page(
        f"{agent.slug}.py",
        title=agent.title,
        icon=f":material/{agent.icon}:",
        url_path=agent.name,
        help=agent.summary,
    )


def _menu() -> dict[str, list[st.Page]]:
    """Return the pages by group: what everybody needs first, then the agents."""
    pages = {
        "": [
            st.Page("home.py", title="Home", icon=":material/home:", url_path="home", default=True),
            st.Page("runs.py", title="Runs", icon=":material/list_alt:", url_path="runs"),
            st.Page("keys.py", title="API keys", icon=":material/key:", url_path="keys"),
        ]
    }
    for agent in all_agents().values():
        pages.setdefault(agent.group, []).append(_agent_page(agent))
    return pages


def _show_account(caller: Caller) -> None:
    with st.sidebar, st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Signed in as **{plain(caller.name)}**")
        st.link_button("Sign out", SIGN_OUT, type="tertiary")


st.set_page_config(page_title="Biopharma workbench", page_icon=ASSETS / "mark.svg", layout="wide")
st.logo(str(ASSETS / "wordmark.svg"), size="large", icon_image=str(ASSETS / "mark.svg"))
_caller = signed_in_caller()
_page = st.navigation(_menu())
_show_account(_caller)
_page.run()
