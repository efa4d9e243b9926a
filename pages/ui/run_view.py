"""An agent's page in all its states: empty, running, done, failed, unknown run.

A run has an address, `?run=<uuid>`: reloading, sharing and the browser's back button work.
"""

import streamlit as st

from core.agent import Agent, Example
from core.errors import NotFound
from core.records.runs import Caller, RunRecord
from core.workbench import current
from pages.ui.answer import show_answer
from pages.ui.form import Fault, check, label_of, state_key
from pages.ui.look import on_accent
from pages.ui.next_steps import take_asked
from pages.ui.plain import plain, show_time
from pages.ui.progress import follow
from pages.ui.starting import begin, open_run, stored_request
from pages.ui.turns import turn
from pages.ui.view import View

FORM_WIDTH = 820


def show_agent(agent: Agent, caller: Caller, view: View) -> None:
    """Draw the page of an agent in the state that its address asks for."""
    run_uuid = st.query_params.get("run")
    if run_uuid is None:
        _head(agent)
        asked = take_asked(agent)
        if asked:
            view.fill(agent, asked)
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
            show_answer(agent, caller, view, run)
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
        open_run(None)


def _show_form(agent: Agent, caller: Caller, view: View) -> None:
    with st.container(width=FORM_WIDTH, border=True):
        values = view.draw(agent, caller)
        label = on_accent(":material/play_arrow: Run")
        if not st.button(label, type="primary", key="run", shortcut="Ctrl+Enter"):
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
