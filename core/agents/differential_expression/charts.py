"""The figures of a run as Vega-Lite specifications with their data inside, for page and print."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from altair.utils.schemapi import debug_mode

from core.agents.differential_expression.records import (
    CALL_COLORS,
    NOT_SIGNIFICANT,
    Consensus,
    GeneSetResults,
    MethodResult,
)
from core.agents.differential_expression.schema import DifferentialExpressionData
from core.reports.document import Chart

MOST_NAMED = 12
"""Genes that a volcano names."""
MOST_QUIET = 6_000
"""Genes that are not significant and drawn; more would only lie on top of each other."""
_SMALLEST_P = 1e-300
_WIDTH, _HEIGHT = 480, 280
_LETTER, _LINE = 5.2, 11.0
"""Pixels of a letter of a label and of its height."""
LONGEST_LABEL = 24
_MOST_TRIED = 400
"""Genes among which those to name are chosen."""
_FEW_BEYOND = 5
_FAR, _ROOM = 2.0, 1.06
"""How far beyond the usual values one must lie to leave the axis, and the room at its end."""


@dataclass(frozen=True)
class GenePlot:
    """A scatter of genes.

    Attributes:
        points: gene_id, x, y and call of every gene drawn.
        names: x, y, gene_id and label of the genes that are named.
        lines: Places on x where a line marks a cut-off.
        limits: Largest absolute values of x and y that print leaves to the axes; genes beyond are
            drawn at their ends, so that a few do not squeeze all others.
        x_title: Of the axis.
        y_title: Of the axis.
        legend: How each call is labeled.
    """

    points: pd.DataFrame
    names: pd.DataFrame
    lines: tuple[float, ...]
    limits: tuple[float, float]
    x_title: str
    y_title: str
    legend: Mapping[str, str]


def label_calls(table: pd.DataFrame) -> pd.DataFrame:
    """Return a method's table with the call of each gene and its height on the volcano.

    Returns:
        Copy with `call` and `minus_log10_p`; a p of 0 is drawn at a tenth of the smallest p
        above 0.
    """
    p = table["pvalue"].astype(float)
    floor = p[p > 0].min() / 10 if (p > 0).any() else _SMALLEST_P
    height = -np.log10(p.clip(lower=max(floor, _SMALLEST_P)))
    called = _name_calls(table["significant"].astype(bool), table["log2FC"])
    return table.assign(call=called, minus_log10_p=height)


def relabel_calls(genes: pd.DataFrame, padj: float, log2fc: float) -> pd.DataFrame:
    """Return labeled genes as other cut-offs would call them.

    Args:
        genes: As `label_calls` returns them.
        padj: Adjusted p below which a gene counts.
        log2fc: Least absolute log2 fold change.
    """
    change = genes["log2FC"].fillna(0).astype(float)
    is_called = (genes["padj"].astype(float) < padj) & (change.abs() >= log2fc)
    return genes.assign(call=_name_calls(is_called, change))


def _name_calls(is_called: "pd.Series[bool]", change: "pd.Series[float]") -> list[str]:
    """Return the call of each gene in words."""
    is_up = change.fillna(0).astype(float) > 0
    calls = np.select([is_called & is_up, is_called & ~is_up], ["higher", "lower"], NOT_SIGNIFICANT)
    return [str(call) for call in calls]


def thin(genes: pd.DataFrame) -> pd.DataFrame:
    """Return all called genes and at most 6,000 of the others, spread evenly over p."""
    is_quiet = genes["call"] == NOT_SIGNIFICANT
    quiet = genes[is_quiet]
    if len(quiet) <= MOST_QUIET:
        return genes
    order = quiet.sort_values("pvalue", kind="stable")
    rows = np.unique(np.linspace(0, len(order) - 1, MOST_QUIET).astype(int))
    return pd.concat([order.iloc[rows], genes[~is_quiet]])


def plot_volcano(genes: pd.DataFrame, comparison: str, log2fc_cutoff: float) -> GenePlot:
    """Return change against certainty.

    `genes`: all genes as `label_calls` returns them. `log2fc_cutoff`: least absolute log2 fold
    change of a call.
    """
    points = _pick_points(genes, "log2FC", "minus_log10_p")
    called = genes[genes["call"] != NOT_SIGNIFICANT].sort_values(
        ["pvalue", "gene_id"], kind="stable"
    )
    named = called.head(_MOST_TRIED)
    labels = named["gene_id"].astype(str)
    if "symbol" in named:
        labels = named["symbol"].where(named["symbol"].notna(), labels).astype(str)
    names = pd.DataFrame(
        {
            "gene_id": named["gene_id"].astype(str),
            "x": named["log2FC"].astype(float).round(4),
            "y": named["minus_log10_p"].astype(float).round(4),
            "label": labels,
        }
    ).dropna(subset=["x", "y"])
    limits = (
        find_limit(points["x"], max(_FEW_BEYOND, len(genes) // 1000)),
        find_limit(points["y"], _FEW_BEYOND),
    )
    return GenePlot(
        points=points,
        names=_spread_names(names, points, limits),
        limits=limits,
        lines=tuple(sorted({-log2fc_cutoff, log2fc_cutoff} - {0.0})),
        x_title=f"log2 fold change ({comparison})",
        y_title="−log10 p",
        legend=_count_calls(genes),
    )


def find_limit(values: "pd.Series[float]", n_beyond: int) -> float:
    """Return the end of an axis: that of all values, or nearer where a few lie far beyond.

    `n_beyond`: values that may lie beyond it.
    """
    sizes = np.sort(values.abs().to_numpy())[::-1]
    if len(sizes) <= 4 * n_beyond:
        return inf
    far = _FAR * float(sizes[n_beyond])
    return _ROOM * float(sizes[sizes <= far][0]) if sizes[0] > far else inf


def _spread_names(
    names: pd.DataFrame, points: pd.DataFrame, limits: tuple[float, float]
) -> pd.DataFrame:
    """Return the first names whose labels do not lie on each other."""
    places = []
    for axis, limit, size in zip("xy", limits, (_WIDTH, _HEIGHT), strict=True):
        spread = float(np.ptp(points[axis].clip(-limit, limit))) if len(points) else 0.0
        places.append(names[axis].clip(-limit, limit).to_numpy() / (spread or 1.0) * size)
    x, y = places
    half = names["label"].str.len().clip(upper=LONGEST_LABEL).to_numpy() * _LETTER / 2
    kept: list[int] = []
    for row in range(len(names)):
        is_free = all(
            abs(x[row] - x[other]) > half[row] + half[other] or abs(y[row] - y[other]) > _LINE
            for other in kept
        )
        if is_free:
            kept.append(row)
        if len(kept) == MOST_NAMED:
            break
    return names.iloc[kept].reset_index(drop=True)


def plot_mean_difference(genes: pd.DataFrame, comparison: str) -> GenePlot:
    """Return change against abundance; arguments as `plot_volcano` has them."""
    points = _pick_points(genes[genes["base_mean"].round(4) > 0], "base_mean", "log2FC")
    return GenePlot(
        points=points,
        names=pd.DataFrame(columns=["gene_id", "x", "y", "label"]),
        lines=(),
        limits=(inf, find_limit(points["y"], max(_FEW_BEYOND, len(genes) // 1000))),
        x_title="mean normalized count",
        y_title=f"log2 fold change ({comparison})",
        legend=_count_calls(genes),
    )


def _pick_points(genes: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """Return the points that are drawn: those with both figures, thinned."""
    drawn = thin(genes)
    points = pd.DataFrame(
        {
            "gene_id": drawn["gene_id"].astype(str),
            "x": drawn[x].astype(float).round(4),
            "y": drawn[y].astype(float).round(4),
            "call": drawn["call"],
        }
    )
    return points.dropna(subset=["x", "y"]).reset_index(drop=True)


def _count_calls(genes: pd.DataFrame) -> dict[str, str]:
    """Return the legend: each call with its number of genes."""
    numbers = genes["call"].value_counts()
    return {call: f"{call} ({int(numbers.get(call, 0)):,})" for call in CALL_COLORS}


Row = Mapping[str, object]
_SMALLEST_PVALUE = 1e-300
_TICKS = alt.Axis(tickCount=6)
_LOWEST = 1e-7
_MOST_NAMES = 30
MOST_SETS = 15
INK = "#17222B"
_COLORS = alt.Scale(domain=["higher", "lower"], range=[CALL_COLORS["higher"], CALL_COLORS["lower"]])


def _base(rows: Sequence[Row], *, width: int = _WIDTH, height: int = _HEIGHT) -> alt.Chart:
    """Begin a chart on rows."""
    return alt.Chart(alt.InlineData(values=list(rows))).properties(width=width, height=height)


def _list_rows(frame: pd.DataFrame) -> list[Row]:
    """Return the rows of a table as a chart takes them."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _scale(values: "pd.Series[float]", limit: float) -> Any:
    """Return the scale of an axis; values beyond its limit are drawn at its ends."""
    if limit == inf:
        return alt.Undefined
    lowest = -limit if (values < -limit).any() else min(float(values.min()), 0.0)
    highest = limit if (values > limit).any() else float(values.max())
    return alt.Scale(domain=[lowest, highest], clamp=True, nice=False, zero=False)


