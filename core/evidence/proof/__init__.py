"""A sentence and what proves it: claims, checks, citations, cells, fact tables."""
