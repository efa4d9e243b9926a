"""From one answer to the next question: links that fill in the form of another agent.

An address such as `/compound-map?ask.target=KRAS` opens the empty form with that field filled.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, get_args

import streamlit as st
from pydantic.fields import FieldInfo

from core.agent import Agent
from core.registry import find_agent
from pages.ui.plain import plain

_MARK = "ask."
_TAKEN = "asked-from"
_PARTS = re.compile(r"; | x |, ")
MOST_PARTS = 3
_WHOLE = frozenset({"drug", "question", "disease"})
"""Subjects whose names are not taken apart."""


class Step(NamedTuple):
    """A question that follows.

    Attributes:
        agent: Who answers it.
        field: Field of its request.
        label: What the link says; `{}` stands for the value.
        subject: Of what it asks: "company", "target", "disease", "drug", "question".
    """

    agent: str
    field: str
    label: str
    subject: str


STEPS = (
    Step("company-asset-searcher", "company", "Assets of {}", "company"),
    Step("competitive-landscaping", "query", "Landscape of {}", "target"),
    Step("competitive-landscaping", "query", "Landscape of {}", "disease"),
    Step("competitive-landscaping", "query", "Competitors of {}", "drug"),
    Step("compound-map", "target", "Compound map of {}", "target"),
    Step("competitive-landscaping", "query", "Landscape", "question"),
)


def show_next(subjects: Mapping[str, str]) -> None:
    """Draw the questions that follow from what an answer names.

    Args:
        subjects: Names by subject; several may be joined as rows of an answer join them.
    """
    with st.container(horizontal=True, gap="small"):
        for step, value in _list_steps(subjects):
            agent = find_agent(step.agent)
            if agent is not None:
                asked = step.label.format(value) if step.subject == "drug" else value
                st.page_link(
                    f"{agent.slug}.py",
                    label=plain(step.label.format(value)),
                    icon=f":material/{agent.icon}:",
                    query_params={f"{_MARK}{step.field}": asked},
                )


def _list_steps(subjects: Mapping[str, str]) -> Iterator[tuple[Step, str]]:
    for step in STEPS:
        text = subjects.get(step.subject, "").replace(" *", "")
        whole = [text] if step.subject in _WHOLE else _PARTS.split(text)
        for value in [one.strip() for one in whole][:MOST_PARTS]:
            if value:
                yield step, value


def _parts_of(info: FieldInfo) -> tuple[object, ...]:
    return get_args(info.annotation)


def take_asked(agent: Agent) -> dict[str, str]:
    """Return the text fields that the address asks to fill, once for each address."""
    params = {
        name.removeprefix(_MARK): value
        for name, value in st.query_params.items()
        if name.startswith(_MARK)
    }
    fields = agent.request.model_fields
    texts = {name for name, info in fields.items() if str in (info.annotation, *_parts_of(info))}
    asked = {name: value for name, value in params.items() if name in texts}
    key = (agent.name, *sorted(asked.items()))
    if not asked or st.session_state.get(_TAKEN) == key:
        return {}
    st.session_state[_TAKEN] = key
    return asked
