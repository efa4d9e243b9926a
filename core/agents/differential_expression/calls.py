"""Which genes each method calls, as tables, and which genes all of them call."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.agents.differential_expression.disagreement import Names, explain_disagreement
from core.agents.differential_expression.methods import FittedMethod, FittedMethods
from core.agents.differential_expression.records import (
    METHODS,
    Consensus,
    ConsensusRow,
    ConsensusTable,
    DegRow,
    DegTable,
    MethodResult,
    Overlap,
    TopGene,
)
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.agents.differential_expression.universe import Universe
from core.stats.consensus import call_significant, count_overlaps, find_consensus
from core.stats.fit import BoolArray, FloatArray, GeneTests

_TOP = 20
_SUFFIXES = {"DESeq2": "deseq2", "edgeR": "edger", "limma-voom": "limma"}


@dataclass(frozen=True)
class Calls:
    """The results of all methods, their consensus, and the significant genes of each method."""

    results: tuple[MethodResult, ...]
    consensus: Consensus
    called: tuple[BoolArray, ...]


def call_genes(
    universe: Universe,
    fitted: FittedMethods,
    request: DifferentialExpressionRequest,
    symbols: Names,
    suffix: str = "",
) -> Calls:
    """Apply the cut-offs to every method and find what all of them agree on.

    Args:
        universe: The tested genes.
        fitted: The tests of every method.
        request: Its cut-offs.
        symbols: Symbol of each gene, None where there is none.
        suffix: Behind the names of the tables, where the run has several comparisons.
    """
    called = [
        call_significant(
            method.tests.log2_fc,
            method.tests.padj,
            fdr_cutoff=request.fdr_cutoff,
            log2fc_cutoff=request.called_change,
        )
        for method in fitted.methods
    ]
    ids = np.array(universe.gene_ids, dtype=object)
    named = pd.DataFrame({"gene_id": ids, "symbol": symbols})
    results = tuple(
        _describe_method(method, flags, named, universe.base_mean, suffix)
        for method, flags in zip(fitted.methods, called, strict=True)
    )
    reasons = explain_disagreement(fitted.methods, called, request.called_change)
    consensus = _describe_consensus(
        fitted.methods, called, named, reasons, (suffix, request.test == "comparison")
    )
    return Calls(results, consensus, tuple(called))


def _describe_method(
    method: FittedMethod,
    significant: BoolArray,
    named: pd.DataFrame,
    base_mean: FloatArray,
    suffix: str,
) -> MethodResult:
    """Return one method's table, counts and strongest genes."""
    tests = method.tests
    missing = np.full(len(named), np.nan)
    frame = pd.DataFrame(
        {
            "gene_id": named["gene_id"],
            "symbol": named["symbol"],
            "base_mean": base_mean,
            "log2FC": tests.log2_fc,
            "lfc_se": tests.lfc_se,
            "stat": tests.stat,
            "pvalue": tests.pvalue,
            "padj": tests.padj,
            "significant": significant,
            "na_reason": _explain_nulls(tests, method.name == "DESeq2"),
            "dispersion": tests.extra.get("dispersion", missing),
            "log2FC_shrunken": tests.extra.get("log2FC_shrunken", missing),
            "log_cpm": tests.extra.get("log_cpm", missing),
            "ave_expr": tests.extra.get("ave_expr", missing),
        },
        columns=list(DegRow.model_fields),
    ).replace([np.inf, -np.inf], np.nan)
    called = frame[significant]
    up, down = called[called["log2FC"] > 0], called[called["log2FC"] < 0]
    return MethodResult(
        method=method.name,
        n_tested=len(frame),
        n_significant=len(up) + len(down),
        n_up=len(up),
        n_down=len(down),
        table=DegTable(method.name + suffix, frame),
        top_up=_pick_top(up),
        top_down=_pick_top(down),
    )


def _explain_nulls(tests: GeneTests, is_deseq2: bool) -> list[str | None]:
    """Return why padj is missing, one entry a gene."""
    reasons = np.full(len(tests.padj), None, dtype=object)
    reasons[np.isnan(tests.padj)] = "independent_filter" if is_deseq2 else "not_estimated"
    reasons[np.isnan(tests.pvalue)] = "outlier" if is_deseq2 else "not_estimated"
    reasons[np.isnan(tests.log2_fc)] = "not_estimated"
    return list(reasons)


def _pick_top(called: pd.DataFrame) -> list[TopGene]:
    """Return the first genes by padj, then absolute change, then ID."""
    ordered = called.assign(size=-called["log2FC"].abs()).sort_values(["padj", "size", "gene_id"])
    return [
        TopGene(gene_id=gene, symbol=symbol, log2FC=change, padj=padj)
        for gene, symbol, change, padj in ordered[["gene_id", "symbol", "log2FC", "padj"]]
        .head(_TOP)
        .itertuples(index=False)
    ]


def _describe_consensus(
    methods: Sequence[FittedMethod],
    called: Sequence[BoolArray],
    named: pd.DataFrame,
    reasons: Names,
    form: tuple[str, bool],
) -> Consensus:
    """Return the genes called by all, the overlaps, and the methods side by side.

    `form` is what stands behind the table's name, and whether a gene must have one sign.
    """
    suffix, has_direction = form
    together = find_consensus(
        called, [method.tests.log2_fc for method in methods], has_direction=has_direction
    )
    overlaps = [
        Overlap(methods=[methods[index].name for index in members], n_genes=n_genes)
        for members, n_genes in count_overlaps(called).items()
    ]
    return Consensus(
        genes=[str(name) for name in named["gene_id"][together]],
        n_consensus_significant=int(together.sum()),
        n_methods=len(methods),
        overlaps=overlaps,
        table=ConsensusTable(
            f"consensus{suffix}", _compare(methods, called, together, named.assign(reason=reasons))
        ),
    )


def _compare(
    methods: Sequence[FittedMethod],
    called: Sequence[BoolArray],
    together: BoolArray,
    texts: pd.DataFrame,
) -> pd.DataFrame:
    """Return the genes that any method calls, with every method's change and padj."""
    n_significant = np.vstack(called).sum(axis=0)
    chosen = np.flatnonzero(n_significant)
    signs = np.sign(np.vstack([method.tests.log2_fc for method in methods]))[:, chosen]
    direction = np.where((signs > 0).all(axis=0), "up", "mixed").astype(object)
    direction[(signs < 0).all(axis=0)] = "down"
    columns: dict[str, object] = {
        "gene_id": texts["gene_id"].to_numpy()[chosen],
        "symbol": texts["symbol"].to_numpy()[chosen],
        "direction": direction,
        "n_significant": n_significant[chosen],
        "is_consensus": together[chosen],
        "reason": texts["reason"].to_numpy()[chosen],
    }
    for name in METHODS:
        tests = next((method.tests for method in methods if method.name == name), None)
        missing = np.full(len(chosen), np.nan)
        suffix = _SUFFIXES[name]
        columns[f"log2FC_{suffix}"] = missing if tests is None else tests.log2_fc[chosen]
        columns[f"padj_{suffix}"] = missing if tests is None else tests.padj[chosen]
    return pd.DataFrame(columns, columns=list(ConsensusRow.model_fields))
