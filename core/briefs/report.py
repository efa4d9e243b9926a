"""The report of an answer on evidence: front, figures, timeline, the agent's part, method."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from core.briefs.columns import Column, list_grid
from core.briefs.records import (
    NOTHING,
    ExcludedDrug,
    MemoSection,
    ModelNarrative,
    Narrative,
    SummaryClaim,
)
from core.evidence.proof.cells import NOTE
from core.evidence.proof.claims import shorten
from core.records.model import TaskName
from core.records.sources import Source
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
from core.reports.evidence_parts import explain_mark, list_left_out, list_sources, tell_facts
from core.vocabulary.stages import PHASE_BANDS
from core.vocabulary.warning_codes import quiet_codes

MOST_DRUGS = 24
MOST_YEARS = 6
"""Years ahead that are drawn; a bar that is longer is cut there."""
LONGEST_NAME = 34
KINDS = ("happened", "ahead", "protected")
_COLORS = ("#5b6770", "#0b6e6e", "#c9dede")


def draw_timeline(
    points: Sequence[Mapping[str, Any]], until: Mapping[str, str], as_of: str
) -> Chart | None:
    """Draw events of drugs by day, with a bar to the last day of protection.

    Args:
        points: Drug, day (YYYY-MM-DD, YYYY-MM), kind ("happened" or "ahead") and what.
        until: Last day of protection by drug; those without an event are left out.
        as_of: The day of the answer.

    Returns:
        The picture of the drugs with most events; None where there are fewer than two events.
    """
    dated = [
        dict(point) | {"day": f"{point['day']}-15"[: len("2026-11-15")]}  # of a month its middle
        for point in points
        if len(point["day"]) > 4
    ]
    if len(dated) < 2:
        return None
    names = {name: shorten(name, LONGEST_NAME) for name in _order(dated)}
    last = f"{int(as_of[:4]) + MOST_YEARS}-12-31"
    shown = [point | {"drug": names[point["drug"]]} for point in dated if point["drug"] in names]
    bars = [
        {"drug": short, "from": as_of, "to": min(until[name], last), "kind": "protected"}
        for name, short in names.items()
        if as_of < until.get(name, "")
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 420,
        "height": {"step": 18},
        "encoding": {
            "y": {
                "field": "drug",
                "type": "nominal",
                "sort": list(names.values()),
                "title": None,
                "axis": {"labelLimit": 200, "labelOverlap": False},
            },
            "color": {
                "field": "kind",
                "type": "nominal",
                "title": None,
                "scale": {"domain": list(KINDS), "range": list(_COLORS)},
                "legend": {"orient": "bottom"},
            },
        },
        "layer": [
            {
                "data": {"values": bars},
                "mark": {"type": "bar", "height": 6},
                "encoding": {
                    "x": {"field": "from", "type": "temporal", "title": None},
                    "x2": {"field": "to"},
                    "tooltip": [{"field": "drug"}, {"field": "to", "title": "protected until"}],
                },
            },
            {
                "data": {"values": shown},
                "mark": {"type": "circle", "size": 70, "opacity": 0.9},
                "encoding": {
                    "x": {"field": "day", "type": "temporal", "title": None},
                    "tooltip": [{"field": "drug"}, {"field": "day"}, {"field": "what"}],
                },
            },
            _today(as_of),
        ],
    }
    caption = "Events by day; bars end at the last listed day of protection"
    return Chart(spec, caption, "Timeline of events and protection by drug", len(shown))


def _today(as_of: str) -> dict[str, Any]:
    return {
        "data": {"values": [{"day": as_of}]},
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": "#888"},
        "encoding": {
            "x": {"field": "day", "type": "temporal", "title": None},
            "y": None,
            "color": {"value": "#888"},
        },
    }


def _order(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the drugs in the order of their first event ahead, else of their last one."""
    first: dict[str, str] = {}
    for point in sorted(points, key=lambda point: (point["kind"] != "ahead", point["day"])):
        first.setdefault(str(point["drug"]), str(point["day"]))
    return list(first)[:MOST_DRUGS]


MOST_SENTENCES = 3
MOST_GROUPS = 12
LONGEST_LABEL = 150
"""Pixels of the name of a group."""
MOST_NAMES = 12
_SAID = frozenset({"fact", "computed"})
BY_RULES = Narrative()


class Placed(NamedTuple):
    """A drug at its place in the picture."""

    group: str
    phase: str
    drug: str
    company: str


def lead_sentences(
    sections: Sequence[MemoSection], narrative: Narrative | ModelNarrative = BY_RULES
) -> tuple[str, ...]:
    """Return the sentences that a language model put first, at most three.

    By rules, the first sentence of each section that states something.
    """
    if isinstance(narrative, ModelNarrative) and narrative.lead:
        return tuple(claim.text for claim in narrative.lead[:MOST_SENTENCES])
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


