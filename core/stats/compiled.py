"""Loops over genes compiled by numba, and the small mathematics that they share.

Compiled code is kept on disk (`NUMBA_CACHE_DIR`), so that only set-up waits for the compiler.
"""

import math
from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np

from core.stats.fit import FloatArray

Kernel = TypeVar("Kernel", bound=Callable[..., object])
_SERIES_FROM = 10.0
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


def compiled(function: Kernel) -> Kernel:
    """Compile a loop on its first call and keep the machine code; numbers divide as in numpy."""
    return cast("Kernel", numba.njit(cache=True, error_model="numpy")(function))


@compiled
def log_gamma(x: float) -> float:
    """Return log Gamma(x) for x > 0 by Stirling's series, shifted up where x is small."""
    product = 1.0
    while x < _SERIES_FROM:
        product *= x
        x += 1.0
    inverse = 1.0 / x
    square = inverse * inverse
    tail = 1.0 / 1188.0 - square * 691.0 / 360360.0
    tail = 1.0 / 1260.0 - square * (1.0 / 1680.0 - square * tail)
    series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * tail))
    value = _HALF_LOG_2PI + (x - 0.5) * math.log(x) - x + series
    return value if product == 1.0 else value - math.log(product)


@compiled
def gamma_rest(x: float) -> tuple[float, float, float]:
    """Return what log Gamma(x) has beyond Stirling's formula, digamma(x) and log x, for x > 0.

    Stirling's formula is (x - 1/2) log x - x + log(2 pi) / 2. Its large terms cancel where log
    Gammas are subtracted; kept apart, they cannot drown a difference in rounding.
    """
    product, shift, given = 1.0, 0.0, x
    while x < _SERIES_FROM:
        product *= x
        shift += 1.0 / x
        x += 1.0
    inverse, log_x = 1.0 / x, math.log(x)
    square = inverse * inverse
    tail = 1.0 / 1188.0 - square * 691.0 / 360360.0
    tail = 1.0 / 1260.0 - square * (1.0 / 1680.0 - square * tail)
    remainder = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * tail))
    tail = 1.0 / 132.0 - square * 691.0 / 32760.0
    tail = 1.0 / 252.0 - square * (1.0 / 240.0 - square * tail)
    slope = log_x - 0.5 * inverse - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * tail))
    if given == x:
        return remainder, slope, log_x
    log_given = math.log(given)
    remainder += (x - 0.5) * log_x - (given - 0.5) * log_given - (x - given) - math.log(product)
    return remainder, slope - shift, log_given


@compiled
def weigh(design: FloatArray, weights: FloatArray, information: FloatArray) -> None:
    """Write X'WX of one gene into `information` (p x p)."""
    n_samples, n_columns = design.shape
    information[:, :] = 0.0
    for sample in range(n_samples):
        for row in range(n_columns):
            term = weights[sample] * design[sample, row]
            if term != 0.0:
                for column in range(row + 1):
                    information[row, column] += term * design[sample, column]
    for row in range(n_columns):
        for column in range(row):
            information[column, row] = information[row, column]


@compiled
def factorize(matrix: FloatArray) -> float:
    """Put the Cholesky factor into the lower triangle and return the log determinant.

    A matrix that is not positive definite gives NaN.
    """
    size = len(matrix)
    log_determinant = 0.0
    for row in range(size):
        for column in range(row + 1):
            residue = matrix[row, column]
            for before in range(column):
                residue -= matrix[row, before] * matrix[column, before]
            if column < row:
                matrix[row, column] = residue / matrix[column, column]
            elif residue > 0.0:
                matrix[row, row] = math.sqrt(residue)
                log_determinant += math.log(residue)
            else:
                return np.nan
    return log_determinant


@compiled
def solve(factor: FloatArray, target: FloatArray) -> None:
    """Replace `target` by the solution of L L' x = target."""
    size = len(factor)
    for row in range(size):
        for before in range(row):
            target[row] -= factor[row, before] * target[before]
        target[row] /= factor[row, row]
    for row in range(size - 1, -1, -1):
        for after in range(row + 1, size):
            target[row] -= factor[after, row] * target[after]
        target[row] /= factor[row, row]


@compiled
def invert(factor: FloatArray, inverse: FloatArray) -> None:
    """Write the inverse of L L' into `inverse`, column by column."""
    size = len(factor)
    for column in range(size):
        inverse[:, column] = 0.0
        inverse[column, column] = 1.0
        solve(factor, inverse[:, column])
