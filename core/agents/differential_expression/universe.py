"""The genes that every method tests, and the factors that make samples comparable."""

from dataclasses import dataclass

import numpy as np

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.model import Model
from core.errors import InvalidInput
from core.stats.counts import estimate_size_factors, estimate_tmm_factors, filter_low_counts
from core.stats.fit import BoolArray, FloatArray, IntArray

_FEWEST_GENES = 2
_FEW_GENES = 100


@dataclass(frozen=True)
class Universe:
    """The tested genes.

    Attributes:
        gene_ids: One a row of `counts`.
        counts: Genes x samples.
        size_factors: DESeq2's, one a sample.
        tmm: edgeR's TMM factors, one a sample.
        used_poscounts: Whether every gene has a zero somewhere.
        base_mean: Mean of count / size factor, one a gene.
        all_zero: IDs of genes without a read.
        low_count: IDs of genes with too few reads.
        warnings: One sentence each.
    """

    gene_ids: tuple[str, ...]
    counts: IntArray
    size_factors: FloatArray
    tmm: FloatArray
    used_poscounts: bool
    base_mean: FloatArray
    all_zero: tuple[str, ...]
    low_count: tuple[str, ...]
    warnings: tuple[str, ...]


def choose_universe(study: Study, model: Model, min_count: int) -> Universe:
    """Keep the genes with enough reads and estimate both kinds of factors on them.

    Raises:
        InvalidInput: Fewer than two genes pass, or a sample has no reads in the genes that do.
    """
    is_kept = filter_low_counts(study.counts, model.filter_design, min_count)
    is_zero = study.counts.sum(axis=1) == 0
    if is_kept.sum() < _FEWEST_GENES:
        raise InvalidInput(
            f"Too few genes have at least {min_count} reads in enough samples "
            f"({int(is_kept.sum())} of {len(is_kept)}); lower min_count or check that the matrix "
            "holds raw counts.",
            field="min_count",
            code="no_testable_genes",
        )
    counts = study.counts[is_kept]
    factors, used_poscounts = estimate_size_factors(counts)
    tmm = estimate_tmm_factors(counts)
    _check_factors(counts, factors, tmm, study.sample_ids)
    return Universe(
        gene_ids=_pick(study.gene_ids, is_kept),
        counts=counts,
        size_factors=factors,
        tmm=tmm,
        used_poscounts=used_poscounts,
        base_mean=(counts / factors).mean(axis=1),
        all_zero=_pick(study.gene_ids, is_zero),
        low_count=_pick(study.gene_ids, ~is_zero & ~is_kept),
        warnings=_describe(int(is_kept.sum()), used_poscounts),
    )


def _pick(names: tuple[str, ...], flags: BoolArray) -> tuple[str, ...]:
    """Return the names whose flag is set."""
    return tuple(names[index] for index in np.flatnonzero(flags))


def _check_factors(
    counts: IntArray, factors: FloatArray, tmm: FloatArray, sample_ids: tuple[str, ...]
) -> None:
    """Refuse samples for which no factor can be estimated."""
    usable = np.isfinite(factors) & (factors > 0) & np.isfinite(tmm) & (tmm > 0)
    bad = np.flatnonzero(~usable | (counts.sum(axis=0) == 0))
    if len(bad):
        raise InvalidInput(
            f"Sample {sample_ids[bad[0]]!r} has no reads in the genes that can be tested; leave "
            "it out of the metadata.",
            field="metadata_csv",
            code="empty_sample",
        )


def _describe(n_kept: int, used_poscounts: bool) -> tuple[str, ...]:
    """Return the warnings about few genes and zeros everywhere."""
    warnings = []
    if n_kept < _FEW_GENES:
        warnings.append(
            f"few_genes: only {n_kept} genes can be tested; dispersion trends and false discovery "
            "rates from so few are uncertain."
        )
    if used_poscounts:
        warnings.append(
            "poscounts_used: every gene has a zero in some sample, so size factors were estimated "
            "from positive counts."
        )
    return tuple(warnings)