def _scatter(plot: GenePlot, x: alt.X) -> Any:
    """Draw the points of a gene plot in its colors."""
    labels = [plot.legend[call] for call in CALL_COLORS]
    rows = plot.points.drop(columns="gene_id").replace({"call": dict(plot.legend)})
    return (
        _base(_list_rows(rows))
        .mark_circle(size=14, opacity=0.7)
        .encode(
            x=x,
            y=alt.Y("y:Q", title=plot.y_title, scale=_scale(plot.points["y"], plot.limits[1])),
            color=alt.Color(
                "call:N", scale=alt.Scale(domain=labels, range=[*CALL_COLORS.values()]), title=None
            ),
        )
    )


@debug_mode(False)  # or the checks of Altair take seconds for each list of points
def draw_volcano(
    result: MethodResult, frame: pd.DataFrame, comparison: str, log2fc_cutoff: float
) -> Chart:
    """Draw change against certainty, one point a gene."""
    plot = plot_volcano(label_calls(frame), comparison, log2fc_cutoff)
    scale = _scale(plot.points["x"], plot.limits[0])
    chart = _scatter(plot, alt.X("x:Q", title=plot.x_title, scale=scale))
    if plot.lines:
        lines = _base([{"cutoff": line} for line in plot.lines])
        dots = lines.mark_rule(strokeDash=[2, 3], color=CALL_COLORS[NOT_SIGNIFICANT])
        chart += dots.encode(x="cutoff:Q")
    if len(plot.names):
        labels = plot.names["label"].str.slice(0, LONGEST_LABEL)
        names = _base(_list_rows(plot.names.drop(columns="gene_id").assign(label=labels)))
        chart += names.mark_text(dy=-7, fontSize=8).encode(x="x:Q", y="y:Q", text="label:N")
    caption = (
        f"Volcano plot, {result.method}: change against certainty of {result.n_tested:,} genes; "
        f"{result.n_up:,} higher, {result.n_down:,} lower.{_describe_beyond(plot, frame)}"
    )
    alt_text = f"Scatter of -log10 p over log2 fold change for {result.method}."
    return Chart.build(chart, caption, alt_text, points=len(plot.points))


