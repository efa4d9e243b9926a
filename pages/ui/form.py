"""A form drawn from a request model: every field by its type, bounds and description."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import annotated_types
import streamlit as st
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from core.agent import Agent
from core.records.wire import Request
from pages.ui.plain import plain
from pages.ui.saved_lists import offer_entries

LABELS = {
    "query": "Question",
    "query_type": "Focus",
    "candidate_asset_description": "Asset under diligence",
    "include_aact": "Registers of trials",
    "include_chinese": "Chinese registers and company names",
    "include_chictr": "ChiCTR and WHO ICTRP",
    "include_neuralsearch": "Neural web search",
    "include_opensearch": "Open web search",
    "include_llm_web_search": "Web search of the language model",
    "include_llm_reading": "Language model reads words not understood",
    "include_conferences": "Conference abstracts",
    "include_patents": "Patents",
    "without": "Leave out",
    "region": "Approved or under review by",
    "paired_column": "Subjects, compared within",
    "interaction": "Interacts with the condition",
    "duplicate_correlation": "Subjects, correlated (limma-voom)",
    "cell_sample_column": "Column that names the sample",
    "cell_group_column": "Choose cells by column",
    "cell_group": "Cells with the value",
    "surrogate_variables": "Surrogate variables",
    "sample_weights": "Noisy samples count less (limma-voom)",
    "use_cache": "A stored answer will do",
    "skip_drug_cache": "Ask live sources again",
    "company_aliases": "Further names of the company",
    "drugdb_limit": "Most drugs to list",
    "include_old": "Old products and given-up programs, too",
    "max_searches": "Most web searches",
    "max_patents": "Most documents",
    "candidate_pool": "Documents to choose from",
    "max_panels_per_patent": "Most pages of a document",
    "max_crops_per_patent": "Most drawings of a document",
    "include_full_clinical_landscape": "Every clinical compound of the target",
    "match_mode": "Own compounds match",
    "without:stopped": "nothing under way or sold",
    "without:off_patent": "protection ended",
    "without:many_targets": "three targets or more",
    "query_type:preclinical": "early assets",
    "query_type:clinical": "drugs with active trials",
    "query_type:both": "both",
}
"""Labels by field, and words for a choice by field and value."""


def words_of(name: str, value: object) -> str:
    """Return what a form calls a choice of a field.

    >>> words_of("query_type", "both"), words_of("method", "edgeR")
    ('both', 'edgeR')
    """
    return LABELS.get(f"{name}:{value}", str(value))


LONG_TEXT = 300
"""Text fields that may hold more characters get several lines."""
_WORDS = {
    "fdr": "FDR",
    "log2fc": "log2FC",
    "lfc": "LFC",
    "id": "ID",
    "qc": "QC",
    "edger": "edgeR",
    "csv": "CSV",
}


class Fault(NamedTuple):
    """What is wrong with a field."""

    field: str
    message: str


def state_key(agent: Agent, name: str) -> str:
    """Return the place in the session state that holds a field's value."""
    return f"form:{agent.name}:{name}"


def fill(agent: Agent, values: Mapping[str, object]) -> None:
    """Put a request into the form; fields it leaves out get their defaults.

    Args:
        agent: Whose form.
        values: Fields of the request, as in its JSON body.
    """
    for name, info in agent.request.model_fields.items():
        value = values.get(name, _default(info))
        st.session_state[state_key(agent, name)] = value


def label_of(name: str, info: FieldInfo) -> str:
    """Return the label of a field; optional ones without a default say so."""
    words = [_WORDS.get(word, word) for word in name.split("_")]
    text = info.title or LABELS.get(name) or " ".join(words)
    text = text[:1].upper() + text[1:] if not text.startswith(("edgeR", "log2")) else text
    return f"{text} (optional)" if not info.is_required() and _default(info) is None else text


