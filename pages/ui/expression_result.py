"""The result of differential expression, one function a tab."""

import altair as alt
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.parquet as pq
import streamlit as st

from core.agents.differential_expression.charts import (
    GenePlot,
    draw_distances,
    draw_libraries,
    draw_overlaps,
    draw_pca,
    draw_pvalues,
    draw_trends,
    label_calls,
    plot_mean_difference,
    plot_volcano,
    relabel_calls,
)
from core.agents.differential_expression.records import CALL_COLORS, NOT_SIGNIFICANT, SUFFIXES
from core.agents.differential_expression.schema import DifferentialExpressionData
from core.agents.differential_expression.universe import FILE, GENE_COLUMN
from core.records.runs import RunRecord
from core.reports.document import Chart
from core.results import read_table
from core.workbench import current
from pages.ui.charts import show_chart, show_plotly
from pages.ui.downloads import offer_csv, run_stem
from pages.ui.look import GROUPS_LIGHT, colors
from pages.ui.tables import draw_table, show_table


def volcano(plot: GenePlot) -> go.Figure:
    """Return the volcano: log2 fold change against -log10 p, the strongest genes named."""
    figure = _scatter_genes(plot)
    for cutoff in plot.lines:
        figure.add_vline(x=cutoff, line={"dash": "dot", "width": 1, "color": colors()["no call"]})
    figure.add_trace(
        go.Scatter(
            x=plot.names["x"],
            y=plot.names["y"],
            text=plot.names["label"],
            mode="text",
            textposition="top center",
            textfont={"size": 11, "color": colors()["ink"]},
            showlegend=False,
            hoverinfo="skip",
            customdata=plot.names[["gene_id"]],
        )
    )
    return figure


def mean_difference(plot: GenePlot) -> go.Figure:
    """Return the MA plot: mean normalized count against log2 fold change."""
    figure = _scatter_genes(plot)
    figure.update_xaxes(type="log", dtick=1)
    figure.add_hline(y=0, line={"width": 1, "color": colors()["no call"]})
    return figure


def _scatter_genes(plot: GenePlot) -> go.Figure:
    figure = go.Figure()
    # A template acts on braces and markup, so the groups' names in the titles stay out of it.
    measures = [title.partition(" (")[0] for title in (plot.x_title, plot.y_title)]
    for call in CALL_COLORS:
        is_quiet = call == NOT_SIGNIFICANT
        points = plot.points[plot.points["call"] == call]
        figure.add_trace(
            go.Scattergl(
                x=points["x"],
                y=points["y"],
                mode="markers",
                name=plot.legend[call],
                customdata=points[["gene_id"]],
                marker={
                    "color": colors()["no call" if is_quiet else call],
                    "size": 4 if is_quiet else 5,
                    "opacity": 0.7,
                },
                hovertemplate=f"%{{customdata[0]}}<br>{measures[0]} %{{x:.3g}}<br>{measures[1]} "
                "%{y:.3g}<extra></extra>",
            )
        )
    figure.update_xaxes(title=plot.x_title)
    figure.update_yaxes(title=plot.y_title)
    return figure


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


FIGURES = {
    **{"log2FC": "%.3f", "lfc_se": "%.3f", "stat": "%.3f", "base_mean": "%.1f"},
    **{f"log2FC_{suffix}": "%.3f" for suffix in SUFFIXES.values()},
}
SMALL = (
    *("pvalue", "padj", *(f"padj_{suffix}" for suffix in SUFFIXES.values())),
    *(f"{test}_{p}" for test in ("camera", "fry", "rank", "overlap") for p in ("p", "padj")),
)
PADJ = (0.001, 0.01, 0.05, 0.1, 0.2)
LOG2FC = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)


def pick_method(data: DifferentialExpressionData, key: str) -> str:
    """Draw a choice of the completed methods and return the chosen one."""
    methods = [result.method for result in data.method_results]
    chosen = st.segmented_control(
        "Method", methods, default=methods[0], key=key, label_visibility="collapsed"
    )
    return str(chosen or methods[0])


