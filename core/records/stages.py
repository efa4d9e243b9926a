"""The words for how far a program has come, highest first."""

from collections.abc import Mapping
from typing import Literal, get_args

Stage = Literal[
    "APPROVED",
    "FILED",
    "PHASE3",
    "PHASE2_3",
    "PHASE2",
    "PHASE1_2",
    "PHASE1",
    "PRECLINICAL",
    "DISCOVERY",
    "DISCONTINUED",
    "UNKNOWN",
]
STAGES: tuple[Stage, ...] = get_args(Stage)
"""Highest first; a discontinued program stands below every one that is not."""
STAGE_WORDS: Mapping[Stage, str] = {
    "APPROVED": "approved",
    "FILED": "filed",
    "PHASE3": "phase 3",
    "PHASE2_3": "phase 2/3",
    "PHASE2": "phase 2",
    "PHASE1_2": "phase 1/2",
    "PHASE1": "phase 1",
    "PRECLINICAL": "preclinical",
    "DISCOVERY": "discovery",
    "DISCONTINUED": "discontinued",
    "UNKNOWN": "of unknown stage",
}
"""How a reader calls each stage."""


def region_words(region: str) -> str:
    """Return how a reader calls a region of approval; "other" stands for countries without a name.

    >>> region_words("FDA"), region_words("other")
    ('FDA', 'other countries')
    """
    return "other countries" if region == "other" else region


def phase_words(phase: str) -> str:
    """Return how a reader calls a trial's phase; "" for a word that is none.

    A trial after approval is one of phase 4.
    """
    if phase == "APPROVED":
        return "phase 4"
    return next((words for stage, words in STAGE_WORDS.items() if stage == phase), "")
