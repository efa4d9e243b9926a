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
    "technology offered",
    "paper published",
]
DealKind = Literal[
    "shelved asset",
    "licence",
    "company",
    "academic spin-out",
    "private company",
    "company without a known program",
    "STTR company",
    "technology offer",
    "university paper",
    "research report",
    "laboratory with a grant",
]
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
    "private company": "private_company",
    "company without a known program": "stealth_startup",
    "STTR company": "spinout",
    "technology offer": "licensing_asset",
    "university paper": "university_paper",
    "research report": "research_report",
    "laboratory with a grant": "pre_company_signal",
}
"""The contract's word for each kind. No register here shows that the owner of a drug is private, so
its program is shown as an asset to license, with its listing next to it. A company that got a grant
or filed a raise and is not found listed is private; without a trial, label or deal it is in
stealth; an STTR award goes to a company together with a research institution.
"""
DEAL_WORDS: Mapping[DealKind, str] = {
    "shelved asset": "Shelved asset",
    "licence": "In-licensing",
    "company": "Small company",
    "academic spin-out": "Academic spin-out",
    "private company": "Private company",
    "company without a known program": "Company without a known program",
    "STTR company": "Company with an academic partner",
    "technology offer": "Technology to license",
    "university paper": "University paper",
    "research report": "Research report",
    "laboratory with a grant": "Laboratory with a grant",
}
"""What readers see of each kind."""
