"""What an answer on evidence opens with: sentences out of its memo, its picture, its doubts."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from core.briefs.records import MemoSection, SummaryClaim
from core.reports.document import Chart
from core.vocabulary.stages import PHASE_BANDS
from core.vocabulary.warning_codes import quiet_codes

MOST_SENTENCES = 3
MOST_GROUPS = 12
LONGEST_LABEL = 150
"""Pixels of the name of a group."""
MOST_NAMES = 12
_SAID = frozenset({"fact", "computed"})


class Placed(NamedTuple):
    """A drug at its place in the picture."""

    group: str
    phase: str
    drug: str
    company: str


def lead_sentences(sections: Sequence[MemoSection]) -> tuple[str, ...]:
    """Return the first sentence of each section that states something, at most three."""
    firsts = (first_said(section.claims) for section in sections)
    return tuple(text for text in firsts if text)[:MOST_SENTENCES]


def first_said(claims: Iterable[SummaryClaim]) -> str:
    """Return the first sentence that a record or a count carries; "" where there is none."""
    return next((claim.text for claim in claims if claim.kind in _SAID), "")


def list_doubts(
    unconfirmed: Sequence[Collection[str]], warnings: Iterable[str], n_missing: int, n_left: int
) -> Iterator[str]:
    """Yield what says how sure an answer is.

    Args:
        unconfirmed: Of each drug the cells that rest on curators' knowledge alone.
        warnings: Of the answer.
        n_missing: Sources that were asked for and are not connected.
        n_left: Candidates left out.
    """
    codes = {warning.partition(":")[0] for warning in warnings}
    yield from (phrase for code, phrase in quiet_codes().items() if phrase and code in codes)
    number = sum("target" in cells for cells in unconfirmed)
    if number:
        yield f"{number} of {_count(len(unconfirmed), 'target')} unverified"
    if n_missing:
        yield f"{_count(n_missing, 'source')} not connected"
    if n_left:
        yield f"{n_left:,} excluded"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' if number > 1 else ''}"


def draw_pipeline(ways: Mapping[str, Sequence[Placed]]) -> Chart | None:
    """Draw how many drugs stand in each group and phase.

    Args:
        ways: Drugs by what groups them, such as "target", in the order of preference; a drug
            without a group is left out, one of several groups stands in each.

    Returns:
        The picture of the first way in which there are two groups or more; None where there is
        none, since a single row tells nothing.
    """
    for noun, placed in ways.items():
        known_entries = [entry for entry in placed if entry.group and entry.phase in PHASE_BANDS]
        if len({entry.group for entry in known_entries}) > 1:
            return _draw(noun, known_entries)
    return None


def _draw(noun: str, placed: Sequence[Placed]) -> Chart:
    drugs: dict[str, set[str]] = {}
    for entry in placed:
        drugs.setdefault(entry.group, set()).add(entry.drug)
    order = sorted(drugs, key=lambda group: (-len(drugs[group]), group))
    rows = list(_rows(noun, placed, order))
    groups = list(dict.fromkeys(str(row["group"]) for row in rows))
    dark = max(int(str(row["drugs"])) for row in rows) * 0.55
    x = {"field": "phase", "type": "ordinal", "sort": list(PHASE_BANDS[::-1])}
    y = {"field": "group", "type": "nominal", "sort": groups}
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "width": 380,
        "height": {"step": 24},
        "encoding": {
            "x": {**x, "axis": {**_PLAIN, "orient": "top", "labelAngle": -45}},
            "y": {**y, "axis": {**_PLAIN, "labelLimit": LONGEST_LABEL}},
        },
        "layer": [
            {"mark": "rect", "params": [_PARAM], "encoding": _cell()},
            {"mark": {"type": "text", "fontSize": 10}, "encoding": _number(dark)},
        ],
    }
    caption = f"Drugs by {noun} and phase; a drug with more than one counts in each"
    return Chart(spec, caption, f"Map of the number of drugs per {noun} and phase", len(rows))


def as_bubbles(chart: Chart) -> Chart:
    """Return a picture of drugs with a bubble a cell: its area the drugs, its color the companies.

    A crowded cell of one company and one of many look alike in a map of numbers.
    """
    bubble = {**_cell(), "color": _OWNERS, "size": _AREA, "tooltip": [*_TOOLTIP, _COUNTED]}
    mark = {"type": "circle", "opacity": 1}
    number = {"text": {"field": "drugs", "type": "quantitative"}}
    layer = [
        {"mark": mark, "params": [_PARAM], "encoding": bubble},
        {"mark": {"type": "text", "fontSize": 10, "dx": 17}, "encoding": number},
    ]
    caption = f"{chart.caption}; the darker a bubble, the more companies"
    return replace(chart, spec={**chart.spec, "layer": layer}, caption=caption)


def _rows(noun: str, placed: Sequence[Placed], order: Sequence[str]) -> Iterator[dict[str, object]]:
    """Yield the cells of the picture; the smallest groups stand together."""
    is_cut = len(order) > MOST_GROUPS
    shown = order[: MOST_GROUPS - 1] if is_cut else order
    others = f"{len(order) - len(shown)} others"
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for entry in placed:
        group = entry.group if entry.group in shown else others
        cells.setdefault((group, entry.phase), {})[entry.drug] = entry.company
    for group in [*shown, others]:
        for phase in PHASE_BANDS:
            drugs = cells.get((group, phase))
            if drugs:
                yield {
                    "group": group,
                    "phase": phase,
                    "drugs": len(drugs),
                    "owners": len({*drugs.values()} - {""}),
                    "names": ", ".join(sorted(drugs)[:MOST_NAMES]),
                    "companies": ", ".join(sorted({*drugs.values()} - {""})[:MOST_NAMES]),
                    "members": sorted(drugs),
                    "by": noun,
                }


CELL = "cell"
"""What a page calls the cells that are picked in the picture."""
_PARAM = {"name": CELL, "select": {"type": "point", "fields": ["group", "phase"]}}
_COLOR = {
    "field": "drugs",
    "type": "quantitative",
    "title": "Drugs",
    "scale": {"scheme": "teals", "domainMin": 0},
    "legend": None,
}
_TOOLTIP = [
    {"field": "group", "title": "Group"},
    {"field": "phase", "title": "Phase"},
    {"field": "names", "title": "Drugs"},
    {"field": "companies", "title": "Companies"},
]


_OWNERS = {**_COLOR, "field": "owners", "title": "Companies"}
_AREA = {"field": "drugs", "type": "quantitative", "scale": {"range": [30, 420]}, "legend": None}
_COUNTED = {"field": "owners", "title": "Number of companies"}
_PLAIN = {"title": None, "labelOverlap": False, "domain": False, "ticks": False}


def _cell() -> dict[str, Any]:
    """Return how a cell looks; what is not picked pales beside what is."""
    picked = {"condition": {"param": CELL, "value": 1}, "value": 0.3}
    return {"color": _COLOR, "tooltip": _TOOLTIP, "opacity": picked}


def _number(dark: float) -> dict[str, Any]:
    """Return how the number in a cell is written, legible on what is dark."""
    color = {"condition": {"test": f"datum.drugs > {dark}", "value": "white"}, "value": "black"}
    return {"text": {"field": "drugs", "type": "quantitative"}, "color": color}
