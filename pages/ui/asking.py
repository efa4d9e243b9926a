"""A question on its page: form, progress, and the answer with its runs and what comes next."""

from collections.abc import Iterable

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from core.asking.answering import Asking
from core.asking.records import AskAnswer, AskedRun, AskedTable, AskRequest, CitedSource
from core.briefs.entities.steps import Step
from core.errors import NotFound, RunCancelled, WorkbenchError
from core.records.runs import Caller, RunRecord
from core.registry import find_agent
from core.reports.document import SourceLine, without_code
from core.workbench import current
from pages.ui.citing import addresses, cited
from pages.ui.look import on_accent
from pages.ui.next_steps import show_door, show_steps
from pages.ui.plain import file_stem, plain, show_number
from pages.ui.tables import draw_table

_PRESSED, _ASKING = "ask:pressed", "ask:asking"
EVERY_S = 1.0
WIDTH = 820
LONGEST = 1000
EXAMPLES = (
    "Which PD-1 x VEGF bispecifics are in phase 3?",
    "What does BioMarin have in its pipeline?",
    "Which Chinese ADCs could we license?",
)
_STATES = {
    "queued": (":material/schedule:", "queued"),
    "running": (":material/pending:", "under way"),
    "completed": (":material/check_circle:", "done"),
}


def remember_pressed(text: str) -> None:
    """Note that this person sent a question, so that its page may start runs."""
    st.session_state[_PRESSED] = text.strip()[:LONGEST]


def asking_of(text: str, caller: Caller) -> Asking | None:
    """Return the question of an address, begun where this person has just sent it."""
    pressed = st.session_state.pop(_PRESSED, None)
    asking: Asking | None = st.session_state.get(_ASKING)
    if pressed and pressed == text[:LONGEST]:
        try:
            request = AskRequest(query=pressed)
        except ValidationError:
            return None
        asking = st.session_state[_ASKING] = Asking(request, caller, current())
        asking.begin()
    is_same = asking is not None and text and asking.request.query == text[:LONGEST]
    return asking if is_same else None


def draw_form(text: str, caller: Caller) -> None:
    """Draw the empty form, or the question of an address that nobody has sent yet."""
    st.title("Ask", anchor=False)
    st.caption(
        "A question about drugs, companies, targets, diseases, trials, labels or deals. Agents are "
        "chosen and run, at most four; each counts as a run of your quota."
    )
    with st.form("ask", border=True, width=WIDTH):
        query = st.text_area("Question", text, max_chars=LONGEST, height=90, key="ask:query")
        is_sent = st.form_submit_button(on_accent("Ask"), type="primary")
    with st.container(width=WIDTH):
        st.markdown("**Examples**")
        for example in EXAMPLES:
            if st.button(plain(example), key=f"ask:{example}", type="tertiary"):
                _send(example)
    if is_sent and not any(sign.isalnum() for sign in query):
        st.error("Type a question.", icon=":material/error:")
    elif is_sent:
        _send(query)


def _send(text: str) -> None:
    """Ask a question under its address."""
    text = " ".join(text.split())[:LONGEST]
    st.session_state.pop(_ASKING, None)
    remember_pressed(text)
    st.query_params.from_dict({"q": text})
    st.rerun()


@st.fragment(run_every=EVERY_S)
def follow(asking: Asking) -> None:
    """Draw how far a question is, once a second, until it ends; then draw the page anew."""
    if asking.is_over:
        st.rerun(scope="app")
    _head(asking.request.query)
    with st.container(border=True, width=WIDTH):
        is_read = asking.begun is not None
        icon, word = _STATES["completed" if is_read else "running"]
        st.markdown(f"{icon} Reading the question · {word}")
        runs = [_now(run, asking.caller) for run in asking.begun.runs] if asking.begun else []
        for run in runs:
            st.markdown(_describe(run))
        is_done = is_read and all(run.is_final for run in runs)
        st.markdown(
            ":material/pending: Writing the answer · under way"
            if is_done
            else ":material/radio_button_unchecked: Writing the answer · to come"
        )
        if st.button("Cancel", icon=":material/stop_circle:", key="ask:cancel"):
            asking.cancel()
        st.caption("You can leave this page: the runs go on and stand among your runs.")


