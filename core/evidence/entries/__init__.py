"""The facts of one record as a typed entry: agents and what they share read no predicate."""

from core.evidence.entries.records import (
    DATING,
    TERMS,
    ApprovalEntry,
    Entries,
    EntryRow,
    LabelEntry,
    PipelineEntry,
    Stated,
    TrialEndpoint,
    TrialEntry,
    endpoints_of,
    read_terms,
)

__all__ = [
    "DATING",
    "TERMS",
    "ApprovalEntry",
    "Entries",
    "EntryRow",
    "LabelEntry",
    "PipelineEntry",
    "Stated",
    "TrialEndpoint",
    "TrialEntry",
    "endpoints_of",
    "read_terms",
]
