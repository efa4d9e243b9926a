"""Design matrices: intercept, covariates, then the comparison as the last column."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from core.stats.fit import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Covariate:
    """A metadata column by which the comparison is adjusted.

    Attributes:
        values: One text a sample.
        is_numeric: Whether it enters as a number instead of as a factor.
        is_estimated: Whether it was estimated from the counts and is in no table.
    """

    name: str
    values: tuple[str, ...]
    is_numeric: bool
    is_estimated: bool = False

    @property
    def levels(self) -> tuple[str, ...]:
        """Return the distinct values in sorted order; the first is the baseline."""
        return tuple(sorted(set(self.values)))


@dataclass(frozen=True)
class Effect:
    """Which part of a design is tested.

    Attributes:
        n_columns: Last columns of the design that belong to it.
        by_ratio: Whether all of them are tested together, against the design without them,
            instead of the last one alone.
        base: 1 in the samples of the base level, else 0: the column that would stand last if
            the two groups were exchanged. None where they cannot be.
    """

    n_columns: int = 1
    by_ratio: bool = False
    base: FloatArray | None = None


@dataclass(frozen=True)
class SampleModel:
    """How samples differ beside the design.

    Attributes:
        blocks: Code of the subject of each sample from 0, where subjects were seen more than once.
        by_quality: Whether a noisy sample counts less.
    """

    blocks: IntArray | None = None
    by_quality: bool = False


def build_design(
    covariates: Sequence[Covariate],
    is_comparison: BoolArray,
    others: Sequence[BoolArray] = (),
    crossed: Covariate | None = None,
) -> FloatArray:
    """Return the matrix of `~ covariates + condition`, crossed with a covariate where asked.

    Args:
        covariates: Adjusting columns; numbers are centered and scaled, which changes neither
            the comparison nor its test.
        is_comparison: Whether each sample belongs to the comparison group.
        others: The same for each further group; the reference group is in none of them.
        crossed: A covariate whose product with the condition enters, too.

    Returns:
        Samples x coefficients; the comparison, or its product, is the last column.
    """
    columns = [np.ones(len(is_comparison))]
    for covariate in covariates:
        columns += covariate_columns(covariate)
    groups = [flags.astype(np.float64) for flags in (*others, is_comparison)]
    columns += groups
    if crossed is not None:
        levels = covariate_columns(crossed)
        columns += [level * group for group in groups for level in levels]
    return np.column_stack(columns)


def covariate_columns(covariate: Covariate) -> list[FloatArray]:
    """Return the columns by which a covariate enters: one a level but the first, or one number."""
    if covariate.is_numeric:
        numbers = np.array([float(value) for value in covariate.values])
        centered = numbers - fsum(numbers) / len(numbers)
        spread = sqrt(fsum(centered**2) / len(numbers))
        return [centered / (spread if spread > 0 else 1.0)]
    values = np.array(covariate.values)
    return [(values == level).astype(np.float64) for level in covariate.levels[1:]]


def is_full_rank(design: FloatArray) -> bool:
    """Return whether every coefficient of the design can be told apart."""
    return bool(np.linalg.matrix_rank(design) == design.shape[1])
