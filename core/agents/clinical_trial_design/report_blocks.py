"""Blocks that several sections of the report are made of."""

from collections.abc import Sequence

from core.reports.document import Block, Chart, Grid

Row = tuple[str | float | int | None, ...]


def grid(columns: Sequence[str], rows: Sequence[Row], caption: str) -> list[Block]:
    """Return a grid; nothing without rows."""
    return [Grid(tuple(columns), tuple(rows), caption)] if rows else []


def chart(chart: Chart | None) -> list[Block]:
    """Return a chart; nothing without one."""
    return [chart] if chart else []


def capital(text: str) -> str:
    """Return a sentence with a capital first."""
    return text[:1].upper() + text[1:]
