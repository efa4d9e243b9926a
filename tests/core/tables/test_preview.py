"""Uploaded tables made to harm are looked at in a child, within bounds, and refused in words."""

import gzip
import resource
import time
from pathlib import Path

import pytest

from core.errors import UnreadableTable
from core.settings import MEGABYTE
from core.tables import preview
from core.tables.delimited import MAX_CELL, MAX_COLUMNS
from core.tables.preview import Preview, look_at
from core.workbench import Workbench

LIMIT = 512 * MEGABYTE


def peak_mb() -> float:
    """Return the most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def look(workbench: Workbench, place: Path) -> Preview:
    return look_at(place, limit=LIMIT, call=workbench.executor.call)


def test_packed_table_of_countless_columns_costs_this_process_nothing(
    workbench: Workbench, tmp_path: Path
) -> None:
    place = tmp_path / "counts.csv.gz"
    line = b"a," * 3_000_000 + b"a\n"
    place.write_bytes(gzip.compress(line * 8, mtime=0))
    assert place.stat().st_size < 200_000
    before, began = peak_mb(), time.monotonic()
    with pytest.raises(UnreadableTable, match=r"expands to more than|columns; the limit is"):
        look(workbench, place)
    assert peak_mb() - before < 60
    assert time.monotonic() - began < 30


def test_wide_tables_and_long_cells_are_refused(workbench: Workbench, tmp_path: Path) -> None:
    place = tmp_path / "wide.csv"
    place.write_text("id\n" + ",".join(["1"] * (MAX_COLUMNS + 1)))
    with pytest.raises(UnreadableTable, match=r"line 2 has 5,001 columns; the limit is 5,000"):
        look(workbench, place)
    place = tmp_path / "long.csv"
    place.write_text("id,note\nx," + "y" * (MAX_CELL + 1))
    with pytest.raises(UnreadableTable, match=r"line 2 has a cell .* in column 2 \(note\)"):
        look(workbench, place)


def test_only_a_bounded_part_is_kept_and_all_rows_are_counted(
    workbench: Workbench, tmp_path: Path
) -> None:
    place = tmp_path / "metadata.csv"
    place.write_text("id,note\n" + f"x,{'y' * 30_000}\n" * 1_000)
    found = look(workbench, place)
    assert found.n_rows == 1_000
    assert not found.whole
    assert sum(len(cell) for row in found.rows for cell in row) <= 4 * MEGABYTE


def test_look_that_takes_too_long_or_too_much_is_refused(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "counts.csv"
    place.write_text("id,a\n" + "x,1\n" * 4_000_000)
    monkeypatch.setattr(preview, "LOOK_S", 0.3)
    with pytest.raises(UnreadableTable, match="cannot be looked at within"):
        look(workbench, place)
    monkeypatch.setattr(preview, "LOOK_S", 20)
    monkeypatch.setattr(preview, "MEMORY_MB", 64)
    place.write_text("i" * 30_000_000)
    with pytest.raises(UnreadableTable, match="cannot be looked at within"):
        look(workbench, place)
