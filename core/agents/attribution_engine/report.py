"""The report of a run: memo, moves, what stayed open, what was not seen, method, figures."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from core.agents.attribution_engine.charts import (
    STATE_WORDS,
    draw_moves,
    draw_paths,
    draw_sizes,
    draw_states,
    draw_strip,
)
from core.agents.attribution_engine.records import Attribution, EventOutside, EventWithoutMove
from core.agents.attribution_engine.schema import AttributionEngineData
from core.reports.document import (
    About,
    Block,
    Bullets,
    Chart,
    Document,
    Front,
    Grid,
    Heading,
    Paragraph,
    TableReader,
    Tile,
)

MOST_SENTENCES = 3
_MOST_ROWS = 60
_MOST_STOCKS = 3
_Cell = str | float | int | None


def compose(data: AttributionEngineData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    daily, moves, outcomes = (tables.read(name) for name in ("daily", "moves", "events"))
    charts = _draw(data, daily, moves, outcomes)
    summary = data.summary
    rows = tuple((name, str(value)) for name, value in data.config.model_dump().items())
    totals, states = data.summary, data.summary.states
    count_rows = (
        ("Confirmed", states.confirmed, "by the company's own event"),
        ("Read-through", states.read_through, "from events of others"),
        ("Partial", states.partial, "weak, late or unconfirmed"),
        ("Unexplained", states.unexplained, "no event in the list"),
        ("Days tested", totals.n_tested, f"of {totals.n_usable:,} usable"),
    )
    blocks: list[Block] = [
        Heading("Memo"),
        Bullets(tuple(_as_text(sentence) for sentence in data.memo)),
        *_list_stocks(data),
        Heading("Moves"),
        Grid(("Figure", "Number", "Note"), count_rows, "Moves by state"),
        _list_moves(data.attributions, "Moves by date"),
        _list_notes(data.attributions),
        Heading("Unexplained moves"),
        _list_moves(data.unexplained, "Moves without an event in the list")
        if data.unexplained
        else Paragraph("Every move has an event in its window."),
        *_list_proposals(data),
        Heading("Events without a reported move"),
        *_list_silence(data),
        *_list_reactions(data),
        Heading("Method"),
        Paragraph(_as_text(data.method)),
        *([Bullets(tuple(map(_as_text, data.input_notes)))] if data.input_notes else []),
        Grid(("Setting", "Value"), rows, "Settings of the run"),
        *_list_tests(data),
        Heading("Figures"),
        *charts[1:],
    ]
    return Document(
        title=about.label,
        subtitle=f"{about.agent_title}: {summary.n_moves} moves, {_say_span(data)}, against "
        f"{_name_factors(data)}",
        about=about,
        blocks=tuple(blocks),
        warnings=tuple(data.warnings),
        front=replace(make_front(data), chart=charts[0]),
    )


def _name_factors(data: AttributionEngineData) -> str:
    """Name what the returns are measured against."""
    labels = [data.benchmark, *([data.second_benchmark] if data.second_benchmark else [])]
    return " and ".join(" ".join(label.split()) for label in labels)


def _draw(
    data: AttributionEngineData, daily: pd.DataFrame, moves: pd.DataFrame, events: pd.DataFrame
) -> list[Chart]:
    """Draw the figures: of one stock all, of several the states and some stocks' moves.

    Those with the largest unexplained moves are drawn; each figure has thousands of points.
    """
    if len(data.stocks) < 2:
        figures = [draw_moves(data, daily, moves, events), draw_paths(data.attributions, daily)]
        figures += [draw_sizes(data.attributions, data.config.partial_ratio), draw_strip(daily)]
        return [chart for chart in figures if chart is not None]
    charts = [draw_states(data.stocks)]
    by_size = sorted(data.stocks, key=lambda stock: -abs(stock.largest_unexplained or 0.0))
    for summary in sorted(by_size[:_MOST_STOCKS], key=lambda summary: summary.ticker):
        mine = [table[table["ticker"] == summary.ticker] for table in (daily, moves, events)]
        first, second, third = (table.reset_index(drop=True) for table in mine)
        chart = draw_moves(data, first, second, third)
        charts.append(replace(chart, caption=f"{summary.ticker}. {chart.caption}"))
    return charts


def _list_stocks(data: AttributionEngineData) -> list[Block]:
    """List several stocks side by side."""
    if len(data.stocks) < 2:
        return []
    rows: list[tuple[_Cell, ...]] = [
        (
            stock.ticker,
            stock.n_moves,
            *stock.states.model_dump().values(),
            None if stock.share_explained is None else f"{stock.share_explained:.0%}",
            f"{stock.ties_by_chance:.1f}",
            stock.n_leakage_flags,
            _percent(stock.largest_unexplained),
            None if stock.largest_unexplained_on is None else str(stock.largest_unexplained_on),
        )
        for stock in data.stocks[:_MOST_ROWS]
    ]
    states = ("Confirmed", "Read-through", "Partial", "Unexplained")
    figures = ("Explained", "Ties by chance", "Flags", "Largest unexplained", "On")
    columns = ("Stock", "Moves", *states, *figures)
    return [Heading("Stocks"), Grid(columns, tuple(rows), "Stocks", total=len(data.stocks))]


def _as_text(text: str) -> str:
    """Return a sentence in which a caller's marks are no bold text and no citation."""
    return text.replace("**", "*\u200b*").replace("[", "(").replace("]", ")")


