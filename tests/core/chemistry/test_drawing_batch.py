"""Drawings from outside are read apart: one that never ends costs itself alone."""

import os
from pathlib import Path

import pytest

from core.chemistry import drawing_batch
from core.chemistry.drawing_batch import DrawnText, read_batch

NITRO = DrawnText("CC(=O)C(C(C)=O)[C@H](C[N+](=O)[O-])c1ccccc1", "molecule")


@pytest.fixture
def drawing(request: pytest.FixtureRequest) -> bytes:
    """Return a ChemDraw file of one molecule."""
    reference = Path(request.config.rootpath).parent / "shared" / "reference"
    folder = Path(os.environ.get("BPW_REFERENCE", reference)) / "patents" / "cdx"
    if not folder.is_dir():
        pytest.skip(f"needs the reference data in {folder}")
    return (folder / "stereo_bug.cdx").read_bytes()


def endless(drawing: bytes) -> bytes:
    """Return a damaged file at which RDKit's reader (2026.9) never ends."""
    damaged = bytearray(drawing)
    damaged[2553] = 227
    return bytes(damaged)


def test_molecules_come_with_their_part(drawing: bytes) -> None:
    """By the name of their file; what holds nothing is left out."""
    files = {"one": drawing, "none": b"no drawing", "empty": b"", "two": drawing}
    assert read_batch(files) == {"one": [NITRO], "two": [NITRO]}
    assert read_batch({}) == {}


def test_files_that_never_end_are_given_up(drawing: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those before and after it are read."""
    monkeypatch.setattr(drawing_batch, "SECONDS_A_FILE", 2)
    files = {"before": drawing, "endless": endless(drawing), "after": drawing}
    assert list(read_batch(files)) == ["before", "after"]
    monkeypatch.setattr(drawing_batch, "SECONDS_A_FILE", 1)
    monkeypatch.setattr(drawing_batch, "MOST_GIVEN_UP", 1)
    files = {"1": endless(drawing), "2": endless(drawing), "3": drawing}
    assert read_batch(files) == {}


def test_nothing_but_the_batch_reads_drawings_from_outside(request: pytest.FixtureRequest) -> None:
    """Whatever else called the reader could be kept busy for ever by one damaged file."""
    root = Path(request.config.rootpath)
    found = {
        path.relative_to(root).as_posix()
        for folder in ("core", "api", "pages", "storage")
        for path in (root / folder).rglob("*.py")
        if "read_drawing(" in path.read_text()
    }
    assert found == {"core/chemistry/chemdraw.py", "core/chemistry/drawing_batch.py"}
