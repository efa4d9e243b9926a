"""A result in the frame that all agents share: the question, the answer, how sure it is, tabs."""

import json
import pprint
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.agent import Agent
from core.briefs.report import METHOD
from core.exports import is_current
from core.records.runs import Caller, RunRecord, RunShare
from core.records.wire import AgentData, Request
from core.reports.document import Document
from core.results import load_view
from core.workbench import current
from pages.ui.citing import cited
from pages.ui.composing import compose_document
from pages.ui.document_view import SOURCES, draw_section, links_of, split
from pages.ui.downloads import show_exports
from pages.ui.files import show_files
from pages.ui.form import label_of
from pages.ui.look import on_accent
from pages.ui.plain import plain, show_number, show_seconds, show_time
from pages.ui.projects.freezing import freeze_run
from pages.ui.projects.offering import offer_project
from pages.ui.session import base_address
from pages.ui.sharing import show_share_menu
from pages.ui.starting import begin, open_run, stored_request, uncached
from pages.ui.view import Part, Tabs, View
from pages.ui.watching import offer_watch

LONGEST_INLINE = 4_000
"""Characters of JSON that are shown within the call; longer bodies come as a file."""


def show_calls(agent: Agent, request: Request) -> None:
    """Draw the request as curl, as Python, and as a file when it is long."""
    body = request.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    text = json.dumps(body, indent=2, ensure_ascii=False)
    short = len(text) <= LONGEST_INLINE
    st.markdown(
        "Make a key on the page **API keys** and put it into the environment variable `BPW_KEY`."
    )
    if not short:
        st.download_button(
            "request.json",
            text,
            "request.json",
            "application/json",
            on_click="ignore",
            icon=":material/download:",
        )
        st.caption("The request has long text: save it as request.json next to the script.")
    address = f"{base_address()}/v1/agents/{agent.name}"
    st.code(curl_call(address, text if short else None), language="bash")
    st.code(python_call(address, body if short else None), language="python")
    st.caption("In a terminal on this machine, without a server:")
    st.code(f"python -m api run {agent.name} --input request.json", language="bash")


def curl_call(address: str, body: str | None) -> str:
    """Return the curl command; without a body it sends request.json."""
    data = "@request.json" if body is None else "@- <<'JSON'"
    lines = [
        f"curl --fail-with-body {address} \\",
        '  -H "Authorization: Bearer $BPW_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        f"  --data-binary {data}",
    ]
    return "\n".join(lines if body is None else [*lines, body, "JSON"])


def python_call(address: str, body: dict[str, object] | None) -> str:
    """Return a Python program of the standard library that sends the request."""
    if body is None:
        request = 'open("request.json", "rb").read()'
    else:
        request = f"json.dumps({pprint.pformat(body, width=88, sort_dicts=False)}).encode()"
    return "\n".join(
        [
            "import json",
            "import os",
            "import urllib.request",
            "",
            f"body = {request}",
            "call = urllib.request.Request(",
            f'    "{address}",',
            "    data=body,",
            '    headers={"Authorization": "Bearer " + os.environ["BPW_KEY"],',
            '             "Content-Type": "application/json"},',
            ")",
            "with urllib.request.urlopen(call) as answer:",
            '    data = json.load(answer)["data"]',
            "print(data.keys())",
        ]
    )


_LONGEST = 160


def show_actions(agent: Agent, caller: Caller, view: View, run: RunRecord) -> None:
    """Draw the menus of a result.

    Args:
        agent: Whose run it is.
        caller: Its owner.
        view: Fills the form and makes the CSV.
        run: The run.
    """
    table = view.table
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        offer_watch(agent, caller, run)
        offer_project(lambda: freeze_run(run), "answer", "this answer as a frozen copy")
        with st.popover("Share", icon=":material/share:"):
            show_share_menu(agent, caller, run)
        with st.popover(on_accent("Export"), icon=":material/download:", type="primary"):
            show_exports(run, caller, None if table is None else lambda: table(run))
            if view.files:
                show_files(run, view.files)
        with st.popover("More", icon=":material/more_horiz:"):
            _show_more(agent, caller, view, run)


