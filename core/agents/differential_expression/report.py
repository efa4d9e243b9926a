"""The report of a run: findings, methods with their settings, gene tables, figures."""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil

import pandas as pd

from core.agents.differential_expression.charts import (
    draw_distances,
    draw_gene_sets,
    draw_libraries,
    draw_ma,
    draw_overlaps,
    draw_pca,
    draw_pvalues,
    draw_trends,
    draw_volcano,
)
from core.agents.differential_expression.records import SUFFIXES, MethodResult, RunSettings
from core.agents.differential_expression.schema import DifferentialExpressionData
from core.reports.document import (
    About,
    Block,
    Bullets,
    Chart,
    Document,
    Front,
    Grid,
    Heading,
    Paragraph,
    TableReader,
    Tile,
)

MOST_SENTENCES = 3
_WEIGHTS = 12
_TOP = 20
_CONSENSUS_ROWS = 40
_WORDS: Mapping[str, str] = {
    "DESeq2": "**DESeq2** models counts as negative binomial with median-of-ratios size factors, "
    "shrinks dispersions toward a trend over the mean, and tests the log2 fold change by Wald's "
    "test; genes with a count outlier (Cook's distance) get no p, and genes too weak to be found "
    "are set aside before adjustment (independent filtering).",
    "edgeR": "**edgeR** normalizes by TMM and tests by quasi-likelihood F with moderated "
    "quasi-dispersions.",
    "limma-voom": "**limma-voom** turns counts into log2 counts per million with precision weights "
    "and tests by moderated t.",
}


