"""Charts of a document as pictures: Vega-Lite in, SVG or PNG out, without a browser."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import vl_convert

from core.errors import AnalysisError
from core.reports.document import Chart

BITMAP_ABOVE = 2_000
"""Marks from which on a bitmap is smaller and faster to open than a vector drawing."""
LONGEST_LABEL = 80
"""Letters of a label in a drawing; longer ones are cut."""
_EXPRESSIONS = frozenset({"$schema", "calculate", "expr", "filter", "labelExpr", "test"})
POINTS_A_PIXEL = 0.95
"""Printed labels of 9 pixels are read best a little larger than on screen (0.75)."""
FONT = "DejaVu Sans"
_SVG_WIDTH = re.compile(r'width="([\d.]+)"')
PALETTE = ("#0B6E6E", "#C2571A", "#5B5FA8", "#8A6D00", "#A8326E", "#4D6B2F", "#55636B")
"""Colors for groups, distinguishable on white and by readers with color-vision deficiency."""
_CONFIG = {
    "font": FONT,
    "background": "white",
    "axis": {"labelFontSize": 9, "titleFontSize": 10, "titleFontWeight": "normal"},
    "legend": {"labelFontSize": 9, "titleFontSize": 9, "titleFontWeight": "normal"},
    "title": {"fontSize": 11, "fontWeight": "normal"},
    "header": {"labelFontSize": 9, "titleFontSize": 10},
    "view": {"stroke": "#c8d0d4"},
    "mark": {"color": "#0B6E6E"},
    "range": {"category": list(PALETTE)},
}


class Picture(NamedTuple):
    """A drawn chart."""

    content: bytes
    suffix: str
    """`svg` or `png`."""
    width: float
    """Pixels at which it was meant to be seen, 96 an inch."""

    def share_of(self, points: float) -> int:
        """Return the percent of a line of this many points that the picture should take."""
        return max(40, min(100, round(self.width * POINTS_A_PIXEL / points * 100)))


@lru_cache(maxsize=1)
def font_folder() -> Path | None:
    """Return the folder of free fonts that came with the plotting library, if there is one."""
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return folder if folder.is_dir() else None


@lru_cache(maxsize=1)
def _register_fonts() -> None:
    """Let labels be measured with the font that will draw them."""
    folder = font_folder()
    if folder is not None:
        vl_convert.register_font_directory(str(folder))


def draw(chart: Chart) -> Picture:
    """Draw a chart: a vector drawing, or a bitmap at double size above 2,000 marks.

    Args:
        chart: Holds its data; nothing is fetched.

    Returns:
        The picture.

    Raises:
        AnalysisError: The specification names data that lie elsewhere, or cannot be drawn.
    """
    if chart.points > BITMAP_ABOVE:
        png = draw_png(chart)
        return Picture(png, "png", int.from_bytes(png[16:20], "big") / 2)
    svg: str = _convert(chart, vl_convert.vegalite_to_svg)
    match = _SVG_WIDTH.search(svg)
    return Picture(svg.encode(), "svg", float(match[1]) if match else 0.0)


def draw_png(chart: Chart) -> bytes:
    """Draw a chart as a bitmap at double size.

    Args:
        chart: Holds its data; nothing is fetched.

    Raises:
        AnalysisError: The specification names data that lie elsewhere, or cannot be drawn.
    """
    png: bytes = _convert(chart, partial(vl_convert.vegalite_to_png, scale=2))
    return png


def _convert(chart: Chart, convert: Callable[..., Any]) -> Any:
    if _names_address(chart.spec):
        raise AnalysisError("a chart must hold its data, not an address", code="chart_failed")
    _register_fonts()
    try:
        spec = _shortened(dict(chart.spec))
        return convert(spec, config=_CONFIG, allowed_base_urls=[], show_warnings=False)
    except ValueError as error:
        raise AnalysisError(
            f"the chart '{chart.caption}' cannot be drawn", code="chart_failed"
        ) from error


def _shortened(node: Any, key: str = "") -> Any:
    """Return a specification whose labels have a length that can be drawn.

    A hundred labels of several hundred letters take seconds to measure, and nobody reads them.
    """
    if isinstance(node, Mapping):
        return {name: _shortened(value, name) for name, value in node.items()}
    if isinstance(node, list | tuple):
        return [_shortened(value, key) for value in node]
    is_label = isinstance(node, str) and key not in _EXPRESSIONS
    return f"{node[: LONGEST_LABEL - 1]}\u2026" if is_label and len(node) > LONGEST_LABEL else node


def _names_address(node: object) -> bool:
    """Return whether any part of a specification reads data from an address."""
    if isinstance(node, Mapping):
        data = node.get("data")
        if isinstance(data, Mapping) and "url" in data:
            return True
        return any(_names_address(value) for key, value in node.items() if key != "values")
    if isinstance(node, list | tuple):
        return any(_names_address(value) for value in node)
    return False
