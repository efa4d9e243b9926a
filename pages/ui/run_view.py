"""An agent's page in all its states: empty, running, done, failed, unknown run.

A run has an address, `?run=<uuid>`: reloading, sharing and the browser's back button work.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from core.agent import Agent, Example
from core.errors import NotFound, WorkbenchError
from core.records.runs import Caller, RunRecord
from core.records.wire import AgentData, Request
from core.results import load_view
from core.runner import start_run
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.call_from_code import show_calls
from pages.ui.downloads import show_exports
from pages.ui.form import Fault, check, draw_request, fill, label_of, state_key
from pages.ui.look import on_accent
from pages.ui.plain import plain, show_seconds, show_time
from pages.ui.progress import follow
from pages.ui.turns import turn

FORM_WIDTH = 820


class View(NamedTuple):
    """What an agent's page adds to the common frame.

    Attributes:
        show: Draws the result below its key facts.
        draw: Draws the form and returns the request's fields; drawn from the model if left out.
        fill: Puts a request into the form; by the model if left out.
        table: Makes the CSV among the exports.
    """

    show: Callable[[RunRecord, Any], None]
    draw: Callable[[Agent, Caller], dict[str, object]] = lambda agent, _caller: draw_request(agent)
    fill: Callable[[Agent, dict[str, Any]], None] = fill
    table: Callable[[RunRecord], bytes] | None = None


def show_agent(agent: Agent, caller: Caller, view: View) -> None:
    """Draw the page of an agent in the state that its address asks for."""
    run_uuid = st.query_params.get("run")
    if run_uuid is None:
        _head(agent)
        _show_form(agent, caller, view)
        _show_examples(agent, caller, view)
        return
    run = _find_run(agent, caller, run_uuid)
    if run is None:
        _head(agent)
        st.warning("There is no such run of yours. It may have been deleted, or belong to others.")
        _offer_start()
    elif run.status == "completed":
        with turn():
            _show_done(agent, caller, view, run)
    elif run.is_final:
        _show_failed(agent, caller, view, run)
    else:
        _head(agent)
        follow(agent, caller, run.run_uuid)


def _head(agent: Agent) -> None:
    st.title(agent.title, anchor=False)
    st.caption(agent.summary)


def _find_run(agent: Agent, caller: Caller, run_uuid: str) -> RunRecord | None:
    try:
        run = current().stores.runs.get(caller.user_id, run_uuid)
    except NotFound:
        return None
    return run if run.agent == agent.name else None


def _offer_start() -> None:
    if st.button(on_accent("Start a new run"), type="primary", key="start"):
        _open(None)


def _open(run_uuid: str | None) -> None:
    """Turn to a run's address, or to the empty form, and draw anew."""
    if run_uuid is None:
        st.query_params.clear()
    else:
        st.query_params["run"] = run_uuid
    st.rerun()


def begin(agent: Agent, caller: Caller, request: Request) -> None:
    """Start a run and turn to its address, or say why it cannot start."""
    try:
        run = start_run(agent, request, caller, current())
    except WorkbenchError as error:
        st.error(plain(error.message), icon=":material/error:")
        return
    _open(run.run_uuid)


def _show_form(agent: Agent, caller: Caller, view: View) -> None:
    with st.container(width=FORM_WIDTH, border=True):
        values = view.draw(agent, caller)
        if not st.button(on_accent(":material/play_arrow: Run"), type="primary", key="run"):
            return
        checked = check(agent.request, values)
        if isinstance(checked, list):
            _show_faults(agent, checked)
        else:
            begin(agent, caller, checked)


def _show_faults(agent: Agent, faults: list[Fault]) -> None:
    fields = agent.request.model_fields
    for fault in faults:
        info = fields.get(fault.field.split(".")[0])
        name = label_of(fault.field.split(".")[0], info) if info else fault.field
        st.error(plain(f"{name}: {fault.message}"), icon=":material/error:")


def _show_examples(agent: Agent, caller: Caller, view: View) -> None:
    with st.container(width=FORM_WIDTH):
        st.markdown("**Nothing run yet.** Start with an example:")
        with st.container(horizontal=True):
            for example in agent.examples:
                if _press_example(agent, view, example):
                    begin(agent, caller, agent.request.model_validate(example.request))


