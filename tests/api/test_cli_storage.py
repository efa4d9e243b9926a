"""`db retain`, `backup` and `restore` on the command line, from one folder to another."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.cli import main
from core.settings import Settings, read_settings
from storage.stores import open_stores

Run = Callable[..., str]


@pytest.fixture
def use_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Callable[[str], Settings]]:
    """Return what makes a folder the instance of the commands that follow."""
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("BPW_SECRET_KEY", raising=False)

    def use(name: str) -> Settings:
        monkeypatch.setenv("BPW_HOME", str(tmp_path / name))
        read_settings.cache_clear()
        return read_settings()

    yield use
    read_settings.cache_clear()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs a command that must succeed and gives its standard output."""

    def command(*arguments: str) -> str:
        capsys.readouterr()
        assert main(arguments) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return command


def test_a_restored_instance_knows_key_password_and_log(
    use_home: Callable[[str], Settings], run: Run, tmp_path: Path
) -> None:
    use_home("old")
    password = run("setup").split()[-1]
    key = run("keys", "create", "--name", "robot").strip()
    assert "files" in run("backup", str(tmp_path / "copy"))
    use_home("nowhere")
    assert "as a restore needs them" in run("backup", str(tmp_path / "copy"), "--check")
    assert not (tmp_path / "nowhere").exists()
    settings = use_home("new")
    run("restore", str(tmp_path / "copy"))
    stores = open_stores(settings)
    try:
        assert stores.keys.find_caller(key).name == "admin"
        assert stores.users.check_password("admin", password, address="x").role == "admin"
        lines = [line.action for line in stores.audit.list()]
        assert lines == ["restore", "backup", "key.create"]
    finally:
        stores.engine.close()


def test_a_second_backup_into_the_folder_exits_with_1(
    use_home: Callable[[str], Settings],
    run: Run,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use_home("old")
    run("setup")
    run("backup", str(tmp_path / "copy"))
    assert main(["backup", str(tmp_path / "copy")]) == 1
    assert "new folder" in capsys.readouterr().err


def test_retain_counts_without_removing_when_dry(
    use_home: Callable[[str], Settings], run: Run
) -> None:
    settings = use_home("old")
    run("setup")
    stores = open_stores(settings)
    sha256 = stores.blobs.put(json.dumps("orphan").encode()).sha256
    place = stores.blobs.path(sha256)
    stores.engine.close()
    os.utime(place, (0, 0))
    assert "blobs\t1\n" in run("db", "retain", "--dry-run")
    assert place.exists()
    assert "blobs\t1\n" in run("db", "retain")
    assert not place.exists()
    assert "blobs\t0\n" in run("db", "retain")
