"""Figures of a map for page and print: compounds, their plane, owners by scaffold, documents."""

from collections.abc import Iterator, Sequence

import altair as alt

from core.agents.compound_map.records import Compound
from core.agents.compound_map.schema import CompoundMapData
from core.chemistry.drawing import sketch
from core.reports.charts import PALETTE
from core.reports.document import Chart

MOST_DRAWN = 12
COLUMNS = 3
MOST_TOGETHER = 6
MOST_POINTS = 5_000
MOST_OWNERS = 6
MOST_SCAFFOLDS = 20
_WIDTH = 620
_CELL = 200
_FILL = 0.84
_INK = "#1a2429"
_GRAY = "#55636b"
_BLACK = "#1A2429"
OTHERS = "others"
OWN = "your own documents"
Row = dict[str, object]


def draw_compounds(compounds: Sequence[Compound]) -> list[Chart]:
    """Draw the first compounds by rank, in figures of two rows each.

    A figure is never parted between pages: a tall one would leave the page before it empty.
    """
    shown = compounds[:MOST_DRAWN]
    return [
        _draw_some(shown[start : start + MOST_TOGETHER])
        for start in range(0, len(shown), MOST_TOGETHER)
    ]


def _draw_some(shown: Sequence[Compound]) -> Chart:
    """Draw a few compounds, each under its id."""
    lines = [row for index, compound in enumerate(shown) for row in _lines(index, compound)]
    letters = [row for index, compound in enumerate(shown) for row in _letters(index, compound)]
    titles: list[Row] = [
        {"x": x + 0.5, "y": y - 0.02, "text": _title(compound)}
        for index, compound in enumerate(shown)
        for x, y in [_corner(index)]
    ]
    n_rows = -(-len(shown) // COLUMNS)
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, COLUMNS]))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-n_rows, 0.05]))
    strokes = alt.Chart(alt.InlineData(values=lines)).mark_rule(color=_INK, strokeWidth=0.8)
    halos = alt.Chart(alt.InlineData(values=letters)).mark_circle(color="white", size=52, opacity=1)
    texts = alt.Chart(alt.InlineData(values=letters)).mark_text(fontSize=6.5, color=_INK)
    names = alt.Chart(alt.InlineData(values=titles)).mark_text(fontSize=8, color=_GRAY)
    chart = alt.layer(
        strokes.encode(x=x, y=y, x2="x1:Q", y2="y1:Q"),
        halos.encode(x=x, y=y),
        texts.encode(x=x, y=y, text="text:N"),
        names.encode(x=x, y=y, text="text:N"),
    ).properties(width=_CELL * COLUMNS, height=_CELL * n_rows)
    names_of = shown[0].id if len(shown) == 1 else f"{shown[0].id} to {shown[-1].id}"
    caption = f"{names_of} by rank, drawn anew from their SMILES, with the stereo these state."
    return Chart.build(chart, caption, "Drawn structures.", points=len(shown))


def _title(compound: Compound) -> str:
    return f"{compound.id}, {compound.role.replace('_', ' ')}, score {compound.confidence_score}"


