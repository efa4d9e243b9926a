"""Seconds that a small import takes in a filled store: `python -m tests.benchmarks.small_imports`.

`HOME` is an instance with many records (all reference files); it is copied first. Trials of the
reference file are drawn by a seed, their status is changed, and they are imported in portions.
"""

import csv
import gzip
import io
import os
import random
import shutil
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from core.evidence.assets.learned_names import learn
from core.evidence.sources.importing import find_files, import_files
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.targets import say

SEED = 20_261_123
NOW = datetime(2026, 11, 23, tzinfo=UTC)
PORTIONS = (1, 1, 100, 1_000)


def draw_trials(count: int, seed: int) -> str:
    """Return the lines of drawn trials, as the reference file has them, with another status."""
    place = Path(os.environ["BPW_REFERENCE"]) / "evidence" / "trials_facts.csv.gz"
    with gzip.open(place, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    drawn = random.Random(seed).sample(rows, count)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(
        {**row, "overall_status": "SUSPENDED", "why_stopped": f"seed {seed}"} for row in drawn
    )
    return out.getvalue()


def main(home: Path) -> None:
    """Print seconds by portion."""
    with TemporaryDirectory(dir=home.parent) as folder:
        copy = Path(folder) / "home"
        shutil.copytree(home, copy)
        stores = open_stores(Settings(home=copy))
        for number, count in enumerate(PORTIONS):
            path = Path(folder) / "trials_facts.csv"
            path.write_text(draw_trials(count, SEED + number), encoding="utf-8")
            began = time.perf_counter()
            import_files(stores.evidence, find_files([path]), now=NOW)
            written = time.perf_counter()
            learn(stores.evidence, stores.identity, stores.learned_names)
            names = time.perf_counter() - written
            say(f"{count:5} trials  import {written - began:6.2f} s  names {names:6.2f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
