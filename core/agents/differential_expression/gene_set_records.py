"""Records of the tests of gene sets."""

from typing import Annotated, Literal

from pydantic import Field

from core.records.table import Table
from core.records.wire import Answer

Count = Annotated[int, Field(ge=0)]
Probability = Annotated[float, Field(ge=0, le=1)]


class GeneSetRow(Answer):
    """One set of genes in every test."""

    gene_set: str = Field(description="Name of the set.")
    collection: str = Field(description="hallmark, reactome, wikipathways, or own.")
    n_genes: Count = Field(description="Genes of the set among those tested.")
    n_called: Count = Field(description="Of these, genes that every method calls.")
    direction: Literal["up", "down"] = Field(description="Direction of the set by camera.")
    camera_p: Probability = Field(description="Competitive: do its genes move more than others?")
    camera_padj: Probability
    fry_p: Probability = Field(description="Self-contained: do its genes move at all?")
    fry_padj: Probability
    rank_p: Probability | None = Field(
        description="Competitive, on the ranks of the first method's statistics (camera)."
    )
    rank_padj: Probability | None
    overlap_p: Probability = Field(description="Over-representation among the called genes.")
    overlap_padj: Probability
    leading_genes: str = Field(
        description="Up to ten genes that move most in its direction, joined by a semicolon."
    )


class GeneSetTable(Table):
    """Every tested set, by its p of camera."""

    row_model = GeneSetRow


class GeneSetCollection(Answer):
    """Where sets come from."""

    collection: str
    title: str
    version: str
    license: str = Field(description="Empty for sets of one's own.")
    citation: str
    n_sets: Count = Field(description="Sets in the collection.")
    n_tested: Count = Field(description="Sets with enough genes among those tested.")


class GeneSetResults(Answer):
    """Sets of genes that change together."""

    collections: list[GeneSetCollection]
    matched_by: Literal["symbol", "gene ID", "name without case"] = Field(
        description="How genes of the sets were found among those tested."
    )
    n_matched: Count = Field(description="Tested genes that are in any set of the collections.")
    n_significant: Count = Field(description="Sets with camera_padj below fdr_cutoff.")
    fewest_genes: Count = Field(description="Smaller sets are not tested.")
    most_genes: Count = Field(description="Larger sets are not tested.")
    top: list[GeneSetRow] = Field(description="The first 20 rows of the table.")
    table: GeneSetTable
