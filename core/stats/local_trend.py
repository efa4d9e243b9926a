"""The dispersion trend by local regression, for data that no parametric curve fits.

Local quadratics of log dispersion over log mean, seven tenths of the genes near each point,
weighted by the mean; fitted at a few points that halve the range until they lie closer than four
fifths of their bandwidth, with cubics between them, as locfit evaluates it.

References:
    Loader 1999, doi 10.1007/b98858, chapters 2 and 12; Love, Huber, Anders 2014,
    doi 10.1186/s13059-014-0550-8.
"""

from dataclasses import dataclass

import numpy as np

from core.stats.dispersion_search import LOWEST
from core.stats.fit import FloatArray

_NEAR = 0.7
_CLOSE = 0.8
_USED_FROM = 10 * LOWEST


@dataclass(frozen=True)
class LocalTrend:
    """Log dispersion over log mean at a few points, with slopes; cubics join them."""

    points: FloatArray
    values: FloatArray
    slopes: FloatArray

    def at(self, mean: FloatArray) -> FloatArray:
        """Return the dispersion expected at a mean normalized count."""
        logs = np.log(mean)
        points = self.points
        left = np.clip(np.searchsorted(points, logs, side="right") - 1, 0, len(points) - 2)
        width = points[left + 1] - points[left]
        share = (logs - points[left]) / width
        value = (1 + 2 * share) * (1 - share) ** 2 * self.values[left]
        value += share * (1 - share) ** 2 * width * self.slopes[left]
        value += share**2 * (3 - 2 * share) * self.values[left + 1]
        value += share**2 * (share - 1) * width * self.slopes[left + 1]
        return np.asarray(np.exp(value), dtype=np.float64)


@dataclass(frozen=True)
class _Genes:
    """Log means, log dispersions and weights of the genes that are fitted."""

    x: FloatArray
    y: FloatArray
    weight: FloatArray

    def fit(self, point: float) -> tuple[float, float, float]:
        """Return value, slope and bandwidth of the local quadratic at a point."""
        distance = np.abs(self.x - point)
        n_near = max(1, int(len(distance) * _NEAR))
        reach = float(np.partition(distance, n_near - 1)[n_near - 1]) or 1.0
        kernel = np.clip(1 - (distance / reach) ** 3, 0.0, None) ** 3
        root = np.sqrt(kernel * self.weight)
        columns = np.vander(self.x - point, 3, increasing=True) * root[:, None]
        solved = np.linalg.lstsq(columns, self.y * root)[0]
        return float(solved[0]), float(solved[1]), reach


def fit_local_trend(mean: FloatArray, dispersion: FloatArray) -> LocalTrend:
    """Fit log dispersion over log mean.

    Args:
        mean: Mean normalized count of each gene, above 0.
        dispersion: Gene-wise dispersion of each gene; at least two above 1e-7.
    """
    used = dispersion >= _USED_FROM
    order = np.lexsort((dispersion[used], mean[used]))
    x = np.log(mean[used])[order]
    genes = _Genes(x, np.log(dispersion[used])[order], mean[used][order])
    low, high = float(x[0]), float(x[-1])
    if low == high:
        high = low + 1.0
    fits = {point: genes.fit(point) for point in (low, high)}
    intervals = [(low, high)]
    while intervals:
        left, right = intervals.pop()
        if right - left > _CLOSE * min(fits[left][2], fits[right][2]):
            middle = (left + right) / 2
            fits[middle] = genes.fit(middle)
            intervals += [(left, middle), (middle, right)]
    points = sorted(fits)
    values, slopes, _ = np.array([fits[point] for point in points]).T
    return LocalTrend(np.array(points), values, slopes)
