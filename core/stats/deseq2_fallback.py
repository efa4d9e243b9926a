"""DESeq2 by pydeseq2 as it comes: slower and a little further from R, for when our own fit fails.

References:
    Muzellec et al. 2023, doi 10.1093/bioinformatics/btad547.
"""

import numpy as np
import pandas as pd
from pydeseq2.dds import DeseqDataSet
from pydeseq2.default_inference import DefaultInference
from pydeseq2.ds import DeseqStats

from core.stats.deseq2 import DeseqFit, TrendKind
from core.stats.filtering import ALPHA, filter_independently
from core.stats.fit import FloatArray, GeneTests, IntArray, quiet


def fit_pydeseq2(
    counts: IntArray,
    design: FloatArray,
    size_factors: FloatArray,
    *,
    threshold: float = 0.0,
    alpha: float = ALPHA,
) -> DeseqFit:
    """Test the last column of the design in every gene; arguments as `fit_deseq2`."""
    samples = [f"s{index}" for index in range(counts.shape[1])]
    genes = [f"g{index}" for index in range(len(counts))]
    columns = [f"b{index}" for index in range(design.shape[1])]
    alone = DefaultInference(n_cpus=1)
    contrast = np.zeros(design.shape[1])
    contrast[-1] = 1.0
    with quiet():
        data = DeseqDataSet(
            counts=pd.DataFrame(counts.T, index=samples, columns=genes),
            metadata=pd.DataFrame({"sample": samples}, index=samples),
            design=pd.DataFrame(design, index=samples, columns=columns),
            inference=alone,
            quiet=True,
        )
        data.obs["size_factors"] = size_factors
        data.layers["normed_counts"] = data.X / size_factors[:, None]
        data.deseq2()
        chosen = {"lfc_null": threshold, "alt_hypothesis": "greaterAbs"} if threshold else {}
        tests = DeseqStats(data, contrast=contrast, inference=alone, quiet=True, **chosen)
        tests.summary()
    table = tests.results_df
    pvalue = table["pvalue"].to_numpy(dtype=np.float64)
    base_mean = table["baseMean"].to_numpy(dtype=np.float64)
    tests_of_genes = GeneTests(
        log2_fc=table["log2FoldChange"].to_numpy(dtype=np.float64),
        lfc_se=table["lfcSE"].to_numpy(dtype=np.float64),
        stat=table["stat"].to_numpy(dtype=np.float64),
        pvalue=pvalue,
        padj=filter_independently(base_mean, pvalue, alpha),
        extra={"dispersion": data.var["dispersions"].to_numpy(dtype=np.float64)},
        notes=(
            "deseq2_fallback: our own fit of DESeq2's model failed on these counts; pydeseq2's was "
            "used, which departs from R in a few genes in a hundred.",
        ),
    )
    kind: TrendKind = "parametric" if data.uns["disp_function_type"] == "parametric" else "mean"
    return DeseqFit(tests_of_genes, None, kind)