def show_shared_actions(
    agent: Agent, caller: Caller, view: View, run: RunRecord, share: RunShare
) -> None:
    """Draw what a reader of somebody else's run may do with it.

    Args:
        agent: Whose run it is.
        caller: The reader.
        view: Makes the CSV.
        run: The run.
        share: The link; where it hides the request, the reader exports nothing that repeats it.
    """
    if share.hides_inputs:
        st.caption("Shared with you to read.")
        return
    table = view.table
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        with st.popover(on_accent("Export"), icon=":material/download:", type="primary"):
            show_exports(run, caller, None if table is None else lambda: table(run))
        if st.button("Run it as mine", icon=":material/replay:", key="mine"):
            begin(agent, caller, stored_request(agent, run))


def _show_more(agent: Agent, caller: Caller, view: View, run: RunRecord) -> None:
    request = stored_request(agent, run)
    again = st.button("Run again", icon=":material/replay:", key="again", width="stretch")
    edit = st.button("Edit and run", icon=":material/edit:", key="edit", width="stretch")
    fresh = st.button("New run", icon=":material/add:", key="fresh", width="stretch")
    with st.expander("Request, and how to call this from code", icon=":material/code:"):
        _show_request(agent, request)
        show_calls(agent, request)
    if again:
        begin(agent, caller, uncached(request))
    if edit:
        view.fill(agent, request.model_dump(mode="json", by_alias=True))
        open_run(None)
    if fresh:
        view.fill(agent, {})
        open_run(None)


def _show_request(agent: Agent, request: Request) -> None:
    rows = {}
    for name, value in request.model_dump(mode="json").items():
        if value in (None, [], {}, ""):
            continue
        is_rows = isinstance(value, list) and isinstance(value[0], dict)
        text = f"{len(value):,} rows" if is_rows else json.dumps(value, ensure_ascii=False)
        text = value if isinstance(value, str) else text
        lines = len(text.splitlines())
        shown = text if lines <= 1 and len(text) <= _LONGEST else f"text of {lines:,} lines"
        rows[plain(label_of(name, agent.request.model_fields[name]))] = plain(shown)
    st.table(rows, border="horizontal", width="content", alt="Fields of the request")


ANSWER = "Answer"
METHODS = (METHOD, "Method")
"""Headings of the sections on methods."""


def show_answer(
    agent: Agent, caller: Caller, view: View, run: RunRecord, share: RunShare | None = None
) -> None:
    """Draw a completed run.

    Args:
        agent: Whose run it is.
        caller: Who reads it.
        view: What the agent's page adds.
        run: The run.
        share: The link by which somebody else than the owner reads it.
    """
    data, document = _open(view, run)
    links = links_of(document)
    with st.container(gap=None):
        title, actions = st.columns([5, 4], gap="small", vertical_alignment="top")
        with title:
            _show_title(agent, run)
        with actions:
            if share is None:
                show_actions(agent, caller, view, run)
            else:
                show_shared_actions(agent, caller, view, run, share)
        dated = plain(f"{agent.title} · {show_time(run.finished_at)}")
        _show_figures(document, dated, _facts_of(agent, run))

    def lead() -> None:
        """Draw what the first tab begins with: how the question was read, then the answer."""
        if share is None and data is not None:
            view.above(run, data)
        sentences = document.front.sentences
        if sentences:
            st.markdown("\n".join(f"- {cited(sentence, links)}" for sentence in sentences))

    tabs = view.tabs(data) if data is not None else {}
    _show_tabs(tabs, document, links, run, data, lead)


def _open(view: View, run: RunRecord) -> tuple[AgentData | None, Document]:
    """Return a run's result and what it is drawn from; no result where it no longer fits."""
    try:
        data: AgentData = load_view(run, current())
        return data, view.document(run, data)
    except Exception:
        if is_current(run):
            raise
        return None, compose_document(run, None)


def _show_title(agent: Agent, run: RunRecord) -> None:
    st.set_page_config(page_title=f"{run.title} · {agent.title}")
    st.title(plain(run.title), anchor=False)


def _facts_of(agent: Agent, run: RunRecord) -> str:
    """Return the agent, the time, the data and the run in a line."""
    facts = [
        agent.title,
        show_time(run.finished_at),
        f"evidence {run.data_version.rpartition('/')[2]}" if agent.reads_evidence else "",
        f"run {run.run_uuid[:8]}",
        show_seconds(run.elapsed_s),
        "stored answer" if run.cached else "",
        "" if is_current(run) else "computed by an earlier release",
        "offline" if current().settings.offline else "",
    ]
    return plain(" · ".join(fact for fact in facts if fact))