def _press_example(agent: Agent, view: View, example: Example) -> bool:
    """Draw an example's button; when pressed, the form is filled before it is drawn again."""
    return st.button(
        f"Example: {plain(example.title)}",
        key=f"example:{example.name}",
        on_click=view.fill,
        args=(agent, dict(example.request)),
    )


def stored_request(agent: Agent, run: RunRecord) -> Request:
    """Return the request of a stored run."""
    with current().stores.blobs.open(run.input_sha256) as body:
        return agent.request.model_validate_json(body.read())


def _show_done(agent: Agent, caller: Caller, view: View, run: RunRecord) -> None:
    data: AgentData = load_view(run, current())
    title, exports = st.columns([3, 2], vertical_alignment="bottom")
    with title:
        _head(agent)
    with exports:
        table = view.table
        show_exports(run, caller, None if table is None else lambda: table(run))
    _show_badges(run, data)
    _show_actions(agent, caller, view, run)
    view.show(run, data)


def _show_badges(run: RunRecord, data: AgentData) -> None:
    offline = "offline" if current().settings.offline else "local data"
    with st.container(horizontal=True, gap="xsmall"):
        show_badge("completed", icon=":material/check:", color="green")
        if data.cached:
            show_badge("stored answer", color="orange")
        for text in (run.title, f"run {run.run_uuid[:8]}", show_seconds(run.elapsed_s)):
            show_badge(text, color="gray")
        show_badge(show_time(run.finished_at), color="gray")
        show_badge(offline, color="gray")


def _show_actions(agent: Agent, caller: Caller, view: View, run: RunRecord) -> None:
    request = stored_request(agent, run)
    with st.container(horizontal=True, gap="xsmall"):
        again = st.button("Run again", icon=":material/replay:", key="again")
        edit = st.button("Edit and run", icon=":material/edit:", key="edit")
        fresh = st.button("New run", icon=":material/add:", key="fresh")
    with st.expander("Request, and how to call this from code", icon=":material/code:"):
        _show_request(agent, request)
        show_calls(agent, request)
    if again:
        begin(agent, caller, _uncached(request))
    if edit:
        view.fill(agent, request.model_dump(mode="json", by_alias=True))
        _open(None)
    if fresh:
        view.fill(agent, {})
        _open(None)


def _uncached(request: Request) -> Request:
    """Return the request so that it really runs."""
    has_cache = "use_cache" in type(request).model_fields
    return request.model_copy(update={"use_cache": False}) if has_cache else request


def _show_request(agent: Agent, request: Request) -> None:
    longest = 160
    rows = {}
    for name, value in request.model_dump(mode="json").items():
        if value in (None, [], {}, ""):
            continue
        is_rows = isinstance(value, list) and isinstance(value[0], dict)
        text = f"{len(value):,} rows" if is_rows else json.dumps(value, ensure_ascii=False)
        text = value if isinstance(value, str) else text
        lines = len(text.splitlines())
        shown = text if lines <= 1 and len(text) <= longest else f"text of {lines:,} lines"
        rows[plain(label_of(name, agent.request.model_fields[name]))] = plain(shown)
    st.table(rows, border="horizontal", width="content", alt="Fields of the request")


def _show_failed(agent: Agent, caller: Caller, view: View, run: RunRecord) -> None:
    _head(agent)
    step = next((step.step for step in reversed(run.steps) if step.done < step.total), None)
    where = f"in the step “{step}”" if step else "before its first step"
    words = {"cancelled": "was cancelled", "timed_out": "ran out of time", "failed": "failed"}
    cause = run.error.message if run.error else "no cause was recorded"
    text = f"**{plain(run.title)}** {words[run.status]} {plain(where)}: {plain(cause)}"
    if run.status == "cancelled":
        st.info(text, icon=":material/cancel:")
    else:
        st.error(text, icon=":material/error:")
    for detail in run.error.details if run.error else ():
        st.caption(plain(f"{detail.field}: {detail.message}"))
    st.caption(f"Run {run.run_uuid} · {show_time(run.finished_at)} · the form below is filled")
    kept = all(state_key(agent, name) in st.session_state for name in agent.request.model_fields)
    if not kept or st.session_state.get("filled_from") != run.run_uuid:
        view.fill(agent, stored_request(agent, run).model_dump(mode="json", by_alias=True))
        st.session_state["filled_from"] = run.run_uuid
    _show_form(agent, caller, view)
    _offer_start()