def make_front(data: AttributionEngineData) -> Front:
    """Return what the answer opens with: memo and figures; the report adds a picture."""
    return Front(tuple(map(_as_text, data.memo[:MOST_SENTENCES])), list_tiles(data))


def list_tiles(data: AttributionEngineData) -> tuple[Tile, ...]:
    """Return the figures shown large."""
    summary, states = data.summary, data.summary.states
    share, alone = summary.share_explained, summary.share_explained_by_one_event
    years = f"in {summary.stock_years:.1f} stock-years, {summary.n_tested:,} days tested"
    return (
        Tile("Moves", f"{summary.n_moves:,}", years),
        Tile(
            "Explained",
            "–" if share is None else f"{share:.0%}",
            "" if alone is None else f"{alone:.0%} by one event alone",
        ),
        Tile("Unexplained", f"{states.unexplained:,}", "no event in the list"),
        Tile("Patterns to check", f"{summary.n_leakage_flags:,}", "drift before an event"),
    )


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:+.1f} %"


def _list_moves(records: Sequence[Attribution], caption: str) -> Grid:
    """List moves with their figures."""
    rows: list[tuple[_Cell, ...]] = [
        (
            _day(attribution),
            f"{STATE_WORDS[attribution.state]}, in doubt"
            if attribution.doubt
            else STATE_WORDS[attribution.state],
            _percent(attribution.car),
            f"{attribution.scar:.1f}",
            _percent(attribution.residual),
            None if attribution.ratio is None else f"{attribution.ratio:.2f}",
            f"{attribution.p_empirical:.3f}",
            f"{attribution.chance.tie:.1%}",
            "check" if attribution.leakage_flag else "no",
            None if attribution.chance.flag is None else f"{attribution.chance.flag:.1%}",
            "several" if attribution.confounded else "one" if attribution.event else "none",
        )
        for attribution in pick_largest(records)
    ]
    figures = ("CAR", "SCAR", "Residual", "Ratio", "p (own days)", "Tie by chance")
    columns = ("Date", "State", *figures, "Drift", "Drift by chance")
    return Grid((*columns, "Events"), tuple(rows), caption, total=len(records))


def pick_largest(records: Sequence[Attribution]) -> list[Attribution]:
    """Return the moves that a table has room for, those of the largest abs(SCAR), in their order.

    A table of the first ones by stock and date would tell of nothing but the first stock.
    """
    ranked = sorted(range(len(records)), key=lambda index: -abs(records[index].scar))
    return [records[index] for index in sorted(ranked[:_MOST_ROWS])]


def _day(record: Attribution) -> str:
    return f"{record.ticker} {record.move_date}" if record.ticker else str(record.move_date)


