"""`./test --bench expression`: differential expression beside R, the figures of the targets.

Agreement with the stored tables, then with R itself on designs drawn by seed, times beside R's
DESeq2 alone, and the memory of a large study. What needs R is left out where Rscript does not
find DESeq2, edgeR and limma (Debian: r-bioc-deseq2 r-bioc-edger r-bioc-limma).
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from core.agents.differential_expression.schema import DifferentialExpressionData
from tests.benchmarks.agreement import HEADER, Agreement, compare
from tests.benchmarks.direct import answer, warm_up
from tests.benchmarks.studies import PLANS, Plan, Study, draw_study

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "differential_expression"
SCRIPT = Path(__file__).with_name("expression.R")
FILES = {"DESeq2": "deseq2", "edgeR": "edger", "limma-voom": "limma"}
STORED = {"DESeq2": "deseq2", "edgeR": "edger4_ql", "limma-voom": "limma_voom"}
LEGACY = {**STORED, "edgeR": "edger_ql"}
SETS = ("airway", "pasilla", "t47d", "sim_balanced")
SIZES = ((16_500, (4, 4)), (20_500, (30, 30)), (6_100, (250, 250)))
_ALONE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def read_groups(folder: Path) -> list[str]:
    """Return reference and comparison group of a reference set."""
    lines = (folder / "versions.txt").read_text().splitlines()
    pairs = dict(line.split(" ", 1) for line in lines if " " in line)
    return [pairs["reference_group"], pairs["comparison_group"]]


def read_table(path: Path) -> pd.DataFrame:
    """Return a table of R by gene; empty cells and NA are missing."""
    missing = dict.fromkeys(("log2FC", "pvalue", "padj"), ["", "NA"])
    frame = pd.read_csv(
        path,
        dtype={"gene_id": str},
        keep_default_na=False,
        na_values=missing,
        skipinitialspace=True,
    )
    return frame.set_index("gene_id")


def frame_of(data: DifferentialExpressionData, method: str) -> pd.DataFrame:
    """Return our table of a method by gene."""
    found = next(result for result in data.method_results if result.method == method)
    return found.table.frame.set_index("gene_id")


def show_stored() -> None:
    """Compare with the stored tables."""
    for name in SETS:
        folder = REFERENCE / name
        has_batch = (folder / "deseq2_batch.csv.gz").exists()
        for suffix, flavor, files in (("", "v4", STORED), ("_batch", "legacy_v3", LEGACY)):
            if suffix and not has_batch:
                continue
            reference, comparison = read_groups(folder)
            data = answer(
                (folder / "counts.csv.gz").read_bytes(),
                (folder / "metadata.csv").read_bytes(),
                reference_group=reference,
                comparison_group=comparison,
                covariates=["batch"] if suffix else [],
                edger_flavor=flavor,
            )
            for method, file in files.items():
                theirs = read_table(folder / f"{file}{suffix}.csv.gz")
                say(compare(frame_of(data, method), theirs).row(name + suffix, method))


def has_r() -> bool:
    """Return whether R finds the three packages."""
    if shutil.which("Rscript") is None:
        return False
    code = "q(status = !all(sapply(c('DESeq2','edgeR','limma'), requireNamespace, quietly = TRUE)))"
    return subprocess.run(["Rscript", "-e", code], capture_output=True, check=False).returncode == 0


def ask_both(study: Study, folder: Path, *only: str) -> tuple[DifferentialExpressionData, float]:
    """Run ours and R on a study; R's tables are left in the folder.

    Returns:
        Our answer and our seconds.
    """
    study.counts.to_csv(folder / "counts.csv")
    study.metadata.to_csv(folder / "metadata.csv")
    counts, metadata = (folder / f"{name}.csv" for name in ("counts", "metadata"))
    given = counts.read_bytes(), metadata.read_bytes()
    began = time.perf_counter()
    data = answer(
        *given,
        reference_group="a",
        comparison_group="b",
        covariates=study.covariates,
        edger_flavor="v4" if only else "legacy_v3",
    )
    took_s = time.perf_counter() - began
    subprocess.run(
        ["Rscript", str(SCRIPT), str(folder), *only], env=_ALONE, capture_output=True, check=True
    )
    return data, took_s


def show_drawn(seed: int) -> None:
    """Compare with R on drawn designs (edgeR 3, limma 3.54)."""
    for number, plan in enumerate(PLANS):
        with tempfile.TemporaryDirectory() as name:
            data, _ = ask_both(draw_study(plan, seed + number), Path(name))
            for method, file in FILES.items():
                theirs = read_table(Path(name) / f"{file}.csv")
                say(compare(frame_of(data, method), theirs).row(plan.name, method))


def show_scripts() -> None:
    """Run the R script of some answers and compare its tables with the answer's."""
    for name, fields in (
        ("pasilla", {}),
        ("pasilla", {"covariates": ["batch"]}),
        ("airway", {}),
        ("airway", {"lfc_test": "threshold", "log2fc_cutoff": 0.5}),
    ):
        with tempfile.TemporaryDirectory() as folder:
            for method, row in run_script(REFERENCE / name, Path(folder), fields).items():
                say(row.row(f"script, {name} {'+'.join(fields)}"[:26], method))


