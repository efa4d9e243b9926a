"""Which sets of genes change together, by four tests."""

from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd

from core.agents.differential_expression.calls import Calls
from core.agents.differential_expression.disagreement import Names
from core.agents.differential_expression.gene_set_records import (
    GeneSetCollection,
    GeneSetResults,
    GeneSetRow,
    GeneSetTable,
)
from core.agents.differential_expression.gene_sets import (
    FEWEST_GENES,
    MOST_GENES,
    GeneSets,
    match_gene_sets,
)
from core.agents.differential_expression.methods import FittedMethods
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.ranking import signed_statistic
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.agents.differential_expression.universe import Universe
from core.knowledge.gene_sets import gene_set_collections
from core.stats.consensus import find_consensus
from core.stats.fit import FloatArray
from core.stats.gene_sets import (
    camera_tests,
    fry_tests,
    leading_genes,
    overlap_tests,
    ranked_tests,
)
from core.stats.voom import weigh_counts
from core.stats.voom_samples import weigh_samples
from core.workbench import RunContext

FILE = "gene_sets_tested.gmt"
_TOP = 20
_LEADING = 10
Sets = Mapping[str, Mapping[str, tuple[str, ...]]]


def find_gene_sets(
    sets: Sets,
    genes: tuple[Universe, Names],
    model: Model,
    results: tuple[FittedMethods, Calls],
    request: DifferentialExpressionRequest,
    context: RunContext,
) -> GeneSetResults | None:
    """Test the sets asked for and keep their tested genes as a file; None if none is asked for.

    Args:
        sets: Members by collection and name.
        genes: The tested genes and their symbols.
        model: The design; its last coefficient is tested.
        results: The fits and calls of the methods.
        request: Cut-off and span.
        context: Keeps the file.

    Raises:
        InvalidInput: No set has enough tested genes.
    """
    if not sets:
        return None
    universe, symbols = genes
    matched = match_gene_sets(sets, universe.gene_ids, symbols)
    statistic = signed_statistic(results[0].methods[0].tests)
    frame = _test(matched, universe, model, results, request, statistic)
    frame["leading_genes"] = _name_leading(matched, frame, statistic, genes)
    frame = frame.sort_values(["camera_p", "gene_set", "collection"], kind="stable")
    frame = frame.reset_index(drop=True)[list(GeneSetRow.model_fields)]
    context.save_file(FILE, _write_gmt(matched, universe), "text/tab-separated-values")
    return GeneSetResults(
        collections=_describe_collections(matched),
        matched_by=matched.matched_by,
        n_matched=matched.n_matched,
        n_significant=int((frame["camera_padj"] < request.fdr_cutoff).sum()),
        fewest_genes=FEWEST_GENES,
        most_genes=MOST_GENES,
        top=[_row(row) for row in frame.head(_TOP).to_dict("records")],
        table=GeneSetTable("gene-sets", frame),
    )


def _test(
    matched: GeneSets,
    universe: Universe,
    model: Model,
    results: tuple[FittedMethods, Calls],
    request: DifferentialExpressionRequest,
    statistic: FloatArray,
) -> pd.DataFrame:
    """Return every test of every set, in the order of the sets."""
    values, weights = _weigh(universe, model, request)
    index = {str(index): positions for index, positions in enumerate(matched.index)}
    camera = camera_tests(values, weights, model.design, index)
    fry = fry_tests(values, weights, model.design, index)
    ranked = ranked_tests(statistic, index)
    fits, calls = results
    called = find_consensus(
        calls.called,
        [method.tests.log2_fc for method in fits.methods],
        has_direction=request.test == "comparison",
    )
    overlap = overlap_tests(called, index)
    return pd.DataFrame(
        {
            "gene_set": [name for _, name in matched.names],
            "collection": [collection for collection, _ in matched.names],
            "n_genes": [len(positions) for positions in matched.index],
            "n_called": [int(called[positions].sum()) for positions in matched.index],
            "direction": np.where(camera.is_up, "up", "down"),
            "camera_p": camera.pvalue,
            "camera_padj": camera.padj,
            "fry_p": fry.pvalue,
            "fry_padj": fry.padj,
            "rank_p": ranked.pvalue,
            "rank_padj": ranked.padj,
            "overlap_p": overlap.pvalue,
            "overlap_padj": overlap.padj,
        }
    )


