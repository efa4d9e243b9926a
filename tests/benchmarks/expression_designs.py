"""`python -m tests.benchmarks.expression_designs [SEED] [FOLDER]`: further designs beside R.

Contrasts of three groups, likelihood-ratio tests, interactions and several covariates, numbers
among them, on a study drawn by seed, each by the three methods (DESeq2, edgeR 3 and limma of the R
that Rscript finds, genes filtered by the design where an interaction is tested). Twenty genes are
expressed in one cell of the design alone: printed is how many of them R and we call. With a folder
the study and R's tables stay there: so the tables in
tests/core/agents/differential_expression/designs were made (seed 7, 400 genes, none in one cell).
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from core.agents.differential_expression.records import MethodResult
from tests.benchmarks.agreement import HEADER, compare
from tests.benchmarks.direct import answer, warm_up
from tests.benchmarks.expression import FILES, has_r, read_table, say

SCRIPT = Path(__file__).with_name("expression_designs.R")
N_GENES = 4000
N_EACH = 4
N_PLANTED = 20
"""Genes expressed in one cell of the design alone."""
_CROSSED = {"interaction": "genotype"}
DESIGNS: dict[str, dict[str, object]] = {
    "c-b-batch": {
        "covariates": ["batch"],
        "contrasts": [{"reference_group": "b", "comparison_group": "c"}],
    },
    "lrt": {"test": "lrt"},
    "lrt-batch": {"test": "lrt", "covariates": ["batch"]},
    "lrt-interaction": {"test": "lrt", **_CROSSED},
    "interaction": _CROSSED,
    "interaction-batch-age": {**_CROSSED, "covariates": ["batch", "age"]},
    "genotype-batch-age": {"covariates": ["genotype", "batch", "age"]},
    "lrt-batch-age": {"test": "lrt", "covariates": ["batch", "age"]},
}
"""Request of each design; of the contrasts the last one is compared."""
CONTRASTS = {
    "contrasts": [
        {"reference_group": "a", "comparison_group": "c"},
        {"reference_group": "b", "comparison_group": "c"},
    ]
}


def draw_three_groups(seed: int, n_genes: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return counts and metadata of three groups, two genotypes and two batches."""
    draw = np.random.default_rng(seed)
    condition = np.repeat(["a", "b", "c"], 2 * N_EACH)
    genotype = np.tile(np.repeat(["m", "w"], N_EACH), 3)
    batch = np.tile(["x", "y"], 3 * N_EACH)
    mean = 2 ** draw.normal(7, 2.2, n_genes)
    dispersion = (0.03 + 2 / mean) * np.exp(draw.normal(0, 0.5, n_genes))
    change = np.zeros((n_genes, len(condition)))
    for flags, share in (
        (condition == "b", 1 / 8),
        (condition == "c", 1 / 6),
        ((condition == "c") & (genotype == "w"), 1 / 12),
        (batch == "y", 1 / 5),
    ):
        moved = np.where(draw.random(n_genes) < share, draw.normal(0, 1.5, n_genes), 0)
        change += moved[:, None] * flags
    absent = draw.random(n_genes) < 1 / 40
    change[np.ix_(absent, condition != "c")] = -60
    expected = mean[:, None] * np.exp(draw.normal(0, 0.3, len(condition))) * 2**change
    size = 1 / dispersion[:, None]
    counts = draw.negative_binomial(size, size / (size + expected))
    samples = [f"s{index:03d}" for index in range(len(condition))]
    genes = [f"g{index:05d}" for index in range(n_genes)]
    sheet = {"condition": condition, "genotype": genotype, "batch": batch}
    return (
        pd.DataFrame(counts, index=pd.Index(genes, name="gene_id"), columns=samples),
        pd.DataFrame(sheet, index=pd.Index(samples, name="sample_id")),
    )


