"""What the methods call where nothing is to be called, and which calls rest on one sample."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.calls import Calls, fit_tests
from core.agents.differential_expression.model import Model, regroup
from core.agents.differential_expression.records import (
    Certificate,
    FalseCalls,
    FragileGene,
    FragileTable,
)
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.agents.differential_expression.universe import Universe
from core.stats.deseq2 import filter_independently
from core.stats.design import is_full_rank
from core.stats.fit import (
    LIBRARY_FAILURES,
    BoolArray,
    GeneTests,
    IntArray,
    adjust_pvalues,
    call_significant,
    find_consensus,
)
from core.workbench import RunContext

_TRIES = 20


def draw_shuffles(
    study: Study, blocks: Sequence[tuple[str, ...]], most: int, seed: int
) -> list[tuple[str, ...]]:
    """Return distinct groupings of the samples, none that of the study or its mirror.

    `blocks`: labels are exchanged within these only. `most`: wanted number; small studies have
    fewer.
    """
    draw = np.random.default_rng(seed)
    groups = np.array(study.groups, dtype=object)
    members = [
        np.array([index for index, block in enumerate(blocks) if block == name])
        for name in dict.fromkeys(blocks)
    ]
    seen = {_canonical(study.groups, study.levels)}
    shuffles: list[tuple[str, ...]] = []
    for _ in range(_TRIES * most):
        shuffled = groups.copy()
        for places in members:
            shuffled[places] = groups[draw.permutation(places)]
        names = tuple(str(name) for name in shuffled)
        key = _canonical(names, study.levels)
        if key not in seen:
            seen.add(key)
            shuffles.append(names)
        if len(shuffles) == most:
            break
    return shuffles


def _canonical(groups: Sequence[str], levels: Sequence[str]) -> tuple[int, ...]:
    """Return a grouping such that exchanging the two groups compared makes no difference."""
    codes = tuple(levels.index(name) for name in groups)
    mirror = tuple({0: 1, 1: 0}.get(code, code) for code in codes)
    return min(codes, mirror)


STEP = "Check quality"
MOST_SHUFFLES = 100
_MOST_LEFT_OUT = 100
_CELLS = 3_000_000
"""Counts fitted in all shuffles, and again in all fits without one sample: some 20 seconds each."""
_FEWEST = 500
"""Genes from which a trend over all genes is still estimated well."""
CONSENSUS = "consensus"


def certify(
    study: Study,
    universe: Universe,
    model: Model,
    calls: Calls,
    request: DifferentialExpressionRequest,
    context: RunContext,
) -> Certificate | None:
    """Fit shuffled labels and every sample left out; None unless the request asks for it."""
    if not request.certificate:
        return None
    n_samples = len(study.groups)
    factors = [covariate for covariate in model.covariates if not covariate.is_numeric]
    blocks = [tuple(factor.values[sample] for factor in factors) for sample in range(n_samples)]
    shuffles = draw_shuffles(study, blocks, MOST_SHUFFLES, context.seed)
    n_all = len(universe.gene_ids)
    step = _step(n_all, len(shuffles) * len(study.groups))
    thinned = np.arange(0, n_all, step)
    counted = []
    for done, groups in enumerate(shuffles):
        context.progress(STEP, done, len(shuffles), f"shuffle {done + 1}")
        shuffled = regroup(model, groups, study.levels)
        if is_full_rank(shuffled.design):
            counted.append(_count(_pick(universe, thinned), shuffled, request))
    flags_by_sample, missing, n_refitted = _leave_out(
        study, universe, model, calls, request, context
    )
    frame = _describe_genes(universe, calls, flags_by_sample)
    return Certificate(
        n_shuffles=len(counted),
        blocks=[factor.name for factor in factors],
        n_genes_shuffled=len(thinned),
        false_calls=_sum_up(counted, n_all / len(thinned), calls, request),
        n_left_out=len(flags_by_sample),
        not_left_out=missing,
        n_genes_refitted=n_refitted,
        n_robust=int((frame["n_kept"] == frame["n_runs"]).sum()),
        fragile=FragileTable("fragile-genes", frame),
    )


def _step(n_genes: int, n_columns: int) -> int:
    """Return such a step through the genes that the cells to fit stay bounded."""
    most = max(_FEWEST, _CELLS // max(n_columns, 1))
    return max(1, -(-n_genes // most))


def _pick(universe: Universe, genes: IntArray) -> Universe:
    """Return the universe with some of its genes; the factors stay those of all."""
    return replace(universe, counts=np.ascontiguousarray(universe.counts[genes]))


def _call(tests: GeneTests, request: DifferentialExpressionRequest) -> BoolArray:
    """Return the genes that a method calls."""
    return call_significant(
        tests.log2_fc,
        tests.padj,
        fdr_cutoff=request.fdr_cutoff,
        log2fc_cutoff=request.called_change,
    )


def _agree(
    called: Sequence[BoolArray],
    fits: Sequence[GeneTests],
    request: DifferentialExpressionRequest,
) -> BoolArray:
    """Return the consensus genes."""
    changes = [tests.log2_fc for tests in fits]
    return find_consensus(called, changes, has_direction=request.test == "comparison")


def _count(
    universe: Universe, model: Model, request: DifferentialExpressionRequest
) -> dict[str, int]:
    """Return the number of genes that each method, and all together, call."""
    fits = fit_tests(universe, model, request)
    called = {name: _call(tests, request) for name, tests in fits.items()}
    counted: dict[str, int] = {name: int(flags.sum()) for name, flags in called.items()}
    together = _agree(list(called.values()), list(fits.values()), request)
    counted[CONSENSUS] = int(together.sum())
    return counted


def _sum_up(
    counted: Sequence[Mapping[str, int]],
    scale: float,
    calls: Calls,
    request: DifferentialExpressionRequest,
) -> list[FalseCalls]:
    """Return the false calls of each method and the consensus over all shuffles."""
    true: dict[str, int] = {result.method: result.n_significant for result in calls.results}
    if len(true) > 1:
        true[CONSENSUS] = calls.consensus.n_consensus_significant
    summed = []
    for name, n_called in true.items():
        values = np.array([counts.get(name, 0) for counts in counted] or [0]) * scale
        summed.append(
            FalseCalls(
                method=name,
                n_called=n_called,
                nominal=n_called * request.fdr_cutoff,
                mean=float(values.mean()),
                median=float(np.median(values)),
                largest=float(values.max()),
                share_of_shuffles=float((values > 0).mean()),
            )
        )
    return summed


def _leave_out(
    study: Study,
    universe: Universe,
    model: Model,
    calls: Calls,
    request: DifferentialExpressionRequest,
    context: RunContext,
) -> tuple[dict[str, BoolArray], list[str], int]:
    """Return, by the sample left out, which consensus genes stay; the samples that cannot be.

    Also the number of genes fitted each time.
    """
    together = _consensus_genes(universe, calls)
    samples = list(range(min(len(study.groups), _MOST_LEFT_OUT)))
    step = _step(len(universe.gene_ids), len(samples) * len(study.groups))
    others = np.setdiff1d(np.arange(len(universe.gene_ids)), together)[::step]
    genes = np.sort(np.concatenate([together, others]))
    is_called = np.isin(genes, together)
    times = np.where(is_called, 1, step)
    flags_by_sample: dict[str, BoolArray] = {}
    missing = []
    for done, sample in enumerate(samples):
        name = study.sample_ids[sample]
        context.progress(STEP, done, len(samples), f"without {name}")
        remaining = np.array([index for index in range(len(study.groups)) if index != sample])
        design = model.design[remaining]
        columns = [
            index for index in range(design.shape[1]) if index == 0 or design[:, index].any()
        ]
        effect = model.effect
        if effect is not None and effect.base is not None:
            effect = replace(effect, base=effect.base[remaining])
        smaller = replace(model, design=np.ascontiguousarray(design[:, columns]), effect=effect)
        if not _is_testable(smaller, study, remaining):
            missing.append(name)
            continue
        try:
            fits = fit_tests(_reduce(universe, genes, remaining), smaller, request)
        except LIBRARY_FAILURES:
            missing.append(name)
            continue
        again = [_adjust(name, tests, times, request) for name, tests in fits.items()]
        flags_by_sample[name] = _agree(
            [_call(gene_tests, request) for gene_tests in again], again, request
        )[is_called]
    return flags_by_sample, missing, len(genes)


def _consensus_genes(universe: Universe, calls: Calls) -> IntArray:
    """Return the positions of the consensus genes."""
    named = set(calls.consensus.genes)
    return np.array(
        [index for index, gene in enumerate(universe.gene_ids) if gene in named], dtype=np.int64
    )


def _is_testable(model: Model, study: Study, rows: IntArray) -> bool:
    """Return whether every group keeps a sample and the coefficients can be told apart."""
    groups = {study.groups[row] for row in rows}
    n_samples, n_columns = model.design.shape
    return len(groups) == len(study.levels) and n_samples > n_columns and is_full_rank(model.design)


def _reduce(universe: Universe, genes: IntArray, rows: IntArray) -> Universe:
    """Return some genes of the remaining samples.

    Factors stay those that all samples gave: TMM for every fit would take a fourth of the time.
    """
    return replace(
        universe,
        counts=np.ascontiguousarray(universe.counts[np.ix_(genes, rows)]),
        size_factors=universe.size_factors[rows],
        tmm=universe.tmm[rows],
    )


def _adjust(
    method: str, tests: GeneTests, times: IntArray, request: DifferentialExpressionRequest
) -> GeneTests:
    """Adjust p as if every gene occurred so often."""
    if (times == 1).all():
        return tests
    first = np.concatenate([[0], np.cumsum(times)[:-1]])
    pvalue = np.repeat(tests.pvalue, times)
    if method == "DESeq2" and tests.trend is not None:
        mean = np.repeat(tests.trend.x, times)
        padj = filter_independently(mean, pvalue, request.filter_alpha)
    else:
        padj = adjust_pvalues(pvalue)
    return replace(tests, padj=padj[first])


def _describe_genes(
    universe: Universe, calls: Calls, flags_by_sample: Mapping[str, BoolArray]
) -> pd.DataFrame:
    """Return the consensus genes, those lost most often first."""
    genes = _consensus_genes(universe, calls)
    table = calls.consensus.table.frame.set_index("gene_id")
    names = [universe.gene_ids[gene] for gene in genes]
    lost = [
        "; ".join(sample for sample, flags in flags_by_sample.items() if not flags[index])
        for index in range(len(genes))
    ]
    n_kept = [
        sum(bool(flags[index]) for flags in flags_by_sample.values()) for index in range(len(genes))
    ]
    frame = pd.DataFrame(
        {
            "gene_id": pd.Series(names, dtype=object),
            "symbol": [table["symbol"].get(name) for name in names],
            "n_runs": len(flags_by_sample),
            "n_kept": pd.Series(n_kept, dtype=np.int64),
            "lost_without": pd.Series(lost, dtype=object),
        },
        columns=list(FragileGene.model_fields),
    )
    return frame.sort_values(["n_kept", "gene_id"], kind="stable").reset_index(drop=True)


def describe_certificate(certificate: Certificate | None) -> list[str]:
    """Return what the certificate says, in sentences."""
    if certificate is None:
        return []
    sentences = []
    if certificate.n_shuffles:
        parts = ", ".join(
            f"{call.method} {call.mean:.1f} (at most {call.largest:.0f})"
            for call in certificate.false_calls
        )
        sentences.append(
            f"With shuffled labels ({certificate.n_shuffles} shuffles) the methods call on "
            f"average: {parts} genes."
        )
    if certificate.n_left_out:
        sentences.append(
            f"{certificate.n_robust:,} of {len(certificate.fragile):,} genes that all methods call "
            f"stay so whichever of {certificate.n_left_out} samples is removed."
        )
    return sentences
