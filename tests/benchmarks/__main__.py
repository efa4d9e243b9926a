"""`./test --bench [SECTION ...]`: set-up, pages, agents, load and kills, in figures.

Nothing here passes or fails: the figures are for people, and shared machines are noisy.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import (
    attribution,
    clients,
    expression,
    false_calls,
    fuzz,
    hosts,
    kills,
    request_cost,
    service,
    structures,
)
from tests.benchmarks.expression import read_groups
from tests.live import ROOT, serve

SETS = ("sim_balanced", "pasilla", "airway", "t47d")
REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def time_setup() -> None:
    """Time a cold and a warm set-up of a clean clone."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        for label in ("cold set-up", "second set-up"):
            began = time.perf_counter()
            subprocess.run(["./run", "setup"], cwd=clone, check=True, stdout=subprocess.DEVNULL)
            say(f"{label:<28}{time.perf_counter() - began:8.1f} s")


def time_pages() -> None:
    """Time the start of the server, its first page and the next one."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with serve(Path(folder)) as app:
            say(f"{'server start':<28}{time.perf_counter() - began:8.1f} s")
            for label in ("first page", "next page"):
                began = time.perf_counter()
                with urllib.request.urlopen(f"{app.url}/auth/login") as answer:
                    answer.read()
                say(f"{label:<28}{(time.perf_counter() - began) * 1000:8.1f} ms")


_ALONE = """
import sys, time, warnings
warnings.simplefilter("ignore")
import pandas as pd
from pydeseq2.dds import DeseqDataSet
from pydeseq2.default_inference import DefaultInference
from pydeseq2.ds import DeseqStats
folder, genes = sys.argv[1], sys.argv[2]
counts = pd.read_csv(f"{folder}/counts.csv.gz", index_col=0)
meta = pd.read_csv(f"{folder}/metadata.csv", index_col=0)
tested = pd.read_csv(genes)["gene_id"].astype(str)
counts.index = counts.index.astype(str)
groups = sys.argv[3:5]
meta = meta[meta["condition"].isin(groups)]
matrix = counts.loc[tested, meta.index].T
began = time.perf_counter()
alone = DefaultInference(n_cpus=1)
dds = DeseqDataSet(counts=matrix, metadata=meta, design="~condition", inference=alone, quiet=True)
dds.deseq2()
stats = DeseqStats(dds, contrast=["condition", groups[1], groups[0]], inference=alone, quiet=True)
stats.summary()
sys.stderr.write(f"SECONDS {time.perf_counter() - began:.2f}\\n")
"""


def time_expression() -> None:
    """Time method=all through a warm instance beside pydeseq2 alone on the same genes."""
    source = REFERENCE / "differential_expression"
    if not source.is_dir():
        say("no reference data: differential expression is not timed")
        return
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    say(f"{'data set':<16}{'three methods':>16}{'pydeseq2 alone':>18}{'ratio':>8}")
    for name in SETS:
        ours = min(time_ours(source / name) for _ in range(2))
        groups = read_groups(source / name)
        genes = str(source / name / "deseq2.csv.gz")
        alone = subprocess.run(
            [sys.executable, "-c", _ALONE, str(source / name), genes, *groups],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        theirs = float(alone.stderr.rsplit("SECONDS", 1)[1])
        say(f"{name:<16}{ours:>14.2f} s{theirs:>16.2f} s{ours / theirs:>8.2f}")


def time_ours(folder: Path) -> float:
    """Return the seconds that the pipeline takes on a reference set, imports done."""
    program = (
        "import sys\n"
        "from tests.benchmarks.direct import run_direct\n"
        "sys.stderr.write(f'SECONDS {run_direct(sys.argv[1], *sys.argv[2:4]):.2f}\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), *read_groups(folder)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stderr.rsplit("SECONDS", 1)[1])


def kill_everything() -> None:
    """Kill children, app and database, twenty times each."""
    kills.main()


def check_whole_sets() -> None:
    """Run the tests over evaluation sets with whole sets; `./test` takes samples of them."""
    modules = sorted(
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests" / "core").rglob("test_*.py")
        if re.search(r"\b(?:drawn|size_of)\(", path.read_text(encoding="utf-8"))
    )
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-q", *modules]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "BPW_WHOLE_SETS": "1"}, check=False)


SECTIONS: dict[str, Callable[[], object]] = {
    "pages": time_pages,
    "pydeseq2": time_expression,
    "expression": expression.main,
    "false_calls": false_calls.main,
    "attribution": attribution.main,
    "request_cost": request_cost.main,
    "service": service.main,
    "clients": clients.main,
    "fuzz": fuzz.main,
    "structures": structures.main,
    "kills": kill_everything,
    "hosts": hosts.main,
    "sets": check_whole_sets,
    "setup": time_setup,
}


if __name__ == "__main__":
    for section in sys.argv[1:] or SECTIONS:
        SECTIONS[section]()
