# Writes prior_draws.csv beside it; made with R 4.2.2 (its default generators).
# Counts, in 40 bins of width 0.5 from -10 to 10, of 10,000 draws of log(chi-square / df) plus
# normal noise, for 200 variances of the noise from 0 to 8, after set.seed(2): R's own draws.
breaks <- seq(-10, 10, by = 0.5)
rows <- list()
for (freedom in 1:3) {
  set.seed(2)
  for (variance in seq(0, 8, length.out = 200)) {
    draws <- log(rchisq(1e4, df = freedom)) + rnorm(1e4, 0, sqrt(variance)) - log(freedom)
    draws <- draws[draws > min(breaks) & draws < max(breaks)]
    rows[[length(rows) + 1]] <- c(freedom, hist(draws, breaks = breaks, plot = FALSE)$counts)
  }
}
table <- do.call(rbind, rows)
colnames(table) <- c("freedom", sprintf("from_%g", head(breaks, -1)))
write.csv(table, "prior_draws.csv", row.names = FALSE, quote = FALSE)
