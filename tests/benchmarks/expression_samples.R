# Rscript expression_samples.R <folder>: limma-voom where samples are no equals, on <folder>/counts.csv
# and metadata.csv (sample_id, condition a b, batch, patient), as limma's user guide writes it.
# Then two surrogate variables of sva's irw beside `~ condition`, where sva and DESeq2 are installed.
# Writes <name>.csv with 15 digits, weights.csv (of the samples) and within.csv (correlations).
suppressMessages({library(edgeR); library(limma)})
folder <- commandArgs(TRUE)[1]
counts <- as.matrix(read.csv(file.path(folder, "counts.csv"), row.names = 1, check.names = FALSE))
storage.mode(counts) <- "integer"
sheet <- read.csv(file.path(folder, "metadata.csv"), row.names = 1, stringsAsFactors = TRUE)
all_counts <- counts[, rownames(sheet)]
choose <- function(keep) {
  counts <<- all_counts[keep, ]
  dge <<- calcNormFactors(DGEList(counts, group = sheet$condition))
}
digits <- function(values) formatC(values, digits = 15, format = "g")
correlations <- c()
run <- function(design, name, weigh, by_patient, coef = ncol(matrix_)) {
  matrix_ <- model.matrix(design, sheet)
  v <- weigh(dge, matrix_)
  if (by_patient) {
    within <- duplicateCorrelation(v, matrix_, block = sheet$patient)$consensus.correlation
    v <- weigh(dge, matrix_, block = sheet$patient, correlation = within)
    within <- duplicateCorrelation(v, matrix_, block = sheet$patient)$consensus.correlation
    fit <- lmFit(v, matrix_, block = sheet$patient, correlation = within)
    correlations[name] <<- within
  } else {
    fit <- lmFit(v, matrix_)
  }
  found <- topTable(eBayes(fit), coef = coef, number = Inf, sort.by = "none")
  write.csv(data.frame(gene_id = rownames(counts),
    log2FC = digits(fit$coefficients[, ncol(matrix_)]), pvalue = digits(found$P.Value),
    padj = digits(found$adj.P.Val)), file.path(folder, paste0(name, ".csv")),
    row.names = FALSE, quote = FALSE)
  v$targets$sample.weights
}
by_group <- filterByExpr(DGEList(all_counts), group = sheet$condition)
choose(by_group)
run(~ batch + condition, "patients", voom, TRUE)
weights <- run(~ batch + condition, "quality", voomWithQualityWeights, FALSE)
run(~ batch + condition, "both", voomWithQualityWeights, TRUE)
# Where further factors are tested, genes are filtered by the design.
choose(filterByExpr(DGEList(all_counts), design = model.matrix(~ batch + condition, sheet)))
run(~ batch + condition, "together", voom, TRUE, coef = 2:3)
choose(by_group)
write.csv(data.frame(sample_id = rownames(sheet), weight = digits(weights)),
  file.path(folder, "weights.csv"), row.names = FALSE, quote = FALSE)
write.csv(data.frame(name = names(correlations), correlation = digits(correlations)),
  file.path(folder, "within.csv"), row.names = FALSE, quote = FALSE)
if (requireNamespace("sva", quietly = TRUE) && requireNamespace("DESeq2", quietly = TRUE)) {
  normalized <- t(t(counts) / DESeq2::estimateSizeFactorsForMatrix(counts))
  full <- model.matrix(~ condition, sheet)
  found <- sva::svaseq(normalized, full, full[, 1, drop = FALSE], n.sv = 2)$sv
  write.csv(data.frame(sample_id = rownames(sheet), surrogate_1 = digits(found[, 1]),
    surrogate_2 = digits(found[, 2])), file.path(folder, "surrogates.csv"), row.names = FALSE,
    quote = FALSE)
}
