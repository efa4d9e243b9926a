"""Which sets of genes change together, by four tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from core.agents.differential_expression.calls import Calls, FittedMethods
from core.agents.differential_expression.counts import read_text
from core.agents.differential_expression.gene_names import Names
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.records import (
    GeneSetCollection,
    GeneSetResults,
    GeneSetRow,
    GeneSetTable,
)
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.agents.differential_expression.universe import Universe, signed_statistic
from core.errors import InvalidInput
from core.knowledge.gene_sets import gene_set_collections, load_gene_sets
from core.stats.fit import FloatArray, IntArray, find_consensus
from core.stats.gene_sets import (
    camera_tests,
    fry_tests,
    leading_genes,
    overlap_tests,
    ranked_tests,
)
from core.stats.voom import weigh_counts, weigh_samples
from core.workbench import RunContext

OWN = "own"
FEWEST_GENES, MOST_GENES = 5, 500
"""Sets outside these sizes say little: a few genes, or half the cell."""
_MOST_SETS = 20_000
_LONGEST_NAME = 300
Match = Literal["symbol", "gene ID", "name without case"]


@dataclass(frozen=True)
class GeneSets:
    """Sets by collection and name, as positions of tested genes.

    Attributes:
        names: Collection and name of each tested set.
        index: Positions of its genes, in the same order.
        n_sets: Sets of each collection before small and large ones were left out.
        matched_by: How genes were found.
        n_matched: Tested genes in any set.
    """

    names: tuple[tuple[str, str], ...]
    index: tuple[IntArray, ...]
    n_sets: Mapping[str, int]
    matched_by: Match
    n_matched: int


def read_gene_sets(
    request: DifferentialExpressionRequest, context: RunContext
) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the members of every set asked for, by collection and name; empty if none is.

    Raises:
        InvalidInput: The user's file is no GMT.
        UnreadableTable: It is no text.
    """
    collections: dict[str, Mapping[str, tuple[str, ...]]] = {
        name: load_gene_sets(name) for name in dict.fromkeys(request.gene_sets)
    }
    if request.gene_sets_gmt is not None or request.gene_set_file_id is not None:
        inline = request.gene_sets_gmt
        text = read_text("gene_sets_gmt", inline, request.gene_set_file_id, context)
        field = "gene_sets_gmt" if inline else "gene_set_file_id"
        sets: dict[str, tuple[str, ...]] = {}
        for line, row in enumerate(text.splitlines(), start=1):
            if not row.strip():
                continue
            set_name, *cells = (cell.strip() for cell in row.split("\t"))
            genes = tuple(dict.fromkeys(cell for cell in cells[1:] if cell))
            if not set_name or not genes or len(set_name) > _LONGEST_NAME:
                raise _no_gmt(line, "a name, a description and genes, separated by tabs", field)
            if set_name in sets:
                raise _no_gmt(line, f"a name of its own; {set_name[:80]!r} stands above", field)
            sets[set_name] = genes
            if len(sets) > _MOST_SETS:
                raise InvalidInput(
                    f"The file holds more than {_MOST_SETS} gene sets; send fewer.",
                    field=field,
                    code="too_many_gene_sets",
                )
        if not sets:
            raise _no_gmt(1, "a gene set", field)
        collections[OWN] = sets
    return collections


def _no_gmt(line: int, expected: str, field: str) -> InvalidInput:
    """Return the error for a line that is no set."""
    return InvalidInput(
        f"Line {line} of the gene sets is not GMT: it needs {expected}.",
        field=field,
        code="not_gmt",
    )


def match_gene_sets(
    sets: Mapping[str, Mapping[str, tuple[str, ...]]], gene_ids: Sequence[str], symbols: Names
) -> GeneSets:
    """Find the tested genes of each set.

    Genes are matched by symbol where ids have symbols, by id, or without regard to case, whichever
    finds most: names of mouse and rat genes differ from human ones in case.

    Raises:
        InvalidInput: No set has enough genes among those tested.
    """
    members = {gene for named in sets.values() for genes in named.values() for gene in genes}
    plain = [gene.split(".")[0] if gene.startswith("ENS") else gene for gene in gene_ids]
    shown = [symbol or gene for symbol, gene in zip(symbols, plain, strict=True)]
    ways: list[tuple[Match, list[str], set[str]]] = [
        ("symbol", shown, members),
        ("gene ID", plain, members),
        ("name without case", _fold(shown), set(_fold(members))),
    ]
    counted = [sum(name in known_names for name in names) for _, names, known_names in ways]
    best = int(np.argmax(counted))
    if best == len(ways) - 1 and counted[best] < 2 * max(counted[:best]):
        best = int(np.argmax(counted[:best]))
    way, names, _ = ways[best]
    places: dict[str, list[int]] = {}  # several ids may share a symbol
    for position, spelling in enumerate(names):
        places.setdefault(spelling, []).append(position)
    chosen: list[tuple[tuple[str, str], IntArray]] = []
    for collection, named in sets.items():
        for name, genes in named.items():
            spelled = _fold(genes) if way == "name without case" else genes
            indices = sorted({index for gene in spelled for index in places.get(gene, ())})
            if FEWEST_GENES <= len(indices) <= MOST_GENES:
                chosen.append(((collection, name), np.array(indices, dtype=np.int64)))
    if not chosen:
        raise InvalidInput(
            f"No gene set has {FEWEST_GENES} to {MOST_GENES} genes among those tested "
            f"({counted[best]} tested genes are in any set); the sets of the product name human "
            "genes by symbol, a GMT of your own must name genes as the count matrix does.",
            field="gene_sets",
            code="no_gene_set_matches",
        )
    return GeneSets(
        names=tuple(name for name, _ in chosen),
        index=tuple(indices for _, indices in chosen),
        n_sets={collection: len(named) for collection, named in sets.items()},
        matched_by=way,
        n_matched=counted[best],
    )


def _fold(names: Sequence[str] | set[str]) -> list[str]:
    """Return names in upper case."""
    return [name.upper() for name in names]


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

    `sets`: members by collection and name. `model`: the design; its last coefficient is tested.

    Raises:
        InvalidInput: No set has enough tested genes.
    """
    if not sets:
        return None
    universe, symbols = genes
    matched = match_gene_sets(sets, universe.gene_ids, symbols)
    statistic = signed_statistic(results[0].methods[0].tests)
    frame = _test(matched, universe, model, results, request, statistic)
    named = []
    for positions, direction in zip(matched.index, frame["direction"], strict=True):
        leading = leading_genes(statistic, positions, is_up=direction == "up", most=_LEADING)
        named.append(
            "; ".join(str(symbols[index] or universe.gene_ids[index]) for index in leading)
        )
    frame["leading_genes"] = named
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
        top=[
            GeneSetRow.model_validate(
                {str(name): None if pd.isna(value) else value for name, value in row.items()}
            )
            for row in frame.head(_TOP).to_dict("records")
        ],
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
