"""Blocks that several sections of the report are made of."""

import re
from collections.abc import Sequence

from core.reports.document import Block, Chart, Grid

Row = tuple[str | float | int | None, ...]


def grid(columns: Sequence[str], rows: Sequence[Row], caption: str) -> list[Block]:
    """Return a grid; nothing without rows. A column of whole numbers shows no decimals."""
    if not rows:
        return []
    is_complete = [
        all(
            (cell is None or (isinstance(cell, int | float) and float(cell).is_integer()))
            for cell in column
        )
        for column in zip(*rows, strict=True)
    ]
    cells = (
        tuple(
            int(cell) if plain and isinstance(cell, float) else cell
            for plain, cell in zip(is_complete, row, strict=True)
        )
        for row in rows
    )
    return [Grid(tuple(columns), tuple(cells), caption)]


def chart(chart: Chart | None) -> list[Block]:
    """Return a chart; nothing without one."""
    return [chart] if chart else []


def capital(text: str) -> str:
    """Return a sentence with a capital first; a symbol such as z or r stays as it is.

    >>> capital("level reached"), capital("z at the look"), capital("p0")
    ('Level reached', 'z at the look', 'p0')
    """
    is_symbol = re.match(r"[a-z]\d?\b", text) is not None
    return text if is_symbol else text[:1].upper() + text[1:]
