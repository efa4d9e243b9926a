"""The report of a run: memo, moves, what stayed open, what was not seen, method, figures."""

from collections.abc import Sequence

from core.agents.attribution_engine.chart_rows import STATE_WORDS
from core.agents.attribution_engine.charts import draw_moves, draw_paths, draw_sizes, draw_strip
from core.agents.attribution_engine.records import Attribution
from core.agents.attribution_engine.schema import AttributionEngineData
from core.reports.document import (
    About,
    Block,
    Bullets,
    Document,
    Grid,
    Heading,
    KeyFigures,
    Paragraph,
    TableReader,
)

_MOST_ROWS = 60
_Cell = str | float | int | None


def compose(data: AttributionEngineData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run.

    Args:
        data: The run's result; its tables may be empty.
        tables: The run's tables.
        about: What the document says of the run.
    """
    daily, moves, outcomes = (tables.read(name) for name in ("daily", "moves", "events"))
    figures = [
        draw_moves(data, daily, moves, outcomes),
        draw_paths(data, daily),
        draw_sizes(data),
        draw_strip(daily),
    ]
    charts = [chart for chart in figures if chart is not None]
    summary = data.summary
    blocks: list[Block] = [
        KeyFigures(_key_figures(data)),
        Heading("Memo"),
        Bullets(tuple(_as_text(sentence) for sentence in data.memo)),
        charts[0],
        Heading("Moves"),
        _list_moves(data.attributions, "Moves by date"),
        _list_notes(data.attributions),
        Heading("Unexplained moves"),
        _list_moves(data.unexplained, "Moves without an event in the list")
        if data.unexplained
        else Paragraph("Every move has an event in its window."),
        Heading("Events without a reported move"),
        *_list_silence(data),
        Heading("Method"),
        Paragraph(_as_text(data.method)),
        *([Bullets(tuple(map(_as_text, data.input_notes)))] if data.input_notes else []),
        _list_settings(data),
        *_list_tests(data),
        Heading("Figures"),
        *charts[1:],
    ]
    return Document(
        title=f"Attribution engine: {_say_span(data)}",
        subtitle=f"{summary.n_moves} moves against {' '.join(data.benchmark.split())}",
        about=about,
        blocks=tuple(blocks),
        warnings=tuple(data.warnings),
    )


def _as_text(text: str) -> str:
    """Return a sentence in which a caller's marks are no bold text and no citation."""
    return text.replace("**", "*\u200b*").replace("[", "(").replace("]", ")")


def _key_figures(data: AttributionEngineData) -> tuple[tuple[str, str], ...]:
    """Return the figures shown large."""
    summary, states = data.summary, data.summary.states
    share = "–" if summary.share_explained is None else f"{summary.share_explained:.0%}"
    return (
        ("Moves", f"{summary.n_moves:,}"),
        ("Confirmed", f"{states.confirmed:,}"),
        ("Read-through", f"{states.read_through:,}"),
        ("Partial", f"{states.partial:,}"),
        ("Unexplained", f"{states.unexplained:,}"),
        ("Explained", share),
        ("Patterns to check", f"{summary.n_leakage_flags:,}"),
        ("Days tested", f"{summary.n_tested:,} of {summary.n_usable:,}"),
    )


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:+.1f} %"


def _list_moves(records: Sequence[Attribution], caption: str) -> Grid:
    """List moves with their figures."""
    rows: list[tuple[_Cell, ...]] = [
        (
            str(one.move_date),
            STATE_WORDS[one.state],
            _percent(one.car),
            f"{one.scar:.1f}",
            _percent(one.residual),
            None if one.ratio is None else f"{one.ratio:.2f}",
            f"{one.p_empirical:.3f}",
            "check" if one.leakage_flag else "no",
            "several" if one.confounded else "one" if one.event else "none",
        )
        for one in records[:_MOST_ROWS]
    ]
    columns = ("Date", "State", "CAR", "SCAR", "Residual", "Ratio", "p (own days)", "Drift")
    return Grid((*columns, "Events"), tuple(rows), caption, total=len(records))


def _list_notes(records: Sequence[Attribution]) -> Grid:
    """List the notes."""
    rows = tuple((str(one.move_date), one.note) for one in records[:_MOST_ROWS])
    return Grid(("Date", "Note"), rows, "What is near each move", total=len(records))


def _list_silence(data: AttributionEngineData) -> list[Block]:
    """List events without a move, days under the floor and events outside."""
    rows: list[tuple[_Cell, ...]] = [
        (
            str(event.date),
            event.event_type,
            event.asset,
            event.reason.replace("_", " "),
            _percent(event.car),
            None if event.detectable_move is None else f"{event.detectable_move:.1%}",
        )
        for event in data.events_without_move[:_MOST_ROWS]
    ]
    rows += [
        (str(e.date), e.event_type, e.asset, e.reason.replace("_", " "), None, None)
        for e in data.events_outside[: max(0, _MOST_ROWS - len(rows))]
    ]
    columns = ("Date", "Event", "Asset", "Why", "CAR", "Detectable with 80 % power")
    total = len(data.events_without_move) + len(data.events_outside)
    blocks: list[Block] = (
        [Grid(columns, tuple(rows), "Events without a reported move", total=total)]
        if rows
        else [Paragraph("Every event in the list has a move in its window.")]
    )
    if data.below_floor:
        low = tuple(
            (str(day.date), _percent(day.ar), f"{day.sar:.1f}")
            for day in data.below_floor[:_MOST_ROWS]
        )
        caption = "Significant days under the magnitude floor"
        blocks.append(Grid(("Date", "AR", "SAR"), low, caption, total=len(data.below_floor)))
    return blocks


def _list_settings(data: AttributionEngineData) -> Grid:
    rows = tuple((name, str(value)) for name, value in data.config.model_dump().items())
    return Grid(("Setting", "Value"), rows, "Settings of the run")


def _list_tests(data: AttributionEngineData) -> list[Block]:
    """List the tests of all events together, where there are any."""
    if not data.tests:
        return []
    rows = tuple((t.name, round(t.statistic, 3), t.p_value, t.about) for t in data.tests)
    return [Grid(("Test", "Statistic", "p", "About"), rows, "All events together")]


def _say_span(data: AttributionEngineData) -> str:
    first, last = data.summary.first_date, data.summary.last_date
    return "no returns" if first is None else f"{first} to {last}"
