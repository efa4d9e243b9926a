"""Instances with names and evidence, made once for all processes and kept between test runs.

An instance is made by whoever asks first, while others wait for it, and lies in
`.cache/instances` under a digest of the code and the files it comes from. Tests get links to its
files in a folder of their own: to read from, never to write to.
"""

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from core.code_digest import code_digest
from core.evidence.assets.joined_names import learn
from core.evidence.events.preparing import prepare_events
from core.evidence.names.identity.dictionary import load_dictionary
from core.evidence.sources.importing import find_files, import_files
from core.evidence.sources.pack.loading import load_starter
from core.evidence.sources.pack.reading import starter_version
from core.ports import Stores
from core.settings import Settings
from storage.stores import open_stores
from tests.live import ROOT

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FOLDER = ROOT / ".cache" / "instances"
REFERENCE_FILES = (
    "trials_raw.ndjson.gz",
    "labels_raw.ndjson.gz",
    "label_indications.csv.gz",
    "pipelines_10_companies.json",
    "purple_book",
    "drugsfda",
    "pmda",
)


def names_home() -> Path:
    """Return an instance that knows the names that ship with the product, and nothing else."""
    return _make_once("names", _code(), _load_names)


def starter_home() -> Path:
    """Return an instance as a first start leaves it: names and the starter pack."""
    return _make_once("starter", _code(), _load_starter)


def reference_home(evidence: Path) -> Path:
    """Return an instance that holds the files of reference evidence.

    Args:
        evidence: Folder of the files.
    """
    paths = [evidence / name for name in REFERENCE_FILES]

    def build(home: Path) -> None:
        stores = _copy_names(home)
        import_files(stores.evidence, find_files(paths), now=NOW)
        learn(stores.evidence, stores.identity, stores.learned_names)
        stores.engine.close()

    return _make_once("reference", f"{_code()} {_digest(paths)}", build)


def link(home: Path, target: Path) -> Path:
    """Give an instance another folder whose evidence files are those of the first.

    Args:
        home: The instance.
        target: Folder to make.
    """
    shutil.copytree(home, target, copy_function=_link)
    return target


def give_schema(home: Path) -> None:
    """Give an instance in an empty folder its SQLite database with the newest tables, all empty.

    Args:
        home: The instance.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copy2(_empty_database(), home / "workbench.db")


@lru_cache(maxsize=1)
def _empty_database() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="bpw-schema-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    stores = _open(folder)
    stores.engine.upgrade()
    stores.engine.close()
    return folder / "workbench.db"


def _link(source: str, target: str) -> None:
    if Path(source).parent.name == "evidence":
        with suppress(OSError):  # another file system
            os.link(source, target)
            return
    shutil.copy2(source, target)


def _load_names(home: Path) -> None:
    stores = _open(home)
    assert load_dictionary(stores.identity)
    assert not load_dictionary(stores.identity)
    stores.engine.close()


def _load_starter(home: Path) -> None:
    stores = _copy_names(home)
    load_starter(stores.evidence, NOW)
    learn(stores.evidence, stores.identity, stores.learned_names)
    prepare_events(stores.evidence, stores.identity, stores.learned_names)
    stores.engine.close()


def _copy_names(home: Path) -> Stores:
    link(names_home(), home)
    return _open(home)


def _open(home: Path) -> Stores:
    return open_stores(Settings(home=home, database_url=None))


def _make_once(name: str, made_of: str, build: Callable[[Path], None]) -> Path:
    """Return the folder of an instance; make it if it is not there, and drop its predecessors."""
    digest = hashlib.sha256(made_of.encode()).hexdigest()[:16]
    home = FOLDER / f"{name}-{digest}"
    if home.is_dir():
        return home
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if home.is_dir():
            return home
        for old in FOLDER.glob(f"{name}-*"):
            shutil.rmtree(old)
        draft = FOLDER / f"{name}-draft"
        build(draft)
        draft.rename(home)
    return home


@lru_cache(maxsize=1)
def _code() -> str:
    """Return a digest of the starter pack and of all code that reads and stores evidence."""
    core = ROOT / "core"
    parts = sorted(one.name for one in core.iterdir() if one.name not in {"agents", "__pycache__"})
    files = [*(ROOT / "storage").rglob("*.py"), Path(__file__)]
    return f"{code_digest(*parts)} {starter_version()} {_digest(files)}"


def _digest(paths: Iterable[Path]) -> str:
    """Return a digest of files, and of the files of folders."""
    mark = hashlib.sha256()
    for path in sorted(paths):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                mark.update(f"{file.name}\0".encode())
                mark.update(hashlib.sha256(file.read_bytes()).digest())
    return mark.hexdigest()
