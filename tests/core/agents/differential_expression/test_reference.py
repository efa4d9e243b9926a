"""The pipeline beside the R packages' own tables (DESeq2 1.38.3, edgeR 4.5.1, limma 3.54.1).

The folder of reference data comes from BPW_REFERENCE; its README says how the tables were made.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "differential_expression"
FLOOR = 5e-7
FILES = {"DESeq2": "deseq2", "edgeR": "edger4_ql", "limma-voom": "limma_voom"}
GROUPS = {
    "airway": ("untrt", "trt"),
    "pasilla": ("untreated", "treated"),
    "t47d": ("veh", "E2"),
    "sim_balanced": ("ctrl", "case"),
}

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference data at {FOLDER}"),
]


@dataclass(frozen=True)
class Agreement:
    """How near a method comes to R."""

    jaccard: float
    lfc_p99: float
    log10p_p99: float
    top: int
    flips: int
    n_up: tuple[int, int]
    n_strong: tuple[int, int]


def compare(ours: pd.DataFrame, theirs: pd.DataFrame) -> Agreement:
    assert set(ours.index) == set(theirs.index), "another universe"
    theirs = theirs.loc[ours.index]
    called, expected = ours["padj"] < 0.05, theirs["padj"] < 0.05
    both = called & expected
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = (np.log10(ours["pvalue"]) - np.log10(theirs["pvalue"])).abs()
    gap = gap[np.isfinite(gap)]
    pairs = ((ours, called), (theirs, expected))
    strong = [frame.loc[flags & (frame["log2FC"].abs() >= 1), "log2FC"] for frame, flags in pairs]
    tops = [set(frame["pvalue"].nsmallest(100).index) for frame in (ours, theirs)]
    return Agreement(
        jaccard=both.sum() / (called | expected).sum(),
        lfc_p99=(ours["log2FC"] - theirs["log2FC"]).abs().quantile(0.99),
        log10p_p99=gap.quantile(0.99),
        top=len(tops[0] & tops[1]),
        flips=int((np.sign(ours["log2FC"]) != np.sign(theirs["log2FC"]))[both].sum()),
        n_up=tuple((changes > 0).sum() for changes in strong),
        n_strong=tuple(map(len, strong)),
    )


def read_reference(name: str, file: str) -> pd.DataFrame:
    frame = pd.read_csv(
        FOLDER / name / f"{file}.csv.gz",
        dtype={"gene_id": str},
        keep_default_na=False,
        na_values=[""],
    )
    return frame.set_index("gene_id")


def run(bench, name: str, **fields: object):
    files = {"counts": "counts.csv.gz", "metadata": "metadata.csv"}
    bench.uploads.files = {
        key: (file, (FOLDER / name / file).read_bytes()) for key, file in files.items()
    }
    reference, comparison = GROUPS[name]
    return bench.run(
        count_file_id="counts",
        metadata_file_id="metadata",
        condition_column="condition",
        reference_group=reference,
        comparison_group=comparison,
        **fields,
    )


def frame_of(data, method: str) -> pd.DataFrame:
    return next(r.table.frame for r in data.method_results if r.method == method).set_index(
        "gene_id"
    )


@pytest.mark.parametrize("name", GROUPS)
def test_three_methods_agree_with_r(bench, name):
    data = run(bench, name)
    factors = pd.read_csv(FOLDER / name / "factors.csv", dtype={"sample_id": str})
    factors = factors.set_index("sample_id")
    for sample, size in data.sample_qc.size_factors.items():
        assert size == pytest.approx(factors.loc[sample, "deseq2_size_factor"], rel=1e-9)
        assert data.sample_qc.tmm_factors[sample] == pytest.approx(
            factors.loc[sample, "tmm_norm_factor"], rel=1e-9
        )
    for method, file in FILES.items():
        found = compare(frame_of(data, method), read_reference(name, file))
        assert found.flips == 0
        if method == "DESeq2":  # of a set fitted from the other base level R differs as much
            assert found.lfc_p99 <= 1e-5
            assert found.log10p_p99 <= 2e-5
        else:
            assert found.lfc_p99 <= 1e-6
            assert found.log10p_p99 <= FLOOR
        assert found.jaccard == 1
        assert found.top == 100
        assert found.n_up[0] == found.n_up[1]
        assert found.n_strong[0] == found.n_strong[1]


def test_edger_3_agrees_with_r(bench):
    data = run(bench, "airway", method="edgeR", edger_flavor="legacy_v3")
    found = compare(frame_of(data, "edgeR"), read_reference("airway", "edger_ql"))
    assert found.jaccard == 1
    assert found.log10p_p99 <= FLOOR


@pytest.mark.parametrize("name", ["pasilla", "airway"])
def test_batch_covariate_agrees_with_r(bench, name):
    data = run(bench, name, covariates=["batch"], edger_flavor="legacy_v3")
    bars = {
        "DESeq2": ("deseq2_batch", 1e-6),
        "edgeR": ("edger_ql_batch", 1e-5),
        "limma-voom": ("limma_voom_batch", FLOOR),
    }
    for method, (file, log10p_p99) in bars.items():
        found = compare(frame_of(data, method), read_reference(name, file))
        assert found.jaccard == 1
        assert found.log10p_p99 <= log10p_p99
        assert found.flips == 0