def _list_notes(records: Sequence[Attribution]) -> Grid:
    """List the notes."""
    attributions = [
        record for record in records if record.event is not None or record.precedes is not None
    ]
    shown = (
        pick_largest(attributions)
        if attributions and len(records) > _MOST_ROWS
        else pick_largest(records)
    )
    rows = tuple(
        (_day(attribution), attribution.note, attribution.chance.note) for attribution in shown
    )
    return Grid(("Date", "Note", "Chance"), rows, "What is near each move", total=len(records))


def _list_proposals(data: AttributionEngineData) -> list[Block]:
    """List held events near unexplained moves, the least likely by chance first."""
    if not data.proposals:
        return []
    shown = sorted(data.proposals, key=lambda proposal: proposal.chance)[:_MOST_ROWS]
    rows: list[tuple[_Cell, ...]] = [
        (
            f"{proposal.ticker or ''} {proposal.move_date}".strip(),
            _percent(proposal.car),
            str(proposal.date),
            proposal.event_type,
            proposal.asset,
            proposal.relationship,
            f"{proposal.chance:.1%}",
            proposal.url,
        )
        for proposal in shown
    ]
    columns = ("Move", "CAR", "Event", "What", "Asset", "Whose", "By chance", "Record")
    caption = "Events in the evidence near unexplained moves; none is counted as explained"
    grid = Grid(columns, tuple(rows), caption, total=len(data.proposals))
    return [Heading("Proposals from the evidence"), grid]


def _list_silence(data: AttributionEngineData) -> list[Block]:
    """List events without a move, days under the floor and events outside."""
    silent: list[EventWithoutMove | EventOutside] = [
        *data.events_without_move,
        *data.events_outside,
    ]
    rows: list[tuple[_Cell, ...]] = [
        (
            f"{event.ticker or ''} {event.date}".strip(),
            event.event_type,
            event.asset,
            getattr(event, "detail", "") or event.reason.replace("_", " "),
            _percent(getattr(event, "car", None)),
            None if (least := getattr(event, "detectable_move", None)) is None else f"{least:.1%}",
        )
        for event in silent[:_MOST_ROWS]
    ]
    columns = ("Date", "Event", "Asset", "Why", "CAR", "Detectable with 80 % power")
    blocks: list[Block] = (
        [Grid(columns, tuple(rows), "Events without a reported move", total=len(silent))]
        if rows
        else [Paragraph("Every event in the list has a move in its window.")]
    )
    if data.below_floor:
        low = tuple(
            (f"{day.ticker or ''} {day.date}".strip(), _percent(day.ar), f"{day.sar:.1f}")
            for day in data.below_floor[:_MOST_ROWS]
        )
        caption = "Significant days under the magnitude floor"
        blocks.append(Grid(("Date", "AR", "SAR"), low, caption, total=len(data.below_floor)))
    return blocks


def _list_reactions(data: AttributionEngineData) -> list[Block]:
    """List the sizes of reactions by type of event."""
    if not data.reactions:
        return []
    rows: list[tuple[_Cell, ...]] = [
        (
            reaction.event_type,
            reaction.n_events,
            f"{reaction.median_abs_move:.1%}",
            f"{reaction.lower_quartile:.1%} to {reaction.upper_quartile:.1%}",
            f"{reaction.share_up:.0%}",
            f"{reaction.share_moved:.0%}",
            None
            if reaction.median_without_event is None
            else f"{reaction.median_without_event:.1%}",
        )
        for reaction in data.reactions[:_MOST_ROWS]
    ]
    columns = ("Type", "Events", "Median size", "Quartiles", "Up", "Moved", "Without an event")
    caption = "Reactions to the list's confirmed own events; a chosen list makes them look larger"
    return [
        Heading("Reactions by type"),
        Grid(columns, tuple(rows), caption, total=len(data.reactions)),
    ]


def _list_tests(data: AttributionEngineData) -> list[Block]:
    """List the tests of all events together, where there are any."""
    if not data.tests:
        return []
    rows = tuple((t.name, round(t.statistic, 3), t.p_value, t.about) for t in data.tests)
    return [Grid(("Test", "Statistic", "p", "About"), rows, "All events together")]


def _say_span(data: AttributionEngineData) -> str:
    first, last = data.summary.first_date, data.summary.last_date
    return "no returns" if first is None else f"{first} to {last}"
