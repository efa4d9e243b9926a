"""R code that repeats a run from the same two files, with every setting written out.

Each method writes a table with R's own columns and `significant`, the cut-offs applied.
"""

import json
from collections.abc import Sequence

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.calls import FittedMethod, threshold_of
from core.agents.differential_expression.counts import Layout
from core.agents.differential_expression.gene_names import DAMAGED
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.stats.counts import LARGE_GROUP, LARGE_GROUP_SHARE, MIN_TOTAL_COUNT
from core.tables.numbers import PLAIN

_READ = """\
without_ends <- function(lines, sep) textConnection(sub(paste0(sep, "$"), "", lines))
read_text <- function(path, sep, skip, ends_uneven, encoding) read.table(
  if (ends_uneven) without_ends(readLines(file(path, encoding = encoding)), sep) else
    file(path, encoding = encoding),
  header = TRUE, sep = sep, skip = skip, colClasses = "character",
  na.strings = character(0), check.names = FALSE,
  quote = "\\"", comment.char = "", strip.white = TRUE)
ids_of <- function(table, column) {
  if (!is.na(column)) return(table[[column]])
  if (.row_names_info(table) > 0) rownames(table) else table[[1]]
}
counts_table <- read_text(counts_file, counts_sep, counts_skip, {counts_form})
gene_ids <- trimws(ids_of(counts_table, gene_id_column))
{read_counts}
is_tally <- gene_ids %in% c({dropped_rows})
kept <- !is_tally & gene_ids != "" & rowSums(is.na(counts)) == 0
counts <- counts[kept, , drop = FALSE]; gene_ids <- gene_ids[kept]
# Rows of one date made by a spreadsheet may be different genes: they are numbered, not added up.
is_date <- grepl("^{damaged}$", gene_ids, ignore.case = TRUE)
is_date <- is_date & (duplicated(gene_ids) | duplicated(gene_ids, fromLast = TRUE))
place <- ave(seq_along(gene_ids), gene_ids, FUN = seq_along)
gene_ids[is_date] <- paste0(gene_ids, "#", place)[is_date]
counts <- rowsum(round(counts), gene_ids, reorder = FALSE)
colnames(counts) <- sample_ids
storage.mode(counts) <- "integer"
sheet <- read_text(metadata_file, metadata_sep, metadata_skip, {metadata_form})
sheet <- sheet[match(sample_ids, trimws(ids_of(sheet, sample_id_column))), , drop = FALSE]
group <- factor(trimws(sheet[[condition_column]]), levels = groups)
samples <- data.frame(row.names = sample_ids)
"""
_PLAIN_COUNTS = """\
counts <- suppressWarnings(sapply(count_columns, function(name) as.numeric(counts_table[[name]])))
"""
_FORMATTED_COUNTS = """\
thousands <- {thousands}
decimals <- {decimals}
read_number <- function(text, thousands, decimal) {{
  text <- gsub("\\u2019", "'", gsub("[\\u00a0\\u202f\\u2009]", " ", text))
  if (thousands != "") text <- gsub(thousands, "", text, fixed = TRUE)
  as.numeric(sub(decimal, ".", text, fixed = TRUE))
}}
counts <- suppressWarnings(mapply(read_number, counts_table[count_columns], thousands, decimals))
"""
_FILTER = """\
keep <- filterByExpr(DGEList(counts), {follows}, min.count = min_count,
  min.total.count = {total}, large.n = {large}, min.prop = {share})
counts <- counts[keep, ]
"""
_TURN = """\
# The sixth digit of DESeq2's numbers depends on the base level. So that exchanged groups give equal
# p values, the base follows from the counts alone; in this run it is the comparison group.
samples$condition <- relevel(samples$condition, ref = comparison)
"""
_CALLS = """\
write_calls <- function(table, change, adjusted, file) {
  table$significant <- !is.na(adjusted) & adjusted < fdr_cutoff & abs(change) >= log2fc_cutoff
  write.csv(table, file)
}
"""
_DESEQ2 = """\
library(DESeq2)
data <- DESeqDataSetFromMatrix(counts, samples, design)
ratios_exist <- any(rowSums(counts == 0) == 0)
data <- DESeq(data, sfType = if (ratios_exist) "ratio" else "poscounts", quiet = TRUE{test})
deseq2 <- results(data, {tested}, alpha = {alpha})
deseq2 <- as.data.frame(deseq2)
write_calls(deseq2, deseq2$log2FoldChange, deseq2$padj, "deseq2{suffix}.csv")
"""
_EDGER_DATA = """\
dge <- calcNormFactors(DGEList(counts, group = group), method = "TMM")
"""
_EDGER_V4 = """\
if (packageVersion("edgeR") >= "4.0.0") {
  fit <- glmQLFit(dge, matrix_)
} else {
  message("This run followed edgeR 4, which is not installed: edger.csv follows edgeR 3 instead.")
  fit <- glmQLFit(estimateDisp(dge, matrix_), matrix_)
}
"""
_EDGER_V3 = """\
legacy <- if (packageVersion("edgeR") >= "4.0.0") list(legacy = TRUE) else list()  # as edgeR 3
fit <- do.call(glmQLFit, c(list(estimateDisp(dge, matrix_), matrix_), legacy))
"""
_EDGER_TEST = """\
edger <- glmQLFTest(fit, coef = tested)
"""
_EDGER_TREAT = """\
edger <- glmTreat(fit, coef = tested, lfc = {threshold})
"""
_EDGER_WRITE = """\
edger <- topTags(edger, n = Inf, sort.by = "none")$table
last <- tail(grep("^logFC", colnames(edger), value = TRUE), 1)
write_calls(edger, edger[[last]], edger$FDR, "edger{suffix}.csv")
"""
_VOOM = """\
v <- {voom}(dge, matrix_{span})
fit <- lmFit(v, matrix_)
"""
_VOOM_BLOCKS = """\
subject <- trimws(sheet[[{column}]])
v <- {voom}(dge, matrix_{span})
within <- duplicateCorrelation(v, matrix_, block = subject)$consensus.correlation
v <- {voom}(dge, matrix_, block = subject, correlation = within{span})
within <- duplicateCorrelation(v, matrix_, block = subject)$consensus.correlation
fit <- lmFit(v, matrix_, block = subject, correlation = within)
"""
_ADAPTIVE = ", span = min(0.3 + 0.7 * (50 / nrow(counts))^(1 / 3), 1)"
_VOOM_TEST = """\
limma_table <- topTable(eBayes(fit), coef = tested, number = Inf, sort.by = "none")
"""
_VOOM_TREAT = """\
limma_table <- topTreat(treat(fit, lfc = {threshold}), coef = tested, number = Inf,
  sort.by = "none")
"""
_VOOM_WRITE = """\
write_calls(limma_table, fit$coefficients[, ncol(matrix_)], limma_table$adj.P.Val,
  "limma_voom{suffix}.csv")
"""
_END = """\
writeLines(capture.output(sessionInfo()), "session.txt")
"""


