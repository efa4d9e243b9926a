"""The strongest genes of a differential-expression run, sample by sample."""

from collections import Counter
from collections.abc import Mapping

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from core.agents.differential_expression.records import GeneCounts
from core.agents.differential_expression.schema import DifferentialExpressionData
from core.records.runs import RunRecord
from core.reports.document import Chart
from core.results import read_table
from core.workbench import current
from pages.ui.charts import show_chart
from pages.ui.downloads import run_stem
from pages.ui.expression_result import named, number_formats, show_strips
from pages.ui.tables import show_table

GROUP_ROW = "▪ group"
"""Row above the genes that shows the group of each sample."""
GROUP_COLORS = ["#2a9d8f", "#e9c46a", "#264653", "#8ab17d", "#b5838d", "#6d9dc5"]
"""None of them is a color of the scale of the genes."""


def normalized_counts(data: DifferentialExpressionData) -> pd.DataFrame:
    """Return one row a gene and sample: group, normalized count, and its z among the samples."""
    group = {size.sample_id: size.group for size in data.sample_qc.library_sizes}
    strongest = data.strongest_genes
    symbols = Counter(gene.symbol for gene in strongest.genes)
    parts = []
    for gene in strongest.genes:
        values = np.log2(np.array(gene.normalized_counts) + 1)
        spread = values.std() or 1.0
        parts.append(
            pd.DataFrame(
                {
                    "gene": label_of(gene, symbols),
                    "sample": strongest.sample_ids,
                    "group": [group[name] for name in strongest.sample_ids],
                    "normalized count": gene.normalized_counts,
                    "z": (values - values.mean()) / spread,
                }
            )
        )
    columns = ["gene", "sample", "group", "normalized count", "z"]
    return pd.concat(parts) if parts else pd.DataFrame(columns=columns)


def label_of(gene: GeneCounts, symbols: Mapping[str | None, int]) -> str:
    """Return a gene's symbol, or its id where it has none of its own."""
    return gene.symbol if gene.symbol and symbols[gene.symbol] == 1 else gene.gene_id


def draw_heat_map(frame: pd.DataFrame, samples: list[str], genes: list[str], order: str) -> Chart:
    """Draw the strongest genes by sample, each gene on its own scale, groups above them.

    Args:
        frame: One row a gene and sample.
        samples: In the order of the columns.
        genes: In the order of the rows.
        order: How both are ordered, for the caption.
    """
    rows = frame.rename(columns={"normalized count": "count"})
    tops = rows.drop_duplicates("sample").assign(gene=GROUP_ROW)
    axis = alt.Axis(labelOverlap=True, labelLimit=160, title=None)
    x = alt.X("sample:N", sort=samples, axis=axis)
    y = alt.Y("gene:N", sort=[GROUP_ROW, *genes], axis=axis)
    cells, groups = (
        alt.Chart(alt.InlineData(values=frame.to_dict("records"))).mark_rect().encode(x=x, y=y)
        for frame in (rows, tops[["sample", "group", "gene"]])
    )
    shade = alt.Color("z:Q", title="z", scale=alt.Scale(scheme="purpleorange", domainMid=0))
    color = alt.Color("group:N", title="Group", scale=alt.Scale(range=GROUP_COLORS))
    figures = ["gene:N", "sample:N", "group:N", "count:Q", alt.Tooltip("z:Q", format=".2f")]
    chart = (
        alt.layer(
            cells.encode(color=shade, tooltip=figures),
            groups.encode(color=color, tooltip=["sample:N", "group:N"]),
        )
        .resolve_scale(color="independent")
        .properties(width=480, height=min(900, 104 + 14 * len(genes)))
    )
    caption = f"{order}: log2 normalized count, each gene centered and scaled."
    alt_text = "Heat map of the strongest genes by sample, with the group of each sample"
    return Chart.build(chart, caption, alt_text, points=len(rows))


def show_strongest(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw one chosen gene by group, and all of the strongest genes by sample."""
    frame = normalized_counts(data)
    if frame.empty:
        st.caption("No gene passes the cut-offs in any method.")
        return
    groups = data.settings.terms[-1].levels
    genes = [gene.gene_id for gene in data.strongest_genes.genes]
    chosen = st.selectbox(
        "Gene",
        genes,
        key="strip-gene",
        width=320,
        accept_new_options=True,
        help="One of the strongest, or the ID of any gene that was tested.",
    )
    show_strips(run, data, [str(chosen or genes[0])])
    _show_heat_map(data, frame, groups)


def _show_heat_map(
    data: DifferentialExpressionData, frame: pd.DataFrame, groups: list[str]
) -> None:
    """Draw the strongest genes by sample, clustered or in the order of groups and p values."""
    order = {group: number for number, group in enumerate(groups)}
    ordered = frame.assign(place=frame["group"].map(order)).sort_values("place", kind="stable")
    samples, genes = list(dict.fromkeys(ordered["sample"])), list(dict.fromkeys(frame["gene"]))
    words = "The surest genes of the methods in turn, reference samples first"
    strongest = data.strongest_genes
    symbols = Counter(gene.symbol for gene in strongest.genes)
    labels = {gene.gene_id: label_of(gene, symbols) for gene in strongest.genes}
    clustered = (strongest.clustered_samples, [labels[gene] for gene in strongest.clustered_genes])
    if clustered[1] and st.toggle(
        "Clustered", value=True, key="heat-map-clustered", help="Alike genes and samples together."
    ):
        samples, genes = clustered
        words = "Genes and samples clustered by 1 - correlation, average linkage"
    show_chart(draw_heat_map(frame, samples, genes, words), "heat-map", frame=frame)


def show_agreement(run: RunRecord, _data: DifferentialExpressionData) -> None:
    """Draw the genes that any method calls, with the reasons where not all of them do."""
    table = read_table(run, "consensus", current())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input("Gene ID or symbol contains", key="agreement-search", width=260)
        only = st.toggle("Only genes on which the methods differ", key="agreement-differ")
    frame = table
    if words.strip():
        frame = frame[named(frame, words.strip())]
    if only:
        frame = frame[~frame["is_consensus"].astype(bool)]
    show_table(
        frame,
        total=len(table),
        name=f"{run_stem(run)}_consensus",
        formats=number_formats(),
        describe="Genes that any method calls, side by side",
    )
