"""How near a table of gene tests comes to R's, in the figures of the target table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

HEADER = (
    f"{'study':<26}{'method':<12}{'Jaccard':>8}{'p99 LFC':>9}{'log10 p: median':>16}{'p99':>9}"
    f"{'max':>9}{'top 100':>9}{'flips':>6}{'up ours/R':>13}{'down':>13}"
)


@dataclass(frozen=True)
class Agreement:
    """The figures of one study and method; up and down are (ours, R's)."""

    jaccard: float
    lfc_p99: float
    log10p_median: float
    log10p_p99: float
    log10p_max: float
    top: int
    flips: int
    n_up: tuple[int, int]
    n_down: tuple[int, int]

    def row(self, study: str, method: str) -> str:
        """Return the figures as one line under `HEADER`."""
        return (
            f"{study:<26}{method:<12}{self.jaccard:>8.4f}{self.lfc_p99:>9.1e}"
            f"{self.log10p_median:>16.1e}{self.log10p_p99:>9.1e}{self.log10p_max:>9.1e}"
            f"{self.top:>9}{self.flips:>6}{self.n_up[0]:>7}/{self.n_up[1]:<5}"
            f"{self.n_down[0]:>7}/{self.n_down[1]:<5}"
        )


def compare(ours: pd.DataFrame, theirs: pd.DataFrame) -> Agreement:
    """Compare two tables with log2FC, pvalue and padj, indexed by gene.

    Raises:
        ValueError: The tables test different genes.
    """
    if set(ours.index) != set(theirs.index):
        raise ValueError("another universe")
    theirs = theirs.loc[ours.index]
    called, expected = ours["padj"] < 0.05, theirs["padj"] < 0.05
    both, either = called & expected, called | expected
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = (np.log10(ours["pvalue"]) - np.log10(theirs["pvalue"])).abs()
    gap = gap[np.isfinite(gap)]
    tops = [set(frame["pvalue"].nsmallest(100).index) for frame in (ours, theirs)]
    return Agreement(
        jaccard=both.sum() / either.sum() if either.any() else 1.0,
        lfc_p99=(ours["log2FC"] - theirs["log2FC"]).abs().quantile(0.99),
        log10p_median=gap.median(),
        log10p_p99=gap.quantile(0.99),
        log10p_max=gap.max(),
        top=len(tops[0] & tops[1]),
        flips=int((np.sign(ours["log2FC"]) != np.sign(theirs["log2FC"]))[both].sum()),
        n_up=_count(ours, theirs, 1),
        n_down=_count(ours, theirs, -1),
    )


def _count(ours: pd.DataFrame, theirs: pd.DataFrame, sign: int) -> tuple[int, int]:
    """Return how many genes either table calls in one direction, at least two-fold."""
    first, second = (
        int(((frame["padj"] < 0.05) & (sign * frame["log2FC"] >= 1)).sum())
        for frame in (ours, theirs)
    )
    return first, second
