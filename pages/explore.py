"""Explore: a question leads to its page; without one, what can be opened and computed here."""

from itertools import groupby

import streamlit as st

from core.errors import WorkbenchError
from core.registry import all_agents
from pages.ui.entities.reading import find_answer, show_failure
from pages.ui.next_steps import show_door
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller


def _answer(text: str) -> None:
    """Turn to the page that answers a question, or show what is nearest."""
    answer = find_answer(text)
    if answer.page and not answer.choices:
        st.switch_page(answer.page, query_params=dict(answer.params))
    st.title(plain(f"“{text}”"), anchor=False)
    if answer.page:
        st.markdown("**This question names several things**")
        st.page_link(
            answer.page,
            label=plain(answer.label),
            query_params=dict(answer.params),
            icon=":material/arrow_forward:",
        )
        for choice in answer.choices:
            show_door(choice.kind, choice.id, choice.name)
        return
    st.info("Nothing in the evidence matches these words. Try a drug, company, target or disease.")
    if answer.nearest:
        st.markdown("**Did you mean**")
        with st.container(horizontal=True, gap="small"):
            for kind, name in answer.nearest:
                show_door(kind, name, name)
    st.page_link(
        "competitive_landscaping.py",
        label="Scan this question as a field, with live sources where they are on",
        icon=":material/stacked_bar_chart:",
        query_params={"ask.query": text},
    )


def _show_tools() -> None:
    st.title("Explore", anchor=False)
    st.caption(
        "Type a drug, company, target or disease into the bar to open its page. "
        "The tools below compute what no page can look up."
    )
    agents = sorted(all_agents().values(), key=lambda agent: agent.group)
    for group, members in groupby(agents, key=lambda agent: agent.group):
        st.subheader(plain(group), anchor=False)
        with st.grid(3, min_column_width=280):
            for agent in members:
                with st.container(border=True):
                    st.page_link(
                        f"{agent.slug}.py",
                        label=f"**{plain(agent.title)}**",
                        icon=f":material/{agent.icon}:",
                    )
                    st.caption(plain(agent.summary))


signed_in_caller()
question = st.query_params.get("q", "").strip()
if question:
    try:
        _answer(question)
    except WorkbenchError as failure:
        show_failure(failure)
else:
    _show_tools()
