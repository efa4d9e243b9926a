"""Kinds of signals and of deals."""

from typing import Literal

SignalType = Literal[
    "stopped for business reasons",
    "dropped from a pipeline",
    "no licensee on record",
    "newest trial of its owner",
    "trial of a company not found listed",
    "trial of an academic sponsor",
]
DealType = Literal["shelved asset", "licence", "company", "academic spin-out"]
