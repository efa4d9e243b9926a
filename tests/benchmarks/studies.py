"""Studies drawn by seed: counts and metadata for designs that the stored tables do not have."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

N_GENES = 4000


@dataclass(frozen=True)
class Study:
    """Counts (genes x samples) with their metadata; conditions are a and b."""

    name: str
    counts: pd.DataFrame
    metadata: pd.DataFrame

    @property
    def covariates(self) -> list[str]:
        """Return the columns that adjust."""
        return [name for name in self.metadata if name != "condition"]


@dataclass(frozen=True)
class Plan:
    """What one study looks like.

    Attributes:
        name: For the table.
        n_each: Samples of a and of b.
        adjust: Makes the covariates from the conditions.
        bend: Changes the counts at the end.
        depth: Standard deviation of the log size factors.
        n_genes: Rows.
    """

    name: str
    n_each: tuple[int, int]
    adjust: Callable[[int, np.random.Generator], dict[str, list[str] | list[float]]] | None = None
    bend: Callable[[np.ndarray, np.random.Generator], None] | None = None
    depth: float = 0.3
    n_genes: int = N_GENES


def _pairs(n: int, _draw: np.random.Generator) -> dict[str, list[str]]:
    return {"subject": [f"p{index % (n // 2)}" for index in range(n)]}


def _batches(n: int, _draw: np.random.Generator) -> dict[str, list[str]]:
    return {"batch": [f"x{index % 3}" for index in range(n)]}


def _ages(n: int, draw: np.random.Generator) -> dict[str, list[float]]:
    return {"age": [round(float(age), 2) for age in draw.uniform(20, 80, n)]}


def _batch_and_age(n: int, draw: np.random.Generator) -> dict[str, list[str] | list[float]]:
    return {**_batches(n, draw), **_ages(n, draw)}


def _zeros(counts: np.ndarray, draw: np.random.Generator) -> None:
    counts[np.arange(len(counts)), draw.integers(0, counts.shape[1], len(counts))] = 0


def _outliers(counts: np.ndarray, draw: np.random.Generator) -> None:
    genes = draw.choice(len(counts), len(counts) // 33, replace=False)
    samples = draw.integers(0, counts.shape[1], len(genes))
    counts[genes, samples] = counts[genes, samples] * 20 + 5000


def _depths(counts: np.ndarray, draw: np.random.Generator) -> None:
    counts[:, 0] = draw.binomial(counts[:, 0], 0.08)


PLANS = (
    Plan("2 v 2", (2, 2)),
    Plan("3 v 3", (3, 3)),
    Plan("3 v 9", (3, 9)),
    Plan("1 v 3", (1, 3)),
    Plan("6 v 6", (6, 6)),
    Plan("paired 2 v 2", (2, 2), _pairs),
    Plan("paired 3 v 3", (3, 3), _pairs),
    Plan("paired 5 v 5", (5, 5), _pairs),
    Plan("three-level batch", (6, 6), _batches),
    Plan("continuous covariate", (5, 5), _ages),
    Plan("batch and age", (9, 9), _batch_and_age),
    Plan("a zero in every gene", (5, 5), bend=_zeros),
    Plan("depths 10-fold apart", (4, 4), bend=_depths, depth=0.6),
    Plan("12 v 12 with outliers", (12, 12), bend=_outliers),
    Plan("5 v 5 with outliers", (5, 5), bend=_outliers),
)


def draw_study(plan: Plan, seed: int) -> Study:
    """Draw a study: negative binomial counts, one gene in eight changed."""
    draw = np.random.default_rng(seed)
    n_samples = sum(plan.n_each)
    condition = np.repeat(["a", "b"], plan.n_each)
    mean = 2 ** draw.normal(7, 2.2, plan.n_genes)
    noise = np.exp(draw.normal(0, 0.5, plan.n_genes))
    dispersion = (0.03 + 2 / mean) * noise
    change = np.where(draw.random(plan.n_genes) < 1 / 8, draw.normal(0, 1.5, plan.n_genes), 0)
    depth = np.exp(draw.normal(0, plan.depth, n_samples))
    expected = mean[:, None] * depth * 2 ** (change[:, None] * (condition == "b"))
    size = 1 / dispersion[:, None]
    counts = draw.negative_binomial(size, size / (size + expected))
    if plan.bend is not None:
        plan.bend(counts, draw)
    metadata = {"condition": condition}
    if plan.adjust is not None:
        metadata |= plan.adjust(n_samples, draw)
    samples = [f"s{index:03d}" for index in range(n_samples)]
    genes = [f"g{index:05d}" for index in range(plan.n_genes)]
    return Study(
        plan.name,
        pd.DataFrame(counts, index=pd.Index(genes, name="gene_id"), columns=samples),
        pd.DataFrame(metadata, index=pd.Index(samples, name="sample_id")),
    )
