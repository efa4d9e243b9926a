"""Documents: one tree for Markdown, PDF and spreadsheets."""
