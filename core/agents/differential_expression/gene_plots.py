"""What gene plots show, for the screen and the printed report alike.

Both draw these points with these calls, names, lines, titles and colors; they only differ in the
library that draws.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

NOT_SIGNIFICANT = "not significant"
CALL_COLORS: Mapping[str, str] = {
    NOT_SIGNIFICANT: "#9AA5AC",
    "lower": "#0B6E6E",
    "higher": "#C2571A",
}
"""Calls in the order in which they are drawn, the called genes on top."""
MOST_NAMED = 12
"""Genes that a volcano names."""
MOST_QUIET = 6_000
"""Genes that are not significant and drawn; more would only lie on top of each other."""
_SMALLEST_P = 1e-300


@dataclass(frozen=True)
class GenePlot:
    """A scatter of genes.

    Attributes:
        points: gene_id, x, y and call of every gene drawn.
        names: x, y, gene_id and label of the genes that are named.
        lines: Places on x where a line marks a cut-off.
        x_title: Of the axis.
        y_title: Of the axis.
        legend: How each call is labeled.
    """

    points: pd.DataFrame
    names: pd.DataFrame
    lines: tuple[float, ...]
    x_title: str
    y_title: str
    legend: Mapping[str, str]


def label_calls(table: pd.DataFrame) -> pd.DataFrame:
    """Return a method's table with the call of each gene and its height on the volcano.

    Args:
        table: One row a gene, as stored.

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

    Args:
        genes: All genes as `label_calls` returns them.
        comparison: What is compared, for the axis.
        log2fc_cutoff: Least absolute log2 fold change of a call.
    """
    points = _pick_points(genes, "log2FC", "minus_log10_p")
    called = genes[genes["call"] != NOT_SIGNIFICANT].sort_values(
        ["pvalue", "gene_id"], kind="stable"
    )
    named = called.head(MOST_NAMED)
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
    ).reset_index(drop=True)
    return GenePlot(
        points=points,
        names=names,
        lines=tuple(sorted({-log2fc_cutoff, log2fc_cutoff} - {0.0})),
        x_title=f"log2 fold change ({comparison})",
        y_title="−log10 p",
        legend=_count_calls(genes),
    )


def plot_mean_difference(genes: pd.DataFrame, comparison: str) -> GenePlot:
    """Return change against abundance; arguments as `plot_volcano` has them."""
    return GenePlot(
        points=_pick_points(genes[genes["base_mean"].round(4) > 0], "base_mean", "log2FC"),
        names=pd.DataFrame(columns=["gene_id", "x", "y", "label"]),
        lines=(),
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
