"""The report of a run: the strategy, section by section, with its pictures."""

from dataclasses import replace

from core.agents.clinical_trial_design.report_parts import list_parts, make_first
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData
from core.briefs.report import compose_report
from core.reports.document import About, Document, TableReader

DECK = (
    "Endpoints",
    "Comparator",
    "Sample size",
    "Trial schema",
    "Statistics",
    "Patients",
    "Competition",
    "Feasibility",
    "Risks",
    "Scenarios",
    "Next steps",
)
"""Headings that become slides: what is measured, against what, with how many, and what may fail."""


def compose(data: ClinicalTrialDesignData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    document = compose_report(
        data, tables, about, front=make_first(data), own_blocks=list_parts(data)
    )
    return replace(document, deck=DECK)
