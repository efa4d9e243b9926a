"""Statistics of assays: sizes of experiments, cut points, windows, dose-response fits."""
