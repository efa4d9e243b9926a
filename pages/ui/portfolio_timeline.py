"""A company's drugs over time: what happened, what lies ahead, until when each is protected."""

from core.agents.company_asset_searcher.report import draw_times
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.records.runs import RunRecord
from pages.ui.timeline import show_times


def show_timeline(_run: RunRecord, data: CompanyAssetSearcherData) -> None:
    """Draw the timeline; nothing where fewer than two events are dated."""
    show_times(draw_times(data))
