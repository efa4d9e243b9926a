"""What stands beside the name of a gene in a patent that is not on it: a biomarker, a partner."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

GENE = "<gene>"
"""Stands for the name of the gene in a pattern, and in the text that is searched."""
CueKind = Literal["biomarker", "mutated", "other agent", "target", "partner"]


class GeneCueRow(TableRow):
    """A way of writing.

    Attributes:
        kind: What the gene is where it is written so.
        name: Name of the way.
        pattern: Regular expression, without regard to case.
    """

    kind: CueKind
    name: str
    pattern: str


@cache
def gene_cues() -> Mapping[CueKind, Sequence[re.Pattern[str]]]:
    """Return the patterns of each kind."""
    cues: dict[CueKind, list[re.Pattern[str]]] = {}
    for row in load_rows("gene_cues", GeneCueRow):
        cues.setdefault(row.kind, []).append(compile_pattern(row.pattern, "gene_cues"))
    return cues
