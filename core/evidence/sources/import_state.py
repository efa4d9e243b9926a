"""How far an import through a page has come: one small file in the instance folder.

The process that imports writes it and any page reads it, so that a reload, another browser and
another administrator see the same. The file is exchanged whole.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

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


def read_state(home: Path, worker: str) -> ImportState:
    """Return the last import; one that ran in another process than the present app is over.

    Args:
        home: Instance folder.
        worker: The process that answers for imports now.
    """
    try:
        state = ImportState.model_validate_json(_state_file(home).read_bytes())
    except (OSError, ValidationError):
        return ImportState()
    if state.status == "running" and state.worker != worker:
        return state.model_copy(update={"status": "interrupted"})
    return state


def write_state(home: Path, state: ImportState) -> None:
    """Exchange the state."""
    _exchange(_state_file(home), state)


def read_coverage(home: Path) -> Coverage:
    """Return the counts of areas as last made."""
    try:
        return Coverage.model_validate_json(_coverage_file(home).read_bytes())
    except (OSError, ValidationError):
        return Coverage()


def write_coverage(home: Path, coverage: Coverage) -> None:
    """Exchange the counts of areas."""
    _exchange(_coverage_file(home), coverage)


def _state_file(home: Path) -> Path:
    return imports_folder(home) / "state.json"


def _coverage_file(home: Path) -> Path:
    return imports_folder(home) / "coverage.json"


def _exchange(path: Path, state: BaseModel) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_suffix(".next")
    draft.write_text(state.model_dump_json(), encoding="utf-8")
    draft.replace(path)