def _describe_beyond(plot: GenePlot, frame: pd.DataFrame) -> str:
    """Say how many genes lie beyond the axes, with the farthest of them."""
    x_limit, y_limit = plot.limits
    is_beyond = (plot.points["x"].abs() > x_limit) | (plot.points["y"].abs() > y_limit)
    if not is_beyond.any():
        return ""
    farthest = plot.points[is_beyond].nlargest(1, "y").iloc[0]
    gene = frame[frame["gene_id"].astype(str) == farthest["gene_id"]].iloc[0]
    name = str(gene.get("symbol") or gene["gene_id"])[:LONGEST_LABEL]
    place = ", ".join(f"{float(f'{farthest[axis]:.3g}'):,g}" for axis in "xy")
    if is_beyond.sum() == 1:
        return f" 1 gene beyond the axes is drawn at their end: {name} ({place})."
    return (
        f" {is_beyond.sum():,} genes beyond the axes are drawn at their ends, such as {name} "
        f"({place})."
    )


@debug_mode(False)
def draw_ma(result: MethodResult, frame: pd.DataFrame, comparison: str) -> Chart:
    """Draw change against abundance, one point a gene."""
    plot = plot_mean_difference(label_calls(frame), comparison)
    scale = alt.Scale(type="log", nice=False)
    chart = _scatter(plot, alt.X("x:Q", title=plot.x_title, scale=scale, axis=_TICKS))
    caption = f"MA plot, {result.method}: change against mean normalized count."
    caption += _describe_beyond(plot, frame)
    alt_text = f"Scatter of log2 fold change over mean count for {result.method}."
    return Chart.build(chart, caption, alt_text, points=len(plot.points))


