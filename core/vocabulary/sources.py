"""Sources of records that several rooms name."""

from collections.abc import Iterable

PATENT_SOURCES = ("uspto_chem", "uspto_redbook")
"""Documents of patent offices: they hold structures and owners, and no drug's stage."""
PATENT_KINDS = ("uspto-chem", "uspto-redbook")
"""Kinds of files that these documents come in, in the same order."""
TRIAL_REGISTERS = ("ctgov", "ctis", "isrctn")
"""Registers whose trials carry a stage where they say what is tested."""
ACCEPTED = "accepted"
"""Statements of pages that a person accepted; nobody has confirmed them."""
ACCEPTED_DEALS = f"deals:{ACCEPTED}/"
"""Beginning of the records of deals among them."""
DISCLOSED = (ACCEPTED, "pipeline")
"""Programs as companies show them, and statements of pages that a person accepted."""


def is_accepted(record_id: str) -> bool:
    """Return whether a record is a statement of a page that a person accepted.

    >>> is_accepted("accepted:1f"), is_accepted("deals:accepted/1f"), is_accepted("deals:1f")
    (True, True, False)
    """
    return record_id.startswith((f"{ACCEPTED}:", ACCEPTED_DEALS))


def confirmed_first(record_ids: Iterable[str]) -> list[str]:
    """Return records in order, statements of accepted pages behind all others.

    >>> confirmed_first(["accepted:1f", "ctgov:NCT1"])
    ['ctgov:NCT1', 'accepted:1f']
    """
    return sorted(record_ids, key=lambda record_id: (is_accepted(record_id), record_id))