def write_r_script(
    request: DifferentialExpressionRequest,
    study: Study,
    model: Model,
    layouts: tuple[Layout, Layout],
    fits: Sequence[tuple[str, str, Sequence[FittedMethod]]],
) -> str:
    """Return the script.

    `layouts`: of the count matrix and of the metadata. `fits`: reference group, comparison group
    and completed methods, the main comparison first.
    """
    formats = dict(layouts[0].formats)
    used = [formats.get(name, PLAIN) for name in study.count_columns]
    lines = _PLAIN_COUNTS
    if any(not form.is_plain for form in used):
        lines = _FORMATTED_COUNTS.format(
            thousands=_vector([form.thousands for form in used]),
            decimals=_vector([form.decimal for form in used]),
        )
    text = _READ.replace("{read_counts}", lines.rstrip())
    text = text.replace("{damaged}", DAMAGED.replace("\\", "\\\\"))
    for name, layout in zip(("counts", "metadata"), layouts, strict=True):
        encoding = "UTF-16" if layout.is_utf16 else "native.enc"
        form = f"{str(layout.ends_uneven).upper()}, {_quote(encoding)}"
        text = text.replace(f"{{{name}_form}}", form)
    parts = [
        "# Repeats this differential-expression run in R.",
        "# Put the two tables next to this script, uncompressed or gzip, and set their names here.",
        _write_settings(request, study, layouts),
        "library(edgeR); library(limma)",
        text.replace("c({dropped_rows})", _vector(layouts[0].dropped)).rstrip(),
        _write_covariates(model),
        _write_filter(model),
        _CALLS.rstrip(),
    ]
    for number, (reference, comparison, fitted) in enumerate(fits):
        suffix = f"-contrast-{number}" if number else ""
        parts.append(_write_design(model, reference, comparison, request))
        threshold = threshold_of(request)
        methods = {method.name for method in fitted}
        if "DESeq2" in methods:
            parts.extend(_TURN.rstrip() for method in fitted if method.is_turned)
            parts.append(_write_deseq2(request, model, suffix))
        if "edgeR" in methods or "limma-voom" in methods:
            parts.append(_EDGER_DATA.rstrip())
        if "edgeR" in methods:
            fit = _EDGER_V4 if request.edger_flavor == "v4" else _EDGER_V3
            test = _EDGER_TREAT if threshold > 0 else _EDGER_TEST
            end = _EDGER_WRITE.format(suffix=suffix)
            parts.append((fit + test.format(threshold=threshold) + end).rstrip())
        if "limma-voom" in methods:
            test = _VOOM_TREAT if threshold > 0 else _VOOM_TEST
            end = _VOOM_WRITE.format(suffix=suffix)
            parts.append((_write_voom(request) + test.format(threshold=threshold) + end).rstrip())
    parts.append(_END.rstrip())
    return "\n".join(parts) + "\n"


