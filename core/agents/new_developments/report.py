"""The report of a run: feed, themes, what lies ahead, how the scores come about, sources."""

from collections.abc import Iterable, Sequence

from core.agents.new_developments.columns import (
    CATALYSTS,
    EVENT_VIEW,
    EVENTS,
    FEED_VIEW,
    PART_VIEW,
    THEME_VIEW,
    THEMES,
)
from core.agents.new_developments.records import Catalyst
from core.agents.new_developments.schema import NewDevelopmentsData
from core.briefs.columns import list_grid
from core.briefs.developments.themes import TYPE_WORDS
from core.briefs.report import compose_report, list_doubts, list_lines, make_front
from core.reports.document import (
    About,
    Block,
    Bullets,
    Chart,
    Document,
    Grid,
    Heading,
    Paragraph,
    TableReader,
)
from core.reports.evidence_parts import under

FEED, THEMED, AHEAD, OVERDUE, NEAREST, PARTS = (
    *("What happened", "Themes", "Upcoming"),
    *("Overdue: no result reported", "Last before the window"),
    "How scores are calculated",
)
MOST_PRINTED = 40
MOST_DRAWN = 12
FEWEST_THEMES = 2
"""A single theme makes no picture."""
FORMULA = (
    "Score = 30 materiality + 20 recency + 20 novelty + 15 authority + 15 match, each from 0 to 1, "
    "and 5 for each further independent source, at most 10; rounded half up, 100 at most. "
    "Materiality and half-lives come from a table; novelty is 0.3 where the same drug had such an "
    "event before; sources of one publisher count once."
)


def compose(data: NewDevelopmentsData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    none = f"No event of {data.filters.period} passes the filters."
    blocks: list[Block] = [*list_grid(THEMES, THEME_VIEW, data.themes, THEMED, MOST_PRINTED)]
    for brief in data.briefs:
        blocks += [Heading(brief.title, 2), Bullets(tuple(claim.text for claim in brief.claims))]
    return compose_report(
        data,
        tables,
        about,
        front=make_front(
            [claim.text for claim in data.claims],
            _figures(data),
            draw_events(data.catalysts),
            list_doubts([catalyst.unconfirmed for catalyst in data.catalysts], data.warnings, 0, 0),
        ),
        own_blocks=[
            *list_lines(CATALYSTS, FEED_VIEW, data.catalysts, FEED, none, MOST_PRINTED),
            *under(NEAREST, list_grid(EVENTS, EVENT_VIEW, data.nearest, NEAREST)),
            *under(AHEAD, list_grid(EVENTS, EVENT_VIEW, data.upcoming, AHEAD)),
            *under(OVERDUE, list_grid(EVENTS, EVENT_VIEW, data.overdue, OVERDUE)),
            *([Heading(THEMED), *blocks] if blocks else []),
        ],
        method=_list_method(data),
    )


def _figures(data: NewDevelopmentsData) -> tuple[tuple[str, str, str], ...]:
    rising = sum(theme.momentum.change > 0 for theme in data.themes)
    best = max((catalyst.signal_score for catalyst in data.catalysts), default=0)
    return (
        ("Events", f"{data.n_catalysts:,}", data.filters.period),
        ("Best score", f"{best}", "of 100"),
        ("Themes", f"{len(data.themes):,}", f"{rising:,} rising"),
        ("Upcoming", f"{len(data.upcoming):,}", "with a known day"),
    )


def draw_events(catalysts: Sequence[Catalyst]) -> Chart | None:
    """Return the picture of events by month and type; None where there are few."""
    rows = [
        {"month": catalyst.date[:7], "type": TYPE_WORDS[catalyst.catalyst_type], "events": 1}
        for catalyst in catalysts
        if len(catalyst.date) > len("2026")
    ]
    if len({str(row["month"]) for row in rows}) < 2:
        return None
    counted: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (str(row["month"]), str(row["type"]))
        counted[key] = counted.get(key, 0) + 1
    values = [
        {"month": month, "type": kind, "events": count}
        for (month, kind), count in sorted(counted.items())
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": values},
        "width": 380,
        "height": 180,
        "mark": "bar",
        "encoding": {
            "x": _months(str(row["month"]) for row in rows),
            "y": {
                "field": "events",
                "type": "quantitative",
                "title": "Events",
                "axis": {"tickMinStep": 1, "format": "d"},
            },
            "color": {
                "field": "type",
                "type": "nominal",
                "title": None,
                "legend": {"orient": "bottom", "columns": 2},
            },
        },
    }
    return Chart(spec, "Events by month and type", "Events by month and type", len(values))


def _months(known_months: Iterable[str]) -> dict[str, object]:
    """Return the axis of months from the first to the last, none left out."""
    first, *_, last = sorted(known_months)
    year, month, months = int(first[:4]), int(first[5:7]), [first]
    while months[-1] < last:
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        months.append(f"{year}-{month:02d}")
    return {"field": "month", "type": "ordinal", "title": None, "scale": {"domain": months}}


def draw_themes(data: NewDevelopmentsData) -> Chart | None:
    """Return the picture of the first themes by month; None where there is no theme of several."""
    labels = {
        theme.theme_key: theme.label
        for theme in data.themes[:MOST_DRAWN]
        if theme.catalyst_count > 1
    }
    counted: dict[tuple[str, str], int] = {}
    for catalyst in data.catalysts:
        if catalyst.theme_key in labels and len(catalyst.date) > len("2026"):
            key = (catalyst.date[:7], labels[catalyst.theme_key])
            counted[key] = counted.get(key, 0) + 1
    if len({theme for _, theme in counted}) < FEWEST_THEMES:
        return None
    values = [
        {"month": month, "theme": theme, "events": count}
        for (month, theme), count in sorted(counted.items())
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": values},
        "width": "container",
        "height": {"step": 26},
        "mark": {"type": "circle", "opacity": 0.85},
        "encoding": {
            "x": _months(month for month, _ in counted),
            "y": {
                "field": "theme",
                "type": "nominal",
                "title": None,
                "sort": list(labels.values()),
                "axis": {"labelLimit": 360},
            },
            "size": {
                "field": "events",
                "type": "quantitative",
                "title": "Events",
                "legend": {"tickMinStep": 1, "format": "d"},
            },
        },
    }
    return Chart(spec, "Events of the first themes by month", "Themes by month", len(values))


def _list_method(data: NewDevelopmentsData) -> list[Block]:
    filters = data.filters
    dropped = ", ".join(f"{name} {count:,}" for name, count in filters.dropped.items())
    reach = tuple(
        (reach.source, reach.newest_event_on, reach.newest_record_on, reach.n_records)
        for reach in data.reach
        if reach.newest_event_on
    )
    blocks: list[Block] = [
        Paragraph(
            f"Window: {filters.window_start_on} to {filters.window_end_on}, by the day of the "
            f"event; {filters.n_events:,} events found within it. Removed by filter: "
            f"{dropped or 'none'}. {data.live_discovery.message}"
        ),
        Paragraph(FORMULA),
        *list_grid(CATALYSTS, PART_VIEW, data.catalysts, PARTS, MOST_PRINTED),
    ]
    if reach:
        columns = ("Source", "Newest event", "Newest record", "Records")
        blocks.append(Grid(columns, reach, "Up to when the sources reach"))
    return blocks
