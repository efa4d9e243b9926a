"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(
        name="pd1-vegf",
        title="PD-1/VEGF bispecifics in NSCLC",
        request={
            "query": "PD-1/VEGF bispecifics in NSCLC",
            "query_type": "clinical",
            "candidate_asset_description": "A PD-1/VEGF bispecific antibody entering phase 2 in "
            "first-line non-small cell lung cancer",
        },
    ),
    Example(
        name="glp1-obesity",
        title="GLP-1 agonists in obesity",
        request={"query": "GLP-1 agonists in obesity", "query_type": "both"},
    ),
    Example(
        name="cldn18",
        title="CLDN18.2 ADC, include Chinese",
        request={
            "query": "CLDN18.2 ADC, include Chinese",
            "query_type": "clinical",
            "include_chictr": True,
        },
    ),
)
