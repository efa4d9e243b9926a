"""Digests of the product's own source, so that nothing computed by older code is reused.

A digest covers Python files and the tables beside them. Answers, learned names, records of the
starter pack, events, imported files and compiled code carry the digest of the folders that make
them: whoever changes one of these files need not remember to raise a version.
"""

import hashlib
import importlib
from functools import lru_cache
from pathlib import Path

_CORE = Path(__file__).resolve().parent
_LOCK = _CORE.parent / "requirements.lock"
_DIGITS = 16
_OWN_VERSION = "evidence/pack"
"""The starter pack has a version of its own (`starter_version`)."""
_NO_ANSWERS = ("agents", "exports.py", "page_streams.py", "mail.py")
"""Parts of core on which no stored answer depends; an agent's own folder is added by name."""
READING = (
    *("evidence/names", "evidence/readers", "evidence/sources"),
    *("records", "tables", "vocabulary", "knowledge"),
)
"""Folders that turn the files of a source into records."""


@lru_cache
def _file_digests(path: Path) -> bytes:
    """Return one digest of a file, or of the files below a folder in order of their names."""
    mark = hashlib.sha256()
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    for file in files:
        name = file.relative_to(path.parent).as_posix()
        if "__pycache__" in name or not file.is_file() or _in_pack(file):
            continue
        mark.update(f"{name}\0".encode())
        mark.update(hashlib.sha256(file.read_bytes()).digest())
    return mark.digest()


def _in_pack(file: Path) -> bool:
    return file.is_relative_to(_CORE / _OWN_VERSION)


def _combine(places: tuple[Path, ...]) -> str:
    mark = hashlib.sha256()
    for path in places:
        mark.update(_file_digests(path))
    return mark.hexdigest()[:_DIGITS]


@lru_cache
def program_digest() -> str:
    """Return 16 hexadecimal digits that change with the program: its source and its packages."""
    root = _CORE.parent
    return _combine((_CORE, root / "api", root / "storage", _LOCK))


@lru_cache
def code_digest(*folders: str) -> str:
    """Return 16 hexadecimal digits that change with the source of these folders of core.

    Args:
        folders: Paths below `core`; none stands for all of it.
    """
    return _combine(tuple(_CORE / folder for folder in folders) or (_CORE,))


@lru_cache
def answer_digest(agent: str) -> str:
    """Return 16 hexadecimal digits that change with the code that makes an agent's answers.

    The locked packages count as code: another version of a statistics package may give another
    number.

    Args:
        agent: Name of the agent's folder below `core.agents`.
    """
    declaration = Path(str(importlib.import_module(f"core.agents.{agent}").__file__))
    root = declaration.parent if declaration.name == "__init__.py" else declaration
    shared = sorted(path for path in _CORE.iterdir() if path.name not in _NO_ANSWERS)
    code = tuple(path for path in shared if path.is_dir() or path.suffix == ".py")
    return _combine((*code, root, *([_LOCK] if _LOCK.exists() else [])))
