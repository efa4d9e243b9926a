"""Reading stored results: the view, tables in pages, the answer's body."""

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from core.errors import InvalidInput, NotFound
from core.records.runs import Artifact, ArtifactKind, RunRecord
from core.records.wire import AgentData
from core.registry import agent_of
from core.workbench import Workbench

if TYPE_CHECKING:
    import pandas as pd

_CHUNK = 1 << 20


def find_part(run: RunRecord, kind: ArtifactKind, name: str) -> Artifact:
    """Return a stored part of a run.

    Raises:
        NotFound: The run has no such part.
    """
    artifact = run.artifact(kind, name)
    if artifact is None:
        raise NotFound(f"the run has no {kind} of this name")
    return artifact


def load_view(run: RunRecord, workbench: Workbench) -> AgentData:
    """Return the result with empty tables, which are read apart."""
    agent = agent_of(run.agent)
    with workbench.stores.blobs.open(find_part(run, "view", "view").sha256) as body:
        view = agent.data.model_validate_json(body.read())
    return view.model_copy(update={"cached": run.cached})


def read_table(run: RunRecord, name: str, workbench: Workbench) -> "pd.DataFrame":
    """Return a table whole.

    Raises:
        NotFound: The run has no such table.
    """
    import pandas as pd

    return pd.read_parquet(workbench.stores.blobs.path(find_part(run, "table", name).sha256))


@dataclass(frozen=True)
class Selection:
    """Which rows of a table are wanted.

    Attributes:
        offset: Rows to leave out at the start.
        limit: Rows to return at most; None returns all.
        sort: Column name; a minus before it sorts downward.
        filters: `column<op>value` with op one of =, !=, <=, >=, <, >, ~ (contains, any case).
    """

    offset: int = 0
    limit: int | None = None
    sort: str | None = None
    filters: Sequence[str] = ()


def select_rows(frame: "pd.DataFrame", selection: Selection) -> tuple["pd.DataFrame", int]:
    """Return the wanted rows and how many rows pass the filters.

    Raises:
        InvalidInput: A column that the table does not have, or a filter that cannot be read.
    """
    for text in selection.filters:
        frame = frame[_mask(frame, text)]
    total = len(frame)
    if selection.sort:
        column = _column(frame, selection.sort.removeprefix("-"), "sort")
        downward = selection.sort.startswith("-")
        frame = frame.sort_values(column, ascending=not downward, kind="stable", na_position="last")
    end = None if selection.limit is None else selection.offset + selection.limit
    return frame.iloc[selection.offset : end], total


def _column(frame: "pd.DataFrame", name: str, field: str) -> str:
    if name not in frame.columns:
        columns = ", ".join(map(str, frame.columns))
        raise InvalidInput(
            f"the table has no column {name[:64]!r}; it has: {columns}",
            field=field,
            code="missing_column",
        )
    return name


def _mask(frame: "pd.DataFrame", text: str) -> "pd.Series[bool]":
    import pandas as pd

    for operator in ("!=", "<=", ">=", "=", "<", ">", "~"):
        name, separator, value = text.partition(operator)
        if separator:
            break
    else:
        raise InvalidInput(
            "a filter is written column=value, with =, !=, <, <=, >, >= or ~ (contains)",
            field="filter",
            code="invalid_filter",
        )
    series = frame[_column(frame, name, "filter")]
    if operator == "~":
        return series.astype(str).str.contains(value, case=False, regex=False)
    if pd.api.types.is_bool_dtype(series) or not pd.api.types.is_numeric_dtype(series):
        series, expected = series.astype(str).str.lower(), value.lower()
        return _compare(series, operator, expected)
    try:
        return _compare(series, operator, float(value))
    except ValueError:
        raise InvalidInput(
            f"column {name} holds numbers; {value[:64]!r} is none",
            field="filter",
            code="invalid_filter",
        ) from None


def _compare(series: "pd.Series[Any]", operator: str, value: object) -> "pd.Series[bool]":
    method = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[operator]
    mask: pd.Series[bool] = getattr(series, method)(value)
    return mask


def rows_as_json(frame: "pd.DataFrame") -> list[dict[str, object]]:
    """Return rows as plain objects, with None for every missing value."""
    plain = frame.astype(object)
    return plain.where(plain.notna(), None).to_dict(orient="records")  # type: ignore[return-value]


def table_as_bytes(frame: "pd.DataFrame", form: Literal["csv", "parquet"]) -> bytes:
    """Return a table as a file; text cells of CSV are made safe for spreadsheets."""
    if form == "csv":
        from core.reports.spreadsheet import safe_csv

        return safe_csv(frame)
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def answer_body(run: RunRecord, elapsed_s: float, workbench: Workbench) -> Iterator[bytes]:
    """Return the 200 body of an agent operation; the stored data is passed through unread.

    Raises:
        NotFound: The run has no stored answer; nothing has been yielded then.
    """
    content = workbench.stores.blobs.open(find_part(run, "data", "data").sha256)
    return _answer_parts(run, elapsed_s, content)


def _answer_parts(run: RunRecord, elapsed_s: float, content: BinaryIO) -> Iterator[bytes]:
    head, tail = answer_ends(run, elapsed_s)
    yield head
    with content as body:
        body.read(1)
        while chunk := body.read(_CHUNK):
            yield chunk
    yield tail


def answer_ends(run: RunRecord, elapsed_s: float) -> tuple[bytes, bytes]:
    """Return what stands before and after the stored data, of which the first sign is left out."""
    head = json.dumps({"ok": True, "agent": run.agent}, separators=(",", ":"))[:-1]
    tail = {"elapsed_s": round(elapsed_s, 3), "run_id": run.run_uuid}
    return (
        f'{head},"data":{open_data(run)}'.encode(),
        b"," + json.dumps(tail, separators=(",", ":"))[1:].encode(),
    )


def open_data(run: RunRecord) -> str:
    """Return the beginning of the data of a run, whose stored form says nothing of `cached`."""
    return '{"cached":true,' if run.cached else '{"cached":false,'


def report_name(run: RunRecord, fmt: str) -> str:
    """Return the file name of a report: agent, query, date, run."""
    title = run.title.lower()
    words = "".join(char if char.isascii() and char.isalnum() else "-" for char in title)
    query = "-".join(word for word in words.split("-") if word)[:40].strip("-")
    day = (run.finished_at or run.created_at).date().isoformat()
    return f"{run.agent}_{query}_{day}_{run.run_uuid[:8]}.{fmt}"
