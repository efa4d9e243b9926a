"""`./test --bench false_calls`: what the methods call where nothing is to be called.

Labels permuted a hundred times (pasilla, and a study of six against six drawn by seed), and
simulated studies in which three genes of a hundred hold one huge count.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from core.agents.differential_expression.schema import DifferentialExpressionData
from tests.benchmarks.direct import answer, warm_up
from tests.benchmarks.studies import Plan, draw_study

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "differential_expression"
METHODS = ("DESeq2", "edgeR", "limma-voom")
N_PERMUTATIONS = 100
OUTLIERS = '; mk("outl", {seed}, 8000, {n}, {n}, 0.03)'


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def called_shares(data: DifferentialExpressionData) -> list[float]:
    """Return the share of tested genes called, without and with the fold-change cut-off."""
    shares = []
    for result in data.method_results:
        frame = result.table.frame
        is_low = frame["padj"] < data.input.fdr_cutoff
        shares += [float(is_low.mean()), result.n_significant / result.n_tested]
    return shares


def permute(name: str, counts: bytes, groups: pd.Series, seed: int) -> None:
    """Print the mean share of genes called over permuted labels."""
    draw = np.random.default_rng(seed)
    shares = []
    for _ in range(N_PERMUTATIONS):
        labels = pd.Series(draw.permutation(groups.to_numpy()), groups.index, name="condition")
        metadata = labels.to_csv().encode()
        data = answer(counts, metadata, reference_group="a", comparison_group="b")
        shares.append(called_shares(data))
    for place, method in enumerate(METHODS):
        low, called = (np.mean([row[2 * place + step] for row in shares]) for step in (0, 1))
        say(f"{name:<24}{method:<12}{100 * low:>10.3f} %{100 * called:>16.3f} %")


def show_permutations(seed: int) -> None:
    """Permute the labels of two studies."""
    say(f"{N_PERMUTATIONS} permutations, seed {seed}: mean share of genes called")
    say(f"{'study':<24}{'method':<12}{'padj < .05':>12}{'and two-fold':>18}")
    study = draw_study(Plan("six against six", (6, 6)), seed)
    permute("6 v 6", study.counts.to_csv().encode(), study.metadata["condition"], seed)
    if REFERENCE.is_dir():
        folder = REFERENCE / "pasilla"
        groups = pd.read_csv(folder / "metadata.csv", index_col=0)["condition"]
        groups = groups.map({"untreated": "a", "treated": "b"})
        permute("pasilla", (folder / "counts.csv.gz").read_bytes(), groups, seed)


def show_outliers(seed: int) -> None:
    """Simulate with the reference's own script and count planted genes called and named."""
    if not REFERENCE.is_dir() or shutil.which("Rscript") is None:
        say("no reference data or no R: planted counts are left out")
        return
    head = f"{'planted counts':<24}{'tested':>8}{'in consensus, unchanged':>26}"
    say(f"{head}{'called':>8}{'named':>8}")
    for n_each in (3, 5, 8):
        with tempfile.TemporaryDirectory() as name:
            code = f"source('{REFERENCE.resolve() / 'sims.R'}')"
            code += OUTLIERS.format(seed=seed, n=n_each)
            subprocess.run(["Rscript", "-e", code], cwd=name, capture_output=True, check=True)
            show_simulated(Path(name) / "ds" / "outl", n_each)


def show_simulated(folder: Path, n_each: int) -> None:
    """Print what becomes of the planted counts of one simulated study."""
    counts = (folder / "counts.csv.gz").read_bytes()
    truth = pd.read_csv(folder / "truth.csv.gz", index_col="gene_id")
    metadata = (folder / "metadata.csv").read_bytes()
    data = answer(counts, metadata, reference_group="ctrl", comparison_group="case")
    frames = [result.table.frame.set_index("gene_id") for result in data.method_results]
    planted = set(truth.index[truth["outlier"] == 1]) & set(frames[0].index)
    still = set(truth.index[truth["is_de"] == 0])
    is_called = [
        set(frame.index[(frame["padj"] < 0.05) & (frame["log2FC"].abs() >= 1)]) for frame in frames
    ]
    wrong = planted & still & set.union(*is_called)
    agreed = planted & still & set(data.consensus.genes)
    named = {gene for gene in wrong if any(gene in text for text in data.warnings)}
    say(
        f"{f'{n_each} v {n_each}':<24}{len(planted):>8}{len(agreed):>26}{len(wrong):>8}"
        f"{len(named):>8}"
    )


def main(seed: int = 1) -> None:
    """Print everything."""
    warm_up()
    show_outliers(seed)
    show_permutations(seed)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:2]))
