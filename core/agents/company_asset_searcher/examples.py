"""Requests that run as they stand."""

from core.agent import Example

EXAMPLES = (
    Example(name="biomarin", title="BioMarin by its name", request={"company": "BioMarin"}),
    Example(name="ticker", title="A company by its ticker: BMRN", request={"company": "BMRN"}),
    Example(
        name="aliases",
        title="With a legal name and a limit",
        request={
            "company": "BioMarin",
            "company_aliases": ["BioMarin Pharmaceutical Inc."],
            "drugdb_limit": 20,
        },
    ),
)
