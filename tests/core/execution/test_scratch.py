"""Folders of temporary files: those of ended processes are cleared, all others stay."""

import os
import tempfile
from pathlib import Path

import pytest

from core.execution import scratch

NOBODY = 2**22 + 17
"""Above every process number."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_namespace", lambda: "7")
    return tmp_path


def test_own_folder_takes_all_temporary_files(root: Path) -> None:
    folder = scratch.use_own_scratch()
    assert folder == root / f"bpw-run-7-{os.getpid()}"
    with tempfile.TemporaryDirectory() as name:
        assert Path(name).parent == folder


def test_folder_that_is_there_already_is_not_trusted(root: Path) -> None:
    (root / f"bpw-run-7-{os.getpid()}").mkdir()
    assert scratch.use_own_scratch() is None
    assert tempfile.gettempdir() == str(root)


def test_only_folders_of_ended_processes_are_cleared(root: Path) -> None:
    gone, alive, elsewhere = (
        root / f"bpw-run-7-{NOBODY}",
        root / f"bpw-run-7-{os.getpid()}",
        root / f"bpw-run-8-{NOBODY}",
    )
    others = [root / "bpw-run-7-x", root / "bpw-other-7-1"]
    for folder in (gone, alive, elsewhere, *others):
        (folder / "inner").mkdir(parents=True)
    scratch.clear_scratch()
    assert not gone.exists()
    assert all(one.exists() for one in (alive, elsewhere, *others))


def test_link_is_not_followed(root: Path) -> None:
    aim = root / "aim"
    (aim / "inner").mkdir(parents=True)
    (root / f"bpw-run-7-{NOBODY}").symlink_to(aim)
    scratch.clear_scratch()
    assert (aim / "inner").is_dir()