def draw_pca(data: DifferentialExpressionData, column: str | None = None) -> Chart:
    """Draw the samples on two principal components.

    `column`: metadata column to color by; None colors by group.
    """
    quality, levels = data.sample_qc, _groups(data)
    grouping = next(
        (
            sample_grouping
            for sample_grouping in quality.sample_groupings
            if sample_grouping.column == column
        ),
        None,
    )
    rows = [point.model_dump() for point in quality.pca.points]
    color, noun = alt.Color("group:N", title=None, sort=levels), "group"
    if grouping is not None:
        values = [float(v) for v in grouping.values] if grouping.is_numeric else grouping.values
        rows = [row | {"value": value} for row, value in zip(rows, values, strict=True)]
        kind, noun = "Q" if grouping.is_numeric else "N", grouping.column
        scale = alt.Scale(scheme="viridis") if grouping.is_numeric else alt.Undefined
        color = alt.Color(f"value:{kind}", title=None, scale=scale)
    first, second = (f"{share:.0%} of variance" for share in quality.pca.variance_share)
    base = _base(rows).encode(
        x=alt.X("pc1:Q", title=f"PC1 ({first})", scale=alt.Scale(padding=25)),
        y=alt.Y("pc2:Q", title=f"PC2 ({second})", scale=alt.Scale(padding=25)),
    )
    chart: Any = base.mark_point(size=70, filled=True, opacity=1).encode(
        color=color,
        shape=alt.Shape("group:N", legend=None, sort=levels),
        tooltip=["sample_id:N", "group:N", *([f"value:{kind}"] if grouping else [])],
    )
    if len(rows) <= _MOST_NAMES:
        chart = chart + base.mark_text(dy=-10, fontSize=8).encode(text="sample_id:N")
    caption = (
        f"Principal components of the samples ({_scale_name(data)}, 500 most variable genes), "
        f"colored by {noun}. Samples of a group should lie together."
    )
    alt_text = f"Scatter of the samples on PC1 and PC2, colored by {noun}."
    return Chart.build(chart, caption, alt_text, points=len(rows))


def _groups(data: DifferentialExpressionData) -> list[str]:
    """Return the groups, reference first: each keeps its color in every figure."""
    return data.settings.terms[-1].levels


def _scale_name(data: DifferentialExpressionData) -> str:
    """Name the scale of components and distances."""
    is_vst = data.settings.transformation == "vst"
    return "variance-stabilized counts" if is_vst else "log2 counts per million"