def plant_cells(counts: pd.DataFrame, sheet: pd.DataFrame, seed: int) -> list[str]:
    """Change a study in place: genes in one cell alone, and an age. Return these genes."""
    draw = np.random.default_rng(seed)
    sheet["age"] = draw.uniform(20, 70, len(sheet)).round(1)
    planted = list(counts.index[-N_PLANTED:])
    in_cell = ((sheet["condition"] == "b") & (sheet["genotype"] == "w")).to_numpy()
    counts.loc[planted] = 0
    cell = draw.negative_binomial(8, 8 / (8 + 60), (N_PLANTED, int(in_cell.sum())))
    counts.loc[planted, counts.columns[in_cell]] = cell
    return planted


def ask(folder: Path, run: object = answer) -> Iterator[tuple[str, list[MethodResult]]]:
    """Yield the name of each design and our results; `run` answers as `direct.answer` does."""
    counts, metadata = ((folder / f"{name}.csv").read_bytes() for name in ("counts", "metadata"))
    plain = {"reference_group": "a", "comparison_group": "b", "edger_flavor": "legacy_v3"}
    data = run(counts, metadata, **plain, **CONTRASTS)
    yield "b-a", data.method_results
    for name, one in zip(("c-a", "c-b"), data.contrasts, strict=True):
        yield name, one.method_results
    for name, fields in DESIGNS.items():
        data = run(counts, metadata, **plain, **fields)
        yield name, data.contrasts[-1].method_results if data.contrasts else data.method_results


def show_scripts(folder: Path) -> None:
    """Run the R script of every design and compare its p values with the answer's."""
    counts, metadata = ((folder / f"{name}.csv").read_bytes() for name in ("counts", "metadata"))
    names = {"DESeq2": ("deseq2", "pvalue"), "edgeR": ("edger", "PValue")}
    names["limma-voom"] = ("limma_voom", "P.Value")
    for design, fields in DESIGNS.items():
        plain = {"reference_group": "a", "comparison_group": "b", "edger_flavor": "legacy_v3"}
        data = answer(counts, metadata, **plain, **fields)
        (folder / "run.R").write_text(data.r_script)
        subprocess.run(["Rscript", "run.R"], cwd=folder, capture_output=True, check=True)
        parts = [("", data.method_results)]
        parts += [(f"-contrast-{n}", one.method_results) for n, one in enumerate(data.contrasts, 1)]
        for suffix, results in parts:
            for result in results:
                file, column = names[result.method]
                theirs = pd.read_csv(folder / f"{file}{suffix}.csv", index_col=0)
                ours = result.table.frame.set_index("gene_id").loc[theirs.index]
                gap = np.abs(np.log10(ours["pvalue"]) - np.log10(theirs[column]))
                same = (ours["significant"] == theirs["significant"]).mean()
                say(f"script, {design}{suffix:<14} {result.method:<12} {gap.max():9.1e} {same:.4f}")


def main(seed: int = 7, kept: str = "", n_genes: int = N_GENES) -> None:
    """Print how near every design comes to R."""
    if not has_r():
        say("no R with DESeq2, edgeR and limma")
        return
    warm_up()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(kept or name)
        folder.mkdir(exist_ok=True)
        counts, sheet = draw_three_groups(seed, n_genes)
        planted = plant_cells(counts, sheet, seed) if n_genes >= N_GENES else []
        counts.to_csv(folder / "counts.csv")
        sheet.to_csv(folder / "metadata.csv")
        subprocess.run(["Rscript", str(SCRIPT), str(folder)], capture_output=True, check=True)
        say(HEADER)
        for design, results in ask(folder):
            for result in results:
                theirs = read_table(folder / f"{design}-{FILES[result.method]}.csv")
                ours = result.table.frame.set_index("gene_id")
                say(compare(ours, theirs).row(design, result.method))
                if design.startswith("interaction") and planted:
                    called = [
                        int((table.reindex(planted)["padj"] < 0.05).sum())
                        for table in (ours, theirs)
                    ]
                    say(f"  genes in one cell called: {called[0]} by us, {called[1]} by R")
        say("largest difference of log10 p, and share of genes with the same call")
        show_scripts(folder)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 7, *given[1:2], *(int(text) for text in given[2:3]))
