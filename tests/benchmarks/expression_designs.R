# Rscript expression_designs.R <folder>: contrasts, likelihood-ratio tests and interactions by
# DESeq2, edgeR (3.x quasi-likelihood) and limma-voom on <folder>/counts.csv and metadata.csv
# (sample_id, condition a b c, genotype, batch), as their user guides write them.
# Writes <design>-<method>.csv with 15 digits.
suppressMessages({library(DESeq2); library(edgeR); library(limma)})
folder <- commandArgs(TRUE)[1]
all_counts <- as.matrix(read.csv(file.path(folder, "counts.csv"), row.names = 1,
  check.names = FALSE))
storage.mode(all_counts) <- "integer"
all_sheet <- read.csv(file.path(folder, "metadata.csv"), row.names = 1, stringsAsFactors = TRUE)
write_table <- function(genes, columns, name) {
  table <- data.frame(gene_id = genes, lapply(columns, formatC, digits = 15, format = "g"))
  write.csv(table, file.path(folder, name), row.names = FALSE, quote = FALSE)
}
run <- function(design, chosen, name, contrast = NULL, reduced = NULL) {
  sheet <- droplevels(all_sheet[chosen, , drop = FALSE])
  if (!is.null(reduced)) sheet$condition <- factor(sheet$condition, levels = c("a", "c", "b"))
  counts <- all_counts[, rownames(sheet)]
  matrix_ <- model.matrix(design, sheet)
  keep <- if (grepl("interaction", name)) filterByExpr(DGEList(counts), design = matrix_) else
    filterByExpr(DGEList(counts), group = sheet$condition)
  counts <- counts[keep, ]
  coef <- ncol(matrix_)
  if (!is.null(reduced)) coef <- (ncol(model.matrix(reduced, sheet)) + 1):ncol(matrix_)
  data <- suppressMessages(DESeqDataSetFromMatrix(counts, sheet, design))
  data <- if (is.null(reduced)) DESeq(data, quiet = TRUE) else
    DESeq(data, test = "LRT", reduced = reduced, quiet = TRUE)
  found <- if (is.null(contrast)) results(data, name = tail(resultsNames(data), 1)) else
    results(data, contrast = c("condition", contrast))
  write_table(rownames(counts), list(log2FC = found$log2FoldChange, pvalue = found$pvalue,
    padj = found$padj), paste0(name, "-deseq2.csv"))
  dge <- calcNormFactors(DGEList(counts, group = sheet$condition))
  fit <- glmQLFit(estimateDisp(dge, matrix_), matrix_)
  linear <- lmFit(voom(dge, matrix_), matrix_)
  if (is.null(contrast)) {
    tests <- glmQLFTest(fit, coef = coef)$table
    last <- grep("^logFC", colnames(tests), value = TRUE)
    tests$logFC <- tests[[last[length(last)]]]
    limma <- topTable(eBayes(linear), coef = coef, number = Inf, sort.by = "none")
    limma$logFC <- linear$coefficients[, ncol(matrix_)]
  } else {
    # contrasts.fit is exact in a design of group means only; beside covariates the coefficient of a
    # releveled design is the exact answer.
    if (length(all.vars(design)) == 1) {
      means <- model.matrix(~ 0 + condition, sheet)
      colnames(means) <- levels(sheet$condition)
      asked <- (colnames(means) == contrast[1]) - (colnames(means) == contrast[2])
      exact <- contrasts.fit(lmFit(voom(dge, means), means), asked)
    } else {
      others <- setdiff(levels(sheet$condition), contrast)
      sheet$condition <- factor(sheet$condition, levels = c(contrast[2], others, contrast[1]))
      releveled <- model.matrix(design, sheet)
      exact <- lmFit(voom(dge, releveled), releveled)[, ncol(releveled)]
    }
    vector <- numeric(ncol(matrix_)); names(vector) <- colnames(matrix_)
    vector[paste0("condition", contrast[1])] <- 1
    if (contrast[2] != "a") vector[paste0("condition", contrast[2])] <- -1
    tests <- glmQLFTest(fit, contrast = vector)$table
    limma <- topTable(eBayes(exact), number = Inf, sort.by = "none")
  }
  write_table(rownames(counts), list(log2FC = tests$logFC, pvalue = tests$PValue,
    padj = p.adjust(tests$PValue, "BH")), paste0(name, "-edger.csv"))
  write_table(rownames(counts), list(log2FC = limma$logFC, pvalue = limma$P.Value,
    padj = limma$adj.P.Val), paste0(name, "-limma.csv"))
}
every <- rep(TRUE, nrow(all_sheet))
two <- all_sheet$condition != "c"
run(~ condition, every, "b-a", c("b", "a"))
run(~ condition, every, "c-a", c("c", "a"))
run(~ condition, every, "c-b", c("c", "b"))
run(~ batch + condition, every, "c-b-batch", c("c", "b"))
run(~ condition, every, "lrt", reduced = ~ 1)
run(~ batch + condition, every, "lrt-batch", reduced = ~ batch)
run(~ genotype + condition + genotype:condition, every, "lrt-interaction",
  reduced = ~ genotype + condition)
run(~ genotype + condition + genotype:condition, two, "interaction")
if ("age" %in% names(all_sheet)) {
  run(~ batch + age + genotype + condition + genotype:condition, two, "interaction-batch-age")
  run(~ genotype + batch + age + condition, two, "genotype-batch-age")
  run(~ batch + age + condition, every, "lrt-batch-age", reduced = ~ batch + age)
}