def draw_distances(data: DifferentialExpressionData) -> Chart | None:
    """Draw how far the samples lie apart."""
    distances = data.sample_qc.sample_distances
    if distances is None:
        return None
    rows = [
        {"a": a, "b": b, "distance": value}
        for a, line in zip(distances.sample_ids, distances.matrix, strict=True)
        for b, value in zip(distances.sample_ids, line, strict=True)
    ]
    order = list(distances.sample_ids)
    side = min(640, 24 * len(order) + 60)
    axis = alt.Axis(labelOverlap=False, labelLimit=140)
    chart = (
        _base(rows, width=side, height=side)
        .mark_rect()
        .encode(
            x=alt.X("a:N", title=None, sort=order, axis=axis),
            y=alt.Y("b:N", title=None, sort=order, axis=axis),
            color=alt.Color(
                "distance:Q", title="distance", scale=alt.Scale(scheme="teals", reverse=True)
            ),
            tooltip=["a:N", "b:N", alt.Tooltip("distance:Q", format=".2f")],
        )
    )
    caption = f"Distances between samples ({_scale_name(data)}); dark is alike."
    return Chart.build(chart, caption, "Heat map of sample distances.", points=len(rows))


def draw_libraries(data: DifferentialExpressionData) -> Chart:
    """Draw the depth of each sample."""
    rows = [
        {
            "sample": size.sample_id,
            "group": size.group,
            "reads": size.library_size / 1e6,
            "genes": size.n_genes_detected,
        }
        for size in data.sample_qc.library_sizes
    ]
    order = [str(row["sample"]) for row in rows]
    height = min(900, 22 * len(rows) + 20)
    chart = (
        _base(rows, height=height)
        .mark_bar()
        .encode(
            x=alt.X("reads:Q", title="reads counted (million)"),
            y=alt.Y(
                "sample:N",
                title=None,
                sort=order,
                axis=alt.Axis(labelLimit=160, labelOverlap=False),
            ),
            color=alt.Color("group:N", title=None, sort=_groups(data)),
            tooltip=["sample:N", "group:N", "reads:Q", "genes:Q"],
        )
    )
    return Chart.build(
        chart,
        "Library sizes: reads counted in each sample.",
        "Bar chart of library sizes.",
        points=len(rows),
    )


