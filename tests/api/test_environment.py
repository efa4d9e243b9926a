"""The shell part of the set-up: one environment for one interpreter, and plain words."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with the set-up's files and an environment that is prepared."""
    folder = tmp_path / "checkout"
    (folder / ".ci").mkdir(parents=True)
    for name in (".ci/environment.sh", "requirements.lock"):
        shutil.copy(ROOT / name, folder / name)
    (folder / ".venv" / "bin").mkdir(parents=True)
    return folder


def use_interpreter(checkout: Path, version: str) -> None:
    """Let the environment have an interpreter of a version; "" for one that is gone."""
    python = checkout / ".venv" / "bin" / "python"
    python.write_text(f"#!/bin/sh\n{f'echo {version}' if version else 'exit 127'}\n")
    python.chmod(0o755)


def call(checkout: Path, words: str, **options: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", "-c", f". .ci/environment.sh; {words}"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )


def test_the_stamp_is_of_the_packages_and_the_interpreter(checkout: Path) -> None:
    use_interpreter(checkout, "3.11.7")
    stamp = checkout / ".venv" / ".stamp-requirements.lock"
    stamp.write_text(call(checkout, "stamp_of requirements.lock").stdout)
    prepared = "is_prepared requirements.lock"
    assert call(checkout, prepared).returncode == 0
    for version in ("3.13.0", ""):
        use_interpreter(checkout, version)
        assert call(checkout, prepared).returncode != 0
    use_interpreter(checkout, "3.11.7")
    with (checkout / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert call(checkout, prepared).returncode != 0


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become somebody else")
def test_a_folder_that_cannot_be_written_is_named(checkout: Path) -> None:
    for folder in (checkout, *checkout.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o555)
    done = call(checkout, "prepare requirements.lock", user="nobody")
    assert done.returncode == 1
    assert done.stderr.startswith(f"cannot write to {checkout}")
    assert "python3-venv" not in done.stderr
