"""R code that repeats a run from the same two files, with every setting written out."""

import json
from collections.abc import Sequence

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.methods import FittedMethod, threshold_of
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.agents.differential_expression.tables import Layout
from core.stats.counts import LARGE_GROUP, LARGE_GROUP_SHARE, MIN_TOTAL_COUNT
from core.stats.filtering import ALPHA

_READ = """\
read_text <- function(path, sep, skip) read.table(path, header = TRUE, sep = sep, skip = skip,
  colClasses = "character", na.strings = character(0), check.names = FALSE,
  quote = "\\"", comment.char = "", strip.white = TRUE)
ids_of <- function(table, column) {
  if (!is.na(column)) return(table[[column]])
  if (.row_names_info(table) > 0) rownames(table) else table[[1]]
}
counts_table <- read_text(counts_file, counts_sep, counts_skip)
gene_ids <- trimws(ids_of(counts_table, gene_id_column))
counts <- suppressWarnings(sapply(count_columns, function(name) as.numeric(counts_table[[name]])))
is_tally <- grepl("^(__\\\\w+|N_(unmapped|multimapping|noFeature|ambiguous))$", gene_ids)
kept <- !is_tally & gene_ids != "" & rowSums(is.na(counts)) == 0
counts <- rowsum(round(counts[kept, , drop = FALSE]), gene_ids[kept], reorder = FALSE)
colnames(counts) <- sample_ids
storage.mode(counts) <- "integer"
sheet <- read_text(metadata_file, metadata_sep, metadata_skip)
sheet <- sheet[match(sample_ids, trimws(ids_of(sheet, sample_id_column))), , drop = FALSE]
group <- factor(trimws(sheet[[condition_column]]), levels = c(reference_group, comparison_group))
samples <- data.frame(row.names = sample_ids)
"""
_FILTER = """\
keep <- filterByExpr(DGEList(counts, group = group), group = group, min.count = min_count,
  min.total.count = {total}, large.n = {large}, min.prop = {share})
counts <- counts[keep, ]
"""
_TURN = """\
# The sixth digit of DESeq2's numbers depends on the base level. So that exchanged groups give equal
# p values, the base follows from the counts alone; in this run it is the comparison group.
samples$condition <- relevel(samples$condition, ref = "comparison")
"""
_DESEQ2 = """\
library(DESeq2)
data <- DESeqDataSetFromMatrix(counts, samples, design)
ratios_exist <- any(rowSums(counts == 0) == 0)
data <- DESeq(data, sfType = if (ratios_exist) "ratio" else "poscounts", quiet = TRUE)
deseq2 <- results(data, contrast = c("condition", "comparison", "reference"), alpha = {alpha},
  lfcThreshold = {threshold}, altHypothesis = "greaterAbs")
write.csv(as.data.frame(deseq2), "deseq2.csv")
"""
_EDGER_DATA = """\
dge <- calcNormFactors(DGEList(counts, group = group), method = "TMM")
"""
_EDGER_V4 = """\
stopifnot(packageVersion("edgeR") >= "4.0.0")
fit <- glmQLFit(dge, matrix_)
"""
_EDGER_V3 = """\
legacy <- if (packageVersion("edgeR") >= "4.0.0") list(legacy = TRUE) else list()  # as edgeR 3
fit <- do.call(glmQLFit, c(list(estimateDisp(dge, matrix_), matrix_), legacy))
"""
_EDGER_TEST = """\
edger <- glmQLFTest(fit, coef = ncol(matrix_))
"""
_EDGER_TREAT = """\
edger <- glmTreat(fit, coef = ncol(matrix_), lfc = {threshold})
"""
_EDGER_WRITE = """\
write.csv(topTags(edger, n = Inf, sort.by = "none")$table, "edger.csv")
"""
_VOOM = """\
v <- voom(dge, matrix_{span})
fit <- lmFit(v, matrix_)
"""
_VOOM_TEST = """\
limma_table <- topTable(eBayes(fit), coef = ncol(matrix_), number = Inf, sort.by = "none")
"""
_VOOM_TREAT = """\
limma_table <- topTreat(treat(fit, lfc = {threshold}), coef = ncol(matrix_), number = Inf,
  sort.by = "none")
"""
_VOOM_WRITE = """\
write.csv(limma_table, "limma_voom.csv")
"""


