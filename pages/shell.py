"""The frame of every page: name, and the menu built from the registry."""

from pathlib import Path

import streamlit as st

from core.records.alerts import MANUAL
from core.records.runs import Caller
from core.registry import all_agents
from core.runner import subscriptions_of
from core.workbench import current
from pages.ui.bar import show_bar
from pages.ui.media import remember_media
from pages.ui.session import signed_in_caller

ASSETS = Path(__file__).with_name("assets")
MENU = (
    ("home.py", "Home", "home"),
    ("explore.py", "Explore", "explore"),
    ("check_document.py", "Check", "fact_check"),
    ("projects.py", "Projects", "folder_open"),
    ("alerts.py", "Alerts", "notifications"),
    ("evidence.py", "Data", "inventory_2"),
)
HIDDEN = (
    ("ask.py", "Ask"),
    ("asset.py", "Drug"),
    ("company.py", "Company"),
    ("field.py", "Field"),
    ("compare.py", "Compare"),
    ("record.py", "Record"),
    ("runs.py", "Runs"),
    ("lists.py", "Lists"),
    ("account.py", "Account"),
    ("keys.py", "API keys"),
)
ADMINISTRATION = (
    ("admin_users.py", "People"),
    ("admin_keys.py", "All API keys"),
    ("admin_audit.py", "Audit log"),
    ("admin_instance.py", "Instance"),
)


def _page(script: str, title: str, icon: str = "", *, is_shown: bool = False) -> st.Page:
    return st.Page(
        script,
        title=title,
        icon=f":material/{icon}:" if icon else None,
        url_path=script.removesuffix(".py").replace("_", "-"),
        default=script == "home.py",
        visibility="visible" if is_shown else "hidden",
    )


def _pages(caller: Caller) -> list[st.Page]:
    """Return the pages: six in the menu, the others behind the bar, the initials and links."""
    waiting = subscriptions_of(caller, current()).unseen()
    titles = {"alerts.py": f"Alerts ({waiting})"} if waiting else {}
    pages = [
        _page(script, titles.get(script, title), icon, is_shown=True)
        for script, title, icon in MENU
    ]
    hidden = [*HIDDEN, *(ADMINISTRATION if caller.is_admin else ())]
    pages += [_page(script, title) for script, title in hidden]
    return pages + [
        _page(f"{agent.slug}.py", agent.title, agent.icon)
        for agent in all_agents().values()
        if agent.name != MANUAL
    ]


remember_media()
st.set_page_config(page_title="Biopharma workbench", page_icon=ASSETS / "mark.svg", layout="wide")
st.logo(str(ASSETS / "wordmark.svg"), size="large", icon_image=str(ASSETS / "mark.svg"))
_caller = signed_in_caller()
_chosen = st.navigation(_pages(_caller), position="top")
show_bar(_caller)
_chosen.run()
