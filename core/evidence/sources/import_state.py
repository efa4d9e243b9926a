"""How far an import through a page has come: a state that all processes of the instance see.

The process that imports writes it and any page reads it, so that a reload, another browser, another
administrator and another host see the same.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from core.ports import States, Stores

M = TypeVar("M", bound=BaseModel)
_IMPORT, _COVERAGE = "import", "coverage"
Status = Literal["none", "running", "done", "failed", "interrupted"]


class FileResult(BaseModel):
    """What one file came to."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: str
    records: int
    damaged: int


class AreaRow(BaseModel):
    """Counts of one area of disease."""

    model_config = ConfigDict(frozen=True)

    area: str
    trials: int
    labels: int
    drugs: int


class ImportState(BaseModel):
    """The last import through a page.

    Attributes:
        status: "interrupted" is told of a running one whose process is gone.
        worker: Process that answers for it.
        by: Name of the administrator.
        started_at: ISO instant; "" before the first import.
        finished_at: ISO instant; "" while it runs.
        step: What is done now.
        done: Files that are read.
        total: Files to read.
        rows: Records of the present file so far.
        files: What each file came to.
        left_out: Names of files of no known kind.
        error: Why it failed.
    """

    model_config = ConfigDict(frozen=True)

    status: Status = "none"
    worker: str = ""
    by: str = ""
    started_at: str = ""
    finished_at: str = ""
    step: str = ""
    done: int = 0
    total: int = 0
    rows: int = 0
    files: Sequence[FileResult] = ()
    left_out: Sequence[str] = ()
    error: str = ""


class Coverage(BaseModel):
    """Counts of areas and the evidence they were made of."""

    model_config = ConfigDict(frozen=True)

    version: str = ""
    rows: Sequence[AreaRow] = ()


def imports_folder(home: Path) -> Path:
    """Return the folder of imports through pages."""
    return home / "evidence" / "imports"


def read_state(stores: Stores, worker: str) -> ImportState:
    """Return the last import; one whose process is gone is over.

    Args:
        stores: Of this process.
        worker: The process that answers for imports of this host now.
    """
    state = _read(stores.states, _IMPORT, ImportState)
    is_elsewhere = state.status == "running" and state.worker != worker
    if is_elsewhere and not stores.sharing.is_writing():
        return state.model_copy(update={"status": "interrupted"})
    return state


def write_state(states: States, state: ImportState) -> None:
    """Replace the state."""
    states.write(_IMPORT, state.model_dump_json())


def read_coverage(states: States) -> Coverage:
    """Return the counts of areas as last made."""
    return _read(states, _COVERAGE, Coverage)


def write_coverage(states: States, coverage: Coverage) -> None:
    """Replace the counts of areas."""
    states.write(_COVERAGE, coverage.model_dump_json())


def _read(states: States, name: str, model: type[M]) -> M:
    try:
        return model.model_validate_json(states.read(name))
    except ValidationError:
        return model()