METHOD = "Methods"
MOST_TILES = 4


class Cited(Protocol):
    """An answer with numbered sources."""

    @property
    def sources(self) -> Sequence[Source]:
        """What its citations refer to."""

    @property
    def warnings(self) -> Sequence[str]:
        """What a reader must know."""


class Told(Cited, Protocol):
    """An answer with the fields of `records.BriefData` that a report prints."""

    @property
    def summary(self) -> str:
        """What it says in a few sentences."""

    @property
    def claims(self) -> Sequence[SummaryClaim]:
        """The summary by sentence."""

    @property
    def excluded(self) -> Sequence[ExcludedDrug]:
        """Candidates not taken."""


def list_lines(
    columns: Sequence[Column[Any]],
    view: Sequence[str],
    lines: Sequence[object],
    caption: str,
    nothing: str = NOTHING,
    most: int | None = None,
) -> list[Block]:
    """Return the lines under their caption, with what their mark means."""
    grid: list[Block] = [*list_grid(columns, view, lines, caption, most)]
    marked = explain_mark((getattr(line, "unconfirmed", ()) for line in lines), NOTE)
    return [Heading(caption), *(grid or [Paragraph(nothing)]), *marked]


def tell_memo(sections: Sequence[MemoSection]) -> list[Block]:
    """Return a memo of several sections under its heading."""
    memo_blocks = [
        (Heading(section.title, 2), _tell_claims(section.claims)) for section in sections
    ]
    return [Heading("Memo"), *(block for pair in memo_blocks for block in pair)]


def _tell_claims(claims: Sequence[SummaryClaim]) -> Bullets:
    return Bullets(tuple(claim.text.replace("**", "*") for claim in claims))


def compose_report(
    data: Told,
    tables: TableReader,
    about: About,
    *,
    front: Front,
    own_blocks: Sequence[Block],
    method: Sequence[Block] = (),
) -> Document:
    """Return the report of an answer whose claims are one summary."""
    bullets = _tell_claims(data.claims) if data.claims else Bullets((data.summary,))
    left = list_left_out([(excluded.name, excluded.reason) for excluded in data.excluded])
    parts = [*own_blocks, Heading("Summary"), bullets]
    blocks = [*parts, Heading(METHOD), *method, *left]
    return make_document(data, tables, about, front=front, blocks=blocks)


def make_front(
    sentences: Sequence[str],
    figures: Sequence[tuple[str, str, str]],
    chart: Chart | None = None,
    doubts: Iterable[str] = (),
) -> Front:
    """Return what an answer opens with.

    Args:
        sentences: At most three are shown.
        figures: Label, value and note; the first, which counts the lines, and three more are
            shown large, where there is a line.
        chart: The picture.
        doubts: What says how sure it is.
    """
    tiles = tuple(Tile(*figure) for figure in figures if figures[0][1] != "0")
    plain_sentences = tuple(sentence.replace("**", "*") for sentence in sentences)
    return Front(plain_sentences[:MOST_SENTENCES], tiles[:MOST_TILES], chart, tuple(doubts))


def further_figures(figures: Sequence[tuple[str, str, str]]) -> list[Block]:
    """Return the figures that are not shown large, as a grid."""
    further = tuple(figures[MOST_TILES:])
    return [Grid(("Figure", "Value", "Note"), further, "Further figures")] if further else []


_DONE: Mapping[TaskName, str] = {
    "select": "chose which sentences lead and their order",
    "read": "read words of the question that the rules did not",
    "web": "pointed at quotes on web pages",
    "ask": "chose the agents and what of their answers is shown",
}


def _tell_model(data: Cited) -> list[Block]:
    """Return what a language model did for an answer; nothing where none took part."""
    narrative = getattr(data, "narrative", None)
    if not isinstance(narrative, ModelNarrative):
        return []
    tasks = " and ".join(_DONE[task] for task in narrative.tasks)
    text = f"The language model {narrative.model} ({narrative.provider}) {tasks}; every sentence "
    return [Paragraph(f"{text}is written by rules from records.")]


def make_document(
    data: Cited, tables: TableReader, about: About, *, front: Front, blocks: Sequence[Block]
) -> Document:
    """Return a document between its front and the numbered sources."""
    counts = [f"{tile.value} {tile.label.lower()}" for tile in front.tiles[:1]]
    summary = ", ".join([*(counts or ["nothing found"]), f"{len(data.sources)} sources"])
    ends = (*_tell_model(data), *tell_facts(tables), list_sources(data.sources))
    return Document(
        title=about.label,
        subtitle=f"{about.agent_title}: {summary}",
        about=about,
        blocks=(*blocks, *ends),
        warnings=tuple(data.warnings),
        front=front,
    )


def as_text(text: str) -> str:
    """Return a caller's text in which nothing is bold or a citation."""
    return " ".join(text.split()).replace("**", "*\u200b*").replace("[", "(").replace("]", ")")
