"""What stands next to the name of a gene in a patent: an agent on it, or what shows otherwise."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

GENE = "<gene>"
"""Stands for the name of the gene in a pattern, and in the text that is searched."""
CueKind = Literal[
    "agent", "biomarker", "effect", "mutated", "other", "other agent", "partner", "target"
]


class GeneCueRow(TableRow):
    """A way of writing.

    Attributes:
        kind: What the gene is where it is written so; "agent" where something acts on it, whoever
            gives it, "effect" where something changes how much of it there is.
        name: Name of the way, as readers see it.
        pattern: Regular expression, without regard to case.
    """

    kind: CueKind
    name: str
    pattern: str


@cache
def gene_cues() -> Mapping[CueKind, Sequence[tuple[str, re.Pattern[str]]]]:
    """Return the ways of each kind by name."""
    cues: dict[CueKind, list[tuple[str, re.Pattern[str]]]] = {}
    for row in load_rows("gene_cues", GeneCueRow):
        pattern = compile_pattern(row.pattern, "gene_cues")
        cues.setdefault(row.kind, []).append((row.name, pattern))
    return cues
