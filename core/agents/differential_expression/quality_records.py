"""Records of sample quality: what a reader checks before believing a table of genes."""

from typing import Annotated, Literal

from pydantic import Field

from core.records.wire import Answer

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class LibrarySize(Answer):
    """One sample's depth."""

    sample_id: str = Field(description="Sample ID as in the metadata.")
    group: str = Field(description="Value of the condition.")
    library_size: Count = Field(description="Reads counted in all genes.")
    n_genes_detected: Count = Field(description="Genes with at least one read.")
    detection_rate: Share = Field(description="Share of the genes with a read in any sample.")


class PcaPoint(Answer):
    """One sample on the first two principal components."""

    sample_id: str
    group: str
    pc1: float
    pc2: float


class Pca(Answer):
    """Principal components of the 500 most variable genes."""

    points: list[PcaPoint]
    variance_share: list[Share] = Field(description="Share of the variance of each component.")


class PcaAssociation(Answer):
    """How much of a component a metadata column explains."""

    column: str = Field(description="Metadata column.")
    component: Annotated[int, Field(ge=1)] = Field(description="1 for PC1, 2 for PC2.")
    variance_share: Share = Field(description="Share of the component's variance it explains.")
    pvalue: Share | None = Field(description="p of that share (F-test); null if not testable.")
    share_beyond_design: Share = Field(
        description="Share of what the design leaves unexplained; 0 for columns of the design."
    )
    pvalue_beyond_design: Share | None = Field(
        description="p of that share; null for columns of the design or if not testable."
    )


class SampleGrouping(Answer):
    """A metadata column by which samples can be told apart."""

    column: str = Field(description="Metadata column.")
    is_numeric: bool = Field(description="Whether its values are numbers that hardly repeat.")
    values: list[str] = Field(description="One a sample, in the order of the PCA points.")


class SampleDistances(Answer):
    """Euclidean distances between samples over all tested genes."""

    sample_ids: list[str] = Field(description="Order of rows and columns.")
    matrix: list[list[float]] = Field(description="Samples x samples, 0 on the diagonal.")


class GeneCounts(Answer):
    """One gene in every sample."""

    gene_id: str = Field(description="Gene ID as in the count matrix.")
    symbol: str | None = Field(
        default=None, description="Symbol of an Ensembl id (human, mouse, rat) or human Entrez id."
    )
    normalized_counts: list[float] = Field(
        description="Count / DESeq2 size factor, one a sample in the order of sample_ids."
    )


class StrongestGenes(Answer):
    """The surest genes of all methods in turn, sample by sample."""

    sample_ids: list[str] = Field(description="Order of the counts.")
    genes: list[GeneCounts] = Field(
        description="Up to 60 genes from the methods' top lists, fewer above 500 samples."
    )
    clustered_genes: list[str] = Field(
        default_factory=list,
        description="Gene IDs in the order of a clustering: 1 - correlation of log2 counts, "
        "average linkage; empty in a run of an older version.",
    )
    clustered_samples: list[str] = Field(
        default_factory=list, description="Sample IDs in the order of the same clustering."
    )


class TrendPoint(Answer):
    """One gene of a mean-spread trend."""

    x: float = Field(description="Mean normalized count (DESeq2) or mean log2 count (voom).")
    raw: float = Field(description="The gene's own dispersion (DESeq2) or root SD (voom).")
    curve: float = Field(description="The fitted curve at x.")
    final: float | None = Field(description="Value used in the test; null for voom.")


class MeanSpreadTrend(Answer):
    """A method's mean-spread trend, thinned to at most 2,000 genes."""

    method: Literal["DESeq2", "limma-voom"]
    n_genes: Count = Field(description="Genes before thinning.")
    points: list[TrendPoint] = Field(description="In the order of x.")


class HistogramBin(Answer):
    """One bar of a p-value histogram."""

    method: Literal["DESeq2", "edgeR", "limma-voom"]
    bin_start: Share
    bin_end: Share
    n_genes: Count


class SampleQc(Answer):
    """Samples and genes that were used, and how alike the samples are."""

    group_counts: dict[str, int] = Field(
        description="Samples used by group.", examples=[{"untreated": 4, "treated": 4}]
    )
    n_genes_input: Count = Field(description="Gene rows in the file.")
    n_genes_numeric: Count = Field(description="Gene rows whose counts are all numbers.")
    n_samples_used: Count = Field(description="Samples of the two groups.")
    n_genes_all_zero: Count = Field(description="Genes without a read in the samples used.")
    n_genes_low_count: Count = Field(description="Genes with reads that the filter leaves out.")
    n_genes_tested: Count = Field(description="Genes that every method tests.")
    library_sizes: list[LibrarySize]
    size_factors: dict[str, float] = Field(description="DESeq2 size factor by sample.")
    tmm_factors: dict[str, float] = Field(description="TMM normalization factor by sample.")
    pca: Pca
    pca_associations: list[PcaAssociation] = Field(
        description="Every metadata column that groups samples or holds numbers, by component."
    )
    sample_groupings: list[SampleGrouping] = Field(
        default_factory=list,
        description="The same columns with their values, by which figures can be colored.",
    )
    sample_distances: SampleDistances | None = Field(
        description="Null above 200 samples, with a warning."
    )
    dispersion_trend: list[MeanSpreadTrend] = Field(
        description="One record for DESeq2 and one for limma-voom where they ran."
    )
    pvalue_histogram: list[HistogramBin] = Field(description="20 bins a method.")
