"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(
        name="kras",
        title="KRAS, twenty documents",
        request={"target": "KRAS", "seed": "example"},
    ),
    Example(
        name="nlrp3",
        title="NLRP3, without the clinical landscape",
        request={
            "target": "NLRP3",
            "max_patents": 10,
            "seed": "example",
            "include_full_clinical_landscape": False,
        },
    ),
)