def draw_fields(agent: Agent, names: Iterable[str]) -> dict[str, object]:
    """Draw fields below each other and return what stands in them.

    Args:
        agent: Whose request.
        names: Fields in the order in which to draw them.

    Returns:
        Field name to value; empty text is None.
    """
    return {name: draw_field(agent, name) for name in names}


def draw_field(agent: Agent, name: str) -> object:
    """Draw one field and return its value."""
    info = agent.request.model_fields[name]
    key = state_key(agent, name)
    if key not in st.session_state:
        st.session_state[key] = _default(info)
    kind = _without_none(info.annotation)
    shown = {"label": label_of(name, info), "key": key, "help": info.description}
    value = _widget(kind, info, name)(shown)
    offer_entries(name, key)
    _show_fault(agent, name, shown["label"])
    return value


def keep_faults(agent: Agent, faults: Iterable[Fault]) -> None:
    """Remember what is wrong with a form, to be shown under its fields from now on."""
    messages: dict[str, str] = {}
    for fault in faults:
        messages.setdefault(fault.field.split(".")[0], fault.message)
    st.session_state[_faults_key(agent)] = messages


def _faults_key(agent: Agent) -> str:
    return f"faults:{agent.name}"


def _show_fault(agent: Agent, name: str, label: str) -> None:
    """Say under a field what is wrong with it."""
    message = st.session_state.get(_faults_key(agent), {}).pop(name, None)
    if message is not None:
        st.error(plain(f"{label}: {message}"), icon=":material/error:")


def take_faults(agent: Agent) -> dict[str, str]:
    """Return what is wrong with fields that the form does not draw one by one."""
    faults: dict[str, str] = st.session_state.pop(_faults_key(agent), {})
    return faults


def _widget(kind: Any, info: FieldInfo, name: str) -> Callable[[dict[str, Any]], object]:
    """Return the function that draws a field of this type."""
    if get_origin(kind) is Literal:
        return lambda shown: _draw_choice(kind, info, name, shown)
    if get_origin(kind) is list:
        return lambda shown: _draw_list(kind, name, shown)
    if get_origin(kind) is dict:
        return lambda shown: _draw_object(info, shown)
    plain: dict[Any, Callable[[dict[str, Any]], object]] = {
        bool: lambda shown: st.toggle(**shown),
        int: lambda shown: st.number_input(step=1, **_bounds(info, int), **shown),
        float: lambda shown: st.number_input(
            step=_step(info), format="%g", **_bounds(info, float), **shown
        ),
        str: lambda shown: _draw_text(info, shown),
    }
    if kind not in plain:
        raise TypeError(f"a field of type {kind} needs a widget of the agent's own page")
    return plain[kind]


def _draw_text(info: FieldInfo, shown: dict[str, Any]) -> str | None:
    longest = next(
        (rule.max_length for rule in info.metadata if isinstance(rule, annotated_types.MaxLen)),
        None,
    )
    if st.session_state[shown["key"]] is None:
        st.session_state[shown["key"]] = ""
    draw = st.text_area if longest and longest > LONG_TEXT else st.text_input
    text = draw(**shown, placeholder=str(info.examples[0]) if info.examples else None)
    return text.strip() or None


def _draw_choice(kind: Any, info: FieldInfo, name: str, shown: dict[str, Any]) -> object:
    """Draw one choice of several; one that may be left open has no choice at first."""
    options = list(get_args(kind))
    may_be_open = not info.is_required() and _default(info) is None
    return st.selectbox(
        options=[None, *options] if may_be_open else options,
        format_func=lambda value: "any" if value is None else words_of(name, value),
        **shown,
    )


def _draw_list(kind: Any, name: str, shown: dict[str, Any]) -> list[str]:
    (entry,) = get_args(kind) or (str,)
    fixed = get_origin(entry) is Literal
    chosen = list(st.session_state[shown["key"]] or [])
    st.session_state[shown["key"]] = chosen
    options = list(get_args(entry)) if fixed else chosen
    words = partial(words_of, name)
    return list(
        st.multiselect(options=options, accept_new_options=not fixed, format_func=words, **shown)
    )


