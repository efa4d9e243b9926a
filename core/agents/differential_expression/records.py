"""Records inside the answer: method results, gene tables, consensus, settings."""

from typing import Annotated, Any, Literal, cast

import pydantic
from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from core.records.table import Table
from core.records.wire import Answer

MethodName = Literal["DESeq2", "edgeR", "limma-voom"]
METHODS: tuple[MethodName, ...] = ("DESeq2", "edgeR", "limma-voom")
Count = Annotated[int, Field(ge=0)]
Probability = Annotated[float, Field(ge=0, le=1)]


class DegRow(Answer):
    """One tested gene in one method."""

    gene_id: str = Field(description="Gene ID as in the count matrix.", examples=["TP53"])
    symbol: str | None = Field(
        default=None, description="Symbol of an Ensembl id (human, mouse, rat) or human Entrez id."
    )
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
    symbol: str | None = Field(
        default=None, description="Symbol of an Ensembl id (human, mouse, rat) or human Entrez id."
    )
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
    symbol: str | None = Field(
        default=None, description="Symbol of an Ensembl id (human, mouse, rat) or human Entrez id."
    )
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
