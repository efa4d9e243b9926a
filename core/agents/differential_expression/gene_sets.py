"""The sets of genes that a request asks for, and which tested genes belong to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.agents.differential_expression.disagreement import Names
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.agents.differential_expression.tables import read_text
from core.errors import InvalidInput
from core.knowledge.gene_sets import load_gene_sets
from core.stats.fit import IntArray
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
        collections[OWN] = _parse_gmt(text, "gene_sets_gmt" if inline else "gene_set_file_id")
    return collections


def _parse_gmt(text: str, field: str) -> dict[str, tuple[str, ...]]:
    """Return the sets of a GMT: name, description, then genes, separated by tabs."""
    sets: dict[str, tuple[str, ...]] = {}
    for line, row in enumerate(text.splitlines(), start=1):
        if not row.strip():
            continue
        name, *cells = (cell.strip() for cell in row.split("\t"))
        genes = tuple(dict.fromkeys(cell for cell in cells[1:] if cell))
        if not name or not genes or len(name) > _LONGEST_NAME:
            raise _no_gmt(line, "a name, a description and genes, separated by tabs", field)
        if name in sets:
            raise _no_gmt(line, f"a name of its own; {name[:80]!r} stands above", field)
        sets[name] = genes
        if len(sets) > _MOST_SETS:
            raise InvalidInput(
                f"The file holds more than {_MOST_SETS} gene sets; send fewer.",
                field=field,
                code="too_many_gene_sets",
            )
    if not sets:
        raise _no_gmt(1, "a gene set", field)
    return sets


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
    places = _places(names)
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


def _places(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the positions of each name; several ids may share a symbol."""
    places: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        places.setdefault(name, []).append(index)
    return places
