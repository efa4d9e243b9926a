"""Request and answer of differential-expression, word for word as specified."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from core.agents.differential_expression.records import (
    Certificate,
    Consensus,
    ContrastResult,
    CountOutlier,
    GeneSetResults,
    GenesNotTested,
    MethodResult,
    Narrative,
    RunSettings,
    SampleQc,
    StrongestGenes,
    Summary,
)
from core.records.wire import WHOLE, Answer, Request, RunEcho

Method = Literal["DESeq2", "edgeR", "limma-voom", "all"]
ColumnName = Annotated[str, Field(min_length=1, max_length=1000)]
FILE_FIELDS = {
    "counts": "count_file_id",
    "metadata": "metadata_file_id",
    "gene_sets": "gene_set_file_id",
}
_PAIRS = (("counts_csv", "count_file_id"), ("metadata_csv", "metadata_file_id"))


def _name_inputs(schema: dict[str, Any]) -> None:
    """Say in the JSON schema that each table comes exactly one way."""
    schema["allOf"] = [
        {"oneOf": [{"required": [name], "properties": {name: {"type": "string"}}} for name in pair]}
        for pair in _PAIRS
    ]


class Contrast(Request):
    """One further comparison of two groups of the condition."""

    reference_group: ColumnName = Field(description="Group to compare with.")
    comparison_group: ColumnName = Field(description="Group that is compared.")

    @property
    def name(self) -> str:
        """Return the comparison as it is written everywhere."""
        return f"{self.comparison_group} vs {self.reference_group}"


class DifferentialExpressionRequest(Request):
    """What is compared, in which tables, and by which methods."""

    model_config = {**Request.model_config, "json_schema_extra": _name_inputs}

    condition_column: ColumnName = Field(
        description="Metadata column that holds the condition.", examples=["condition"]
    )
    reference_group: ColumnName = Field(
        description="Value of the condition to compare with.", examples=["untreated"]
    )
    comparison_group: ColumnName = Field(
        description="Value of the condition that is compared; positive log2FC is higher in it.",
        examples=["treated"],
    )
    counts_csv: str | None = Field(
        default=None,
        description="Raw counts as CSV or TSV text, genes in rows, samples in columns; the first "
        "column is the gene ID unless gene_id_column is set. Give this or count_file_id.",
        examples=["gene_id,s1,s2\nGENE1,10,12\n"],
    )
    metadata_csv: str | None = Field(
        default=None,
        description="Sample metadata as CSV or TSV text, one row a sample; the first column is "
        "the sample ID unless sample_id_column is set. Give this or metadata_file_id.",
        examples=["sample_id,condition\ns1,untreated\ns2,treated\n"],
    )
    count_file_id: str | None = Field(
        default=None,
        max_length=200,
        description="ID of an uploaded count matrix: CSV or TSV (gzip accepted), a workbook, a zip "
        "of Salmon, kallisto, RSEM or 10x folders, or h5ad.",
        examples=["file_5f0c2c8e"],
    )
    metadata_file_id: str | None = Field(
        default=None,
        max_length=200,
        description="ID of an uploaded metadata table (CSV, TSV, gzip or a workbook, of which the "
        "sheet with the condition is read); may be the workbook of counts.",
        examples=["file_91d7b0aa"],
    )
    cell_sample_column: ColumnName | None = Field(
        default=None,
        description="Of counts of single cells (h5ad, or a zip of 10x folders with cells.csv): the "
        "column that names the sample of each cell; their counts are added up by it.",
        examples=["sample"],
    )
    cell_group_column: ColumnName | None = Field(
        default=None,
        description="Column by which cells are chosen, such as their type.",
        examples=["cell_type"],
    )
    cell_group: ColumnName | None = Field(
        default=None,
        description="Value of cell_group_column: only such cells are added up.",
        examples=["CD8 T cell"],
    )
    gene_id_column: ColumnName | None = Field(
        default=None,
        description="Column of the count matrix that holds the gene ID; default the first.",
        examples=["gene_id"],
    )
    sample_id_column: ColumnName | None = Field(
        default=None,
        description="Column of the metadata that holds the sample ID; default the first.",
        examples=["sample_id"],
    )
    method: Method = Field(default="all", description="One method, or all three.", examples=["all"])
    min_count: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000,
            description="Reads a gene needs, in a sample of median depth, in enough samples "
            "to be tested (filterByExpr).",
            examples=[10],
        ),
        WHOLE,
    ] = 10
    fdr_cutoff: float = Field(
        default=0.05, gt=0, le=1, description="padj must be below this.", examples=[0.05]
    )
    log2fc_cutoff: float = Field(
        default=1.0,
        ge=0,
        le=50,
        description="Absolute log2 fold change must reach this.",
        examples=[1.0],
    )
    covariates: list[ColumnName] = Field(
        default_factory=list,
        max_length=10,
        description="Metadata columns to adjust for (batch, pairing, age): the design is "
        "covariates + condition.",
        examples=[["batch"]],
    )
    filter_alpha: float = Field(
        default=0.1,
        gt=0,
        lt=1,
        description="Level for which DESeq2's independent filtering is optimized (alpha of R's "
        "results, whose default is 0.1).",
        examples=[0.1],
    )
    contrasts: list[Contrast] = Field(
        default_factory=list,
        max_length=20,
        description="Further comparisons of groups of the same condition, each with tables of its "
        "own. All groups of the condition are then in the model.",
        examples=[[{"reference_group": "untreated", "comparison_group": "low dose"}]],
    )
    model_groups: Literal["compared", "all"] = Field(
        default="compared",
        description="Groups in the model: the two compared, or all of the condition, so that the "
        "others help to estimate dispersions. All where contrasts or test: lrt are requested.",
    )
    interaction: ColumnName | None = Field(
        default=None,
        description="Metadata column with which the condition interacts: tested is whether the "
        "change of the condition differs between the values of this column.",
        examples=["genotype"],
    )
    paired_column: ColumnName | None = Field(
        default=None,
        description="Metadata column that names the subject of each sample: groups are compared "
        "within subjects, and subjects seen in one group only are excluded.",
        examples=["patient"],
    )
    duplicate_correlation: ColumnName | None = Field(
        default=None,
        description="Metadata column that names the subject of each sample: limma-voom estimates "
        "how samples of one subject correlate (duplicateCorrelation), so that incomplete pairs "
        "stay in. DESeq2 and edgeR take samples as independent.",
        examples=["patient"],
    )
    sample_weights: bool = Field(
        default=False,
        description="Let noisy samples count less in limma-voom (voomWithQualityWeights); DESeq2 "
        "and edgeR weigh all samples alike.",
    )
    surrogate_variables: Annotated[
        int,
        Field(
            ge=0,
            le=20,
            description="Surrogate variables that enter the design of every method: directions in "
            "which many genes vary and that no column of the metadata names (sva, irw).",
            examples=[2],
        ),
        WHOLE,
    ] = 0
    test: Literal["comparison", "lrt"] = Field(
        default="comparison",
        description="Test the comparison, or all groups of the condition together against a "
        "reduced design (likelihood ratio in DESeq2, F of several coefficients in edgeR and "
        "limma-voom). log2fc_cutoff does not apply to the latter.",
    )
    reduced: list[ColumnName] | None = Field(
        default=None,
        max_length=12,
        description="Columns that the reduced design of test: lrt keeps; default all but the "
        "condition, or all but the interaction where there is one.",
        examples=[["batch"]],
    )
    edger_flavor: Literal["v4", "legacy_v3"] = Field(
        default="v4", description="edgeR 4 quasi-likelihood, or the pipeline of edgeR 3."
    )
    limma_flavor: Literal["fixed_span", "adaptive_span"] = Field(
        default="fixed_span", description="Span of voom's trend: 0.5, or by the number of genes."
    )
    lfc_test: Literal["none", "threshold"] = Field(
        default="none",
        description="Test against no change, or against a change as large as log2fc_cutoff.",
    )
    gene_sets: list[Literal["hallmark", "reactome", "wikipathways"]] = Field(
        default_factory=list,
        max_length=3,
        description="Collections of human gene sets to test: MSigDB Hallmark, Reactome, "
        "WikiPathways.",
        examples=[["hallmark"]],
    )
    gene_sets_gmt: str | None = Field(
        default=None,
        description="Gene sets of your own as GMT text: name, description, genes, by tabs.",
        examples=["SET_A\tmine\tTP53\tMDM2\tCDKN1A\tBAX\tFAS\n"],
    )
    gene_set_file_id: str | None = Field(
        default=None,
        max_length=200,
        description="ID of an uploaded GMT file (gzip accepted) of gene sets of your own.",
        examples=["file_3c7a90d1"],
    )
    certificate: bool = Field(
        default=False,
        description="Fit again with shuffled labels, to count false calls, and without each sample "
        "in turn, to see which calls depend on one sample. Takes up to a minute more.",
    )
    use_cache: bool = Field(
        default=False, description="Take the stored result of an earlier equal run if there is one."
    )

    @property
    def keeps_all_groups(self) -> bool:
        """Return whether every group of the condition is in the model."""
        return self.model_groups == "all" or bool(self.contrasts) or self.test == "lrt"

    @property
    def called_change(self) -> float:
        """Return the absolute log2 fold change that a called gene must reach."""
        return 0.0 if self.test == "lrt" else self.log2fc_cutoff

    @model_validator(mode="after")
    def _check_inputs(self) -> Self:
        for inline, upload in _PAIRS:
            given = [name for name in (inline, upload) if getattr(self, name) is not None]
            if not given:
                raise PydanticCustomError(
                    "missing_field",
                    "Give exactly one of {inline} and {upload}: neither is there.",
                    {"inline": inline, "upload": upload, "field": inline},
                )
            if len(given) > 1:
                raise PydanticCustomError(
                    "conflicting_fields",
                    "Give exactly one of {inline} and {upload}: both are there.",
                    {"inline": inline, "upload": upload, "field": upload},
                )
        return self

    @model_validator(mode="after")
    def _check_design(self) -> Self:
        uneven = self.sample_weights or self.duplicate_correlation is not None
        field = "sample_weights" if self.sample_weights else "duplicate_correlation"
        clashes = (
            (field, uneven and self.method in {"DESeq2", "edgeR"}, f"method: {self.method}"),
            (field, uneven and self.certificate, "certificate"),
            ("surrogate_variables", self.surrogate_variables and self.certificate, "certificate"),
            ("contrasts", bool(self.contrasts) and self.test == "lrt", "test: lrt"),
            ("contrasts", bool(self.contrasts) and bool(self.interaction), "interaction"),
            (
                "gene_set_file_id",
                self.gene_set_file_id is not None and self.gene_sets_gmt is not None,
                "gene_sets_gmt",
            ),
            ("lfc_test", self.lfc_test == "threshold" and self.test == "lrt", "test: lrt"),
            ("reduced", self.reduced is not None and self.test != "lrt", "test: comparison"),
        )
        for name, is_clash, other in clashes:
            if is_clash:
                raise PydanticCustomError(
                    "conflicting_fields",
                    "{field} cannot be combined with {other}; leave one of them out.",
                    {"field": name, "other": other},
                )
        return self


def label_request(request: DifferentialExpressionRequest) -> str:
    """Name a request by its comparison and method."""
    comparison = f"{request.comparison_group} vs {request.reference_group}"
    adjusted = f", adjusted for {', '.join(request.covariates)}" if request.covariates else ""
    method = "three methods" if request.method == "all" else request.method
    if request.test == "lrt":
        comparison = f"{request.condition_column}, any change"
    crossed = f" by {request.interaction}" if request.interaction else ""
    more = f" and {len(request.contrasts)} more" if request.contrasts else ""
    return f"{comparison}{more}{crossed}{adjusted} ({method})"[:200]


class InputTable(Answer):
    """An input table by name and content, in place of its text."""

    name: str = Field(description="Request field, or name of the uploaded file.")
    sha256: str = Field(description="SHA-256 of the bytes as received.")
    size: int = Field(description="Size in bytes as received.", ge=0)
    n_rows: int = Field(description="Rows below the header.", ge=0)
    n_columns: int = Field(description="Columns, with the ID column.", ge=1)


class RequestEcho(Answer):
    """The request with every default written out and its tables described."""

    condition_column: str
    reference_group: str
    comparison_group: str
    counts_csv: InputTable = Field(description="The count matrix, whichever way it came.")
    metadata_csv: InputTable = Field(description="The metadata, whichever way they came.")
    count_file_id: str | None
    metadata_file_id: str | None
    cell_sample_column: str | None = None
    cell_group_column: str | None = None
    cell_group: str | None = None
    gene_id_column: str | None
    sample_id_column: str | None
    method: Method
    min_count: int
    fdr_cutoff: float
    log2fc_cutoff: float
    covariates: list[str]
    filter_alpha: float = 0.1
    contrasts: list[Contrast] = Field(default_factory=list)
    model_groups: Literal["compared", "all"] = "compared"
    interaction: str | None = None
    paired_column: str | None = None
    duplicate_correlation: str | None = None
    sample_weights: bool = False
    surrogate_variables: int = 0
    test: Literal["comparison", "lrt"] = "comparison"
    reduced: list[str] | None = None
    gene_sets: list[str] = Field(default_factory=list)
    gene_set_file_id: str | None = None
    certificate: bool = False
    edger_flavor: Literal["v4", "legacy_v3"]
    limma_flavor: Literal["fixed_span", "adaptive_span"]
    lfc_test: Literal["none", "threshold"]
    use_cache: bool

    @property
    def called_change(self) -> float:
        """Return the absolute log2 fold change that a called gene must reach."""
        return 0.0 if self.test == "lrt" else self.log2fc_cutoff


class DifferentialExpressionData(RunEcho):
    """Differential expression by up to three methods, and what they agree on."""

    input: RequestEcho = Field(description="Echo of the request.")
    summary: Summary
    sample_qc: SampleQc
    method_results: list[MethodResult] = Field(
        description="One record a completed method, in the order DESeq2, edgeR, limma-voom."
    )
    consensus: Consensus
    contrasts: list[ContrastResult] = Field(
        default_factory=list,
        description="One record a further comparison, in the order of the request.",
    )
    gene_set_results: GeneSetResults | None = Field(
        default=None, description="Sets of genes that change together; null if none were requested."
    )
    certificate: Certificate | None = Field(
        default=None, description="False calls and fragile calls; null if not requested."
    )
    strongest_genes: StrongestGenes
    genes_not_tested: GenesNotTested
    count_outliers: list[CountOutlier] = Field(
        description="Genes called although a single count drives them, in the order of the matrix."
    )
    settings: RunSettings
    findings: list[str] = Field(description="What was found, in plain sentences made by rules.")
    narrative: Narrative
    r_script: str = Field(description="R code that repeats the run from the same two files.")
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
