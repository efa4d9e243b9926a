"""The report of a run: memo, moves, what stayed open, what was not seen, method, figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, TypeVar

import pandas as pd

from core.agents.attribution_engine.charts import (
    STATE_WORDS,
    draw_moves,
    draw_paths,
    draw_sizes,
    draw_states,
    draw_strip,
)
from core.agents.attribution_engine.records import (
    Attribution,
    BelowFloor,
    Proposal,
    Reaction,
    SampleTest,
    StockSummary,
)
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
from core.reports.evidence_parts import under

MOST_SENTENCES = 3
_MOST_ROWS = 60
_MOST_STOCKS = 3
_Cell = str | float | int | None
R = TypeVar("R")
Columns = Mapping[str, Callable[[R], _Cell]]
"""Headings of a table with what each shows of a record."""


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
    several = len(data.stocks) > 1
    likely = sorted(data.proposals, key=lambda proposal: proposal.chance)
    caption = "Events in the evidence near unexplained moves; none is counted as explained"
    proposals = _list(_PROPOSALS, likely, caption)
    caption = "Reactions to the list's confirmed own events; a chosen list makes them look larger"
    reactions = _list(_REACTIONS, data.reactions, caption)
    tests = _list(_TESTS, data.tests, "All events together")
    blocks: list[Block] = [
        Heading("Memo"),
        Bullets(tuple(_as_text(sentence) for sentence in data.memo)),
        *under("Stocks", [_list(_STOCKS, data.stocks, "Stocks")] if several else []),
        Heading("Moves"),
        Grid(("Figure", "Number", "Note"), count_rows, "Moves by state"),
        _list_moves(data.attributions, "Moves by date"),
        _list_notes(data.attributions),
        Heading("Unexplained moves"),
        _list_moves(data.unexplained, "Moves without an event in the list")
        if data.unexplained
        else Paragraph("Every move has an event in its window."),
        *under("Proposals from the evidence", [proposals] if data.proposals else []),
        Heading("Events without a reported move"),
        *_list_silence(data),
        *under("Reactions by type", [reactions] if data.reactions else []),
        Heading("Method"),
        Paragraph(_as_text(data.method)),
        *([Bullets(tuple(map(_as_text, data.input_notes)))] if data.input_notes else []),
        Grid(("Setting", "Value"), rows, "Settings of the run"),
        *([replace(tests, total=None)] if data.tests else []),
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


def _form(value: float | date | None, form: str = ".1%") -> str | None:
    return None if value is None else format(value, form)


def _date(record: Any, name: str = "date") -> str:
    """Return the date of a record, behind its stock where there are several."""
    return f"{record.ticker or ''} {getattr(record, name)}".strip()


def _move_date(record: Attribution | Proposal) -> str:
    return _date(record, "move_date")


_STOCKS: Columns[StockSummary] = {
    "Stock": lambda stock: stock.ticker,
    "Moves": lambda stock: stock.n_moves,
    "Confirmed": lambda stock: stock.states.confirmed,
    "Read-through": lambda stock: stock.states.read_through,
    "Partial": lambda stock: stock.states.partial,
    "Unexplained": lambda stock: stock.states.unexplained,
    "Explained": lambda stock: _form(stock.share_explained, ".0%"),
    "Ties by chance": lambda stock: f"{stock.ties_by_chance:.1f}",
    "Flags": lambda stock: stock.n_leakage_flags,
    "Largest unexplained": lambda stock: _percent(stock.largest_unexplained),
    "On": lambda stock: _form(stock.largest_unexplained_on, ""),
}
_MOVES: Columns[Attribution] = {
    "Date": _move_date,
    "State": lambda move: STATE_WORDS[move.state] + (", in doubt" if move.doubt else ""),
    "CAR": lambda move: _percent(move.car),
    "SCAR": lambda move: f"{move.scar:.1f}",
    "Residual": lambda move: _percent(move.residual),
    "Ratio": lambda move: _form(move.ratio, ".2f"),
    "p (own days)": lambda move: f"{move.p_empirical:.3f}",
    "Tie by chance": lambda move: f"{move.chance.tie:.1%}",
    "Drift": lambda move: "check" if move.leakage_flag else "no",
    "Drift by chance": lambda move: _form(move.chance.flag),
    "Events": lambda move: "several" if move.confounded else "one" if move.event else "none",
}
_NOTES: Columns[Attribution] = {
    "Date": _move_date,
    "Note": lambda move: move.note,
    "Chance": lambda move: move.chance.note,
}
_PROPOSALS: Columns[Proposal] = {
    "Move": _move_date,
    "CAR": lambda proposal: _percent(proposal.car),
    "Event": lambda proposal: str(proposal.date),
    "What": lambda proposal: proposal.event_type,
    "Asset": lambda proposal: proposal.asset,
    "Whose": lambda proposal: proposal.relationship,
    "By chance": lambda proposal: f"{proposal.chance:.1%}",
    "Record": lambda proposal: proposal.url,
}
_SILENT: Columns[Any] = {
    "Date": _date,
    "Event": lambda event: event.event_type,
    "Asset": lambda event: event.asset,
    "Why": lambda event: getattr(event, "detail", "") or event.reason.replace("_", " "),
    "CAR": lambda event: _percent(getattr(event, "car", None)),
    "Detectable with 80 % power": lambda event: _form(getattr(event, "detectable_move", None)),
}
_LOW: Columns[BelowFloor] = {
    "Date": _date,
    "AR": lambda day: _percent(day.ar),
    "SAR": lambda day: f"{day.sar:.1f}",
}
_REACTIONS: Columns[Reaction] = {
    "Type": lambda reaction: reaction.event_type,
    "Events": lambda reaction: reaction.n_events,
    "Median size": lambda reaction: f"{reaction.median_abs_move:.1%}",
    "Quartiles": lambda reaction: f"{reaction.lower_quartile:.1%} to {reaction.upper_quartile:.1%}",
    "Up": lambda reaction: f"{reaction.share_up:.0%}",
    "Moved": lambda reaction: f"{reaction.share_moved:.0%}",
    "Without an event": lambda reaction: _form(reaction.median_without_event),
}
_TESTS: Columns[SampleTest] = {
    "Test": lambda test: test.name,
    "Statistic": lambda test: round(test.statistic, 3),
    "p": lambda test: test.p_value,
    "About": lambda test: test.about,
}


def _list(
    columns: Columns[R], records: Sequence[R], caption: str, total: int | None = None
) -> Grid:
    """Return records as a grid, at most 60; `total`: of how many they are the first."""
    rows = tuple(
        tuple(cell(record) for cell in columns.values()) for record in records[:_MOST_ROWS]
    )
    return Grid(tuple(columns), rows, caption, total=len(records) if total is None else total)


def _list_moves(records: Sequence[Attribution], caption: str) -> Grid:
    return _list(_MOVES, pick_largest(records), caption, len(records))


def pick_largest(records: Sequence[Attribution]) -> list[Attribution]:
    """Return the moves that a table has room for, those of the largest abs(SCAR), in their order.

    A table of the first ones by stock and date would tell of nothing but the first stock.
    """
    ranked = sorted(range(len(records)), key=lambda index: -abs(records[index].scar))
    return [records[index] for index in sorted(ranked[:_MOST_ROWS])]


def _list_notes(records: Sequence[Attribution]) -> Grid:
    """List the notes; of many moves those near an event."""
    close = [move for move in records if move.event is not None or move.precedes is not None]
    shown = pick_largest(close if close and len(records) > _MOST_ROWS else records)
    return _list(_NOTES, shown, "What is near each move", len(records))


def _list_silence(data: AttributionEngineData) -> list[Block]:
    """List events without a move, days under the floor and events outside."""
    silent = [*data.events_without_move, *data.events_outside]
    blocks: list[Block] = [Paragraph("Every event in the list has a move in its window.")]
    if silent:
        blocks = [_list(_SILENT, silent, "Events without a reported move")]
    if data.below_floor:
        blocks.append(_list(_LOW, data.below_floor, "Significant days under the magnitude floor"))
    return blocks


def _say_span(data: AttributionEngineData) -> str:
    first, last = data.summary.first_date, data.summary.last_date
    return "no returns" if first is None else f"{first} to {last}"