def _write_filter(model: Model) -> str:
    """Return the lines of the expression filter: by group, or by the cells of the design.

    Surrogate variables are estimated from the filtered counts, so the filter leaves them out.
    """
    follows, lines = "group = group", []
    if model.filters_by_design:
        terms = _write_terms(model, with_estimated=False)
        lines.append("samples$condition <- group")
        lines.append(f"filter_design <- model.matrix(~ {' + '.join(terms)}, samples)")
        follows = "design = filter_design"
    lines.append(
        _FILTER.format(
            follows=follows, total=MIN_TOTAL_COUNT, large=LARGE_GROUP, share=LARGE_GROUP_SHARE
        ).rstrip()
    )
    return "\n".join(lines)


def _write_terms(model: Model, *, with_estimated: bool = True) -> list[str]:
    """Return the terms of the design, covariates by number."""
    numbered = {
        covariate: f"cov{number}" for number, covariate in enumerate(model.covariates, start=1)
    }
    terms = [
        name for covariate, name in numbered.items() if with_estimated or not covariate.is_estimated
    ]
    terms.append("condition")
    if model.crossed is not None:
        terms.append(f"{numbered[model.crossed]}:condition")
    return terms


def _write_voom(request: DifferentialExpressionRequest) -> str:
    """Return the lines of limma-voom up to its linear fit."""
    lines = _VOOM if request.duplicate_correlation is None else _VOOM_BLOCKS
    return lines.format(
        voom="voomWithQualityWeights" if request.sample_weights else "voom",
        span=_ADAPTIVE if request.limma_flavor == "adaptive_span" else "",
        column=_quote(request.duplicate_correlation),
    )


def _write_deseq2(request: DifferentialExpressionRequest, model: Model, suffix: str) -> str:
    """Return the lines of DESeq2: one coefficient, or several against a reduced design."""
    threshold = threshold_of(request)
    effect = model.effect
    if effect is not None and effect.by_ratio:
        test, tested = ', test = "LRT", reduced = reduced', "name = tail(resultsNames(data), 1)"
    elif model.crossed is not None:
        test, tested = "", f"name = tail(resultsNames(data), 1), lfcThreshold = {threshold}"
    else:
        test = ""
        tested = (
            'contrast = c("condition", comparison, reference), '
            f'lfcThreshold = {threshold},\n  altHypothesis = "greaterAbs"'
        )
    alpha = request.filter_alpha
    return _DESEQ2.format(test=test, tested=tested, alpha=alpha, suffix=suffix).rstrip()


