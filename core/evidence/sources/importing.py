"""Brings files into the evidence pack: every file or none, with a report of damaged rows."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.errors import InvalidInput, UnreadableTable
from core.evidence.sources.files import IMPORTERS
from core.evidence.sources.files.forms.importers import Importer, date_in_name
from core.evidence_ports import Evidence, EvidenceWriter
from core.records.evidence import Damage, Parsed
from core.records.evidence_pack import ImportedFile, PackInfo
from core.tables.rows import SourceFile, read_head

MOST_DAMAGES = 1_000
"""Damaged rows of one file that are kept singly; all are counted."""
Progress = Callable[[str, int, int], None]
ROWS_TOLD = 1_000
Rows = Callable[[int], None]
CHECKING = "ordering and checking the pack"


@dataclass(frozen=True)
class Found:
    """A file and what reads it; None where nothing does."""

    path: Path
    importer: Importer | None


def find_importer(name: str) -> Importer:
    """Return an importer by its word. Raises InvalidInput."""
    for importer in IMPORTERS:
        if importer.name == name:
            return importer
    names = ", ".join(importer.name for importer in IMPORTERS)
    raise InvalidInput(f"there is no kind of file {name!r}; known: {names}")


def recognize(path: Path) -> Importer | None:
    """Return what reads a file, judged by its beginning."""
    head = read_head(path)
    return next((importer for importer in IMPORTERS if importer.recognizes(path, head)), None)


def find_files(paths: Sequence[Path], kind: str | None = None) -> list[Found]:
    """Return the files among paths, in a folder those that are recognized.

    Args:
        paths: Files and folders.
        kind: Read all with this importer instead of judging.

    Raises:
        InvalidInput: A path does not exist, or the kind is not known.
    """
    chosen = find_importer(kind) if kind else None
    files: list[Found] = []
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"there is no file or folder {path.name}")
        importer = chosen or recognize(path)
        if importer is None and path.is_dir():
            files += _walk(path)
        else:
            files.append(Found(path, importer))
    return files


def _walk(folder: Path) -> Iterator[Found]:
    """Yield the files below a folder; one that is a source as a whole stays whole."""
    for path in sorted(folder.iterdir()):
        importer = recognize(path) if not path.name.startswith(".") else None
        if importer is None and path.is_dir():
            yield from _walk(path)
        else:
            yield Found(path, importer)


def is_pack(path: Path) -> bool:
    """Return whether a file is a carried pack."""
    if not path.is_file():
        return False
    with path.open("rb") as content:
        return content.read(16) == b"SQLite format 3\x00"


def import_files(
    evidence: Evidence,
    files: Sequence[Found],
    *,
    now: datetime,
    as_of: str = "",
    progress: Progress = lambda _name, _done, _total: None,
    rows: Rows = lambda _count: None,
) -> list[ImportedFile]:
    """Read files into the next generation of the pack.

    Args:
        evidence: The pack.
        files: Files with their importers; those without are left out.
        now: Instant of the import.
        as_of: Date of the state that the files show; else the date in each file's name.
        progress: `progress(name, done, total)` before each file, and once before the check.
        rows: `rows(count)` with the records that the present file has given so far.

    Returns:
        What each file came to.

    Raises:
        InvalidInput: No file can be read.
        EvidenceDamaged: The result failed its check; the old pack stays.
    """
    readable = [(file.path, file.importer) for file in files if file.importer]
    if not readable:
        names = ", ".join(file.path.name for file in files) or "nothing"
        raise InvalidInput(f"no file of a known kind: {names}")
    imported: list[ImportedFile] = []
    with evidence.next_generation() as writer:
        for done, (path, importer) in enumerate(readable):
            progress(path.name, done, len(readable))
            day = now.date().isoformat()
            source = _Reading(path, as_of or date_in_name(path), day)
            records = source.write(writer, importer, rows)
            imported.append(_finish(writer, source, importer, now, records))
        progress(CHECKING, len(readable), len(readable))
    return imported


class _Reading:
    """One file on its way into the pack, with what was damaged in it."""

    def __init__(self, path: Path, as_of: str, day: str) -> None:
        self.path = path
        self.damages: list[Damage] = []
        self.damaged = 0
        self._source = SourceFile(path, as_of, day, self._report)

    def write(self, writer: EvidenceWriter, importer: Importer, rows: Rows) -> int:
        """Write the records of the file and return how many came."""
        try:
            return writer.add(_counted(importer.read(self._source), rows))
        except UnreadableTable as failure:
            self._report(1, failure.message)
            return 0

    def _report(self, line: int, reason: str) -> None:
        self.damaged += 1
        if self.damaged <= MOST_DAMAGES:
            self.damages.append(Damage(self.path.name, line, reason))


def _counted(parsed: Iterator[Parsed], rows: Rows) -> Iterator[Parsed]:
    for count, row in enumerate(parsed, start=1):
        if count % ROWS_TOLD == 0:
            rows(count)
        yield row


def _finish(
    writer: EvidenceWriter, reading: _Reading, importer: Importer, now: datetime, records: int
) -> ImportedFile:
    for damage in reading.damages:
        writer.report(damage)
    imported = ImportedFile(
        reading.path.name,
        importer.mark,
        _sum(reading.path),
        now.isoformat(timespec="seconds"),
        records,
        reading.damaged,
    )
    writer.finish_file(imported)
    return imported


def outdated_files(info: PackInfo) -> list[str]:
    """Return the files of a pack whose kind is read by newer rules; import them again."""
    newest = {file.name: file for file in info.files}
    marks = {importer.name: importer.mark for importer in IMPORTERS}
    return [name for name, file in newest.items() if marks.get(file.format, file.kind) != file.kind]


def _sum(path: Path) -> str:
    """Return the sha256 of a file, or of the files of a folder in order."""
    parts = [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file())
        parts = [file for file in files if file.suffix == ".txt"] or files
    mark = hashlib.sha256()
    for part_path in parts:
        with part_path.open("rb") as content:
            while block := content.read(1 << 20):
                mark.update(block)
    return mark.hexdigest()
