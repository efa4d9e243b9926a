"""From two tables to three gene tables and what they agree on."""

import re
from collections.abc import Sequence

import numpy as np

from core.agents.differential_expression.alignment import align_samples
from core.agents.differential_expression.assemble import Parts, assemble
from core.agents.differential_expression.calls import call_genes
from core.agents.differential_expression.certificate import certify
from core.agents.differential_expression.counts import read_counts
from core.agents.differential_expression.disagreement import Names
from core.agents.differential_expression.further import fit_contrasts
from core.agents.differential_expression.gene_set_results import find_gene_sets
from core.agents.differential_expression.gene_sets import read_gene_sets
from core.agents.differential_expression.hidden import add_surrogates
from core.agents.differential_expression.metadata import read_metadata
from core.agents.differential_expression.methods import fit_methods
from core.agents.differential_expression.model import build_model
from core.agents.differential_expression.quality import assess_quality
from core.agents.differential_expression.schema import (
    DifferentialExpressionData,
    DifferentialExpressionRequest,
)
from core.agents.differential_expression.universe import choose_universe
from core.evidence.names.identity.resolver import Resolver
from core.workbench import RunContext

_ENSEMBL = re.compile(r"(ENS(?:MUS|RNO)?G\d{11})(?:\.\d+)?(?:_PAR_Y)?")
_ENTREZ = re.compile(r"[1-9]\d{0,9}")


def find_symbols(gene_ids: Sequence[str], resolver: Resolver) -> Names:
    """Return the symbol of each gene, None where there is none.

    Known are Ensembl ids of human, mouse and rat, whose version is left off for the look-up only,
    and Entrez ids of human genes where every id of the table is a number. Other ids are names
    already, or have no symbol here.

    Args:
        gene_ids: Gene ids as in the count matrix.
        resolver: Knows genes; an instance without names knows none.
    """
    scheme, pattern = "ENSEMBL", _ENSEMBL
    if all(_ENTREZ.fullmatch(gene) for gene in gene_ids):
        scheme, pattern = "ENTREZ", _ENTREZ
    matches = [pattern.fullmatch(gene) for gene in gene_ids]
    codes = sorted({match[match.lastindex or 0] for match in matches if match})
    labels = resolver.identity.labels_of_codes("target", scheme, codes) if codes else {}
    symbols = np.full(len(gene_ids), None, dtype=object)
    for index, match in enumerate(matches):
        if match:
            symbols[index] = labels.get(match[match.lastindex or 0])
    return symbols


def run(request: DifferentialExpressionRequest, context: RunContext) -> DifferentialExpressionData:
    """Run the agent.

    Args:
        request: The validated request.
        context: Uploads, progress, files, identity of the run.

    Raises:
        InvalidInput: The tables cannot answer the question; the message says why.
        AnalysisError: No method could be fitted.
    """
    context.progress("Read tables", 0, 2, "metadata")
    sheet = read_metadata(request, context)
    context.progress("Read tables", 1, 2, "count matrix")
    matrix = read_counts(request, sheet, context)
    context.progress("Read tables", 2, 2, f"{len(matrix.gene_ids)} genes")
    sets = read_gene_sets(request, context)
    study = align_samples(matrix, sheet, request)
    model = build_model(study, sheet, request)
    context.progress("Match samples", 1, 1, f"{len(study.sample_ids)} samples, {model.formula}")
    universe = choose_universe(study, model, request.min_count)
    context.progress("Filter genes", 1, 1, f"{len(universe.gene_ids)} genes to test")
    model = add_surrogates(model, universe, request)
    fitted = fit_methods(universe, model, request, context)
    symbols = find_symbols(universe.gene_ids, context.resolver)
    calls = call_genes(universe, fitted, request, symbols)
    further = fit_contrasts(request, study, model, (universe, symbols), context)
    context.progress("Find consensus", 1, 1, f"{len(calls.consensus.genes)} consensus genes")
    quality = assess_quality(matrix, study, model, universe, fitted)
    context.progress("Check quality", 1, 1, f"{len(study.sample_ids)} samples")
    gene_sets = find_gene_sets(sets, (universe, symbols), model, (fitted, calls), request, context)
    certificate = certify(study, universe, model, calls, request, context)
    parts = Parts(
        matrix=matrix,
        sheet=sheet,
        study=study,
        model=model,
        universe=universe,
        fitted=fitted,
        calls=calls,
        quality=quality,
        further=further,
        gene_sets=gene_sets,
        certificate=certificate,
    )
    data = assemble(request, context, parts)
    context.progress("Write result", 1, 1, f"{len(data.warnings)} warnings")
    return data
