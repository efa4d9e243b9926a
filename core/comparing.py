"""Two runs of an agent side by side: what came, what went, what changed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from core.agent import Compared
from core.errors import InvalidInput
from core.records.runs import RunRecord
from core.registry import agent_of
from core.results import read_table
from core.workbench import Workbench

if TYPE_CHECKING:
    import pandas as pd


class Change(BaseModel):
    """A cell that two runs tell differently."""

    model_config = ConfigDict(frozen=True)

    line: str
    column: str
    before: str
    after: str


class Difference(BaseModel):
    """What an earlier and a later run tell differently."""

    model_config = ConfigDict(frozen=True)

    added: tuple[str, ...] = Field(description="Lines of the later run alone.")
    gone: tuple[str, ...] = Field(description="Lines of the earlier run alone.")
    changed: tuple[Change, ...] = Field(description="Cells of lines of both that differ.")
    n_equal: int = Field(description="Lines of both in which no cell that counts differs.")


def compare_runs(before: RunRecord, after: RunRecord, workbench: Workbench) -> Difference:
    """Return what two runs tell differently.

    Args:
        before: The earlier run.
        after: The later run.
        workbench: Where their tables lie.

    Raises:
        InvalidInput: `not_comparable`; they are of two agents, or of one whose runs have no lines.
        NotFound: One of them has no result.
    """
    how = agent_of(before.agent).compared
    if how is None or before.agent != after.agent:
        raise InvalidInput(
            "two completed runs of one agent with a table of lines can be compared; choose such",
            code="not_comparable",
        )
    return compare_tables(
        read_table(before, how.table, workbench), read_table(after, how.table, workbench), how
    )


def compare_tables(before: "pd.DataFrame", after: "pd.DataFrame", how: Compared) -> Difference:
    """Return what two tables tell differently.

    Args:
        before: Lines of the earlier run.
        after: Lines of the later run.
        how: What names a line, and which columns count; one that a table lacks does not.
    """
    columns = [column for column in how.columns if column in before and column in after]
    old, new = (_lines(table, how.key, columns) for table in (before, after))
    changed = tuple(_changes(old, new))
    touched = {change.line for change in changed}
    return Difference(
        added=tuple(name for name in new if name not in old),
        gone=tuple(name for name in old if name not in new),
        changed=changed,
        n_equal=sum(name in old and name not in touched for name in new),
    )


def _lines(table: "pd.DataFrame", key: str, columns: list[str]) -> dict[str, dict[str, str]]:
    """Return the cells of each line as text; of two lines of one name the first counts."""
    shown = table[[key, *columns]].astype(object).where(table[[key, *columns]].notna(), "")
    lines: dict[str, dict[str, str]] = {}
    for name, *cells in shown.itertuples(index=False):
        lines.setdefault(str(name), dict(zip(columns, map(str, cells), strict=True)))
    return lines


def _changes(old: dict[str, dict[str, str]], new: dict[str, dict[str, str]]) -> Iterator[Change]:
    for name, cells in new.items():
        for column, text in cells.items():
            if name in old and old[name][column] != text:
                before = old[name][column]
                yield Change(line=name, column=column, before=before, after=text)
