"""Records inside the answer: method results, consensus, sample quality, gene sets, certificate."""

from typing import Annotated, Any, Literal, cast

import pydantic
from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from core.records.table import Table
from core.records.wire import Answer

Count = Annotated[int, Field(ge=0)]


class FalseCalls(Answer):
    """Genes that a method calls when labels are shuffled."""

    method: str = Field(description="DESeq2, edgeR, limma-voom, or consensus.")
    n_called: Count = Field(description="Genes called with the true labels.")
    nominal: float = Field(ge=0, description="Of these false at the nominal rate: fdr_cutoff.")
    mean: float = Field(ge=0, description="Mean number called over the shuffles, of all genes.")
    median: float = Field(ge=0)
    largest: float = Field(ge=0, description="Most called in any shuffle.")
    share_of_shuffles: float = Field(ge=0, le=1, description="Shuffles with any call.")


class FragileGene(Answer):
    """A consensus gene, with the samples without which it is lost."""

    gene_id: str
    symbol: str | None
    n_runs: Count = Field(description="Fits without one sample.")
    n_kept: Count = Field(description="Of these, fits in which it stays a consensus gene.")
    lost_without: str = Field(description="Samples without which it is lost, by semicolons.")


class FragileTable(Table):
    """Every consensus gene, those lost most often first."""

    row_model = FragileGene


class Certificate(Answer):
    """False calls by shuffled labels, and calls that rest on one sample."""

    n_shuffles: Count = Field(description="Distinct shuffles of the labels, within blocks.")
    blocks: list[str] = Field(description="Columns within whose values labels were shuffled.")
    n_genes_shuffled: Count = Field(
        description="Genes fitted in each shuffle: every so many, so that the time stays bounded; "
        "numbers of calls are scaled to all genes."
    )
    false_calls: list[FalseCalls]
    n_left_out: Count = Field(description="Samples removed in turn.")
    not_left_out: list[str] = Field(
        description="Samples without which the design cannot be estimated."
    )
    n_genes_refitted: Count = Field(
        description="Genes fitted without each sample: all consensus genes, and of the others "
        "every so many, each standing for as many."
    )
    n_robust: Count = Field(description="Consensus genes kept whichever sample is removed.")
    fragile: FragileTable


Probability = Annotated[float, Field(ge=0, le=1)]
Symbol = Annotated[
    str | None,
    Field(description="Symbol of an Ensembl id (human, mouse, rat) or human Entrez id."),
]


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
    symbol: Symbol = None
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


MethodName = Literal["DESeq2", "edgeR", "limma-voom"]
SUFFIXES: dict[MethodName, str] = {"DESeq2": "deseq2", "edgeR": "edger", "limma-voom": "limma"}
"""Suffixes of the columns of each method."""
METHODS: tuple[MethodName, ...] = tuple(SUFFIXES)
NOT_SIGNIFICANT = "not significant"
CALL_COLORS: dict[str, str] = {
    NOT_SIGNIFICANT: "#9AA5AC",
    "lower": "#0B6E6E",
    "higher": "#C2571A",
}
"""Calls in the order in which they are drawn, the called genes on top."""


class DegRow(Answer):
    """One tested gene in one method."""

    gene_id: str = Field(description="Gene ID as in the count matrix.", examples=["TP53"])
    symbol: Symbol = None
    base_mean: float = Field(
        ge=0, description="Mean of count / DESeq2 size factor; the same in every method."
    )
    log2FC: float | None = Field(
        description="Log2 fold change, comparison over reference, unshrunken.", examples=[1.8]
    )
    lfc_se: float | None = Field(
        description="Standard error of log2FC; null for edgeR, which reports none."
    )
    stat: float | None = Field(
        description="Wald z (DESeq2), quasi-likelihood F (edgeR; null with a threshold), "
        "moderated t (limma-voom)."
    )
    pvalue: Probability | None = Field(description="Two-sided p; null for a count outlier.")
    padj: Probability | None = Field(
        description="Benjamini-Hochberg adjusted p; null where na_reason says why."
    )
    significant: bool = Field(description="padj < fdr_cutoff and |log2FC| >= log2fc_cutoff.")
    na_reason: Literal["outlier", "independent_filter", "not_estimated"] | None = Field(
        description="Why padj is null: a count outlier (Cook's distance), too weak to be found "
        "(independent filtering), or no estimate."
    )
    dispersion: float | None = Field(description="DESeq2's final dispersion; else null.")
    log2FC_shrunken: float | None = Field(
        description="DESeq2's log2 fold change drawn to 0 where counts hardly support it (apeGLM's "
        "prior), for ranking and drawing only; else null."
    )
    log_cpm: float | None = Field(description="edgeR's average log2 CPM; else null.")
    ave_expr: float | None = Field(description="limma's average log2 expression; else null.")


