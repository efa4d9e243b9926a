"""Patents of the starter pack: weekly files of US chemistry, read like those that a user imports.

They have a mark of their own, so that a change of the tables reads no patent anew.
"""

import hashlib
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from core.code_digest import READING, code_digest
from core.evidence.sources.files.forms.importers import date_in_name
from core.evidence.sources.files.uspto_chem import read_weekly
from core.evidence_ports import Evidence, EvidenceReader
from core.records.evidence import Parsed
from core.records.evidence_pack import ImportedFile
from core.tables.rows import SourceFile
from core.vocabulary.sources import PATENT_KINDS

FOLDER = Path(__file__).parents[2] / "pack" / "patents"
NAME = "*_I2*.json.gz"


@lru_cache(maxsize=1)
def patent_files() -> tuple[tuple[Path, str], ...]:
    """Return the weekly files with the mark of each, by name."""
    places = sorted(FOLDER.glob(NAME))
    return tuple((path, hashlib.sha256(path.read_bytes()).hexdigest()) for path in places)


def find_due_patents(evidence: EvidenceReader) -> list[tuple[Path, str]]:
    """Return the weekly files with their marks that the store lacks, or read by other code."""
    imported = {(file.sha256, file.kind) for file in evidence.files()}
    return [(path, mark) for path, mark in patent_files() if (mark, _kind()) not in imported]


def _kind() -> str:
    return f"{PATENT_KINDS[0]} rules {code_digest(*READING)}"


def load_patents(evidence: Evidence, now: datetime) -> int:
    """Write the documents of the weekly files that the store lacks; return how many came.

    Args:
        evidence: The store.
        now: Instant of loading.
    """
    due, kind = find_due_patents(evidence), _kind()
    if not due:
        return 0
    came = 0
    with evidence.next_generation() as writer:
        for path, mark in due:
            count = writer.add(_read(path, now))
            at = now.isoformat(timespec="seconds")
            writer.finish_file(ImportedFile(path.name, kind, mark, at, count, 0))
            came += count
    return came


def _read(path: Path, now: datetime) -> Iterator[Parsed]:
    """Yield the documents of a file of the pack, in which nothing is damaged."""
    source = SourceFile(path, date_in_name(path), now.date().isoformat(), lambda *_: None)
    yield from read_weekly(source)
