"""What the machine shows of an instance to others: rights, arguments, leavings, plain refusals."""

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from api import cli
from api.cli_run import read_key
from core.errors import InvalidInput
from core.settings import Settings
from storage.stores import open_stores
from tests.live import ROOT, serve_api

_DROP, _OVERRIDE = 24, 1  # prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE): root obeys rights, too


def obey_rights() -> None:
    ctypes.CDLL(None).prctl(_DROP, _OVERRIDE, 0, 0, 0)


def test_a_folder_that_others_could_read_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "instance"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    settings = Settings(home=home, database_url=None)
    stores = open_stores(settings)
    stores.engine.upgrade()
    (home / "workbench.db").chmod(0o644)
    stores.engine.close()
    open_stores(settings).engine.close()
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "workbench.db").stat().st_mode & 0o777 == 0o600


def test_a_new_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    stores = open_stores(Settings(home=tmp_path / "instance", database_url=None))
    stores.engine.upgrade()
    stores.engine.close()
    assert (tmp_path / "instance" / "workbench.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("command", [("app.py",), ("-m", "api", "setup"), ("-m", "api", "users")])
def test_a_read_only_instance_is_told_in_one_line(tmp_path: Path, command) -> None:
    home = tmp_path / "instance"
    open_stores(Settings(home=home, database_url=None)).engine.close()
    home.chmod(0o500)
    arguments = [*command, "list"] if command[-1] == "users" else command
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "BPW_HOME": str(home), "BPW_PORT": "1"},
        capture_output=True,
        check=False,
        timeout=60,
        preexec_fn=obey_rights,
    )
    home.chmod(0o700)
    assert done.returncode == 1
    told = done.stderr.decode()
    assert len(told.splitlines()) == 1, told
    assert "cannot be written" in told


def test_a_served_instance_leaves_nothing_in_the_temporary_folder(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:  # short: a socket's path has 107 signs
        with serve_api(tmp_path / "instance", TMPDIR=folder, BPW_PRELOAD="0"):
            pass
        assert list(Path(folder).iterdir()) == []


@pytest.mark.parametrize("way", ["file", "environment"])
def test_a_key_need_not_stand_in_the_arguments(way, tmp_path) -> None:
    arguments, settings = ["run", "x", "--input", "-"], Settings(key="bpw_live_1")
    if way == "file":
        (tmp_path / "key").write_text("bpw_live_2\n")
        arguments += ["--key-file", str(tmp_path / "key")]
    found = read_key(cli.make_parser(arguments).parse_args(arguments), settings)
    assert found == ("bpw_live_2" if way == "file" else "bpw_live_1")
    assert "bpw_live" not in repr(settings)


def test_a_key_file_that_is_not_there_is_refused(tmp_path) -> None:
    arguments = ["run", "x", "--input", "-", "--key-file", str(tmp_path / "none")]
    with pytest.raises(InvalidInput, match="no key"):
        read_key(cli.make_parser(arguments).parse_args(arguments), Settings())
