"""Normalized counts of every tested gene, kept beside the answer: what any gene is drawn from."""

from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.agents.differential_expression.universe import Universe

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