def _corner(index: int) -> tuple[float, float]:
    """Return the upper left corner of a cell."""
    return float(index % COLUMNS), -float(index // COLUMNS)


def _at(index: int, x: float, y: float) -> tuple[float, float]:
    """Return a point of a sketch in the figure."""
    left, top = _corner(index)
    margin = (1 - _FILL) / 2
    return round(left + margin + _FILL * x, 4), round(top - 0.06 - _FILL * (1 - y), 4)


def _lines(index: int, compound: Compound) -> Iterator[Row]:
    for x0, y0, x1, y1 in sketch(compound.smiles).lines:
        (x, y), (x2, y2) = _at(index, x0, y0), _at(index, x1, y1)
        yield {"x": x, "y": y, "x1": x2, "y1": y2}


def _letters(index: int, compound: Compound) -> Iterator[Row]:
    for left, low, text in sketch(compound.smiles).letters:
        x, y = _at(index, left, low)
        yield {"x": x, "y": y, "text": text}


def name_owners(data: CompoundMapData) -> dict[str, str]:
    """Return the owner shown for each compound: the first, or "others" beyond the six largest.

    What no owner is told of and the caller's own documents show is theirs.
    """
    own_files = {upload.file for upload in data.uploads}
    largest = [assignee.assignee for assignee in data.assignees[:MOST_OWNERS]]
    owners = {}
    for compound in data.compounds:
        owner = compound.assignees[0] if compound.assignees else ""
        is_own = not owner and any(
            patent.publication_number in own_files for patent in compound.patents
        )
        owners[compound.id] = owner if owner in largest else OWN if is_own else OTHERS
    return owners


def draw_plane(data: CompoundMapData) -> Chart | None:
    """Draw the compounds in the plane, by owner, those of the claims filled."""
    if not data.compounds:
        return None
    owners = name_owners(data)
    shown = data.compounds[:MOST_POINTS]
    rows: list[Row] = [
        {
            "x": compound.xy[0],
            "y": compound.xy[1],
            "owner": owners[compound.id],
            "drawn": "in the claims" if compound.claimed else "in the description",
        }
        for compound in shown
    ]
    names = list(dict.fromkeys(str(row["owner"]) for row in rows))
    colors = [PALETTE[index % len(PALETTE)] for index in range(len(names))]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(size=14, opacity=0.7)
        .encode(
            x=alt.X("x:Q", title="first component"),
            y=alt.Y("y:Q", title="second component"),
            color=alt.Color("owner:N", title=None, scale=alt.Scale(domain=names, range=colors)),
            shape=alt.Shape("drawn:N", title=None),
        )
        .properties(width=_WIDTH - 160, height=320)
    )
    caption = (
        "Compounds by likeness: near points have like fingerprints (first two principal "
        f"components). {len(shown):,} of {len(data.compounds):,} compounds."
    )
    alt_text = "Scatter plot of the compounds in two dimensions."
    return Chart.build(chart, caption, alt_text, points=len(rows))


def draw_owners(data: CompoundMapData) -> Chart | None:
    """Draw compounds by owner and scaffold: where several columns are filled, owners meet."""
    order = list(dict.fromkeys(cell.scaffold for cell in data.assignee_scaffolds))[:MOST_SCAFFOLDS]
    names = {scaffold: f"S{number}" for number, scaffold in enumerate(order, 1)}
    rows: list[Row] = [
        {"owner": cell.assignee, "scaffold": names[cell.scaffold], "compounds": cell.n_compounds,
         "smiles": cell.scaffold}
        for cell in data.assignee_scaffolds
        if cell.scaffold in names
    ]  # fmt: skip
    if not rows:
        return None
    most = max(int(str(row["compounds"])) for row in rows)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "scaffold:N",
            sort=[*names.values()],
            title=None,
            axis=alt.Axis(orient="top", labelAngle=0),
        ),
        y=alt.Y("owner:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        tooltip=["owner:N", "scaffold:N", "compounds:Q", "smiles:N"],
    )
    shade = alt.Color("compounds:Q", scale=alt.Scale(range=["#E3F1F0", PALETTE[0]]), legend=None)
    ink = alt.condition(f"datum.compounds > {most * 0.55}", alt.value("white"), alt.value(_BLACK))
    chart = alt.layer(
        base.mark_rect(stroke="white", strokeWidth=2).encode(color=shade),
        base.mark_text(fontSize=10).encode(text="compounds:Q", color=ink),
    ).properties(width=_WIDTH - 200, height=alt.Step(24))
    caption = (
        "Compounds by owner and scaffold (S1 is the largest): where several columns are filled, "
        "owners meet."
    )
    alt_text = "Number of compounds by owner and scaffold"
    return Chart.build(chart, caption, alt_text, points=len(rows))


def draw_time(data: CompoundMapData) -> Chart | None:
    """Draw what each document disclosed first, by priority date."""
    if not data.timeline:
        return None
    rows: list[Row] = [
        {
            "day": document.priority_on,
            "number": document.publication_number,
            "first": document.n_first,
            "state": document.legal,
            "owner": document.assignee,
        }
        for document in data.timeline
    ]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_circle(opacity=0.8)
        .encode(
            x=alt.X("day:T", title="priority date"),
            y=alt.Y("number:N", title=None, sort=[str(row["number"]) for row in rows]),
            size=alt.Size("first:Q", title="compounds disclosed first"),
            color=alt.Color("state:N", title=None),
            tooltip=["number:N", "owner:N", "day:T", "first:Q", "state:N"],
        )
        .properties(width=_WIDTH - 260, height=max(80, 18 * len(rows)))
    )
    caption = "Documents by priority date; the larger the dot, the more compounds it drew first."
    alt_text = "Dots of documents over priority dates."
    return Chart.build(chart, caption, alt_text, points=len(rows))
