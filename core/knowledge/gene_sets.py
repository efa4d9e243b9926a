"""Sets of genes that are shipped: what they are, where they come from, and their members."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import Field

from core.errors import KnowledgeError
from core.vocabulary.tables import TableRow, load_rows

FOLDER = Path(__file__).with_name("gene_sets")


class CollectionRow(TableRow):
    """A collection of gene sets; its members lie in gene_sets/<collection>.gmt.

    Attributes:
        collection: Its key.
        title: Its name for readers.
        version: Release.
        license: Under which it may be passed on.
        n_sets: Number of its sets.
        citation: The paper to cite.
    """

    collection: str
    title: str
    version: str
    license: str
    n_sets: int = Field(gt=0)
    citation: str


@cache
def gene_set_collections() -> Mapping[str, CollectionRow]:
    """Return the collections by key."""
    return {row.collection: row for row in load_rows("gene_set_collections", CollectionRow)}


@cache
def load_gene_sets(collection: str) -> Mapping[str, tuple[str, ...]]:
    """Return the symbols of each set of a collection, by the set's name.

    Raises:
        KnowledgeError: The file does not hold the number of sets that the table says.
    """
    text = (FOLDER / f"{collection}.gmt").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    if len(rows) != gene_set_collections()[collection].n_sets:
        raise KnowledgeError(f"{collection}.gmt holds {len(rows)} sets, the table says otherwise")
    return {name: tuple(genes) for name, _, *genes in rows}
