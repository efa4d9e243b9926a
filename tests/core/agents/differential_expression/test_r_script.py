"""The R script of an answer, run whole by the R of the system where it has the three packages."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.core.agents.differential_expression.conftest import ask_study

FOLDER = Path(__file__).with_name("designs")
FILES = {
    "DESeq2": ("deseq2", "log2FoldChange", "pvalue"),
    "edgeR": ("edger", "logFC", "PValue"),
    "limma-voom": ("limma_voom", "logFC", "P.Value"),
}
PACKAGES = "c('DESeq2', 'edgeR', 'limma')"


def has_packages() -> bool:
    if shutil.which("Rscript") is None:
        return False
    code = f"q(status = !all({PACKAGES} %in% rownames(installed.packages())))"
    return subprocess.run(["Rscript", "-e", code], capture_output=True, check=False).returncode == 0


needs_r = pytest.mark.skipif(not has_packages(), reason="no R with DESeq2, edgeR and limma")


@needs_r
def test_the_script_runs_whole_and_repeats_the_numbers(bench, tmp_path):
    for name in ("counts", "metadata"):
        shutil.copy(FOLDER / f"{name}.csv", tmp_path)
    data = ask_study(bench, "designs", covariates=["batch"], model_groups="all")
    (tmp_path / "run.R").write_text(data.r_script)
    subprocess.run(["Rscript", "run.R"], cwd=tmp_path, capture_output=True, check=True, text=True)
    assert "limma" in (tmp_path / "session.txt").read_text()
    for result in data.method_results:
        check(tmp_path, result, 1e-4)


def check(folder, result, bar):
    file, change, p = FILES[result.method]
    theirs = pd.read_csv(folder / f"{file}.csv", index_col=0)
    ours = result.table.frame.set_index("gene_id").loc[theirs.index]
    assert len(ours) == result.n_tested
    if result.method == "edgeR":  # the run follows edgeR 4, the system may have edgeR 3
        assert np.corrcoef(ours["log2FC"], theirs[change])[0, 1] > 0.99
        return
    assert np.nanmax(np.abs(ours["log2FC"] - theirs[change])) < 1e-3
    gap = np.log10(ours["pvalue"].clip(1e-300)) - np.log10(theirs[p].clip(1e-300))
    assert np.nanmax(np.abs(gap)) < bar
    assert (ours["significant"] == theirs["significant"]).all()
