"""An agent's page in all its states: empty, running, done, failed, unknown run.

A run has an address, `?run=<uuid>`: reloading, sharing and the browser's back button work.
"""

from datetime import UTC, datetime

import streamlit as st

from core.agent import Agent, Example
from core.errors import NotFound
from core.records.runs import Caller, RunRecord, StepProgress
from core.runner import cancel_run
from core.workbench import current
from pages.ui.answer import show_answer
from pages.ui.form import check, keep_faults, label_of, state_key, take_faults
from pages.ui.look import on_accent
from pages.ui.next_steps import take_asked
from pages.ui.plain import plain, show_count, show_seconds, show_time
from pages.ui.session import note_refusal
from pages.ui.sharing import PARAM, find_shared
from pages.ui.starting import begin, open_run, stored_request
from pages.ui.turns import turn
from pages.ui.view import View

EVERY_S = 1.0


@st.fragment(run_every=EVERY_S)
def follow(agent: Agent, caller: Caller, run_uuid: str) -> None:
    """Draw how far a run is, once a second, until it ends; then draw the page anew."""
    try:
        run = current().stores.runs.get(caller.user_id, run_uuid)
    except NotFound:
        st.rerun(scope="app")
    if run.is_final:
        st.rerun(scope="app")
    with st.container(border=True, width=820):
        _draw(agent, run)
        if st.button("Cancel", icon=":material/stop_circle:", key="cancel"):
            cancel_run(run_uuid, caller, current())
            st.rerun(scope="app")


def _draw(agent: Agent, run: RunRecord) -> None:
    st.markdown(f"**{plain(run.title)}**")
    known_steps = {step.step: step for step in run.steps}
    now = max((agent.steps.index(name) for name in known_steps if name in agent.steps), default=-1)
    seconds = (datetime.now(UTC) - (run.started_at or run.created_at)).total_seconds()
    state = "queued" if run.status == "queued" else "running"
    text = f"{state} · {show_seconds(max(0.0, seconds))}"
    st.progress(share_done(agent.steps, known_steps), text=text)
    for index, name in enumerate(agent.steps):
        st.markdown(_line(name, known_steps.get(name), index - now))
    st.caption("You can leave this page: the run goes on, and this address opens it again.")


def share_done(steps: tuple[str, ...], known_steps: dict[str, StepProgress]) -> float:
    """Return which share of all steps is done, between 0 and 1."""
    if not steps:
        return 0.0
    reached = [index for index, name in enumerate(steps) if name in known_steps]
    if not reached:
        return 0.0
    last = known_steps[steps[reached[-1]]]
    within = min(1.0, last.done / last.total) if last.total else 0.0
    return (reached[-1] + within) / len(steps)


def _line(name: str, step: StepProgress | None, distance: int) -> str:
    """Return a step as a line that says in words whether it is done, under way or to come."""
    finished = distance < 0 or (step is not None and 0 < step.total <= step.done)
    if finished:
        icon, word = ":material/check_circle:", "done"
    elif distance == 0:
        icon, word = ":material/pending:", "under way"
    else:
        icon, word = ":material/radio_button_unchecked:", "to come"
    notes = [word]
    if step is not None and step.total > 1:
        notes.append(f"{show_count(step.done)} of {show_count(step.total)}")
    if step is not None and step.note:
        notes.append(plain(step.note))
    look = f"**{plain(name)}**" if word == "under way" else plain(name)
    return f"{icon} {look} · {', '.join(notes)}"


FORM_WIDTH = 820
_SHOWN = "run-shown"


def show_agent(agent: Agent, caller: Caller, view: View) -> None:
    """Draw the page of an agent in the state that its address asks for."""
    shared = st.query_params.get(PARAM)
    if shared is not None:
        _show_shared(agent, caller, view, shared)
        return
    run_uuid = st.query_params.get("run")
    if run_uuid is None:
        _head(agent)
        request_values = take_asked(agent)
        if request_values:
            view.fill(agent, request_values)
        else:
            _refill(agent, caller, view)
        _show_form(agent, caller, view)
        _show_examples(agent, caller, view)
        return
    run = _find_run(agent, caller, run_uuid)
    st.session_state[_SHOWN] = run_uuid
    if run is None:
        _head(agent)
        st.warning("Run not found. It may have been deleted or belong to another account.")
        _offer_start()
    elif run.status == "completed":
        with turn():
            show_answer(agent, caller, view, run)
    elif run.is_final:
        _show_failed(agent, caller, view, run)
    else:
        _head(agent)
        follow(agent, caller, run.run_uuid)


def _refill(agent: Agent, caller: Caller, view: View) -> None:
    """Fill the form from the run that was shown just before: the browser's Back leads here."""
    shown = st.session_state.pop(_SHOWN, None)
    is_filled = any(
        state_key(agent, name) in st.session_state for name in agent.request.model_fields
    )
    run = _find_run(agent, caller, shown) if shown and not is_filled else None
    if run is not None:
        view.fill(agent, stored_request(agent, run).model_dump(mode="json", by_alias=True))


def _show_shared(agent: Agent, caller: Caller, view: View, token: str) -> None:
    shared = find_shared(agent, caller, token)
    if shared is None:
        _head(agent)
        st.warning("This link is not valid or was ended; ask its owner for a new one.")
        _offer_start()
        return
    run, share = shared
    with turn():
        show_answer(agent, caller, view, run, share)


def _head(agent: Agent) -> None:
    st.title(agent.title, anchor=False)
    st.caption(agent.summary)


def _find_run(agent: Agent, caller: Caller, run_uuid: str) -> RunRecord | None:
    try:
        run = current().stores.runs.get(caller.user_id, run_uuid)
    except NotFound:
        note_refusal(caller)
        return None
    return run if run.agent == agent.name else None


def _offer_start() -> None:
    if st.button(on_accent("Start a new run"), type="primary", key="start"):
        open_run(None)


def _show_form(agent: Agent, caller: Caller, view: View) -> None:
    with st.container(width=FORM_WIDTH, border=True):
        values = view.draw(agent, caller)
        for field, message in take_faults(agent).items():
            st.error(plain(f"{_name(agent, field)}: {message}"), icon=":material/error:")
        label = on_accent(":material/play_arrow: Run")
        if not st.button(label, type="primary", key="run", shortcut="Ctrl+Enter"):
            return
        checked = check(agent.request, values)
        if isinstance(checked, list):
            keep_faults(agent, checked)
            st.rerun()
        else:
            begin(agent, caller, checked)


def _name(agent: Agent, field: str) -> str:
    info = agent.request.model_fields.get(field)
    return label_of(field, info) if info else field


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
    is_kept = all(state_key(agent, name) in st.session_state for name in agent.request.model_fields)
    if not is_kept or st.session_state.get("filled_from") != run.run_uuid:
        view.fill(agent, stored_request(agent, run).model_dump(mode="json", by_alias=True))
        st.session_state["filled_from"] = run.run_uuid
    _show_form(agent, caller, view)
    _offer_start()