class DegTable(Table):
    """Every tested gene of one method."""

    row_model = DegRow


class ConsensusRow(Answer):
    """One gene that at least one method calls significant."""

    gene_id: str = Field(description="Gene ID as in the count matrix.")
    symbol: Symbol = None
    direction: Literal["up", "down", "mixed"] = Field(
        description="Sign of log2FC in the completed methods."
    )
    n_significant: Count = Field(description="Number of methods that call the gene.")
    is_consensus: bool = Field(description="Called by every completed method with one sign.")
    reason: str | None = Field(
        description="Why it is no consensus gene, method by method; null for consensus genes.",
        examples=["edgeR: padj 0.071; DESeq2: count outlier"],
    )
    log2FC_deseq2: float | None
    padj_deseq2: Probability | None
    log2FC_edger: float | None
    padj_edger: Probability | None
    log2FC_limma: float | None
    padj_limma: Probability | None


class ConsensusTable(Table):
    """The genes that any method calls, side by side."""

    row_model = ConsensusRow


class GeneIdRow(Answer):
    """One gene ID."""

    gene_id: str


class GeneList(Table):
    """Gene IDs, written as an array of strings and served like a table."""

    row_model = GeneIdRow

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept an instance or an array of strings; write an array of strings."""

        def read(value: object) -> GeneList:
            if isinstance(value, cls):
                return value
            import pandas as pd

            ids = pydantic.TypeAdapter(list[str]).validate_python(value)
            return cls("genes", pd.DataFrame({"gene_id": ids}))

        def write(table: GeneList, info: core_schema.SerializationInfo) -> list[str]:
            by_reference = (info.context or {}).get("tables") == "reference"
            return [] if by_reference else cast("list[str]", table.frame["gene_id"].tolist())

        strings = core_schema.list_schema(core_schema.str_schema())
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(read, strings),
            python_schema=core_schema.no_info_plain_validator_function(read),
            serialization=core_schema.plain_serializer_function_ser_schema(write, info_arg=True),
            metadata={"pydantic_js_functions": [lambda _schema, inner: inner(strings)]},
        )


class TopGene(Answer):
    """A strongly changed gene."""

    gene_id: str = Field(description="Gene ID as in the count matrix.", examples=["TP53"])
    symbol: Symbol = None
    log2FC: float = Field(description="Log2 fold change, comparison over reference.")
    padj: Probability = Field(description="Adjusted p.")


class CountOutlier(Answer):
    """A gene that a method calls although a single count drives it."""

    gene_id: str
    sample_id: str = Field(description="Sample whose count is over the limit of Cook's distance.")
    methods: list[MethodName] = Field(description="Methods that call it.")


class MethodResult(Answer):
    """What one method found."""

    method: MethodName
    n_tested: Count = Field(description="Genes tested: the rows of `table`.")
    n_significant: Count = Field(description="Significant genes; n_up + n_down.")
    n_up: Count = Field(description="Significant genes that are higher in the comparison group.")
    n_down: Count = Field(description="Significant genes that are lower in it.")
    table: DegTable = Field(description="Every tested gene, in the order of the count matrix.")
    top_up: list[TopGene] = Field(
        description="Up to 20 significant genes that are higher, by padj, then |log2FC|, then ID."
    )
    top_down: list[TopGene] = Field(
        description="Up to 20 significant genes that are lower, in the same order."
    )


class Overlap(Answer):
    """Genes that exactly these methods call significant."""

    methods: list[MethodName] = Field(description="The methods that call the genes.")
    n_genes: Count = Field(description="Number of such genes.")


class Consensus(Answer):
    """What all completed methods agree on."""

    genes: list[str] = Field(
        description="Genes significant with the same sign in every completed method."
    )
    n_consensus_significant: Count = Field(description="Number of consensus genes.")
    n_methods: Count = Field(description="Number of completed methods.")
    overlaps: list[Overlap] = Field(description="How many genes each set of methods calls.")
    table: ConsensusTable = Field(description="Genes that any method calls, methods side by side.")


class ContrastResult(Answer):
    """A further comparison of two groups, from the same model."""

    name: str = Field(description="Comparison group vs reference group.")
    reference_group: str
    comparison_group: str
    method_results: list[MethodResult] = Field(description="One record a completed method.")
    consensus: Consensus


class Summary(Answer):
    """The comparison in one glance."""

    comparison: str = Field(
        description="Comparison group vs reference group.", examples=["treated vs untreated"]
    )
    methods_completed: list[MethodName] = Field(
        description="In the order DESeq2, edgeR, limma-voom."
    )
    significant_by_method: dict[str, int] = Field(
        description="Number of significant genes by method.", examples=[{"DESeq2": 120}]
    )


class GenesNotTested(Answer):
    """Genes outside the universe that every method shares."""

    all_zero: GeneList = Field(description="No read in any sample used.")
    low_count: GeneList = Field(description="Too few reads (filterByExpr with min_count).")


class DesignFactor(Answer):
    """One term of the design."""

    name: str = Field(description="Metadata column.")
    kind: Literal["factor", "numeric"] = Field(description="How it enters the design.")
    levels: list[str] = Field(description="Levels, baseline first; empty for a number.")


class FilterSettings(Answer):
    """The expression filter as applied (filterByExpr)."""

    min_count: int
    min_total_count: int
    large_group: int = Field(description="Above this size not every sample must reach the count.")
    large_group_share: float
    design: str = Field(
        default="",
        description="Design whose smallest cell sets the number of samples: the condition, or "
        "the fitted design where an interaction or further factors are tested.",
        examples=["~ genotype + condition + genotype:condition"],
    )
    required_samples: float | None = Field(
        default=None,
        description="Samples in which a gene must reach min_count.",
        examples=[4.0],
    )


class RunSettings(Answer):
    """Every setting behind the numbers."""

    emulates: dict[str, str] = Field(
        description="Release of the R package whose defaults each method follows."
    )
    libraries: dict[str, str] = Field(description="Versions of the libraries that computed.")
    design: str = Field(description="Design formula.", examples=["~ batch + condition"])
    terms: list[DesignFactor] = Field(description="Terms of the design in order.")
    filter: FilterSettings
    independent_filter_alpha: float = Field(
        description="Level for which DESeq2's independent filtering is optimized (R's default)."
    )
    size_factors: Literal["ratio", "poscounts"] = Field(description="Kind of size factors.")
    dispersion_trend: Literal["parametric", "local", "mean"] | None = Field(
        description="Kind of DESeq2's dispersion trend (local regression where no parametric curve "
        "fits); null where DESeq2 did not run."
    )
    transformation: Literal["vst", "log2_cpm"] = Field(
        description="Scale of the principal components and sample distances."
    )
    lfc_threshold: float = Field(description="Log2 fold change under the null hypothesis.")
    effect: str = Field(default="", description="What is tested, in words.")
    intrablock_correlation: float | None = Field(
        default=None,
        description="Correlation of samples of one subject in limma-voom; null unless "
        "duplicate_correlation was requested.",
    )
    sample_weights: dict[str, float] = Field(
        default_factory=dict,
        description="Weight of each sample in limma-voom; empty unless sample_weights was asked "
        "for.",
        examples=[{"s1": 1.1, "s2": 0.4}],
    )
    surrogates: dict[str, list[float]] = Field(
        default_factory=dict,
        description="Surrogate variables of the design, a number a sample in their order; empty "
        "unless surrogate_variables was requested.",
    )
    reduced_design: str | None = Field(
        default=None, description="Formula without what is tested; null unless test is lrt."
    )


class Narrative(Answer):
    """How the sentences were made."""

    mode: Literal["rules"] = Field(default="rules", description="Composed by rules.")