def compose(data: DifferentialExpressionData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    frames = {result.method: tables.read(result.method) for result in data.method_results}
    rows = tuple(
        (outlier.gene_id, outlier.sample_id, " and ".join(outlier.methods))
        for outlier in data.count_outliers
    )
    caption = "Called genes with a count over the limit of Cook's distance"
    frame = tables.read("consensus")
    frame = frame[frame["is_consensus"].astype(bool)]
    padj = frame[[name for name in frame.columns if name.startswith("padj_")]].astype(float)
    worst = padj.max(axis=1).sort_values(kind="stable")
    shown = frame.loc[worst.index].head(_CONSENSUS_ROWS)
    columns, titles = ["gene_id", "direction"], ["Gene", "Direction"]
    if shown["symbol"].notna().any():
        columns, titles = ["symbol", *columns], ["Symbol", "Gene id", "Direction"]
    for name in data.summary.methods_completed:
        columns += [f"log2FC_{SUFFIXES[name]}", f"padj_{SUFFIXES[name]}"]
        titles += [f"log2FC {name}", f"padj {name}"]
    grid = Grid(
        tuple(titles),
        _rows(shown[columns]),
        "Consensus genes, by their largest adjusted p",
        total=len(frame),
    )
    blocks: list[Block] = [
        Heading("Findings"),
        Bullets(tuple(data.findings)),
        *_describe_methods(data),
        Heading("Method agreement"),
        draw_overlaps(data.consensus, data.summary.methods_completed),
        grid,
        *([Grid(("Gene", "Sample", "Called by"), rows, caption, most=40)] if rows else []),
        *_describe_contrasts(data),
        *_describe_gene_sets(data),
        *_describe_certificate(data, tables),
        Heading("Genes by method"),
    ]
    volcanoes = {
        result.method: draw_volcano(
            result, frames[result.method], data.summary.comparison, data.input.called_change
        )
        for result in data.method_results
    }
    for result in data.method_results:
        blocks += _describe_genes(result, frames[result.method], volcanoes[result.method], data)
    blocks += [Heading("Quality of the samples"), *_describe_quality(data)]
    return Document(
        title=about.label,
        subtitle=f"{about.agent_title}: {', '.join(data.summary.methods_completed)}",
        about=about,
        blocks=tuple(blocks),
        warnings=tuple(data.warnings),
        front=replace(make_front(data), chart=next(iter(volcanoes.values()), None)),
    )


def make_front(data: DifferentialExpressionData) -> Front:
    """Return what the answer opens with: findings and figures; the report adds a picture."""
    return Front(tuple(data.findings[:MOST_SENTENCES]), list_tiles(data))


def list_tiles(data: DifferentialExpressionData) -> tuple[Tile, ...]:
    """Return the figures shown large: the consensus and each method, or the one method's own."""
    quality, consensus = data.sample_qc, data.consensus
    tested = f"{quality.n_genes_tested:,}"
    methods = [
        Tile(
            f"Significant, {result.method}",
            f"{result.n_significant:,}",
            say_directions(result, data),
        )
        for result in data.method_results
    ]
    if consensus.n_methods > 1:
        agreed = f"in all {consensus.n_methods} methods, of {tested} tested"
        return (Tile("Consensus genes", f"{consensus.n_consensus_significant:,}", agreed), *methods)
    groups = ", ".join(f"{n} {group}" for group, n in quality.group_counts.items())
    return (
        *methods,
        Tile("Genes tested", tested, f"of {quality.n_genes_input:,}"),
        Tile("Samples", f"{quality.n_samples_used:,}", groups),
    )


def say_directions(result: MethodResult, data: DifferentialExpressionData) -> str:
    """Return how many genes are higher and lower; a test of several coefficients cannot tell."""
    if data.settings.reduced_design is not None:
        return "a test without a direction"
    return f"{result.n_up:,} higher, {result.n_down:,} lower"


def _describe_methods(data: DifferentialExpressionData) -> list[Block]:
    """Say how the numbers were made."""
    settings = data.settings
    completed = data.summary.methods_completed
    quality = data.sample_qc
    groups = ", ".join(f"{n} {group}" for group, n in quality.group_counts.items())
    tested = f"{quality.n_genes_tested:,} of {quality.n_genes_input:,}"
    rows = (
        ("Design", settings.design),
        ("Tested effect", data.summary.comparison),
        *[("Samples", groups), ("Genes tested", tested)],
        ("Expression filter", describe_filter(settings)),
        ("Significant", _say_cutoffs(data)),
        (
            "Null hypothesis",
            "no change"
            if settings.lfc_threshold == 0
            else f"|log2 fold change| <= {settings.lfc_threshold:g}",
        ),
        ("Size factors", settings.size_factors),
        ("Independent filtering (DESeq2)", f"optimized for {settings.independent_filter_alpha:g}"),
        *_list_samples(data),
        *((f"{name} follows", settings.emulates[name]) for name in completed),
        ("Libraries", ", ".join(f"{name} {v}" for name, v in settings.libraries.items())),
    )
    return [
        Heading("Methods"),
        *(Paragraph(_WORDS[name]) for name in completed),
        *_explain_cutoff(data),
        Grid(("Setting", "Value"), rows, "Settings of the run"),
    ]


def describe_filter(settings: RunSettings) -> str:
    """Return the rule by which genes were tested."""
    applied = settings.filter
    rule = (
        f"at least {applied.min_total_count} reads in total, and at least {applied.min_count} "
        "(scaled to the median depth)"
    )
    if applied.required_samples is None:
        return f"edgeR filterByExpr: {rule} in enough samples"
    n_samples = ceil(round(applied.required_samples, 6))
    samples = "1 sample" if n_samples == 1 else f"{n_samples} samples"
    adjusts = ""
    if applied.design != settings.design:
        adjusts = "; covariates only adjust the comparison and do not lower that number"
    return f"edgeR filterByExpr for {applied.design}: {rule} in at least {samples}{adjusts}"


def _say_cutoffs(data: DifferentialExpressionData) -> str:
    """Return what makes a gene significant."""
    padj = f"adjusted p < {data.input.fdr_cutoff:g}"
    if data.settings.reduced_design is not None:
        return padj
    return f"{padj} and |log2 fold change| >= {data.input.log2fc_cutoff:g}"


def _list_samples(data: DifferentialExpressionData) -> list[tuple[str, str]]:
    """Return what limma-voom found of subjects and samples, where that was asked for."""
    settings, rows = data.settings, []
    if settings.intrablock_correlation is not None:
        rows.append(("Correlation within subjects", f"{settings.intrablock_correlation:.3f}"))
    if settings.sample_weights:
        lightest = sorted(settings.sample_weights.items(), key=lambda weight: weight[1])[:_WEIGHTS]
        weights_text = ", ".join(f"{name} {weight:.2f}" for name, weight in lightest)
        rows.append(("Sample weights, lightest first", weights_text))
    return rows


def _explain_cutoff(data: DifferentialExpressionData) -> list[Block]:
    """Say what the false discovery rate is of."""
    if data.input.log2fc_cutoff == 0 or data.settings.reduced_design is not None:
        return []
    if data.settings.lfc_threshold > 0:
        return [Paragraph("The tests are against a change as large as the fold-change cut-off.")]
    return [
        Paragraph(
            "The fold-change cut-off is applied after testing: the false discovery rate is of "
            "genes that change at all, not of genes that change by more than the cut-off. "
            "Testing against the cut-off (lfc_test: threshold) controls the latter."
        )
    ]


def _describe_contrasts(data: DifferentialExpressionData) -> list[Block]:
    """Show how many genes every further comparison calls."""
    rows: list[tuple[str | float | int | None, ...]] = []
    for contrast in data.contrasts:
        for result in contrast.method_results:
            top = (result.top_up[:1] + result.top_down[:1]) or []
            named = ", ".join(f"{gene.symbol or gene.gene_id} ({gene.log2FC:+.1f})" for gene in top)
            rows.append((contrast.name, result.method, result.n_up, result.n_down, named))
        agreed = contrast.consensus
        if agreed.n_methods > 1:
            rows.append(
                (contrast.name, "all methods", None, None, f"{agreed.n_consensus_significant}")
            )
    if not rows:
        return []
    titles = ("Comparison", "Method", "Higher", "Lower", "Strongest, or number in all")
    return [
        Heading("Further comparisons"),
        Grid(titles, tuple(rows), "Genes called in further comparisons of the same model"),
    ]


def _describe_gene_sets(data: DifferentialExpressionData) -> list[Block]:
    """Show the gene sets that move together."""
    gene_set_results = data.gene_set_results
    if gene_set_results is None:
        return []
    rows = tuple(
        (
            row.gene_set[:70],
            row.direction,
            row.n_genes,
            row.n_called,
            row.camera_padj,
            row.fry_padj,
            row.overlap_padj,
            "; ".join(row.leading_genes.split("; ")[:5]),
        )
        for row in gene_set_results.top
    )
    origin = "; ".join(
        f"{collection.title} {collection.version} ({collection.license}; "
        f"{collection.citation}): {collection.n_tested} of "
        f"{collection.n_sets} sets tested"
        if collection.license
        else f"{collection.title}: {collection.n_tested} of {collection.n_sets} sets tested"
        for collection in gene_set_results.collections
    )
    titles = ("Set", "Moves", "Genes", "Called", "camera", "fry", "Overlap", "Leading genes")
    return [
        Heading("Gene sets"),
        Paragraph(
            "camera asks whether the genes of a set move more than the others, fry whether they "
            "move at all, overlap whether more of them are called than chance would have it; the "
            f"columns hold adjusted p. {origin}."
        ),
        draw_gene_sets(gene_set_results),
        Grid(
            titles,
            rows,
            "Gene sets by camera",
            total=sum(collection.n_tested for collection in gene_set_results.collections),
        ),
    ]


def _describe_certificate(data: DifferentialExpressionData, tables: TableReader) -> list[Block]:
    """Show the false calls under shuffled labels and the genes that rest on one sample."""
    certificate = data.certificate
    if certificate is None:
        return []
    rows = tuple(
        (call.method, call.n_called, call.nominal, call.mean, call.median, call.largest)
        for call in certificate.false_calls
    )
    titles = ("Method", "Called", "False at the nominal rate", "Mean", "Median", "Most")
    within = f" within {', '.join(certificate.blocks)}" if certificate.blocks else ""
    frame = tables.read("fragile-genes")
    columns = ["symbol", "gene_id", "n_kept", "n_runs", "lost_without"]
    lost = frame[frame["n_kept"] < frame["n_runs"]]
    lost = lost.assign(lost_without=lost["lost_without"].mask(lost["n_kept"] == 0, "any sample"))
    return [
        Heading("Certificate"),
        Paragraph(
            f"Labels were shuffled {certificate.n_shuffles} times{within} and "
            f"{certificate.n_genes_shuffled:,} genes fitted each time; what is called then is "
            f"false. {certificate.n_robust:,} consensus genes stay whichever of "
            f"{certificate.n_left_out} samples is removed."
        ),
        Grid(titles, rows, "Genes called with shuffled labels, scaled to all genes"),
        Grid(
            ("Symbol", "Gene id", "Kept in", "Of fits", "Lost without"),
            _rows(lost[columns].head(_CONSENSUS_ROWS)),
            "Consensus genes that are lost without a sample",
            total=len(lost),
        ),
    ]


def _rows(frame: pd.DataFrame) -> tuple[tuple[str | float | int | None, ...], ...]:
    """Return a frame's rows with None for missing values."""
    return tuple(tuple(_cell(value) for value in row) for row in frame.itertuples(index=False))


def _cell(value: object) -> str | float | None:
    """Return one cell; NaN is a missing value."""
    if value is None or value != value:  # noqa: PLR0124 (NaN)
        return None
    return float(value) if isinstance(value, float) else str(value)


def _describe_genes(
    result: MethodResult, frame: pd.DataFrame, volcano: Chart, data: DifferentialExpressionData
) -> list[Block]:
    """Show one method's strongest genes and its two gene plots."""
    comparison = data.summary.comparison
    ordered = frame.sort_values(["padj", "pvalue", "gene_id"], kind="stable", na_position="last")
    columns = ["gene_id", "base_mean", "log2FC", "lfc_se", "stat", "pvalue", "padj"]
    titles = ["Gene", "Mean count", "log2FC", "SE", "Statistic", "p", "padj"]
    if "symbol" in ordered and ordered["symbol"].head(_TOP).notna().any():
        columns, titles = ["symbol", *columns], ["Symbol", "Gene id", *titles[1:]]
    return [
        Heading(result.method, 2),
        Paragraph(
            f"{result.n_significant:,} of {result.n_tested:,} genes are significant: "
            f"{say_directions(result, data)}."
        ),
        volcano,
        draw_ma(result, frame, comparison),
        Grid(
            tuple(titles),
            _rows(ordered[columns].head(_TOP)),
            f"Genes with the smallest adjusted p, {result.method}",
            total=len(frame),
        ),
    ]


def _describe_quality(data: DifferentialExpressionData) -> list[Block]:
    """Show the samples' depth and likeness, p-values and trends."""
    quality = data.sample_qc
    rows = tuple(
        (
            size.sample_id,
            size.group,
            size.library_size,
            size.n_genes_detected,
            round(quality.size_factors[size.sample_id], 4),
            round(quality.tmm_factors[size.sample_id], 4),
        )
        for size in quality.library_sizes
    )
    charts: list[Chart | None] = [
        draw_libraries(data),
        draw_pca(data),
        draw_distances(data),
        draw_pvalues(data),
        *draw_trends(data),
    ]
    titles = ("Sample", "Group", "Reads", "Genes detected", "Size factor", "TMM factor")
    return [
        *(chart for chart in charts if chart is not None),
        Grid(titles, rows, "Samples used", total=len(rows)),
    ]
