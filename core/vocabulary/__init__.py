"""Words that two rooms share: each declared once, with its table."""
