"""The frame of every page: name, and the menu built from the registry."""

from pathlib import Path

import streamlit as st

from core.agent import Agent
from core.records.alerts import MANUAL
from core.records.runs import Caller
from core.registry import all_agents
from core.runner import subscriptions_of
from core.workbench import current
from pages.ui.media import remember_media
from pages.ui.session import signed_in_caller

ADMINISTRATION = (
    ("users", "People", ":material/group:"),
    ("keys", "Keys of everybody", ":material/vpn_key:"),
    ("audit", "Audit log", ":material/history:"),
)
ASSETS = Path(__file__).with_name("assets")


def _agent_page(agent: Agent, caller: Caller) -> st.Page:
    waiting = subscriptions_of(caller, current()).unseen() if agent.name == MANUAL else 0
    return st.Page(
        f"{agent.slug}.py",
        title=f"{agent.title} ({waiting})" if waiting else agent.title,
        icon=f":material/{agent.icon}:",
        url_path=agent.name,
        help=agent.summary,
    )


def _menu(caller: Caller) -> dict[str, list[st.Page]]:
    """Return the pages by group: what everybody needs, the agents, what administrators need."""
    pages = {
        "": [
            st.Page("home.py", title="Home", icon=":material/home:", url_path="home", default=True),
            st.Page("runs.py", title="Runs", icon=":material/list_alt:", url_path="runs"),
            st.Page("lists.py", title="Lists", icon=":material/bookmarks:", url_path="lists"),
            st.Page(
                "evidence.py", title="Evidence", icon=":material/inventory_2:", url_path="evidence"
            ),
        ]
    }
    for agent in all_agents().values():
        pages.setdefault(agent.group, []).append(_agent_page(agent, caller))
    pages["Account"] = [
        st.Page("account.py", title="Account", icon=":material/person:", url_path="account"),
        st.Page("keys.py", title="API keys", icon=":material/key:", url_path="keys"),
    ]
    if caller.is_admin:
        pages["Account"] += [
            st.Page(f"admin_{name}.py", title=title, icon=icon, url_path=f"admin-{name}")
            for name, title, icon in ADMINISTRATION
        ]
    return pages


remember_media()
st.set_page_config(page_title="Biopharma workbench", page_icon=ASSETS / "mark.svg", layout="wide")
st.logo(str(ASSETS / "wordmark.svg"), size="large", icon_image=str(ASSETS / "mark.svg"))
_caller = signed_in_caller()
st.navigation(_menu(_caller), position="top").run()
