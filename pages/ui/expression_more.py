"""Tabs that a run of differential expression has on request: comparisons, sets, certificate."""

import pandas as pd
import streamlit as st

from core.agents.differential_expression.charts import (
    MOST_SETS,
    draw_gene_sets,
    label_calls,
    plot_volcano,
)
from core.agents.differential_expression.schema import DifferentialExpressionData
from core.records.runs import RunRecord
from core.results import read_table
from core.workbench import current
from pages.ui.charts import show_chart, show_plotly
from pages.ui.downloads import run_stem
from pages.ui.expression_result import number_formats, volcano
from pages.ui.plain import plain
from pages.ui.tables import draw_table, show_table


def show_contrasts(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw the number of calls of every comparison, then one of them in full."""
    rows = [
        {"comparison": contrast.name, "method": result.method, "higher": result.n_up,
         "lower": result.n_down, "in all methods": contrast.consensus.n_consensus_significant}
        for contrast in data.contrasts
        for result in contrast.method_results
    ]  # fmt: skip
    draw_table(pd.DataFrame(rows), "Genes called in each comparison", csv="comparisons")
    names = [contrast.name for contrast in data.contrasts]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Comparison", names, key="contrast-name", width=320)
        chosen = data.contrasts[names.index(name)]
        methods = [result.method for result in chosen.method_results]
        method = st.segmented_control("Method", methods, default=methods[0], key="contrast-method")
    result = next(
        method_result
        for method_result in chosen.method_results
        if method_result.method == (method or methods[0])
    )
    table = f"{result.method}-contrast-{names.index(name) + 1}"
    genes = label_calls(read_table(run, table, current()))
    number = f"{result.n_up:,} genes higher and {result.n_down:,} lower in {chosen.name}"
    show_plotly(
        volcano(plot_volcano(genes, chosen.name, data.input.called_change)),
        genes,
        name=f"volcano-{table}",
        caption=f"Volcano, {result.method}: {number}.",
        describe=f"Volcano plot of {result.method}: {number}",
    )
    ordered = genes.drop(columns="minus_log10_p").sort_values("padj", na_position="last")
    show_table(
        ordered.dropna(axis="columns", how="all"),
        total=len(genes),
        name=f"{run_stem(run)}_{table}",
        formats=number_formats(),
        describe=f"Genes tested by {result.method} in {chosen.name}",
    )


def show_gene_sets(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw the sets that move most certainly, one set gene by gene, and the table of all."""
    gene_set_results = data.gene_set_results
    if gene_set_results is None:
        return
    for collection in gene_set_results.collections:
        licensed = f", {collection.license}, {collection.citation}" if collection.license else ""
        st.caption(
            plain(
                f"{collection.title} {collection.version}{licensed}: {collection.n_tested:,} of "
                f"{collection.n_sets:,} tested"
            )
        )
    table = read_table(run, "gene-sets", current())
    show_chart(draw_gene_sets(gene_set_results), "gene-sets", frame=table.head(MOST_SETS))
    words = st.text_input("Set or leading gene contains", key="sets-search", width=320).strip()
    frame = table
    if words:
        texts = table["gene_set"] + " " + table["leading_genes"].fillna("")
        frame = table[texts.str.contains(words, case=False, regex=False)]
    show_table(
        frame,
        total=len(table),
        name=f"{run_stem(run)}_gene_sets",
        formats=number_formats(),
        describe="Gene sets in every test",
    )


def show_certificate(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw false calls under shuffled labels, and the genes that rest on one sample."""
    certificate = data.certificate
    if certificate is None:
        return
    within = f" within {', '.join(certificate.blocks)}" if certificate.blocks else ""
    st.markdown("**Called with shuffled labels**")
    st.caption(
        plain(
            f"{certificate.n_shuffles} shuffles{within}, {certificate.n_genes_shuffled:,} genes "
            "fitted each time, numbers scaled to all genes. Whatever is called then is false."
        )
    )
    rows = [call.model_dump() for call in certificate.false_calls]
    formats: dict[str, object] = {
        name: st.column_config.NumberColumn(format="%.1f")
        for name in ("nominal", "mean", "median", "largest")
    }
    formats["share_of_shuffles"] = st.column_config.NumberColumn(format="percent")
    draw_table(pd.DataFrame(rows), "False calls by method", csv="false-calls", columns=formats)
    st.markdown("**Consensus genes, leaving one sample out**")
    frame = read_table(run, "fragile-genes", current())
    missing = (
        f"; not possible without {', '.join(certificate.not_left_out)}"
        if certificate.not_left_out
        else ""
    )
    st.caption(
        plain(
            f"{certificate.n_robust:,} of {len(frame):,} genes stay in all "
            f"{certificate.n_left_out} fits{missing}."
        )
    )
    only = st.toggle("Only genes that are lost without a sample", value=True, key="fragile-only")
    shown = frame[frame["n_kept"] < frame["n_runs"]] if only else frame
    show_table(
        shown,
        total=len(frame),
        name=f"{run_stem(run)}_fragile_genes",
        formats={},
        describe="Consensus genes and the samples without which they are lost",
    )
