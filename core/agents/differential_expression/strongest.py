"""The strongest genes sample by sample: what a strip plot and a heat map are drawn from."""

import numpy as np

from core.agents.differential_expression.calls import Calls
from core.agents.differential_expression.quality_records import GeneCounts, StrongestGenes
from core.agents.differential_expression.universe import Universe
from core.stats.clustering import leaf_order

MOST_GENES = 60
MOST_CELLS = 30_000


def pick_strongest(universe: Universe, sample_ids: tuple[str, ...], calls: Calls) -> StrongestGenes:
    """Return normalized counts of the genes that the methods call most surely.

    The methods take turns, each giving its next gene higher and lower, so that every method's
    strongest genes are among them.
    """
    tops = [top for result in calls.results for top in (result.top_up, result.top_down)]
    longest = max((len(top) for top in tops), default=0)
    turns = [top[turn].gene_id for turn in range(longest) for top in tops if turn < len(top)]
    most = max(1, min(MOST_GENES, MOST_CELLS // max(len(sample_ids), 1)))
    names = list(dict.fromkeys(turns))[:most]
    position = {gene: row for row, gene in enumerate(universe.gene_ids)}
    rows = [position[name] for name in names]
    values = np.round(universe.counts[rows] / universe.size_factors, 2)
    called = {gene.gene_id: gene.symbol for top in tops for gene in top}
    centered = np.log2(values + 1)
    centered -= centered.mean(axis=1, keepdims=True)
    return StrongestGenes(
        sample_ids=list(sample_ids),
        genes=[
            GeneCounts(gene_id=name, symbol=called[name], normalized_counts=row.tolist())
            for name, row in zip(names, values, strict=True)
        ],
        clustered_genes=[names[row] for row in leaf_order(centered)],
        clustered_samples=[sample_ids[row] for row in leaf_order(centered.T)] if names else [],
    )
