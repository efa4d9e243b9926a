"""A table for a request: uploaded and kept by content, or inline text of an example."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import pandas as pd
import streamlit as st

from core.errors import InvalidInput, NotFound, UnreadableTable, WorkbenchError
from core.records.runs import Caller
from core.tables.preview import Preview, look_at
from core.tables.single_cells import CellChoice
from core.tables.workbooks import ANY_SHEET, SheetChoice
from core.workbench import current
from pages.ui.plain import plain, show_count

MEGABYTE = 1024 * 1024
SHOWN_ROWS = 6
SHOWN_COLUMNS = 12
KINDS = ("csv", "tsv", "txt", "gz")
PACKED_KINDS = ("xlsx", "zip", "h5ad", "h5")
"""In addition, where a form can unpack them."""


@dataclass(frozen=True)
class TableInput:
    """A table that the form holds.

    Attributes:
        name: The client's file name, or "inline text".
        file_id: Of an upload.
        text: Of inline text.
        preview: What it looks like.
    """

    name: str
    file_id: str | None
    text: str | None
    preview: Preview


def pick_table(
    label: str,
    key: str,
    caller: Caller,
    *,
    help_text: str,
    takes_archives: bool = False,
    cells: CellChoice | None = None,
    sheet: SheetChoice = ANY_SHEET,
) -> TableInput | None:
    """Draw an upload box with a preview and return the table it holds.

    Args:
        label: What the table is.
        key: Place in the session state; holds `{"file_id": …}` or `{"text": …}` and may be set
            before to fill the form.
        caller: Owner of uploads.
        help_text: What the file must look like.
        takes_archives: Whether workbooks and archives are taken.
        cells: How counts of single cells in them are added up; None takes none.
        sheet: Which sheet of a workbook is read.

    Returns:
        The table, or None while there is none that can be read.
    """
    uploaded = st.file_uploader(
        label,
        type=(*KINDS, *PACKED_KINDS) if takes_archives else KINDS,
        key=f"{key}:box",
        help=help_text,
        max_upload_size=current().settings.upload_limit_mb,
        on_change=_note_removal,
        args=(key,),
    )
    try:
        if uploaded is not None and st.session_state.get(f"{key}:seen") != uploaded.file_id:
            file_id = keep_upload(uploaded.name, uploaded, caller)
            st.session_state[key] = {"file_id": file_id}
            st.session_state[f"{key}:seen"] = uploaded.file_id
        table = _read(st.session_state.get(key), caller, takes_archives, (cells, sheet))
    except WorkbenchError as error:
        st.error(plain(error.message), icon=":material/error:")
        return None
    if table is not None:
        _show(table)
    return table


def read_other_sheet(table: TableInput, caller: Caller, sheet: SheetChoice) -> TableInput | None:
    """Return another sheet of a workbook that the form holds, None where there is none.

    `sheet`: which one.
    """
    if table.file_id is None or not table.preview.sheets[1:]:
        return None
    other = _read({"file_id": table.file_id}, caller, True, (None, sheet))
    if other is None or other.preview.sheets[0] == table.preview.sheets[0]:
        return None
    _show(other)
    return other


def _note_removal(key: str) -> None:
    """Forget the table when its file is taken out of the box (not when the box goes away)."""
    if st.session_state.get(f"{key}:box") is None:
        st.session_state.pop(key, None)
        st.session_state.pop(f"{key}:seen", None)


def keep_upload(name: str, content: BinaryIO, caller: Caller) -> str:
    """Store an upload under its content and return its file id.

    Raises:
        InvalidInput: It is larger than an upload may be.
    """
    stores = current().stores
    settings = current().settings
    compressed = content.read(2) == b"\x1f\x8b"
    content.seek(0)
    megabytes = settings.compressed_limit_mb if compressed else settings.upload_limit_mb
    stores.files.check_room(caller.user_id)
    blob = stores.blobs.put_stream(_chunks(content), limit=megabytes * MEGABYTE)
    if blob.size == 0:
        raise InvalidInput("the file is empty", code="empty_file")
    return stores.files.add(caller.user_id, name, blob).file_id


def _chunks(content: BinaryIO) -> Iterator[bytes]:
    while chunk := content.read(MEGABYTE):
        yield chunk


def _read(
    source: dict[str, str] | None,
    caller: Caller,
    takes_archives: bool,
    choices: tuple[CellChoice | None, SheetChoice],
) -> TableInput | None:
    """Return the table of a source; `choices`: how cells are added up, which sheet is read."""
    if not source:
        return None
    limit = current().settings.expanded_limit_mb * MEGABYTE
    if "text" in source:
        content = source["text"].encode()
        digest = hashlib.sha256(content).hexdigest()
        return TableInput("inline text", None, source["text"], _look(digest, limit, content))
    stores = current().stores
    try:
        file = stores.files.get(caller.user_id, source["file_id"])
    except NotFound:
        raise UnreadableTable("this upload is no longer there; upload the file again") from None
    look = _preview(caller.user_id, file.sha256, limit, takes_archives, choices)
    return TableInput(file.name, file.file_id, None, look)


@st.cache_data(max_entries=16, show_spinner="Reading the table")
def _preview(
    owner_id: int,
    sha256: str,
    limit: int,
    takes_archives: bool,
    choices: tuple[CellChoice | None, SheetChoice],
) -> Preview:
    """Return the look of an upload, kept by owner, content and choices of cells and sheet."""
    path, call = current().stores.blobs.path(sha256), current().executor.call
    cells, sheet = choices
    return look_at(
        path, limit=limit, call=call, takes_archives=takes_archives, cells=cells, sheet=sheet
    )


@st.cache_data(max_entries=8, show_spinner=False)
def _look(sha256: str, limit: int, _content: bytes) -> Preview:
    """Return the look of inline text, kept by content."""
    return look_at(_content, limit=limit, call=current().executor.call)


def _show(table: TableInput) -> None:
    """Draw name, size, separator and missing cells, and fold the first rows below."""
    look = table.preview
    scope = "" if look.whole else f" in the first {show_count(len(look.rows))} rows"
    missing = show_count(look.n_missing) if look.n_missing else "no"
    st.caption(
        f"**{plain(table.name)}** · {show_count(look.n_rows)} rows × "
        f"{show_count(len(look.columns))} columns · {look.separator}-separated · "
        f"{missing} missing cells{scope}"
    )
    for note in look.notes:
        sentence = note.partition(": ")[2]
        st.caption(plain(sentence[:1].upper() + sentence[1:]))
    with st.expander("First rows", icon=":material/table_rows:"):
        names = _unique(look.columns[:SHOWN_COLUMNS])
        rows = [list(row[: len(names)]) for row in look.rows[:SHOWN_ROWS]]
        padded = [row + [""] * (len(names) - len(row)) for row in rows]
        frame = pd.DataFrame(padded, columns=names)
        st.dataframe(frame, hide_index=True, alt=f"First rows of {table.name}")
        left = len(look.columns) - len(names)
        if left > 0:
            st.caption(f"{show_count(left)} further columns are not shown here.")


def _unique(names: tuple[str, ...]) -> list[str]:
    """Return column names, numbered where one repeats."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique
