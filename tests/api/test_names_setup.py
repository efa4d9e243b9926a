"""Setting an instance up without a network: the app runs, and one line says what is missing."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def set_up_names(home: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Call the step of ./run that fetches names, in a shell that stops at any failure."""
    kept = {name: said for name, said in os.environ.items() if not name.startswith("BPW_")}
    return subprocess.run(
        ["sh", "-euc", ". .ci/environment.sh; set_up_names; echo going on"],
        cwd=ROOT,
        env=kept | {"BPW_HOME": str(home)} | settings,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an instance without names, set up again and again; its starter pack loads once."""
    return tmp_path_factory.mktemp("nameless")


@pytest.mark.parametrize(
    "settings",
    [{"BPW_OFFLINE": "1"}, {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_NO_INDEX": "1"}],
    ids=["told to stay offline", "registry unreachable"],
)
def test_without_a_network_one_line_says_what_to_do(
    home: Path, tmp_path: Path, settings: dict[str, str]
) -> None:
    done = set_up_names(home, PIP_FIND_LINKS=str(tmp_path), **settings)
    assert (done.returncode, done.stdout) == (0, "going on\n")
    told = [line for line in done.stderr.splitlines() if line.startswith("missing:")]
    assert len(told) == 1
    assert "run ./run setup again" in told[0]
    assert not (home / "evidence" / "packages").exists()


def test_a_folder_without_packages_leaves_no_mark(home: Path, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    first = set_up_names(home, BPW_IDENTITY_PACKAGES=str(packages))
    assert "the folder of identity packages lacks" in first.stderr
    assert first.returncode == 0
    assert not (home / "evidence" / ".stamp-identity").exists()
