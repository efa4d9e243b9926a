"""Whether the files of an instance are whole, and the way back for one that is not."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from core.errors import EvidenceDamaged

_FROM_BACKUP = "restore the last backup into a new instance folder (`python -m api restore FOLDER`)"
_DERIVED = "remove the file and run `./run setup`, which rebuilds it"
_EVIDENCE = "restore the last backup, or remove the file, run `./run setup` and import again"
REMEDIES: Mapping[str, str] = {
    "workbench.db": _FROM_BACKUP,
    "evidence/pack.db": _EVIDENCE,
    "evidence/events.db": _DERIVED,
    "evidence/identity.db": _DERIVED,
    "evidence/learned.db": _DERIVED,
    "evidence/mirror/ctgov.db": "remove the file; the next sync fetches its records again",
}
"""Database files of an instance, and how each comes back."""


def find_damage(home: Path) -> list[str]:
    """Return one line for each damaged database file of an instance, with the way back.

    Args:
        home: Instance folder; files that are not there are left out.
    """
    lines = []
    for name, remedy in REMEDIES.items():
        fault = find_fault(home / name) if (home / name).exists() else ""
        if fault:
            lines.append(f"{name} is damaged ({fault}): {remedy}")
    return lines


def find_fault(file: Path) -> str:
    """Return what SQLite's check says of a file; "" where it is whole."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True)) as opened:
            result = str(opened.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as failure:
        result = str(failure)
    return "" if result == "ok" else " ".join(result.split())[:200]


def refuse_damaged(home: Path) -> None:
    """Raise for the first damaged database file of an instance.

    Raises:
        EvidenceDamaged: Names the file and the way back.
    """
    for line in find_damage(home):
        raise EvidenceDamaged(line)
