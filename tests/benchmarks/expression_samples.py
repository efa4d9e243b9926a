"""`python -m tests.benchmarks.expression_samples [SEED] [FOLDER] [GENES]`: unequal samples and R.

Subjects seen once or twice (duplicateCorrelation) and a noisy sample (voomWithQualityWeights), on a
study drawn by seed, beside the limma and statmod of the R that Rscript finds; surrogate variables
beside sva where it is installed. With a folder the
study and R's tables stay there: so the tables in
tests/core/agents/differential_expression/samples were made (seed 7, 240 genes).
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from core.agents.differential_expression.schema import DifferentialExpressionData
from tests.benchmarks.agreement import HEADER, compare
from tests.benchmarks.direct import answer, warm_up
from tests.benchmarks.expression import has_r, read_table, say

SCRIPT = Path(__file__).with_name("expression_samples.R")
N_GENES = 6000
N_EACH = 9
N_SHARED = 6
"""Subjects with a sample in both groups; the others have one."""
PLANS: dict[str, dict[str, object]] = {
    "patients": {"duplicate_correlation": "patient"},
    "quality": {"sample_weights": True},
    "both": {"duplicate_correlation": "patient", "sample_weights": True},
    "together": {"duplicate_correlation": "patient", "test": "lrt", "reduced": []},
}


def draw_patients(seed: int, n_genes: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return counts and metadata of two groups of partly the same patients, one sample noisy."""
    draw = np.random.default_rng(seed)
    condition = np.repeat(["a", "b"], N_EACH)
    second = [*range(N_SHARED), *range(N_EACH, 2 * N_EACH - N_SHARED)]
    patient = np.array([*range(N_EACH), *second])
    batch = np.tile(["x", "y", "y"], 2 * N_EACH // 3)
    mean = 2 ** draw.normal(7, 2.2, n_genes)
    of_patients = draw.normal(0, 0.35, (n_genes, patient.max() + 1))
    moved = np.where(draw.random(n_genes) < 1 / 8, draw.normal(0, 1.5, n_genes), 0)
    shifted = np.where(draw.random(n_genes) < 1 / 5, draw.normal(0, 1.0, n_genes), 0)
    change = of_patients[:, patient] + moved[:, None] * (condition == "b")
    change += shifted[:, None] * (batch == "y")
    change[:, 3] += draw.normal(0, 1.2, n_genes)
    expected = mean[:, None] * np.exp(draw.normal(0, 0.3, len(condition))) * 2**change
    size = 1 / ((0.03 + 2 / mean) * np.exp(draw.normal(0, 0.5, n_genes)))[:, None]
    counts = draw.negative_binomial(size, size / (size + expected))
    samples = pd.Index([f"s{place:02d}" for place in range(len(condition))], name="sample_id")
    genes = pd.Index([f"g{place:05d}" for place in range(n_genes)], name="gene_id")
    sheet = {"condition": condition, "batch": batch, "patient": [f"p{one:02d}" for one in patient]}
    return pd.DataFrame(counts, genes, samples), pd.DataFrame(sheet, index=samples)


def ask(
    folder: Path, run: object = answer
) -> Iterator[tuple[str, DifferentialExpressionData, float]]:
    """Yield the name of each plan, our answer and its seconds."""
    counts, metadata = ((folder / f"{name}.csv").read_bytes() for name in ("counts", "metadata"))
    for name, fields in PLANS.items():
        began = time.perf_counter()
        data = run(
            counts,
            metadata,
            reference_group="a",
            comparison_group="b",
            covariates=["batch"],
            method="limma-voom",
            **fields,
        )
        yield name, data, time.perf_counter() - began


def main(seed: int = 7, kept: str = "", n_genes: int = N_GENES) -> None:
    """Print how near every plan comes to R."""
    if not has_r():
        say("no R with DESeq2, edgeR and limma")
        return
    warm_up()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(kept or name)
        folder.mkdir(exist_ok=True)
        counts, sheet = draw_patients(seed, n_genes)
        counts.to_csv(folder / "counts.csv")
        sheet.to_csv(folder / "metadata.csv")
        began = time.perf_counter()
        subprocess.run(["Rscript", str(SCRIPT), str(folder)], capture_output=True, check=True)
        say(f"R: {time.perf_counter() - began:.1f} s for all four")
        within = pd.read_csv(folder / "within.csv", index_col=0)["correlation"]
        weights = pd.read_csv(folder / "weights.csv", index_col=0)["weight"]
        say(HEADER)
        for plan, data, took_s in ask(folder):
            ours = data.method_results[0].table.frame.set_index("gene_id")
            say(compare(ours, read_table(folder / f"{plan}.csv")).row(plan, "limma-voom"))
            found = data.settings.intrablock_correlation
            if found is not None:
                gap = found - within[plan]
                say(f"  correlation {found:.6f}, from R's {gap:.1e}; {took_s:.1f} s")
            if plan == "quality":
                gap = pd.Series(data.settings.sample_weights) / weights - 1
                say(f"  weights from R's at most {gap.abs().max():.1e}; {took_s:.1f} s")
        if (folder / "surrogates.csv").exists():
            show_surrogates(folder)


def show_surrogates(folder: Path) -> None:
    """Print how near two surrogate variables come to those of sva."""
    counts, metadata = ((folder / f"{name}.csv").read_bytes() for name in ("counts", "metadata"))
    data = answer(
        counts,
        metadata,
        reference_group="a",
        comparison_group="b",
        method="limma-voom",
        surrogate_variables=2,
    )
    theirs = pd.read_csv(folder / "surrogates.csv", index_col=0)
    for name, values in data.settings.surrogates.items():
        say(f"{name}: correlation with sva's {abs(np.corrcoef(values, theirs[name])[0, 1]):.9f}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 7, *given[1:2], *(int(text) for text in given[2:3]))
