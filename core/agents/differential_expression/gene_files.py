"""Files of every tested gene: normalized counts, and ranked lists for gene-set tools (.rnk)."""

from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.agents.differential_expression.universe import Universe
from core.stats.fit import FloatArray, GeneTests


def write_ranking(gene_ids: tuple[str, ...], tests: GeneTests) -> bytes:
    """Return the list of one method.

    The score is the test statistic with the sign of the change; edgeR's F by its root, and where
    a method has no statistic, -log10 p with that sign. Genes without p are left out.
    """
    score = signed_statistic(tests)
    finite = np.flatnonzero(np.isfinite(score) & ~np.isnan(tests.pvalue))
    order = finite[np.lexsort((finite, -score[finite]))]
    lines = [f"{_one_field(gene_ids[index])}\t{score[index]:.6g}\n" for index in order]
    return "".join(lines).encode("utf-8")


def signed_statistic(tests: GeneTests) -> FloatArray:
    """Return the score of each gene that `write_ranking` writes; NaN where there is none."""
    sign = np.sign(tests.log2_fc)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_p = sign * np.minimum(-np.log10(tests.pvalue), 300.0)
        is_ratio = bool((tests.stat[np.isfinite(tests.stat)] >= 0).all())
        by_stat = sign * np.sqrt(tests.stat) if is_ratio else tests.stat
    return np.asarray(by_stat if np.isfinite(by_stat).any() else by_p, dtype=np.float64)


def _one_field(gene_id: str) -> str:
    """Return a gene ID without the marks that separate fields and lines."""
    return " ".join(gene_id.split())


FILE = "normalized_counts.parquet"
GENE_COLUMN = "gene_id"
ROWS_A_GROUP = 1000
"""Genes of one row group: a reader of one gene reads so many, not all."""


def write_normalized(universe: Universe, sample_ids: tuple[str, ...]) -> bytes:
    """Return count / DESeq2 size factor as a parquet file: gene_id, then a column a sample.

    Genes come in the order of the method tables. Values have single precision, enough to draw
    and to read; tests never use them.
    """
    out = BytesIO()
    schema = pa.schema(
        [pa.field(GENE_COLUMN, pa.string())] + [pa.field(name, pa.float32()) for name in sample_ids]
    )
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for start in range(0, len(universe.gene_ids), ROWS_A_GROUP):
            rows = slice(start, start + ROWS_A_GROUP)
            values = (universe.counts[rows] / universe.size_factors).astype(np.float32)
            columns = [pa.array(universe.gene_ids[rows], pa.string())]
            columns += [pa.array(values[:, column]) for column in range(len(sample_ids))]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
    return out.getvalue()