def _show_figures(document: Document, dated: str, facts: str) -> None:
    """Draw the figures in one row, the number of warnings, which opens all of them, and the day.

    Args:
        document: The report.
        dated: Agent and day of the answer.
        facts: The run in a line, for the drawer.
    """
    front = document.front
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        for label, value, note in front.tiles:
            help_text = plain(note) if note else None
            st.metric(plain(label), plain(value), width="content", help=help_text)
        n_faults = len(document.faults)
        if n_faults:
            label = f":orange[{show_number(n_faults, 'warning')}]"
            if st.button(label, icon=":material/warning:", type="tertiary", key="warnings"):
                _open_drawer(document, facts, "Warnings")
        if st.button("Methods and sources", icon=":material/info:", type="tertiary", key="methods"):
            _open_drawer(document, facts, "Methods")
        st.caption(dated, width="content")
    if not front.tiles:
        _show_faults(document.faults)


def _open_drawer(document: Document, facts: str, first: str) -> None:
    """Open the side drawer with all warnings, the methods and the numbered sources."""
    sections, links = split(document), links_of(document)
    methods = [name for name in METHODS if sections.get(name)]

    def draw() -> None:
        st.caption(facts)
        if document.front.confidence:
            st.markdown(plain(document.front.confidence))
        warnings, method, sources = st.tabs(["Warnings", "Methods", "Sources"], default=first)
        with warnings:
            show_warnings(document.warnings)
            if not document.warnings:
                st.caption("No warnings.")
        with method:
            for name in methods:
                draw_section(name, sections[name], links, has_heading=False)
            if not methods:
                st.caption("Methods and settings are a tab of this answer.")
        with sources:
            if sections.get(SOURCES):
                draw_section(SOURCES, sections[SOURCES], links, has_heading=False)
            else:
                st.caption("This answer cites no numbered sources.")

    st.dialog("Warnings, methods and sources", width="large", position="right")(draw)()


def _show_faults(faults: Sequence[str]) -> None:
    """Draw the warnings of an answer that found nothing: they say what to do."""
    for text in faults:
        st.warning(plain(text), icon=":material/warning:")


def show_warnings(warnings: Sequence[str]) -> None:
    """Draw warnings with their codes."""
    for text in warnings:
        code, colon, message = text.partition(":")
        st.markdown(f"**{plain(code)}** {plain(message)}" if colon else plain(text))


def _show_tabs(
    tabs: Tabs,
    document: Document,
    links: Mapping[str, str],
    run: RunRecord,
    data: object,
    lead: Callable[[], None],
) -> None:
    """Draw the tabs, of which only the open one is computed; its name stands in the address."""
    sections = split(document)
    tabs = tabs or _all_of(sections)
    tabs_shown = {name: _present(parts, sections) for name, parts in tabs.items()}
    shown = {name: parts for name, parts in tabs_shown.items() if parts}
    if not shown:  # a report that consists of its front
        lead()
        return
    drawn = st.tabs(list(shown), on_change="rerun", key="tabs", bind="query-params")
    for index, (tab, (name, parts)) in enumerate(zip(drawn, shown.items(), strict=True)):
        if tab.open:
            with tab:
                if not index:
                    lead()
                for block in parts:
                    _draw_part(block, name, sections, links, run, data)


def _all_of(sections: Mapping[str, Any]) -> Tabs:
    """Return the tabs of an agent that names none: the whole report."""
    last = (*METHODS, SOURCES)
    return {ANSWER: [section for section in sections if section not in last]}


def _present(parts: Sequence[Part], sections: Mapping[str, Any]) -> list[Part]:
    """Return the parts that there are."""
    return [block for block in parts if not isinstance(block, str) or sections.get(block)]


def _draw_part(
    block: Part,
    tab: str,
    sections: Mapping[str, Any],
    links: Mapping[str, str],
    run: RunRecord,
    data: object,
) -> None:
    if isinstance(block, str):
        draw_section(block, sections[block], links, has_heading=block.casefold() != tab.casefold())
        return
    try:
        block(run, data)
    except Exception:
        if is_current(run):
            raise
        st.info("An earlier release stored this answer; run it again to see this part.")