def show_volcano(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw the volcano of a method, and what samples and methods say of a picked gene."""
    method = pick_method(data, "volcano-method")
    genes = label_calls(read_table(run, method, current()))
    padj, log2fc = _choose_cutoffs(data)
    is_own = (padj, log2fc) == (data.input.fdr_cutoff, data.input.log2fc_cutoff)
    genes = genes if is_own else relabel_calls(genes, padj, log2fc)
    cutoff = data.input.called_change if is_own else log2fc
    plot = plot_volcano(genes, data.summary.comparison, cutoff)
    number = _result(data, method) if is_own else _count(genes, padj, log2fc)
    picked = show_plotly(
        volcano(plot),
        genes,
        name=f"volcano-{method}",
        caption=f"Volcano, {method}: {number}. {_drawn(plot, genes)} Pick a point to compare "
        "the methods.",
        describe=f"Volcano plot of {method}: {number}",
    )
    if picked:
        show_genes(run, data, picked[:50])


def _choose_cutoffs(data: DifferentialExpressionData) -> tuple[float, float]:
    """Draw cut-offs that call genes anew on the screen; the run's own are the first choice."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        padj = st.select_slider(
            "Adjusted p below",
            sorted({*PADJ, data.input.fdr_cutoff}),
            value=data.input.fdr_cutoff,
            key="cutoff-padj",
            width=240,
        )
        log2fc = st.select_slider(
            "|log2 fold change| at least",
            sorted({*LOG2FC, data.input.log2fc_cutoff}),
            value=data.input.log2fc_cutoff,
            key="cutoff-log2fc",
            width=240,
        )
    return float(padj), float(log2fc)


def _count(genes: pd.DataFrame, padj: float, log2fc: float) -> str:
    up, down = ((genes["call"] == call).sum() for call in ("higher", "lower"))
    return (
        f"{up:,} genes higher and {down:,} lower at adjusted p < {padj:g} and |log2FC| >= "
        f"{log2fc:g}, on this screen alone"
    )


def _result(data: DifferentialExpressionData, method: str) -> str:
    result = next(result for result in data.method_results if result.method == method)
    if data.settings.reduced_design is not None:
        return f"{result.n_significant:,} genes with {data.summary.comparison}"
    return f"{result.n_up:,} genes higher and {result.n_down:,} lower in {data.summary.comparison}"


def _drawn(plot: GenePlot, genes: pd.DataFrame) -> str:
    n_drawn = len(plot.points)
    if n_drawn == len(genes):
        return f"All {len(genes):,} genes are drawn."
    return f"{n_drawn:,} of {len(genes):,} genes are drawn, among them every called one."


def show_genes(run: RunRecord, data: DifferentialExpressionData, genes: list[str]) -> None:
    """Draw what each method says of these genes, and the first of them sample by sample."""
    show_strips(run, data, genes)
    parts = []
    for result in data.method_results:
        table = read_table(run, result.method, current())
        parts.append(table[table["gene_id"].isin(genes)].assign(method=result.method))
    frame = pd.concat(parts)[["gene_id", "method", "log2FC", "pvalue", "padj", "significant"]]
    draw_table(
        frame.sort_values(["gene_id", "method"]),
        "The picked genes in every method",
        csv=f"{run_stem(run)}_picked",
        columns=number_formats(),
    )


def number_formats() -> dict[str, object]:
    """Return how the columns of tables of genes and gene sets are written."""
    small = {name: st.column_config.NumberColumn(format="scientific") for name in SMALL}
    return small | {
        name: st.column_config.NumberColumn(format=form) for name, form in FIGURES.items()
    }


