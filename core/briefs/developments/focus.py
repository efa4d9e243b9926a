"""stage_focus: a word of the contract, or another spelling of it, as the stages that it means."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from core.records.stages import STAGES, Stage
from core.vocabulary.query_words import fold_word, spellings

STAGE_FOCUS = Literal[
    "any", "discovery", "preclinical", "phase1", "phase2", "phase3", "filed", "approved"
]
_STAGES: Mapping[str, tuple[Stage, ...]] = {
    "any": (),
    "discovery": ("DISCOVERY",),
    "preclinical": ("PRECLINICAL", "DISCOVERY"),
    "phase1": ("PHASE1", "PHASE1_2"),
    "phase2": ("PHASE2", "PHASE1_2", "PHASE2_3"),
    "phase3": ("PHASE3", "PHASE2_3"),
    "filed": ("FILED",),
    "approved": ("APPROVED",),
}


def read_focus(text: str) -> tuple[Stage, ...]:
    """Return the stages that a focus means; none: any.

    Raises:
        ValueError: It is no word for a stage.
    """
    plain = "".join(text.split()).casefold().replace("_", "").replace("-", "")
    if plain in _STAGES:
        return _STAGES[plain]
    stages = tuple(
        stage
        for row in spellings().get(fold_word(text), ())
        if row.kind == "stage"
        for stage in STAGES
        if stage in re.split(r"[^A-Z0-9_]+", row.word)
    )
    if not stages:
        words = ", ".join(get_args(STAGE_FOCUS))
        raise ValueError(f"{text!r} is no stage; write one of {words}")
    return stages