def _now(run: RunRecord, caller: Caller) -> RunRecord:
    try:
        return current().stores.runs.get(caller.user_id, run.run_uuid)
    except NotFound:
        return run


def _describe(run: RunRecord) -> str:
    """Return how far a run is, as a line."""
    icon, word = _STATES.get(run.status, (":material/error:", run.status.replace("_", " ")))
    step = f", {run.steps[-1].step}" if run.steps and not run.is_final else ""
    return f"{icon} {_title(run.agent)}: {plain(run.title)} · {word}{plain(step)}"


def _title(agent: str) -> str:
    declared = find_agent(agent)
    return plain(declared.title if declared else agent)


def _head(query: str) -> None:
    st.set_page_config(page_title=f"{query} · Ask")
    st.title(plain(query), anchor=False)


def show_result(asking: Asking) -> None:
    """Draw the answer, or why there is none."""
    _head(asking.request.query)
    failure = asking.failure
    if asking.answer is not None:
        show_ask_answer(asking.answer)
    elif isinstance(failure, RunCancelled):
        st.info("The question was cancelled.", icon=":material/cancel:")
    elif isinstance(failure, WorkbenchError):
        st.error(plain(failure.message), icon=":material/error:")
    elif failure is not None:
        raise failure
    with st.container(horizontal=True):
        if st.button("Ask again", icon=":material/replay:", key="ask:again"):
            _send(asking.request.query)
        if st.button("New question", icon=":material/add:", key="ask:new"):
            st.session_state.pop(_ASKING, None)
            st.query_params.clear()
            st.rerun()


def show_ask_answer(answer: AskAnswer) -> None:
    """Draw sentences and rows under the run that they are of, and what can be asked next."""
    st.caption(_facts_of(answer))
    if answer.help:
        st.info(plain(answer.help), icon=":material/help:")
    for warning in answer.warnings:
        st.warning(plain(without_code(warning)), icon=":material/warning:")
    for run in answer.runs:
        _show_run(run, answer)
    if answer.next:
        st.subheader("Next questions" if answer.runs else "Filled forms", anchor=False)
        show_steps([Step(each.agent, each.label, each.request) for each in answer.next])
    if answer.about:
        st.markdown("**Pages**")
        with st.container(horizontal=True, gap="small"):
            for thing in answer.about:
                show_door(thing.kind, thing.id, thing.name)


def _facts_of(answer: AskAnswer) -> str:
    """Return who chose, and what it cost, in a line."""
    charged = answer.usage.runs_charged
    facts = [
        "Composed by rules"
        if answer.narrative.mode == "rules"
        else f"Agents, sentences and rows chosen by {answer.narrative.model}",
        show_number(charged, "run") + " of the quota" if answer.runs else "nothing run",
    ]
    return plain(" · ".join(facts))


def _show_run(run: AskedRun, answer: AskAnswer) -> None:
    agent = find_agent(run.agent)
    if agent is None:
        return
    lines = [line for line in answer.lines if line.run_id == run.run_id]
    title = f"{agent.title}: {run.title}" if len(answer.runs) > 1 else agent.title
    st.subheader(plain(title), anchor=False)
    if lines:
        st.markdown("\n".join(f"- {cited(line.text, _links(line.sources))}" for line in lines))
    for table in answer.tables:
        if table.run_id == run.run_id:
            _show_table(table)
    for warning in run.warnings:
        st.caption(f":material/warning: {plain(without_code(warning))}")
    st.page_link(
        f"{agent.slug}.py",
        label=f"Open the full answer: {plain(run.title)}",
        icon=f":material/{agent.icon}:",
        query_params={"run": run.run_id},
    )


def _links(sources: Iterable[CitedSource]) -> dict[str, str]:
    return addresses(SourceLine(each.id, each.title, each.url, "") for each in sources)


def _show_table(table: AskedTable) -> None:
    frame = pd.DataFrame(table.rows, columns=table.columns)
    n_rows = f"{len(frame):,} of {show_number(table.total, 'row')}"
    st.markdown(f"**{plain(table.title)}** · {n_rows}")
    if table.note:
        st.caption(plain(table.note))
    draw_table(frame, table.title, csv=file_stem("ask", table.title, table.run_id[:8]))
