"""A company's drugs: how it came by them, how far they are, what comes next."""

from core.agent import Agent, Compared
from core.agents.company_asset_searcher.examples import EXAMPLES
from core.agents.company_asset_searcher.schema import (
    CompanyAssetSearcherData,
    CompanyAssetSearcherRequest,
)


def _label(request: CompanyAssetSearcherRequest) -> str:
    """Name a request by its company."""
    label = " ".join(request.company.split())
    return "".join(sign for sign in label if sign.isprintable())[:200]


AGENT = Agent(
    compared=Compared(
        "drugs", "name", ("phase", "indication", "partner", "owner", "next_event", "next_event_on")
    ),
    name="company-asset-searcher",
    title="Company assets",
    summary="Profile a company's drugs: origin, stage by indication and region, next catalyst, "
    "loss of exclusivity.",
    icon="domain",
    group="Landscape and deals",
    request=CompanyAssetSearcherRequest,
    data=CompanyAssetSearcherData,
    pipeline="core.agents.company_asset_searcher.pipeline",
    report="core.agents.company_asset_searcher.report",
    label=_label,
    steps=("Resolve company", "Gather drugs", "Trace origin and next event", "Write summary"),
    examples=EXAMPLES,
    lane="computing",
    reads_evidence=True,
)