def run_script(source: Path, folder: Path, fields: Mapping[str, object]) -> dict[str, Agreement]:
    """Run ours on a reference set and its R script on the same files in a folder."""
    shutil.copy(source / "counts.csv.gz", folder / "counts.csv")
    shutil.copy(source / "metadata.csv", folder / "metadata.csv")
    reference, comparison = read_groups(source)
    data = answer(
        (folder / "counts.csv").read_bytes(),
        (folder / "metadata.csv").read_bytes(),
        reference_group=reference,
        comparison_group=comparison,
        edger_flavor="legacy_v3",
        **fields,
    )
    (folder / "run.R").write_text(data.r_script)
    subprocess.run(["Rscript", "run.R"], cwd=folder, env=_ALONE, capture_output=True, check=True)
    names = {
        "DESeq2": ("deseq2.csv", ["log2FoldChange", "pvalue", "padj"]),
        "edgeR": ("edger.csv", ["logFC", "PValue", "FDR"]),
        "limma-voom": ("limma_voom.csv", ["logFC", "P.Value", "adj.P.Val"]),
    }
    compared = {}
    for method, (file, columns) in names.items():
        theirs = pd.read_csv(folder / file, index_col=0)[columns]
        theirs.columns = pd.Index(["log2FC", "pvalue", "padj"])
        theirs.index = theirs.index.astype(str)
        compared[method] = compare(frame_of(data, method), theirs)
    return compared


def show_times(seed: int) -> None:
    """Time method=all, tables read and answer assembled, beside R's DESeq2 on counts in memory."""
    say(f"{'genes x samples':<20}{'method=all':>12}{'DESeq2 in R':>14}{'ratio':>8}")
    for n_genes, n_each in SIZES:
        study = draw_study(Plan("size", n_each, n_genes=n_genes), seed)
        with tempfile.TemporaryDirectory() as name:
            data, ours = ask_both(study, Path(name), "DESeq2")
            theirs = float((Path(name) / "seconds.txt").read_text())
        size = f"{data.method_results[0].n_tested} x {sum(n_each)}"
        say(f"{size:<20}{ours:>10.2f} s{theirs:>12.2f} s{ours / theirs:>8.2f}")


def show_large(seed: int) -> None:
    """Time 60,000 genes x 500 samples from gzip and print the peak memory of a new process."""
    program = f"from tests.benchmarks.expression import run_large; run_large({seed})"
    subprocess.run([sys.executable, "-c", program], env=_ALONE, check=True)


def run_large(seed: int) -> None:
    """Run the large study in this process."""
    warm_up()
    study = draw_study(Plan("large", (250, 250), n_genes=60_000), seed)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "counts.csv.gz"
        study.counts.to_csv(path, compression={"method": "gzip", "compresslevel": 1})
        metadata = study.metadata.to_csv().encode()
        counts = path.read_bytes()
    del study
    _forget_peak()
    began = time.perf_counter()
    data = answer(counts, metadata, reference_group="a", comparison_group="b")
    took_s = time.perf_counter() - began
    peak = _peak_gb()
    say(f"{data.method_results[0].n_tested} x 500: {took_s:.1f} s, peak {peak:.2f} GB")


def _forget_peak() -> None:
    """Begin to measure the peak anew, so that drawing the study does not count."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak_gb() -> float:
    """Return the peak of resident memory."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main(seed: int = 1) -> None:
    """Print everything."""
    warm_up()
    say(HEADER)
    if REFERENCE.is_dir():
        show_stored()
    if has_r():
        say(f"R beside ours, designs of seed {seed}")
        show_drawn(seed)
        show_scripts()
        show_times(seed)
    else:
        say("no R with DESeq2, edgeR and limma: drawn designs and times are left out")
    show_large(seed)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:2]))
