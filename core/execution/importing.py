"""Imports of evidence through a page: in a child, so that the app goes on answering.

The child writes how far it is into `import_state`; a thread of the app only waits for it. When
the child dies or the app ends, the old pack is as it was.
"""

import re
import secrets
import shutil
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import structlog

from core.errors import InvalidInput, StorageUnavailable, WorkbenchError
from core.evidence.preparing import derive_names_and_events
from core.evidence.sources.import_state import (
    FileResult,
    ImportState,
    imports_folder,
    read_state,
    write_state,
)
from core.evidence.sources.importing import find_files, import_files, is_pack
from core.evidence.sources.kept_files import keep_files, reread_files, set_aside
from core.execution.child import OPENER, open_child_stores
from core.ports import States, Stores
from core.records.evidence_pack import ImportedFile
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import Workbench

ALLOWANCE_S = 3_600.0
_TOLD_EVERY_S = 0.5
_PART = 1 << 20
_starting, _exporting = threading.Lock(), threading.Lock()


@dataclass(frozen=True)
class ImportJob:
    """What the child needs.

    Attributes:
        settings: Settings of the instance.
        folder: Where the files lie.
        state: How it begins.
        by: Administrator's name, for the audit log.
    """

    settings: Settings
    folder: Path
    state: ImportState
    by: str


def start_import(
    workbench: Workbench, caller: Caller, files: Sequence[tuple[str, BinaryIO]]
) -> None:
    """Begin to import uploaded files and return at once.

    Args:
        workbench: Of this process.
        caller: An administrator.
        files: Names as the browser gave them, and contents.

    Raises:
        InvalidInput: The caller is no administrator, there is no file, or an import runs.
    """
    if not caller.is_admin:
        raise InvalidInput("only administrators import evidence")
    if not files:
        raise InvalidInput("choose at least one file")
    settings, worker = workbench.settings, workbench.executor.worker
    with _starting:
        if read_state(workbench.stores, worker).status == "running":
            raise InvalidInput("an import is running; wait until it has ended")
        shutil.rmtree(imports_folder(settings.home), ignore_errors=True)  # of one that was killed
        folder = imports_folder(settings.home) / secrets.token_hex(8)
        for number, (name, content) in enumerate(files, start=1):
            _keep(folder / str(number) / safe_name(name), content)
        state = ImportState(
            status="running",
            worker=worker,
            by=caller.name,
            started_at=_now(),
            step="recognizing the files",
            total=len(files),
        )
        write_state(workbench.stores.states, state)
    job = ImportJob(settings, folder, state, caller.name)
    threading.Thread(target=_wait_for, args=(workbench, job), daemon=True, name="import").start()