def _weigh(
    universe: Universe, model: Model, request: DifferentialExpressionRequest
) -> tuple[FloatArray, FloatArray]:
    """Return log counts and their precision weights, the quality of samples put in."""
    given, flavor = (universe.counts, model.design, universe.tmm), request.limma_flavor
    if model.samples is None:
        return weigh_counts(*given, flavor=flavor)
    precision = weigh_samples(*given, model.samples, flavor=flavor)
    return precision.values, precision.weights


def _name_leading(
    matched: GeneSets, frame: pd.DataFrame, statistic: FloatArray, genes: tuple[Universe, Names]
) -> list[str]:
    """Return the leading genes of every set, symbols first."""
    universe, symbols = genes
    named = []
    for positions, direction in zip(matched.index, frame["direction"], strict=True):
        leading = leading_genes(statistic, positions, is_up=direction == "up", most=_LEADING)
        named.append(
            "; ".join(str(symbols[index] or universe.gene_ids[index]) for index in leading)
        )
    return named


def _row(cells: Mapping[Hashable, object]) -> GeneSetRow:
    """Return a row as a record, missing values as null."""
    return GeneSetRow.model_validate(
        {str(name): None if value != value else value for name, value in cells.items()}  # noqa: PLR0124
    )


def _write_gmt(matched: GeneSets, universe: Universe) -> bytes:
    """Return the tested sets as GMT, genes by their id in the count matrix."""
    lines = []
    for (collection, name), positions in zip(matched.names, matched.index, strict=True):
        ids = [" ".join(universe.gene_ids[index].split()) for index in positions]
        lines.append("\t".join([name, collection, *ids]))
    return ("\n".join(lines) + "\n").encode("utf-8")


def _describe_collections(matched: GeneSets) -> list[GeneSetCollection]:
    """Return where the sets come from, with how many of them were tested."""
    tested = [collection for collection, _ in matched.names]
    collections = gene_set_collections()
    described = []
    for name, n_sets in matched.n_sets.items():
        row = collections.get(name)
        described.append(
            GeneSetCollection(
                collection=name,
                title=row.title if row else "Own gene sets",
                version=row.version if row else "",
                license=row.license if row else "",
                citation=row.citation if row else "",
                n_sets=n_sets,
                n_tested=tested.count(name),
            )
        )
    return described


def warn_of_gene_sets(
    results: GeneSetResults | None, request: DifferentialExpressionRequest
) -> tuple[str, ...]:
    """Say when genes were matched by a guess, and when subjects count in no test of sets."""
    messages = []
    if results is not None and results.matched_by == "name without case":
        messages.append(
            f"gene_sets_by_case: {results.n_matched:,} genes were matched to the sets without "
            "regard to case, as names of mouse and rat genes mostly differ from human ones; these "
            "are likely, not checked, orthologs."
        )
    if results is not None and request.duplicate_correlation is not None:
        messages.append(
            "gene_sets_without_subjects: camera and fry take samples of one "
            f"{request.duplicate_correlation} as independent, so that their p values can be too "
            "small; duplicate_correlation counts in the tests of genes alone."
        )
    return tuple(messages)


def describe_gene_sets(
    results: GeneSetResults | None, request: DifferentialExpressionRequest
) -> list[str]:
    """Return a sentence on the sets that change together."""
    if results is None:
        return []
    n_tested = len(results.table)
    first = [row for row in results.top if row.camera_padj < request.fdr_cutoff][:3]
    named = ", ".join(
        f"{result.gene_set} ({result.direction}, {result.n_genes} genes)" for result in first
    )
    strongest = f"; most certainly {named}" if named else ""
    return [
        f"{results.n_significant:,} of {n_tested:,} gene sets move against the other genes "
        f"(camera, adjusted p below {request.fdr_cutoff:g}){strongest}."
    ]
