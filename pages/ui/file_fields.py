"""Fields of a form that take uploaded files by their ids."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import streamlit as st

from core.agent import Agent
from core.errors import WorkbenchError
from core.records.runs import Caller
from core.workbench import current
from pages.ui.form import state_key
from pages.ui.plain import plain
from pages.ui.upload import keep_upload


class FileField(NamedTuple):
    """What a field takes.

    Attributes:
        label: Over the box.
        kinds: Endings of names.
        is_many: Whether it takes several files.
    """

    label: str
    kinds: tuple[str, ...]
    is_many: bool


def fill_files(agent: Agent, values: Mapping[str, object], names: Iterable[str]) -> None:
    """Keep the files of an earlier request for its form.

    Args:
        agent: Whose form.
        values: Fields of the request.
        names: Those that take files.
    """
    for name in names:
        given = values.get(name)
        ids = given if isinstance(given, list) else [given] if given else []
        st.session_state[state_key(agent, f"{name}:kept")] = dict.fromkeys(ids, "an earlier upload")


def pick_files(agent: Agent, name: str, field: FileField, caller: Caller) -> list[str]:
    """Draw an upload box and return the ids of what it holds.

    Args:
        agent: Whose form.
        name: Of the request's field.
        field: What it takes.
        caller: Owner of the uploads.
    """
    label, kinds, is_many = field
    key = state_key(agent, f"{name}:kept")
    given = st.file_uploader(
        label,
        type=list(kinds),
        key=f"{key}:box",
        accept_multiple_files=is_many,
        max_upload_size=current().settings.upload_limit_mb,
    )
    files = (given if isinstance(given, list) else [given]) if given else []
    kept_files: dict[str, str] = dict(st.session_state.get(key, {}))
    seen: dict[str, str] = dict(st.session_state.get(f"{key}:seen", {}))
    for file in files:
        if file.file_id not in seen:
            try:
                seen[file.file_id] = keep_upload(file.name, file, caller)
            except WorkbenchError as error:
                st.error(plain(error.message), icon=":material/error:")
                continue
        kept_files[seen[file.file_id]] = file.name
    shown = {file.file_id for file in files}
    for box_id in [file_id for file_id in seen if file_id not in shown]:
        kept_files.pop(seen.pop(box_id), None)
    st.session_state[key], st.session_state[f"{key}:seen"] = kept_files, seen
    for file_id, title in kept_files.items():
        if title == "an earlier upload":
            st.caption(f"kept from the earlier request: {plain(file_id[:12])}…")
    return list(kept_files)[: None if is_many else 1]
