"""The columns of catalysts, themes and events ahead: wire table, page, report and CSV."""

from collections.abc import Callable
from typing import Any

from core.agents.new_developments.records import Catalyst, DatedEvent, Theme
from core.briefs.columns import UNCONFIRMED, Column, ColumnTable, line_model, source_column
from core.briefs.developments.themes import TYPE_WORDS
from core.briefs.records import show_day
from core.records.stages import STAGE_WORDS, phase_words


def _stage(row: DatedEvent) -> str:
    """Return the stage in words; only a trial of an approved drug is one of phase 4."""
    if row.stage == "APPROVED" and "trial" not in row.event_type:
        return STAGE_WORDS["APPROVED"].capitalize()
    return phase_words(row.stage or "").capitalize()


def _disease(row: DatedEvent) -> str:
    indication = row.indication or ""
    mark = " (by use)" if indication and getattr(row, "is_through_uses", False) else ""
    return f"{indication}{mark}"


def _shared() -> tuple[Column[Any], ...]:
    """Return the columns that every list of events has."""
    return (
        Column("date", "Day", shown=lambda row: show_day(row.date, row.date_precision)),
        Column("title", "Event"),
        Column(
            "catalyst_type", "Type", shown=lambda row: TYPE_WORDS[row.catalyst_type].capitalize()
        ),
        Column("drug", "Drug", str | None),
        Column("company", "Company", str | None),
        Column("ticker", "Ticker", str | None),
        Column("indication", "Indication", str | None, shown=_disease),
        Column("stage", "Stage", str | None, shown=_stage),
        Column("date_precision", "How sure"),
        Column("event_type"),
        Column("id"),
    )


def _part(name: str) -> Callable[[Catalyst], object]:
    """Return what reads a part of the score."""
    return lambda row: getattr(row.score_components, name)


PARTS = {
    "materiality": "Materiality",
    "recency": "Recency",
    "novelty": "Novelty",
    "authority": "Authority",
    "filter_match": "Match",
    "further_sources": "Sources +",
}
EVENTS: tuple[Column[DatedEvent], ...] = (*_shared(), source_column())
CATALYSTS: tuple[Column[Catalyst], ...] = (
    Column("signal_score", "Score", int),
    *_shared(),
    Column("target", "Target", str | None, cell="target"),
    Column("modality", "Kind", str | None),
    Column("brand", "Brand", str | None),
    Column("sponsor", "Sponsor", str | None),
    Column("owner", "Owner of the drug", str | None),
    Column("region", "Region", str | None),
    Column("since", "After", str | None),
    Column("before", "Before", str | None),
    Column("after", "Now", str | None),
    Column("n_sources", "Sources", int),
    Column("told_by", "Reported by", shown=lambda row: ", ".join(row.told_by)),
    Column("is_through_uses", "", bool),
    *(Column(name, title, float, _part(name)) for name, title in PARTS.items()),
    Column("theme_key"),
    Column("drug_key", "", str | None),
    UNCONFIRMED,
    source_column(),
)
FEED_VIEW = (
    *("signal_score", "date", "title", "company", "ticker", "indication", "target"),
    *("told_by", "sources"),
)
PART_VIEW = (
    *("title", "signal_score", "materiality", "recency", "novelty", "authority"),
    *("filter_match", "further_sources"),
)
EVENT_VIEW = ("date", "title", "company", "indication", "stage", "sources")
THEMES: tuple[Column[Theme], ...] = (
    Column("label", "Theme"),
    Column("catalyst_count", "Events", int),
    Column("previous", "Window before", int, lambda row: row.momentum.previous),
    Column("change", "Change", int, lambda row: row.momentum.change),
    Column("mean_score", "Mean score", float),
    Column("theme_key"),
    source_column(),
)
THEME_VIEW = ("label", "catalyst_count", "previous", "change", "mean_score", "sources")


class CatalystTable(ColumnTable):
    """Events of the window by score."""

    columns = CATALYSTS
    row_model = line_model(
        "CatalystLine", "One event, flat: a record of `catalysts` as a line of a table.", CATALYSTS
    )


class ThemeTable(ColumnTable):
    """Themes by number of events."""

    columns = THEMES
    row_model = line_model("ThemeLine", "One theme, flat.", THEMES)
