"""Copies of imported files, so that a later release can read them again by its own rules.

Each lies in `evidence/kept/<sha256>/<day or "undated">/<name>` of the instance folder.
"""

import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from core.evidence.sources.importing import (
    Found,
    Progress,
    find_importer,
    import_files,
    outdated_files,
)
from core.evidence_ports import Evidence
from core.records.evidence_pack import ImportedFile, PackInfo

_UNDATED = "undated"


def keep_files(
    home: Path, files: Sequence[Found], imported: Sequence[ImportedFile], as_of: str = ""
) -> None:
    """Copy files that were imported into the instance folder.

    Args:
        home: Instance folder.
        files: Files as they were found, with their importers.
        imported: What each of them came to, in the same order.
        as_of: Date of the state that the files show, where the user gave one.
    """
    paths = [file.path for file in files if file.importer]
    for path, file in zip(paths, imported, strict=True):
        folder = _folder(home) / file.sha256 / (as_of or _UNDATED)
        target = folder / path.name
        if target.exists():
            continue
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = folder / f".{path.name}"
        if path.is_dir():
            shutil.copytree(path, draft, dirs_exist_ok=True)
        else:
            shutil.copyfile(path, draft)
        draft.rename(target)


def find_kept(home: Path, held: PackInfo) -> list[tuple[Path, str, str]]:
    """Return the kept copies that an older release read: path, day and word of the importer."""
    newest = {file.name: file for file in held.files}
    found = []
    for name in outdated_files(held):
        file = newest[name]
        for path in sorted((_folder(home) / file.sha256).glob(f"*/{name}")):
            day = path.parent.name
            found.append((path, "" if day == _UNDATED else day, file.format))
    return found


def reread_files(
    home: Path,
    evidence: Evidence,
    now: datetime,
    progress: Progress = lambda _name, _done, _total: None,
) -> int:
    """Read kept files again that an older release read; return how many were read.

    Args:
        home: Instance folder.
        evidence: The pack.
        now: Instant of the import.
        progress: `progress(name, done, total)` before each file.
    """
    files = find_kept(home, evidence.info())
    for day in sorted({day for _, day, _ in files}):
        due = [Found(path, find_importer(form)) for path, said, form in files if said == day]
        import_files(evidence, due, now=now, as_of=day, progress=progress)
    return len(files)


def _folder(home: Path) -> Path:
    return home / "evidence" / "kept"
