"""The words for how far a program has come, highest first."""

from typing import Literal

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
STAGES: tuple[Stage, ...] = (
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
)
"""Highest first; a discontinued program stands below every one that is not."""
