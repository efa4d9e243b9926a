"""A run under way: its steps, a bar, the seconds, and a way to end it."""

from datetime import UTC, datetime

import streamlit as st

from core.agent import Agent
from core.errors import NotFound
from core.records.runs import Caller, RunRecord, StepProgress
from core.runner import cancel_run
from core.workbench import current
from pages.ui.plain import plain, show_count, show_seconds

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
    known = {step.step: step for step in run.steps}
    now = max((agent.steps.index(name) for name in known if name in agent.steps), default=-1)
    seconds = (datetime.now(UTC) - (run.started_at or run.created_at)).total_seconds()
    state = "queued" if run.status == "queued" else "running"
    text = f"{state} · {show_seconds(max(0.0, seconds))}"
    st.progress(share_done(agent.steps, known), text=text)
    for place, name in enumerate(agent.steps):
        st.markdown(_line(name, known.get(name), place - now))
    st.caption("You can leave this page: the run goes on, and this address opens it again.")


def share_done(steps: tuple[str, ...], known: dict[str, StepProgress]) -> float:
    """Return which share of all steps is done, between 0 and 1."""
    if not steps:
        return 0.0
    reached = [place for place, name in enumerate(steps) if name in known]
    if not reached:
        return 0.0
    last = known[steps[reached[-1]]]
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