def show_overview(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw the volcano, the overlap of the methods and the strongest genes."""
    show_volcano(run, data)
    left, right = st.columns(2)
    if data.consensus.n_methods > 1:
        with left:
            rows = [
                (" + ".join(overlap.methods), overlap.n_genes)
                for overlap in data.consensus.overlaps
            ]
            frame = pd.DataFrame(rows, columns=["methods", "genes"])
            chart = draw_overlaps(data.consensus, data.summary.methods_completed)
            show_chart(chart, "method-overlap", frame=frame)
    with right:
        _show_top(run, data)


def _show_top(run: RunRecord, data: DifferentialExpressionData) -> None:
    result = data.method_results[0]
    tops = {"higher": result.top_up, "lower": result.top_down}
    rows = [{"change": word, **gene.model_dump()} for word, top in tops.items() for gene in top[:8]]
    st.markdown(f"**Strongest genes, {result.method}**")
    if not rows:
        st.caption("No gene passes the cut-offs in this method.")
        return
    frame = pd.DataFrame(rows)
    draw_table(frame, "Strongest genes", columns=number_formats())
    offer_csv(frame, f"{run_stem(run)}_top", key="csv:top", total=len(frame))


def show_mean_difference(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw the MA plot of a method."""
    method = pick_method(data, "ma-method")
    genes = label_calls(read_table(run, method, current()))
    plot = plot_mean_difference(genes, data.summary.comparison)
    number = _result(data, method)
    picked = show_plotly(
        mean_difference(plot),
        genes,
        name=f"ma-{method}",
        caption=f"MA plot, {method}: fold change against mean count. {number}. "
        f"{_drawn(plot, genes)}",
        describe=f"MA plot of {method}: {number}",
    )
    if picked:
        show_genes(run, data, picked[:50])


def show_samples(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw principal components and distances of the samples."""
    names = [grouping.column for grouping in data.sample_qc.sample_groupings]
    column = st.selectbox("Color by", ["group", *names], key="pca-color", width=260)
    show_chart(draw_pca(data, column if column in names else None), "pca")
    _show_associations(data)
    chart = draw_distances(data)
    if chart is None:
        st.caption("Distances are not drawn for more than 200 samples.")
    else:
        show_chart(chart, "sample-distances")


def _show_associations(data: DifferentialExpressionData) -> None:
    rows = [association.model_dump() for association in data.sample_qc.pca_associations]
    if not rows:
        return
    st.markdown("**What the metadata explain of the components**")
    number = st.column_config.NumberColumn
    formats = {name: number(format="percent") for name in ("variance_share", "share_beyond_design")}
    formats |= {name: number(format="scientific") for name in ("pvalue", "pvalue_beyond_design")}
    draw_table(
        pd.DataFrame(rows),
        "Share of each component that each metadata column explains",
        csv="components-and-metadata",
        columns=formats,
    )


def show_quality(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw library sizes, p histograms and mean-spread trends."""
    quality = data.sample_qc
    sizes = pd.DataFrame([size.model_dump() for size in quality.library_sizes])
    sizes["size_factor"] = sizes["sample_id"].map(quality.size_factors)
    sizes["tmm_factor"] = sizes["sample_id"].map(quality.tmm_factors)
    chart = draw_libraries(data)
    caption = f"{chart.caption} The CSV also holds the normalization factors."
    show_chart(chart, "library-sizes", frame=sizes, caption=caption)
    show_chart(draw_pvalues(data), "p-histogram")
    for trend, chart in zip(quality.dispersion_trend, draw_trends(data), strict=True):
        points = pd.DataFrame([point.model_dump() for point in trend.points])
        caption = f"{chart.caption} Genes without measurable dispersion are in the CSV only."
        show_chart(chart, f"trend-{trend.method}", frame=points, caption=caption)


def show_gene_table(run: RunRecord, data: DifferentialExpressionData) -> None:
    """Draw a method's whole table with its filters."""
    method = pick_method(data, "genes-method")
    table = label_calls(read_table(run, method, current())).drop(columns="minus_log10_p")
    table = table.sort_values("padj", kind="stable", na_position="last")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input("Gene ID or symbol contains", key="genes-search", width=260)
        call = st.selectbox("Call", ["all", *reversed(CALL_COLORS)], width=160, key="call")
        reason = st.toggle("Only genes without padj", key="genes-null")
        samples = st.toggle("Normalized counts of every sample", key="genes-samples")
    frame = table
    if words.strip():
        frame = frame[named(frame, words.strip())]
    if call != "all":
        frame = frame[frame["call"] == call]
    if reason:
        frame = frame[frame["padj"].isna()]
    empty = [column for column in frame if frame[column].isna().all() and column != "na_reason"]
    frame = frame.drop(columns=empty if len(frame) else [])
    formats = number_formats()
    if samples and len(frame) * data.sample_qc.n_samples_used <= MOST_CELLS:
        described, frame = len(frame.columns), with_samples(run, frame)
        one_decimal = st.column_config.NumberColumn(format="%.1f")
        formats |= {name: one_decimal for name in frame.columns[described:]}
    elif samples:
        st.info("That many counts are in the file normalized_counts.parquet; filter to see them.")
    show_table(
        frame,
        total=len(table),
        name=f"{run_stem(run)}_{method}",
        formats=formats,
        describe=f"Genes tested by {method}",
    )
