"""Knowledge that an analyst may argue with: tables with the basis of every row."""
