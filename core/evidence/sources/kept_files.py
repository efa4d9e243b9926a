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
    recognize,
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


def find_kept(home: Path, info: PackInfo) -> list[tuple[Path, str, str]]:
    """Return the kept copies to read: path, day and word of the importer.

    An older release read them, or the pack that held them was lost and has been made anew.
    """
    newest = {file.name: file for file in info.files}
    outdated = {(newest[name].sha256, name) for name in outdated_files(info)}
    due = []
    for path in sorted(_folder(home).glob("*/*/[!.]*")):
        sha256, day = path.parts[-3], path.parent.name
        if path.name in newest and (sha256, path.name) not in outdated:
            continue
        importer = recognize(path)
        form = newest[path.name].format if path.name in newest else importer and importer.name
        if form:
            due.append((path, "" if day == _UNDATED else day, form))
    return due


def set_aside(home: Path) -> None:
    """Put the kept copies aside where a carried pack has taken the place of all imports."""
    aside = _folder(home).with_name("kept.replaced")
    if _folder(home).exists():
        shutil.rmtree(aside, ignore_errors=True)
        _folder(home).rename(aside)


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
        due = [
            Found(path, find_importer(form)) for path, day_read, form in files if day_read == day
        ]
        import_files(evidence, due, now=now, as_of=day, progress=progress)
    return len(files)


def _folder(home: Path) -> Path:
    return home / "evidence" / "kept"