def safe_name(name: str) -> str:
    """Return a file's name in letters, digits, dot, hyphen and underscore; its ending stays.

    >>> safe_name("../../etc/Purple Book 2026_03.csv")
    'Purple-Book-2026_03.csv'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return re.sub(r"[^A-Za-z0-9._-]+", "-", last).lstrip(".-")[-120:] or "file"


def _keep(path: Path, content: BinaryIO) -> None:
    path.parent.mkdir(mode=0o700, parents=True)
    with path.open("xb") as target:
        shutil.copyfileobj(content, target, _PART)


def _wait_for(workbench: Workbench, job: ImportJob) -> None:
    """Wait for the child and note a failure that it could not note itself, whatever it is."""
    reason = ""
    try:
        workbench.executor.call(run_import, job, timeout_s=ALLOWANCE_S)
    except WorkbenchError as failure:
        reason = failure.message
    except Exception as failure:  # noqa: BLE001 - an import that nobody ends blocks all others
        structlog.get_logger("import").error("import failed", exc_info=failure)
        reason = "the import failed unexpectedly; the log of the instance names the cause"
    shutil.rmtree(job.folder, ignore_errors=True)  # gives back room for the line below
    state = read_state(workbench.stores, job.state.worker)
    if reason or state.status == "running":
        ended = _failed(state, reason or "the import ended without a word")
        write_state(workbench.stores.states, ended)


def run_import(job: ImportJob) -> None:
    """Import the files of a job; runs in a child."""
    stores = open_child_stores(OPENER, job.settings)
    try:
        import_job(job, stores)
    finally:
        stores.engine.close()


def import_job(job: ImportJob, stores: Stores) -> None:
    """Import the files of a job and leave its final state."""
    progress = _Telling(job, stores.states)
    try:
        with stores.sharing.writing():
            files = sorted(job.folder.glob("*/*"), key=lambda path: int(path.parent.name))
            is_carried = len(files) == 1 and is_pack(files[0])
            imported, left_out = (
                (_adopt(job, stores, progress, files[0]), [])
                if is_carried
                else _import(job, stores, progress, files)
            )
            derive_names_and_events(stores)
        progress.finish(imported, left_out)
    except WorkbenchError as failure:
        progress.fail(failure.message)


def _import(
    job: ImportJob, stores: Stores, progress: "_Telling", files: Sequence[Path]
) -> tuple[list[ImportedFile], list[str]]:
    """Import files; return what each came to, and the names of those of no known kind."""
    importable = find_files(files)
    imported = import_files(
        stores.evidence,
        importable,
        now=datetime.now(UTC),
        progress=progress.step,
        rows=progress.rows,
    )
    progress.step("learning names", len(imported), len(imported))
    keep_files(job.settings.home, importable, imported)
    stores.audit.add(job.by, "evidence import", f"{len(imported)} files")
    return list(imported), [file.path.name for file in importable if file.importer is None]


def _adopt(job: ImportJob, stores: Stores, progress: "_Telling", pack: Path) -> list[ImportedFile]:
    """Put a carried pack into the place of the present one."""
    progress.step("reading the carried pack", 0, 1)
    adopt = stores.evidence.adopt(pack)
    set_aside(job.settings.home)
    stores.audit.add(job.by, "evidence import", pack.name)
    return [ImportedFile(pack.name, "carried pack", "", "", adopt.records, 0)]


class _Telling:
    """Writes the state of an import, at most twice a second while rows come."""

    def __init__(self, job: ImportJob, states: States) -> None:
        self._states = states
        self._state = job.state
        self._last = 0.0

    def step(self, name: str, done: int, total: int) -> None:
        """Note that a file or a closing step begins."""
        with suppress(StorageUnavailable):  # the work does not wait for it
            self._write(step=name, done=done, total=total, rows=0)

    def rows(self, count: int) -> None:
        """Note how many records the present file has given."""
        if time.monotonic() - self._last >= _TOLD_EVERY_S:
            with suppress(StorageUnavailable):
                self._write(rows=count)

    def finish(self, imported: Sequence[ImportedFile], left_out: Sequence[str]) -> None:
        """Note the end."""
        files = [FileResult(**_told(file)) for file in imported]
        self._write(
            status="done", step="", finished_at=_now(), files=files, left_out=list(left_out)
        )

    def fail(self, reason: str) -> None:
        """Note that nothing was imported, and why."""
        self._state = _failed(self._state, reason)
        self._write()

    def _write(self, **changes: object) -> None:
        self._last = time.monotonic()
        self._state = self._state.model_copy(update=changes)
        write_state(self._states, self._state)


def _told(file: ImportedFile) -> dict[str, str | int]:
    return {name: getattr(file, name) for name in FileResult.model_fields}


def _failed(state: ImportState, reason: str) -> ImportState:
    return state.model_copy(update={"status": "failed", "finished_at": _now(), "error": reason})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def reread_kept_files(settings: Settings) -> int:
    """Read files again that an older release imported; runs in a child. Returns how many."""
    stores = open_child_stores(OPENER, settings)
    try:
        with stores.sharing.writing():
            count = reread_files(settings.home, stores.evidence, datetime.now(UTC))
            derive_names_and_events(stores)
        return count
    finally:
        stores.engine.close()


def export_pack(workbench: Workbench, caller: Caller) -> tuple[Path, str]:
    """Write the pack into one file of the instance folder; return it and its sha256.

    Args:
        workbench: Of this process.
        caller: An administrator.

    Raises:
        InvalidInput: The caller is no administrator, there is no pack, or an export is under way.
    """
    if not caller.is_admin:
        raise InvalidInput("only administrators export evidence")
    if not _exporting.acquire(blocking=False):
        raise InvalidInput("an export is being written; wait until it has ended")
    try:
        return _export(workbench, caller)
    finally:
        _exporting.release()


def _export(workbench: Workbench, caller: Caller) -> tuple[Path, str]:
    settings = workbench.settings
    generation = workbench.stores.evidence.info().generation
    folder = settings.home / "evidence" / "carried"
    shutil.rmtree(folder, ignore_errors=True)
    target = folder / f"evidence-{generation}.db"
    mark = workbench.executor.call(run_export, settings, target, timeout_s=ALLOWANCE_S)
    workbench.stores.audit.add(caller.name, "evidence export", target.name)
    return target, str(mark)


def run_export(settings: Settings, target: Path) -> str:
    """Write the pack into one file; runs in a child."""
    target.parent.mkdir(mode=0o700, parents=True)
    stores = open_child_stores(OPENER, settings)
    try:
        return stores.evidence.export(target)
    finally:
        stores.engine.close()
