"""Records of the certificate: false calls, and calls that rest on one sample."""

from typing import Annotated

from pydantic import Field

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
