"""A full disk behind the API: 500 `storage_full`, then it works again."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.settings import Settings

PART = bytes(64 * 1024)


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    """Return settings of an instance on a disk of eight megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a tmpfs (root)")
    home = folder / "instance"
    yield Settings(
        home=home, database_url=f"sqlite:///{home / 'workbench.db'}", computing_workers=2
    )
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def fill(settings: Settings) -> Callable[[], Path]:
    """Return what fills the disk to its last byte."""

    def fill_up() -> Path:
        filler = settings.home / "filler"
        for part in (PART, bytes(512)):
            with suppress(OSError), filler.open("ab", buffering=0) as file:
                while file.write(part):
                    pass
        return filler

    return fill_up


def test_an_upload_and_a_run_are_refused_and_taken_again_with_space(
    client: TestClient,
    fill: Callable[[], Path],
    expect_error: Callable[[Response, int], dict[str, object]],
) -> None:
    def upload(content: bytes) -> Response:
        return client.post("/v1/files", files={"file": ("counts.csv", content)})

    def ask(text: str) -> Response:
        return client.post("/v1/agents/fault-probe", json={"action": "answer", "word": text})

    assert upload(b"before").status_code == 201
    assert ask("before").status_code == 200
    filler = fill()
    assert expect_error(upload(b"full" + PART), 500)["code"] == "storage_full"
    assert expect_error(ask("full"), 500)["code"] == "storage_full"
    assert client.get("/v1/files").json()["files"][0]["name"] == "counts.csv"
    filler.unlink()
    assert upload(b"after").status_code == 201
    assert ask("after").status_code == 200
