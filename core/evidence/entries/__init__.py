"""The facts of one record as a typed entry: agents and what they share read no predicate."""

from core.evidence.entries.records import (
    DATING,
    OF_PRECEDENTS,
    TERMS,
    ApprovalEntry,
    Entries,
    EntryRow,
    LabelEntry,
    PipelineEntry,
    Stated,
    endpoints_of,
    read_terms,
)

__all__ = [
    "DATING",
    "OF_PRECEDENTS",
    "TERMS",
    "ApprovalEntry",
    "Entries",
    "EntryRow",
    "LabelEntry",
    "PipelineEntry",
    "Stated",
    "endpoints_of",
    "read_terms",
]
