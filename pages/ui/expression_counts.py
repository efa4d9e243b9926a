"""Normalized counts of single genes, read from the file that a run keeps of them."""

import altair as alt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import streamlit as st

from core.agents.differential_expression.normalized import FILE, GENE_COLUMN
from core.agents.differential_expression.schema import DifferentialExpressionData
from core.records.runs import RunRecord
from core.reports.document import Chart
from core.workbench import current
from pages.ui.charts import show_chart
from pages.ui.look import GROUPS_LIGHT

MOST_STRIPS = 4
MOST_CELLS = 4_000_000
"""Above so many counts a table on screen would only be slow; the file has them all."""


def read_counts(run: RunRecord, genes: list[str]) -> pd.DataFrame:
    """Return the normalized counts of genes, one row a gene and one column a sample.

    A run of an older version has no such file; then there are no rows.
    """
    artifact = run.artifact("file", FILE)
    if artifact is None:
        return pd.DataFrame()
    file = pq.ParquetFile(current().stores.blobs.path(artifact.sha256))
    requested_genes, gene_rows = set(genes), []
    for group in range(file.num_row_groups):
        ids = file.read_row_group(group, columns=[GENE_COLUMN]).column(0).to_pylist()
        rows = [row for row, gene in enumerate(ids) if gene in requested_genes]
        if rows:
            gene_rows.append(file.read_row_group(group).take(pa.array(rows)))
    if not gene_rows:
        return pd.DataFrame()
    table = pa.concat_tables(gene_rows)
    columns = {name: table.column(index + 1) for index, name in enumerate(table.column_names[1:])}
    frame = pd.DataFrame({name: column.to_pandas() for name, column in columns.items()})
    frame.index = pd.Index(table.column(0).to_pylist(), name=GENE_COLUMN)
    return frame


def show_strips(run: RunRecord, data: DifferentialExpressionData, genes: list[str]) -> None:
    """Draw genes by group, a dot a sample, side by side."""
    shown = list(dict.fromkeys(genes))[:MOST_STRIPS]
    counts = read_counts(run, shown)
    if counts.empty:
        st.caption("This run tested no such gene, or it is of a version that kept no counts.")
        return
    group = {size.sample_id: size.group for size in data.sample_qc.library_sizes}
    for column, gene in zip(st.columns(len(counts)), counts.index, strict=True):
        values = counts.loc[gene]
        frame = pd.DataFrame(
            {
                "gene": gene,
                "sample": values.index,
                "group": [group[name] for name in values.index],
                "normalized count": values.to_numpy(dtype=float),
            }
        )
        with column:
            show_chart(
                draw_strip(frame, data.settings.terms[-1].levels), f"strip-{gene}", frame=frame
            )
    if len(set(genes)) > len(shown):
        st.caption(f"The first {len(shown)} of {len(set(genes)):,} picked genes are drawn.")


def draw_strip(frame: pd.DataFrame, groups: list[str]) -> Chart:
    """Draw one gene's normalized counts by group, a dot a sample."""
    rows = frame.rename(columns={"normalized count": "normalized"})
    rows = rows.assign(count=rows["normalized"] + 1).to_dict("records")
    few = alt.Axis(tickCount=4)
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .transform_calculate(jitter="random() - 0.5")
        .mark_circle(size=70, opacity=0.8)
        .encode(
            x=alt.X("group:N", sort=groups, title=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("jitter:Q", scale=alt.Scale(domain=[-1, 1])),
            y=alt.Y("count:Q", title="normalized count + 1", scale=alt.Scale(type="log"), axis=few),
            color=alt.Color(
                "group:N", sort=groups, legend=None, scale=alt.Scale(range=list(GROUPS_LIGHT))
            ),
            tooltip=["sample:N", "group:N", "normalized:Q"],
        )
        .properties(height=300)
    )
    gene = frame["gene"].iloc[0]
    caption = f"Normalized counts of {gene} by group, a dot a sample."
    alt_text = f"Dots: normalized count of {gene} in each sample, by group"
    return Chart.build(chart, caption, alt_text, points=len(frame))


def with_samples(run: RunRecord, table: pd.DataFrame) -> pd.DataFrame:
    """Return a gene table with a column of normalized counts for each sample."""
    counts = read_counts(run, table[GENE_COLUMN].tolist()).add_suffix(" (normalized)")
    return table.join(counts, on=GENE_COLUMN)


def named(table: pd.DataFrame, words: str) -> "pd.Series[bool]":
    """Return which genes have the words in their id or symbol."""
    is_match = table[GENE_COLUMN].str.contains(words, case=False, regex=False)
    if "symbol" in table:  # a run of an older version has none
        symbols = table["symbol"].fillna("").astype(str)
        is_match |= symbols.str.contains(words, case=False, regex=False)
    return is_match
