"""How long a million rows of Form D take, and how much memory: at most 60 s, and bounded.

Run with `python -m tests.benchmarks.form_d_rows HOME`, HOME an empty folder. The quarter is
authored by a seeded rule; 6 % of its offerings are of the sector, as many as are kept.
"""

import random
import resource
import sys
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from core.evidence.sources.importing import find_files, import_files
from core.settings import Settings
from storage.stores import open_stores

ROWS = 1_000_000
MOST_S = 60
SECTOR_SHARE = 0.06
EMPTY = 40
"""Further columns of a real table, empty here."""
GROUPS = ("Biotechnology", "Pharmaceuticals", "Other Health Care")


def number(place: int) -> str:
    """Return an accession number that nobody filed."""
    return f"0009{place // 10**6:06}-26-{place % 10**6:06}"


def write(path: Path) -> None:
    """Write the quarter."""
    draw = random.Random(28)  # noqa: S311 - a drawn table
    more = "\t".join(f"COLUMN{place}" for place in range(EMPTY))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in {
            "OFFERING.tsv": _offerings(draw, more),
            "FORMDSUBMISSION.tsv": _submissions(),
            "ISSUERS.tsv": _issuers(),
        }.items():
            with archive.open(f"2026Q4_d/{name}", "w") as member:
                for line in lines:
                    member.write(line.encode())


def _offerings(draw: random.Random, more: str) -> Iterator[str]:
    yield (
        "ACCESSIONNUMBER\tINDUSTRYGROUPTYPE\tSALE_DATE\tTOTALOFFERINGAMOUNT\tTOTALAMOUNTSOLD\t"
        f"{more}\n"
    )
    blank = "\t".join("false" for _ in range(EMPTY))
    for place in range(ROWS):
        group = draw.choice(GROUPS) if draw.random() < SECTOR_SHARE else "Pooled Investment Fund"
        sold = draw.randrange(10**8)
        yield f"{number(place)}\t{group}\t2026-10-01\tIndefinite\t{sold}\t{blank}\n"


def _submissions() -> Iterator[str]:
    yield "ACCESSIONNUMBER\tFILE_NUM\tFILING_DATE\tSUBMISSIONTYPE\tTESTORLIVE\n"
    for place in range(ROWS):
        yield f"{number(place)}\t021-{place}\t05-OCT-2026\tD\tLIVE\n"


def _issuers() -> Iterator[str]:
    yield "ACCESSIONNUMBER\tIS_PRIMARYISSUER_FLAG\tISSUER_SEQ_KEY\tCIK\tENTITYNAME\n"
    for place in range(ROWS):
        yield f"{number(place)}\tYES\t1\t{place + 10**6}\tInvented Company {place} Inc\n"


def measure(home: Path) -> bool:
    """Print time and memory of the import; return whether the bound is kept."""
    home.mkdir(parents=True, exist_ok=True)
    path = home / "2026q4_d.zip"
    write(path)
    stores = open_stores(Settings(home=home / "instance", database_url=None))
    before = resource.getrusage(resource.RUSAGE_SELF)
    began = time.perf_counter()
    (file,) = import_files(stores.evidence, find_files([path]), now=datetime.now(UTC))
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    sys.stdout.write(
        f"{ROWS:,} offerings, {file.records:,} kept, {file.damaged} damaged: {took:.1f} s "
        f"({cpu:.1f} s CPU), {after.ru_maxrss / 1024:.0f} MB at most\n"
    )
    return took <= MOST_S and file.damaged == 0


if __name__ == "__main__":
    sys.exit(0 if measure(Path(sys.argv[1])) else 1)
