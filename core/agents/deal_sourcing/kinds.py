"""Kinds of signals and of deals."""

from collections.abc import Mapping
from typing import Literal

SignalType = Literal[
    "stopped for business reasons",
    "dropped from a pipeline",
    "no licensee found",
    "newest trial of its owner",
    "trial of a company not found listed",
    "trial of an academic sponsor",
    "money raised by its owner",
    "grant to its owner",
]
DealKind = Literal["shelved asset", "licence", "company", "academic spin-out"]
DealType = Literal[
    "private_company",
    "stealth_startup",
    "spinout",
    "licensing_asset",
    "university_paper",
    "research_report",
    "pre_company_signal",
]
TYPE_OF: Mapping[DealKind, DealType] = {
    "shelved asset": "licensing_asset",
    "licence": "licensing_asset",
    "company": "licensing_asset",
    "academic spin-out": "pre_company_signal",
}
"""The contract's word for each kind. No register here shows that an owner is private, so its
program is shown as an asset to license, with its listing next to it.
"""
DEAL_WORDS: Mapping[DealKind, str] = {
    "shelved asset": "Shelved asset",
    "licence": "In-licensing",
    "company": "Small company",
    "academic spin-out": "Academic spin-out",
}
"""What readers see of each kind."""
