"""Matching sample names that two programs have written differently."""

import re
from collections.abc import Callable, Sequence


def make_name(name: str) -> str:
    """Return the name as R's make.names would, without an X that stands for a leading digit."""
    dotted = re.sub(r"[^A-Za-z0-9._]", ".", name.strip())
    return re.sub(r"^[Xx](?=[\d.])", "", dotted)


_ENDINGS = re.compile(
    r"((_|\.)?Aligned)?(\.(sorted(ByCoord)?|sortedByCoord|out|bam|sam|cram|markdup|dedup|rmdup))+$",
    re.IGNORECASE,
)


def strip_path(name: str) -> str:
    """Return the name of a sample from that of its alignment, as featureCounts heads its columns.

    >>> strip_path("/data/run1/S1.sorted.bam")
    'S1'
    """
    return _ENDINGS.sub("", re.split(r"[/\\]", name.strip())[-1])


_REWRITINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("folders and the endings of alignments left off", strip_path),
    ("blanks removed", lambda name: re.sub(r"\s+", "", name)),
    ("upper and lower case taken as one", lambda name: name.strip().casefold()),
    ("R's make.names (X before a digit, dots for other signs)", make_name),
    ("signs, X prefix and case ignored", lambda name: make_name(name).casefold()),
)


def rewrite_names(
    wanted: Sequence[str], present: Sequence[str]
) -> tuple[dict[str, str], str] | None:
    """Find one rewriting that maps all names one to one.

    Args:
        wanted: Names of one table that have no equal in the other.
        present: Names of the other table that have no equal.

    Returns:
        Name present by name wanted and what the rewriting does; None if none maps them all.
    """
    for what, rewrite in _REWRITINGS:
        by_key = {rewrite(name): name for name in present}
        keys = [rewrite(name) for name in wanted]
        is_one_to_one = len(by_key) == len(present) and len(set(keys)) == len(wanted)
        if is_one_to_one and all(key in by_key for key in keys):
            return {name: by_key[key] for name, key in zip(wanted, keys, strict=True)}, what
    return None
