"""What drugs act on, beyond a gene list: receptors by habit, isoforms, families.

The table is the curators' own knowledge; its only identifiers are HGNC symbols, which are looked
up in the identity pack.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows

Relation = Literal["single", "both", "family"]


class TargetCells(TableRow):
    """A row as it is written; lists are joined by "|"."""

    expression: str
    genes: str
    variant: str
    relation: Relation
    ambiguous: str
    aliases: str


@dataclass(frozen=True, slots=True)
class TargetRow:
    """A target.

    Attributes:
        expression: As it is shown.
        genes: HGNC symbols; none where it is no human protein.
        variant: Isoform or mutation; "" for the gene as such.
        relation: Whether one, all or any of the genes are meant.
        ambiguous: Folded spellings that are also plain words, diseases or drugs, so that a word
            such as "inhibitor" must stand beside them.
        aliases: How it is written.
    """

    expression: str
    genes: tuple[str, ...]
    variant: str
    relation: Relation
    ambiguous: frozenset[str]
    aliases: tuple[str, ...]


@cache
def load_targets() -> tuple[TargetRow, ...]:
    """Return all targets by expression."""
    return tuple(
        TargetRow(
            row.expression,
            tuple(filter(None, row.genes.split("|"))),
            row.variant,
            row.relation,
            frozenset(fold_name(alias) for alias in row.ambiguous.split("|") if alias),
            tuple(row.aliases.split("|")),
        )
        for row in load_rows("targets", TargetCells)
    )
