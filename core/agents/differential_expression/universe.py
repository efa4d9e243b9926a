"""The genes that every method tests, factors that make samples comparable, hidden directions.

What moves many genes and is in no column is told as a warning, or taken into the design.

Files of every tested gene: normalized counts, and ranked lists for gene-set tools (.rnk).
"""

from dataclasses import dataclass, replace
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.model import Model, write_formula, write_reduced
from core.agents.differential_expression.records import DesignFactor
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.errors import InvalidInput, TooFewReplicates
from core.stats.counts import estimate_size_factors, estimate_tmm_factors, filter_low_counts
from core.stats.design import Covariate, covariate_columns
from core.stats.fit import BoolArray, FloatArray, GeneTests, IntArray
from core.stats.projection import count_surrogates, find_surrogates

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
    n_kept = int(is_kept.sum())
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
    return Universe(
        gene_ids=_pick(study.gene_ids, is_kept),
        counts=counts,
        size_factors=factors,
        tmm=tmm,
        used_poscounts=used_poscounts,
        base_mean=(counts / factors).mean(axis=1),
        all_zero=_pick(study.gene_ids, is_zero),
        low_count=_pick(study.gene_ids, ~is_zero & ~is_kept),
        warnings=tuple(warnings),
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


FIELD = "surrogate_variables"
_GENES_COUNTED = 1000
"""Genes whose residuals are shuffled: every so many, since a strong direction moves most."""
_LEAST_FREEDOM = 4


def add_surrogates(
    model: Model, universe: Universe, request: DifferentialExpressionRequest
) -> Model:
    """Return the model with the surrogate variables that the request asks for.

    They stand before the other covariates, so that no reduced design leaves them out.

    Raises:
        TooFewReplicates: They leave no residual degrees of freedom.
    """
    surrogate_variables = request.surrogate_variables
    n_samples, n_columns = model.design.shape
    if surrogate_variables == 0:
        return model
    if n_samples - n_columns <= surrogate_variables:
        most = n_samples - n_columns - 1
        raise TooFewReplicates(
            f"{n_samples} samples and {n_columns} coefficients leave room for {most} surrogate "
            f"variables; ask for at most {most} or add replicates.",
            field=FIELD,
        )
    tested = 1 if model.effect is None else model.effect.n_columns
    normalized = universe.counts / universe.size_factors
    surrogates = find_surrogates(
        normalized, model.design, model.design[:, :-tested], surrogate_variables
    )
    variables = [
        Covariate(
            f"surrogate_{number}",
            tuple(repr(float(value)) for value in column),
            is_numeric=True,
            is_estimated=True,
        )
        for number, column in enumerate(surrogates.T, start=1)
    ]
    columns = [column for variable in variables for column in covariate_columns(variable)]
    design = np.column_stack([model.design[:, :1], *columns, model.design[:, 1:]])
    covariates = (*variables, *model.covariates)
    kept_covariates = [covariate for covariate in covariates if _is_kept(covariate, request)]
    terms = [DesignFactor(name=variable.name, kind="numeric", levels=[]) for variable in variables]
    return replace(
        model,
        design=np.ascontiguousarray(design),
        covariates=covariates,
        formula=write_formula(covariates, request),
        reduced=write_reduced(kept_covariates, request),
        terms=(*terms, *model.terms),
    )


def _is_kept(covariate: Covariate, request: DifferentialExpressionRequest) -> bool:
    """Return whether a reduced design keeps a covariate."""
    reduced = request.reduced
    return reduced is None or covariate.is_estimated or covariate.name in reduced


def list_surrogates(model: Model) -> dict[str, list[float]]:
    """Return the surrogate variables by name, one number a sample."""
    return {
        covariate.name: [float(value) for value in covariate.values]
        for covariate in model.covariates
        if covariate.is_estimated
    }


def warn_of_structure(
    universe: Universe,
    model: Model,
    request: DifferentialExpressionRequest,
    seed: int,
) -> tuple[str, ...]:
    """Return the warning about directions that vary more than chance, or about surrogates taken."""
    if surrogate_variables := request.surrogate_variables:
        sentence_start = (
            "1 surrogate variable is"
            if surrogate_variables == 1
            else f"{surrogate_variables} surrogate variables are"
        )
        return (
            f"surrogates_in_model: {sentence_start} in the design; p values take them as known, "
            "and a change that many genes share may have gone into them. Compare with the answer "
            "without them.",
        )
    n_samples, n_columns = model.design.shape
    has_subjects = model.samples is not None and model.samples.blocks is not None
    if has_subjects or n_samples - n_columns < _LEAST_FREEDOM:
        return ()  # subjects seen twice are a structure, and a known one
    step = max(1, len(universe.counts) // _GENES_COUNTED)
    values = np.log(universe.counts[::step] / universe.size_factors + 1.0)
    number, share = count_surrogates(values, model.design, seed)
    if number == 0:
        return ()
    is_one = number == 1
    subject = "1 direction varies" if is_one else f"{number} directions vary"
    return (
        f"hidden_structure: beyond the design {subject} more than chance ({share:.0%} of what it "
        f"leaves), as a batch that no column names would; {FIELD}: {number} takes "
        f"{'it' if is_one else 'them'} into the design.",
    )


def write_ranking(gene_ids: tuple[str, ...], tests: GeneTests) -> bytes:
    """Return the list of one method.

    The score is the test statistic with the sign of the change; edgeR's F by its root, and where
    a method has no statistic, -log10 p with that sign. Genes without p are left out.
    """
    score = signed_statistic(tests)
    finite = np.flatnonzero(np.isfinite(score) & ~np.isnan(tests.pvalue))
    order = finite[np.lexsort((finite, -score[finite]))]
    lines = [f"{_one_field(gene_ids[index])}\t{score[index]:.6g}\n" for index in order]
    return "".join(lines).encode("utf-8")


def signed_statistic(tests: GeneTests) -> FloatArray:
    """Return the score of each gene that `write_ranking` writes; NaN where there is none."""
    sign = np.sign(tests.log2_fc)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_p = sign * np.minimum(-np.log10(tests.pvalue), 300.0)
        is_ratio = bool((tests.stat[np.isfinite(tests.stat)] >= 0).all())
        by_stat = sign * np.sqrt(tests.stat) if is_ratio else tests.stat
    return np.asarray(by_stat if np.isfinite(by_stat).any() else by_p, dtype=np.float64)


def _one_field(gene_id: str) -> str:
    """Return a gene ID without the marks that separate fields and lines."""
    return " ".join(gene_id.split())


FILE = "normalized_counts.parquet"
GENE_COLUMN = "gene_id"
ROWS_A_GROUP = 1000
"""Genes of one row group: a reader of one gene reads so many, not all."""


def write_normalized(universe: Universe, sample_ids: tuple[str, ...]) -> bytes:
    """Return count / DESeq2 size factor as a parquet file: gene_id, then a column a sample.

    Genes come in the order of the method tables. Values have single precision, enough to draw
    and to read; tests never use them.
    """
    out = BytesIO()
    schema = pa.schema(
        [pa.field(GENE_COLUMN, pa.string())] + [pa.field(name, pa.float32()) for name in sample_ids]
    )
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for start in range(0, len(universe.gene_ids), ROWS_A_GROUP):
            rows = slice(start, start + ROWS_A_GROUP)
            values = (universe.counts[rows] / universe.size_factors).astype(np.float32)
            columns = [pa.array(universe.gene_ids[rows], pa.string())]
            columns += [pa.array(values[:, column]) for column in range(len(sample_ids))]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
    return out.getvalue()