def _quote(value: str | None) -> str:
    """Return an R string; text of the tables can never become code."""
    return "NA_character_" if value is None else json.dumps(value, ensure_ascii=False)


def _vector(values: Sequence[str]) -> str:
    """Return an R vector of strings, a few to a line."""
    return f"c({_wrap([_quote(value) for value in values])})"


def _wrap(words: Sequence[str]) -> str:
    """Return words by commas, a few to a line."""
    lines = [", ".join(words[start : start + 6]) for start in range(0, len(words), 6)]
    return ",\n  ".join(lines)


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
        "gene_id_column": _quote(layouts[0].id_column),
        "sample_id_column": _quote(layouts[1].id_column),
        "condition_column": _quote(request.condition_column),
        "reference_group": _quote(request.reference_group),
        "comparison_group": _quote(request.comparison_group),
        "groups": _vector(study.levels),
        "sample_ids": _vector(study.sample_ids),
        "count_columns": _vector(study.count_columns),
        "min_count": str(request.min_count),
        "fdr_cutoff": repr(request.fdr_cutoff),
        "log2fc_cutoff": repr(request.called_change),
    }
    return "\n".join(f"{name} <- {value}" for name, value in values.items())


def _write_covariates(model: Model) -> str:
    """Return the lines that put covariates beside the samples by number."""
    lines = []
    for number, covariate in enumerate(model.covariates, start=1):
        if covariate.is_estimated:
            lines.append(f"# {covariate.name} of this run, from the counts as sva's irw has it")
            lines.append(f"samples$cov{number} <- c({_wrap(covariate.values)})")
            continue
        column = f"trimws(sheet[[{_quote(covariate.name)}]])"
        kind = "as.numeric" if covariate.is_numeric else "factor"
        lines.append(f"samples$cov{number} <- {kind}({column})")
    return "\n".join(lines) or "# No covariates."


def _write_design(
    model: Model, reference: str, comparison: str, request: DifferentialExpressionRequest
) -> str:
    """Return the lines that build the design of one comparison, its coefficient last.

    Groups are written as g1, g2, … in the order of `groups`, so that no name of the table becomes
    code.
    """
    terms = _write_terms(model)
    lines = [
        f"# {_one_line(comparison)} vs {_one_line(reference)}",
        f"reference <- paste0('g', match({_quote(reference)}, groups))",
        f"comparison <- paste0('g', match({_quote(comparison)}, groups))",
        "group_levels <- paste0('g', seq_along(groups))",
        "samples$condition <- factor(paste0('g', as.integer(group)),",
        "  levels = c(reference, setdiff(group_levels, c(reference, comparison)), comparison))",
        f"design <- ~ {' + '.join(terms)}",
        "matrix_ <- model.matrix(design, samples)",
    ]
    effect = model.effect
    if effect is not None and effect.by_ratio:
        kept_terms = _kept_terms(terms, model, request)
        lines.append(f"reduced <- ~ {' + '.join(kept_terms) or '1'}")
        lines.append("tested <- (ncol(model.matrix(reduced, samples)) + 1):ncol(matrix_)")
    else:
        lines.append("tested <- ncol(matrix_)")
    return "\n".join(lines)


def _kept_terms(
    terms: Sequence[str], model: Model, request: DifferentialExpressionRequest
) -> list[str]:
    """Return the terms of the reduced design."""
    if request.reduced is None:
        return list(terms[:-1])
    kept_names = [
        f"cov{number}"
        for number, covariate in enumerate(model.covariates, start=1)
        if covariate.is_estimated or covariate.name in request.reduced
    ]
    return [*kept_names, *(["condition"] if request.condition_column in request.reduced else [])]


def _one_line(text: str) -> str:
    """Return a name of the table as it may stand in a comment."""
    return " ".join(text.split())
