"""The columns of deals: wire table, page, report and CSV."""

from core.agents.deal_sourcing.records import DEAL_WORDS, Deal, RejectedEntity
from core.briefs.columns import Column, ColumnTable, line_model, source_column

DEALS: tuple[Column[Deal], ...] = (
    Column("deal_score", "Score", int),
    Column("title"),
    Column(
        "asset",
        "Asset",
        value=lambda row: row.entities.asset,
        shown=lambda row: row.entities.asset or row.title,
    ),
    Column("company", "Owner", value=lambda row: row.entities.company),
    Column("geography", "Home", value=lambda row: row.entities.geography),
    Column("deal_type", "Type"),
    Column("deal_kind", "Deal", shown=lambda row: DEAL_WORDS[row.deal_kind]),
    Column(
        "stage",
        "Stage",
        value=lambda row: row.entities.stage,
        shown=lambda row: row.entities.stage.capitalize(),
    ),
    Column("modality", "Kind", value=lambda row: row.entities.modality),
    Column("target", "Target", value=lambda row: row.entities.target),
    Column("indication", "Indication", value=lambda row: row.entities.indication),
    Column("newest_signal_on", "Newest signal", str | None),
    Column("in_window", "In window", bool, shown=lambda row: "yes" if row.in_window else "no"),
    Column(
        "signal",
        "Why",
        value=lambda row: row.signals[0].text if row.signals else "",
    ),
    Column("owner_kind", "Listing", value=lambda row: row.entities.owner_kind),
    Column("next", "Next", value=lambda row: row.suggested_next_action.text),
    Column("part_thesis_fit", "Fit", float, lambda row: row.score_components.thesis_fit),
    Column("part_science", "Science", float, lambda row: row.score_components.science),
    Column("part_stage_fit", "Stage fit", float, lambda row: row.score_components.stage_fit),
    Column("part_availability", "Free", float, lambda row: row.score_components.availability),
    Column("part_recency", "Recency", float, lambda row: row.score_components.recency),
    Column("part_room", "Room", float, lambda row: row.score_components.room),
    Column("deal_uuid"),
    source_column(),
)
FEED_VIEW = (
    *("deal_score", "asset", "company", "geography", "deal_kind", "stage", "target"),
    *("indication", "newest_signal_on", "sources"),
)
PART_VIEW = (
    *("asset", "deal_score", "part_thesis_fit", "part_science", "part_stage_fit"),
    *("part_availability", "part_recency", "part_room"),
)
REJECTED: tuple[Column[RejectedEntity], ...] = (
    Column("entity", "Asset"),
    Column("reason", "Reason"),
)


class DealTable(ColumnTable):
    """Deals by score."""

    columns = DEALS
    row_model = line_model("DealLine", "One deal, flat.", DEALS)