def write_r_script(
    request: DifferentialExpressionRequest,
    study: Study,
    model: Model,
    layouts: tuple[Layout, Layout],
    fitted: Sequence[FittedMethod],
) -> str:
    """Return the script.

    Args:
        request: The request with its defaults.
        study: The samples used.
        model: The design.
        layouts: Of the count matrix and of the metadata.
        fitted: The methods that completed.
    """
    parts = [
        "# Repeats this differential-expression run in R.",
        "# Put the two tables beside this script, uncompressed or gzip, and set their names here.",
        _write_settings(request, study, layouts),
        "library(edgeR); library(limma)",
        _READ.rstrip(),
        _write_design(model),
        _FILTER.format(total=MIN_TOTAL_COUNT, large=LARGE_GROUP, share=LARGE_GROUP_SHARE).rstrip(),
    ]
    threshold = threshold_of(request)
    methods = {method.name for method in fitted}
    if "DESeq2" in methods:
        parts.extend(_TURN.rstrip() for method in fitted if method.is_turned)
        parts.append(_DESEQ2.format(alpha=ALPHA, threshold=threshold).rstrip())
    if "edgeR" in methods or "limma-voom" in methods:
        parts.append(_EDGER_DATA.rstrip())
    if "edgeR" in methods:
        fit = _EDGER_V4 if request.edger_flavor == "v4" else _EDGER_V3
        test = _EDGER_TREAT if threshold > 0 else _EDGER_TEST
        parts.append((fit + test.format(threshold=threshold) + _EDGER_WRITE).rstrip())
    if "limma-voom" in methods:
        span = ", adaptive.span = TRUE" if request.limma_flavor == "adaptive_span" else ""
        test = _VOOM_TREAT if threshold > 0 else _VOOM_TEST
        fit = _VOOM.format(span=span)
        parts.append((fit + test.format(threshold=threshold) + _VOOM_WRITE).rstrip())
    parts.append(_write_calls(request))
    return "\n".join(parts) + "\n"


def _quote(value: str | None) -> str:
    """Return an R string; text of the tables can never become code."""
    return "NA_character_" if value is None else json.dumps(value, ensure_ascii=False)


def _vector(values: Sequence[str]) -> str:
    """Return an R vector of strings, a few to a line."""
    quoted = [_quote(value) for value in values]
    lines = [", ".join(quoted[start : start + 6]) for start in range(0, len(quoted), 6)]
    return "c(" + ",\n  ".join(lines) + ")"


def _write_settings(
    request: DifferentialExpressionRequest, study: Study, layouts: tuple[Layout, Layout]
) -> str:
    """Return the settings at the head of the script."""
    values = {
        "counts_file": '"counts.csv"',
        "metadata_file": '"metadata.csv"',
        "counts_sep": _quote(layouts[0].separator),
        "counts_skip": str(layouts[0].n_skipped),
        "metadata_sep": _quote(layouts[1].separator),
        "metadata_skip": str(layouts[1].n_skipped),
        "gene_id_column": _quote(request.gene_id_column),
        "sample_id_column": _quote(request.sample_id_column),
        "condition_column": _quote(request.condition_column),
        "reference_group": _quote(request.reference_group),
        "comparison_group": _quote(request.comparison_group),
        "sample_ids": _vector(study.sample_ids),
        "count_columns": _vector(study.count_columns),
        "min_count": str(request.min_count),
        "fdr_cutoff": repr(request.fdr_cutoff),
        "log2fc_cutoff": repr(request.log2fc_cutoff),
    }
    return "\n".join(f"{name} <- {value}" for name, value in values.items())


def _write_design(model: Model) -> str:
    """Return the lines that build the design: covariates as cov1, cov2, … then the condition."""
    lines = []
    for number, covariate in enumerate(model.covariates, start=1):
        column = f"trimws(sheet[[{_quote(covariate.name)}]])"
        kind = "as.numeric" if covariate.is_numeric else "factor"
        lines.append(f"samples$cov{number} <- {kind}({column})")
    names = [f"cov{number}" for number in range(1, len(model.covariates) + 1)]
    lines += [
        'samples$condition <- factor(ifelse(group == comparison_group, "comparison", "reference"),',
        '  levels = c("reference", "comparison"))',
        f"design <- ~ {' + '.join([*names, 'condition'])}",
        "matrix_ <- model.matrix(design, samples)",
    ]
    return "\n".join(lines)


def _write_calls(request: DifferentialExpressionRequest) -> str:
    """Return the line that applies the cut-offs."""
    return (
        "# A gene is significant when its adjusted p is below fdr_cutoff and its absolute log2 "
        f"fold change\n# is at least log2fc_cutoff ({request.fdr_cutoff:g} and "
        f"{request.log2fc_cutoff:g} in this run)."
    )
