"""Sources of records that several rooms name."""

PATENT_SOURCES = ("uspto_chem", "uspto_redbook")
"""Documents of patent offices: they hold structures and owners, and no drug's stage."""
PATENT_KINDS = ("uspto-chem", "uspto-redbook")
"""Kinds of files that these documents come in, in the same order."""
TRIAL_REGISTERS = ("ctgov", "ctis", "isrctn")
"""Registers whose trials carry a stage where they say what is tested."""
ACCEPTED = "accepted"
"""Statements of pages that a person accepted; nobody has confirmed them."""
DISCLOSED = (ACCEPTED, "pipeline")
"""Programs as companies show them, and statements of pages that a person accepted."""
