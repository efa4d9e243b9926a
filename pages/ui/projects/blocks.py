"""The blocks of a project: shown, edited, moved, commented, and checked against today's data."""

from functools import partial

import pandas as pd
import streamlit as st

from core.errors import ChangedMeanwhile, NotFound, WorkbenchError
from core.records.projects import LONGEST_TEXT, LONGEST_TITLE, BlockContent, Project, ProjectBlock
from core.records.runs import Caller
from core.registry import find_agent
from core.reports.document import SourceLine
from core.reports.phrases import show_date
from core.reports.projects import MOST_FROZEN_ROWS, ContentDifference, compare_contents, frame_of
from core.runner import start_run
from core.workbench import current
from pages.ui.acting import act
from pages.ui.badges import show_badge
from pages.ui.citing import addresses, cited
from pages.ui.plain import file_stem, plain, show_number, show_time
from pages.ui.projects.freezing import freeze_run
from pages.ui.starting import uncached
from pages.ui.tables import SHORT_ROWS, draw_table

HEIGHT = 420
KINDS = {
    "answer": "Answer",
    "table": "Table",
    "chart": "Chart",
    "asset": "Card",
    "note": "Note",
    "decision": "Decision",
}
_CONFLICT = "project-conflict"


def show_block(project: Project, block: ProjectBlock, caller: Caller) -> None:
    """Draw a block with what may be done with it."""
    content = block.content
    with st.container(border=True, key=f"block:{block.block_id}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.subheader(plain(content.title), anchor=False, width="content")
            show_badge(KINDS[content.kind], "blue" if content.kind == "decision" else "gray")
            if content.decided_on:
                show_badge(show_date(content.decided_on.isoformat()), "blue")
        _show_conflict(project, block, caller)
        show_content(content, f"{block.block_id}")
        st.caption(plain(f"{block.author} · {show_time(block.updated_at)}"))
        with st.container(horizontal=True, gap="small"):
            _show_comments(project, block, caller)
            if content.kind == "answer":
                with st.popover("What changed since", icon=":material/difference:"):
                    _show_changes(project, block, caller)
            if project.may_edit:
                with st.popover("Edit", icon=":material/edit:", key=f"edit:{block.block_id}"):
                    _show_editor(project, block, caller)
                _show_moves(project, block, caller)


def show_content(content: BlockContent, key: str) -> None:
    """Draw what a block holds.

    Args:
        content: The block's content.
        key: Tells this block from others of the page.
    """
    lines = [
        SourceLine(source.id, source.title, source.url, source.source_type)
        for source in content.sources
    ]
    links = addresses(lines)
    if content.kind in {"note", "decision"}:
        for text in content.sentences:
            st.text(text)
    elif content.sentences:
        st.markdown("\n".join(f"- {cited(sentence, links)}" for sentence in content.sentences))
    if content.chart is not None:
        spec = dict(content.chart.spec)
        st.vega_lite_chart(spec=spec, alt=content.chart.alt, key=f"block-chart:{key}")
        st.caption(plain(content.chart.caption))
    for number, table in enumerate(content.tables):
        frame = frame_of(table)
        with st.expander(
            f"{plain(table.caption)} ({show_number(len(frame), 'row')})",
            expanded=content.kind == "table" and not number,
        ):
            draw_table(
                frame,
                table.caption,
                csv=file_stem(f"{key}-{number}-{table.caption}"),
                height=HEIGHT if len(frame) > SHORT_ROWS else "auto",
            )
    if content.sources:
        with st.expander(f"Sources ({len(content.sources)})"):
            for source in content.sources:
                mark = cited(f"[{source.id}]", links)
                st.markdown(
                    f"{mark} {plain(' · '.join(filter(None, (source.title, source.date))))}"
                )


def _show_comments(project: Project, block: ProjectBlock, caller: Caller) -> None:
    n_comments = len(block.comments)
    label = show_number(n_comments, "comment") if n_comments else "Comment"
    store, key = current().stores.projects, block.block_id
    with st.popover(label, icon=":material/comment:", key=f"comments:{key}"):
        for comment in block.comments:
            st.caption(plain(f"{comment.author} · {show_time(comment.created_at)}"))
            st.text(comment.text)
            mine = comment.author == caller.name or project.role == "owner"
            if mine and st.button("Delete comment", key=f"uncomment:{comment.comment_id}"):
                act(
                    partial(store.uncomment, caller.user_id, project.project_id, comment.comment_id)
                )
        text = st.text_area("Comment", key=f"comment:{key}", max_chars=4_000, height=80)
        if st.button("Add comment", key=f"add-comment:{key}", disabled=not text.strip()):
            act(partial(_comment, caller, project, block, text))


def _comment(caller: Caller, project: Project, block: ProjectBlock, text: str) -> None:
    current().stores.projects.comment(caller.user_id, project.project_id, block.block_id, text)
    st.session_state.pop(f"comment:{block.block_id}", None)


def _show_moves(project: Project, block: ProjectBlock, caller: Caller) -> None:
    store, key = current().stores.projects, block.block_id
    for label, by, icon in (("Move up", -1, "arrow_upward"), ("Move down", 1, "arrow_downward")):
        if st.button(label, key=f"{label}:{key}", icon=f":material/{icon}:"):
            act(partial(store.move, caller.user_id, project.project_id, key, by))


def _show_editor(project: Project, block: ProjectBlock, caller: Caller) -> None:
    """Draw the fields of a block that a person may write, and its deletion.

    The version that the fields were filled from is kept, so that saving them never overwrites a
    newer version unseen.
    """
    key = str(block.block_id)
    base = _base_of(block)
    content = base.content
    title = st.text_input("Title", content.title, max_chars=LONGEST_TITLE, key=f"title:{key}")
    changes: dict[str, object] = {"title": title.strip() or content.title}
    if content.kind in {"note", "decision"}:
        text = st.text_area(
            "Text", _text_of(content), max_chars=LONGEST_TEXT, height=160, key=f"text:{key}"
        )
        changes["sentences"] = (text,) if text.strip() else ()
    if content.kind == "decision":
        changes["decided_on"] = st.date_input("Date", content.decided_on, key=f"date:{key}")
    if st.button("Save", key=f"save:{key}", type="primary"):
        _save(project, base, base.version, content.model_copy(update=changes), caller)
    if st.button("Delete block", key=f"remove:{key}", icon=":material/delete:"):
        store = current().stores.projects
        act(partial(store.remove, caller.user_id, project.project_id, block.block_id))


def _base_of(block: ProjectBlock) -> ProjectBlock:
    """Return the version that the fields were filled from; fields nobody touched are refilled."""
    key, state = str(block.block_id), st.session_state
    base: ProjectBlock = state.setdefault(f"base:{key}", block)
    filled = {
        "title": base.content.title,
        "text": _text_of(base.content),
        "date": base.content.decided_on,
    }
    is_touched = any(state.get(f"{name}:{key}", was) != was for name, was in filled.items())
    return base if base.version == block.version or is_touched else _forget(block)


def _forget(block: ProjectBlock) -> ProjectBlock:
    """Empty the fields, so that they are filled from this version."""
    for name in ("title", "text", "date", "base"):
        st.session_state.pop(f"{name}:{block.block_id}", None)
    return block


def _text_of(content: BlockContent) -> str:
    return "\n".join(content.sentences)


def _save(
    project: Project, block: ProjectBlock, version: int, content: BlockContent, caller: Caller
) -> None:
    """Save an edit of a version; where somebody else was faster, keep it to show both."""
    store = current().stores.projects
    try:
        store.edit(caller.user_id, project.project_id, block.block_id, content, version)
    except ChangedMeanwhile:
        st.session_state[f"{_CONFLICT}:{block.block_id}"] = content
    except WorkbenchError as error:
        st.error(plain(error.message))
        return
    _forget(block)
    st.rerun()


def _show_conflict(project: Project, block: ProjectBlock, caller: Caller) -> None:
    """Draw the version that was not saved next to the one that somebody else saved.

    The buttons carry the version that is drawn: one that nobody saw is never overwritten.
    """
    key = f"{_CONFLICT}:{block.block_id}"
    mine: BlockContent | None = st.session_state.get(key)
    if mine is None:
        return
    st.warning(
        plain(f"Not saved: {block.author} has saved a newer version, shown below. Yours is here."),
        icon=":material/warning:",
    )
    with st.container(border=True):
        st.markdown(f"**Your version: {plain(mine.title)}**")
        show_content(mine, f"mine:{block.block_id}")
        with st.container(horizontal=True):
            pressed = st.session_state.pop(f"over:{block.block_id}", None)
            st.button(
                "Save mine over it",
                key=f"save-over:{block.block_id}",
                on_click=_note_pressed,
                args=(f"over:{block.block_id}", block.version),
            )
            if pressed is not None:
                st.session_state.pop(key)
                _save(project, block, pressed, mine, caller)
            if st.button("Discard mine", key=f"discard:{block.block_id}"):
                st.session_state.pop(key)
                st.rerun()


def _note_pressed(key: str, version: int) -> None:
    """Keep the version that was on the screen when its button was pressed."""
    st.session_state[key] = version


def _show_changes(project: Project, block: ProjectBlock, caller: Caller) -> None:
    """Draw the button that asks again, then what the new answer says differently."""
    content, key = block.content, f"check:{block.block_id}"
    agent = find_agent(content.agent)
    if agent is None:
        st.info("The agent of this answer no longer exists.")
        return
    if key not in st.session_state:
        st.caption("Asks the same question of today's data and compares the two answers.")
        if st.button("Run again and compare", key=f"run:{key}"):
            act(partial(_start, block, caller, key))
        return
    version, run_uuid = st.session_state[key]
    try:
        run = current().stores.runs.get(caller.user_id, run_uuid)
        newer = freeze_run(run) if run.status == "completed" else None
    except NotFound:
        st.session_state.pop(key)
        st.warning("The new answer was deleted. Run again to compare.")
        return
    if not run.is_final:
        st.info("Running. Refresh in a moment.")
        if st.button("Refresh", key=f"refresh:{key}"):
            st.rerun()
        return
    if newer is None:
        st.error(plain(f"The new run {run.status}: {run.error.message if run.error else ''}"))
        st.session_state.pop(key)
        return
    if version != block.version:
        st.info(plain(f"{block.author} has changed this block since; this compares it as it is."))
    show_difference(compare_contents(content, newer))
    st.caption(f"Compares sentences and the first {MOST_FROZEN_ROWS} rows of each table.")
    if project.may_edit and st.button("Replace the frozen copy", key=f"replace:{key}"):
        st.session_state.pop(key)
        _save(project, block, version, newer.model_copy(update={"title": content.title}), caller)


def _start(block: ProjectBlock, caller: Caller, key: str) -> None:
    content = block.content
    agent = find_agent(content.agent)
    if agent is None:
        return
    request = uncached(agent.request.model_validate(content.request))
    run = start_run(agent, request, caller, current())
    st.session_state[key] = (block.version, run.run_uuid)


def show_difference(difference: ContentDifference) -> None:
    """Draw what a newer answer says differently."""
    if difference.is_empty:
        st.success("No sentence and no row changed.")
        return
    for word, lines in (("New", difference.added), ("Gone", difference.gone)):
        if lines:
            st.markdown(f"**{word}**")
            st.markdown("\n".join(f"- {plain(line)}" for line in lines))
    if difference.changed:
        columns = ["Table", "Row", "Column", "Before", "Now"]
        frame = pd.DataFrame(difference.changed, columns=columns)
        draw_table(frame, "Changed cells", csv="changes")
