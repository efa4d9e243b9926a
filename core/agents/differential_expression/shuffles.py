"""Shuffled labels: groups exchanged within the values of the factors that adjust."""

from collections.abc import Sequence

import numpy as np

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.model import Model

_TRIES = 20


def find_blocks(model: Model, n_samples: int) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the columns that make blocks and the block of each sample.

    Numbers make no blocks: no two samples would share one.
    """
    factors = [one for one in model.covariates if not one.is_numeric]
    values = [tuple(one.values[sample] for one in factors) for sample in range(n_samples)]
    return [one.name for one in factors], values


def draw_shuffles(
    study: Study, blocks: Sequence[tuple[str, ...]], most: int, seed: int
) -> list[tuple[str, ...]]:
    """Return distinct groupings of the samples, none that of the study or its mirror.

    Args:
        study: Groups of the samples.
        blocks: Labels are exchanged within these only.
        most: Wanted number; small studies have fewer.
        seed: Seed of the draws.
    """
    draw = np.random.default_rng(seed)
    groups = np.array(study.groups, dtype=object)
    members = [
        np.array([place for place, block in enumerate(blocks) if block == one])
        for one in dict.fromkeys(blocks)
    ]
    seen = {_canonical(study.groups, study.levels)}
    found: list[tuple[str, ...]] = []
    for _ in range(_TRIES * most):
        shuffled = groups.copy()
        for places in members:
            shuffled[places] = groups[draw.permutation(places)]
        names = tuple(str(name) for name in shuffled)
        key = _canonical(names, study.levels)
        if key not in seen:
            seen.add(key)
            found.append(names)
        if len(found) == most:
            break
    return found


def _canonical(groups: Sequence[str], levels: Sequence[str]) -> tuple[int, ...]:
    """Return a grouping such that exchanging the two groups compared makes no difference."""
    codes = tuple(levels.index(name) for name in groups)
    mirror = tuple({0: 1, 1: 0}.get(code, code) for code in codes)
    return min(codes, mirror)