def _draw_object(info: FieldInfo, shown: dict[str, Any]) -> dict[str, object] | None:
    """Draw a text field for each known key of a free object; numbers and lists are read as JSON."""
    extra = info.json_schema_extra
    known_fields = extra.get("known", ()) if isinstance(extra, Mapping) else ()
    chosen = st.session_state[shown["key"]]
    values = dict(chosen) if isinstance(chosen, dict) else {}
    with st.popover(shown["label"], help=shown["help"]):
        for key in dict.fromkeys([*map(str, known_fields), *values]):
            before = values.get(key)
            text = before if isinstance(before, str) or before is None else json.dumps(before)
            typed = st.text_input(
                key.replace("_", " ").capitalize(), text or "", key=f"{shown['key']}:{key}"
            )
            values[key] = _read_value(typed)
    given = {key: value for key, value in values.items() if value is not None}
    st.session_state[shown["key"]] = given
    if given:
        summary = "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in given.items())
        st.caption(plain(summary))
    return given or None


def _read_value(typed: str) -> object:
    """Return what a text stands for: a number, a list or an object in JSON, else the text.

    >>> _read_value("26"), _read_value('["SPR"]'), _read_value("serum"), _read_value(" ")
    (26, ['SPR'], 'serum', None)
    """
    text = typed.strip()
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text


def _bounds(info: FieldInfo, kind: type) -> dict[str, Any]:
    """Return the smallest and largest value that a number field takes."""
    bounds: dict[str, Any] = {}
    for rule in info.metadata:
        low = getattr(rule, "ge", getattr(rule, "gt", None))
        high = getattr(rule, "le", getattr(rule, "lt", None))
        if low is not None:
            bounds["min_value"] = kind(low)
        if high is not None:
            bounds["max_value"] = kind(high)
    return bounds


def _step(info: FieldInfo) -> float:
    return 0.01 if _bounds(info, float).get("max_value", 2.0) <= 1 else 0.5


def _default(info: FieldInfo) -> object:
    value = info.get_default(call_default_factory=True)
    return None if value is PydanticUndefined else value


def _without_none(annotation: Any) -> Any:
    """Return the type of an optional field without None and without bounds."""
    if get_origin(annotation) in (Union, UnionType):
        (annotation,) = (argument for argument in get_args(annotation) if argument is not NoneType)
    while hasattr(annotation, "__metadata__"):
        annotation = annotation.__origin__
    return annotation


def check(model: type[Request], values: Mapping[str, object]) -> Request | list[Fault]:
    """Return the request, or what is wrong with it.

    Args:
        model: The request model.
        values: Fields by name; None leaves a field out.
    """
    given = {name: value for name, value in values.items() if value is not None}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        return [
            Fault(
                _place(entry["loc"], entry.get("ctx")), _explain(entry["type"], entry["msg"], model)
            )
            for entry in error.errors()
        ]


def _explain(kind: str, message: str, model: type[Request]) -> str:
    """Return what is wrong in the words of the form: labels for names of fields, and the fix."""
    if kind in {"missing", "string_too_short", "too_short"}:
        return "enter a value."
    text = message.removeprefix("Value error, ")
    for name, info in model.model_fields.items():
        if "_" in name:
            text = re.sub(rf"\b{name}\b", label_of(name, info).removesuffix(" (optional)"), text)
    return text


def _place(path: tuple[int | str, ...], context: Mapping[str, object] | None) -> str:
    return ".".join(map(str, path)) or str((context or {}).get("field", ""))


def draw_request(agent: Agent) -> dict[str, object]:
    """Draw the whole form of an agent: required fields first, the others folded away."""
    fields = agent.request.model_fields
    needed = [name for name, info in fields.items() if info.is_required()]
    values = draw_fields(agent, needed)
    others = [name for name in fields if name not in needed]
    if others:
        with st.expander("More settings", icon=":material/tune:"):
            values |= draw_fields(agent, others)
    return values
