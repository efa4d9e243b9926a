# Rscript expression.R <folder>: DESeq2, edgeR (3.x quasi-likelihood) and limma-voom on the study in
# <folder>/counts.csv and metadata.csv (condition a, b; every other column but sample_id adjusts).
# Writes deseq2.csv, edger.csv, limma.csv with 15 digits, and the seconds of DESeq2 to seconds.txt.
suppressMessages({library(DESeq2); library(edgeR); library(limma)})
folder <- commandArgs(TRUE)[1]
counts <- as.matrix(read.csv(file.path(folder, "counts.csv"), row.names = 1, check.names = FALSE))
storage.mode(counts) <- "integer"
sheet <- read.csv(file.path(folder, "metadata.csv"), row.names = 1)
counts <- counts[, rownames(sheet)]
sheet$condition <- factor(sheet$condition, levels = c("a", "b"))
adjusting <- setdiff(colnames(sheet), "condition")
design <- reformulate(c(adjusting, "condition"))
matrix_ <- model.matrix(design, sheet)
keep <- filterByExpr(DGEList(counts, group = sheet$condition), group = sheet$condition)
counts <- counts[keep, ]
write_table <- function(table, name) {
  table <- data.frame(gene_id = rownames(counts), lapply(table, formatC, digits = 15,
    format = "g"))
  write.csv(table, file.path(folder, name), row.names = FALSE, quote = FALSE)
}
began <- proc.time()[["elapsed"]]
ratios_exist <- any(rowSums(counts == 0) == 0)
data <- suppressMessages(DESeqDataSetFromMatrix(counts, sheet, design))
data <- suppressMessages(DESeq(data, sfType = if (ratios_exist) "ratio" else "poscounts",
  quiet = TRUE))
found <- results(data, contrast = c("condition", "b", "a"))
writeLines(format(proc.time()[["elapsed"]] - began), file.path(folder, "seconds.txt"))
write_table(list(log2FC = found$log2FoldChange, pvalue = found$pvalue, padj = found$padj),
  "deseq2.csv")
if (is.na(commandArgs(TRUE)[2])) {
  dge <- calcNormFactors(DGEList(counts, group = sheet$condition))
  tests <- glmQLFTest(glmQLFit(estimateDisp(dge, matrix_), matrix_), coef = ncol(matrix_))$table
  write_table(list(log2FC = tests$logFC, pvalue = tests$PValue,
    padj = p.adjust(tests$PValue, "BH")), "edger.csv")
  tests <- topTable(eBayes(lmFit(voom(dge, matrix_), matrix_)), coef = ncol(matrix_), number = Inf,
    sort.by = "none")
  write_table(list(log2FC = tests$logFC, pvalue = tests$P.Value, padj = tests$adj.P.Val),
    "limma.csv")
}