def draw_pvalues(data: DifferentialExpressionData) -> Chart:
    """Draw the p-values of each method: flat but for a peak at 0 is healthy."""
    rows = [entry.model_dump() for entry in data.sample_qc.pvalue_histogram]
    names = data.summary.methods_completed
    chart = (
        _base(rows, width=_WIDTH // len(names) - 30, height=150)
        .mark_bar()
        .encode(
            x=alt.X("bin_start:Q", title="p", bin=alt.Bin(binned=True, step=0.05)),
            x2="bin_end:Q",
            y=alt.Y("n_genes:Q", title="genes"),
            column=alt.Column("method:N", title=None, sort=list(names)),
            tooltip=["method:N", "bin_start:Q", "bin_end:Q", "n_genes:Q"],
        )
    )
    return Chart.build(
        chart,
        "Distribution of p-values: flat but for a peak at 0 when the model fits.",
        "Histogram of p-values by method.",
        points=len(rows),
    )


def draw_overlaps(consensus: Consensus, methods: Sequence[str]) -> Chart:
    """Draw how many genes each exact set of methods calls: bars above the sets' members (UpSet)."""
    filled = [overlap for overlap in consensus.overlaps if overlap.n_genes]
    overlaps = sorted(
        filled or consensus.overlaps, key=lambda overlap: (-overlap.n_genes, overlap.methods)
    )
    rows = [
        {
            "methods": " + ".join(overlap.methods),
            "method": method,
            "in": method in overlap.methods,
            "genes": overlap.n_genes,
        }
        for overlap in overlaps
        for method in methods
    ]
    order = list(dict.fromkeys(str(row["methods"]) for row in rows))
    x, width = alt.X("methods:N", sort=order, axis=None), 54 * max(len(order), 2)
    bars = _base([row for row in rows if row["method"] == methods[0]], width=width, height=180)
    bars = bars.encode(x=x, y=alt.Y("genes:Q", title="genes called", axis=_TICKS))
    dots = _base(rows, width=width, height=26 * len(methods)).encode(
        x=x, y=alt.Y("method:N", sort=list(methods), title=None)
    )
    lines = dots.transform_filter("datum.in").mark_line(color=INK).encode(detail="methods:N")
    members = dots.mark_circle(size=130).encode(
        color=alt.condition("datum.in", alt.value(INK), alt.value(CALL_COLORS[NOT_SIGNIFICANT])),
        opacity=alt.condition("datum.in", alt.value(1), alt.value(0.35)),
        tooltip=["methods:N", "genes:Q"],
    )
    words = bars.mark_text(dy=-7, fontSize=9).encode(text=alt.Text("genes:Q", format=","))
    chart = alt.vconcat(bars.mark_bar() + words, lines + members, spacing=4)
    caption = "Genes called by exactly these methods (UpSet plot)."
    alt_text = "Bars: genes called by each set of methods; dots name the members of the set."
    return Chart.build(chart, caption, alt_text, points=len(rows))


def draw_trends(data: DifferentialExpressionData) -> list[Chart]:
    """Draw the mean-spread trend of DESeq2 and of limma-voom: genes and the fitted curve."""
    charts = []
    for trend in data.sample_qc.dispersion_trend:
        is_deseq2 = trend.method == "DESeq2"
        kind = alt.Scale(type="log", nice=False) if is_deseq2 else alt.Scale(zero=False)
        rows = [
            point.model_dump() for point in trend.points if not is_deseq2 or point.raw > _LOWEST
        ]
        base = _base(rows).encode(
            x=alt.X(
                "x:Q",
                title="mean normalized count" if is_deseq2 else "mean log2 count",
                scale=kind,
                axis=_TICKS,
            )
        )
        y_title = "dispersion" if is_deseq2 else "root of the standard deviation"
        points = base.mark_circle(size=10, opacity=0.5, color=CALL_COLORS[NOT_SIGNIFICANT]).encode(
            y=alt.Y("raw:Q", title=y_title, scale=kind, axis=_TICKS)
        )
        line = base.mark_line(color=CALL_COLORS["higher"]).encode(y=alt.Y("curve:Q", scale=kind))
        caption = f"{trend.method}: mean-{y_title} trend over {trend.n_genes:,} genes."
        charts.append(
            Chart.build(
                points + line,
                caption,
                f"Scatter of {y_title} over the mean with its trend.",
                points=2 * len(rows),
            )
        )
    return charts


def draw_gene_sets(results: GeneSetResults) -> Chart:
    """Draw how certainly the first gene sets move, in their direction."""
    rows = [
        {
            "set": row.gene_set[:60],
            "name": row.gene_set,
            "genes": row.n_genes,
            "leading": row.leading_genes,
            "height": round(-np.log10(max(row.camera_p, _SMALLEST_PVALUE)), 3)
            * (1 if row.direction == "up" else -1),
            "call": "higher" if row.direction == "up" else "lower",
        }
        for row in results.top[:MOST_SETS]
    ]
    chart = (
        _base(rows, height=18 * max(len(rows), 2))
        .mark_bar()
        .encode(
            x=alt.X("height:Q", title="-log10 p of camera, to the right where the set is higher"),
            y=alt.Y("set:N", sort=None, title=None, axis=alt.Axis(labelLimit=300)),
            color=alt.Color("call:N", scale=_COLORS, title=None),
            tooltip=["name:N", "call:N", "genes:Q", "leading:N"],
        )
    )
    caption = "Gene sets with the smallest p of camera, by direction"
    return Chart.build(chart, caption, f"{caption}: {', '.join(str(r['set']) for r in rows[:5])}")
