"""From one answer to the next question: links to pages of things and to filled-in forms.

An address such as `/compound-map?ask.target=KRAS` opens the empty form with that field filled; a
value that is no text is written as JSON.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from core.agent import Agent
from core.briefs.entities.steps import Step
from core.registry import find_agent
from pages.ui.plain import plain

_MARK = "ask."
_TAKEN = "asked-from"
_PARTS = re.compile(r"; | x |, ")
MOST_PARTS = 3


class Door(NamedTuple):
    """A page about a thing.

    Attributes:
        page: Script of the page.
        param: Parameter of its address that names the thing.
        icon: Before the link.
    """

    page: str
    param: str
    icon: str


DOORS: Mapping[str, Door] = {
    "drug": Door("asset.py", "id", "medication"),
    "company": Door("company.py", "id", "domain"),
    "target": Door("field.py", "target", "target"),
    "disease": Door("field.py", "disease", "personal_injury"),
}
"""Pages by kind of thing."""
_WHOLE = frozenset({"drug", "target", "disease"})
"""Kinds whose names are not taken apart at the signs by which rows join names."""


def show_next(subjects: Mapping[str, str]) -> None:
    """Draw links to the pages of what an answer names.

    Args:
        subjects: Names by kind; several may be joined as rows of an answer join them.
    """
    with st.container(horizontal=True, gap="small"):
        for kind, name in _list_names(subjects):
            show_door(kind, name, name)


def show_door(kind: str, key: str, name: str) -> None:
    """Draw a link to the page of a thing.

    Args:
        kind: "drug", "company", "target" or "disease".
        key: Identifier or name of the thing.
        name: What the link says.
    """
    door = DOORS[kind]
    st.page_link(
        door.page,
        label=plain(name),
        icon=f":material/{door.icon}:",
        query_params={door.param: key},
    )


def _list_names(subjects: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for kind in DOORS:
        text = subjects.get(kind, "").replace(" *", "")
        names = text.split("; ") if kind in _WHOLE else _PARTS.split(text)
        for name in dict.fromkeys(name.strip() for name in names[:MOST_PARTS]):
            if name:
                yield kind, name


def show_steps(steps: Sequence[Step]) -> None:
    """Draw links that open agents with their forms filled in, one below the other."""
    for step in steps:
        agent = find_agent(step.agent)
        if agent is not None:
            st.page_link(
                f"{agent.slug}.py",
                label=plain(step.label),
                icon=f":material/{agent.icon}:",
                query_params={
                    f"{_MARK}{name}": value if isinstance(value, str) else json.dumps(value)
                    for name, value in step.asked.items()
                    if value not in ("", [], None)
                },
            )


def take_asked(agent: Agent) -> dict[str, object]:
    """Return the fields that the address asks to fill, once for each address.

    What a field does not take is left out: the address may come from anybody.
    """
    params = {
        name.removeprefix(_MARK): value
        for name, value in st.query_params.items()
        if name.startswith(_MARK)
    }
    key = (agent.name, *sorted(params.items()))
    if not params or st.session_state.get(_TAKEN) == key:
        return {}
    st.session_state[_TAKEN] = key
    fields = agent.request.model_fields
    read = (
        (name, _read(fields[name].rebuild_annotation(), params[name]))
        for name in params
        if name in fields
    )
    return {name: value for name, value in read if value is not None}


def _read(annotation: object, text: str) -> object:
    """Return a value that a field takes, as its JSON form; None where the text is none."""
    adapter: TypeAdapter[object] = TypeAdapter(annotation)
    for candidate in (lambda: text, lambda: json.loads(text)):
        try:
            value = adapter.validate_python(candidate())
            return adapter.dump_python(value, mode="json", exclude_none=True)
        except (ValidationError, ValueError):
            continue
    return None
