# Rscript gene_sets.R <folder>: camera and fry of limma on <folder>/counts.csv and metadata.csv,
# groups a and b, on 20 sets: genes whose number leaves the same rest by 20. Writes gene-sets.csv.
suppressMessages({library(edgeR); library(limma)})
folder <- commandArgs(TRUE)[1]
counts <- as.matrix(read.csv(file.path(folder, "counts.csv"), row.names = 1, check.names = FALSE))
sheet <- read.csv(file.path(folder, "metadata.csv"), row.names = 1)
sheet <- sheet[sheet$condition != "c", ]
counts <- counts[, rownames(sheet)]
keep <- filterByExpr(DGEList(counts, group = sheet$condition), group = sheet$condition)
dge <- calcNormFactors(DGEList(counts[keep, ]))
matrix_ <- model.matrix(~ condition, sheet)
v <- voom(dge, matrix_)
number <- as.integer(sub("g", "", rownames(v)))
index <- lapply(0:19, function(rest) which(number %% 20 == rest))
names(index) <- sprintf("SET_%02d", 0:19)
tests <- camera(v, index, matrix_, sort = FALSE)
together <- fry(v, index, matrix_, sort = "none")
write.csv(data.frame(gene_set = names(index), n_genes = tests$NGenes,
  direction = tolower(tests$Direction), camera_p = formatC(tests$PValue, digits = 15, format = "g"),
  fry_p = formatC(together$PValue, digits = 15, format = "g")),
  file.path(folder, "gene-sets.csv"), row.names = FALSE, quote = FALSE)
