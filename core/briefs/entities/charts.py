"""The charts of a page: Altair specifications that the page and the PDF draw alike."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import altair as alt

from core.briefs.developments.records import Development
from core.briefs.developments.wording import title_of
from core.briefs.entities.profiles import DrugProfile
from core.evidence.proof.claims import shorten, unmark
from core.records.programs import ProgramTrial
from core.records.stages import STAGE_WORDS, STAGES, Stage, phase_words
from core.reports.document import Chart
from core.vocabulary.event_types import EventType
from core.vocabulary.stages import PHASE_BANDS, phase_of

MOST_TRIALS = 24
MOST_INDICATIONS = 16
MOST_CHIPS = 8
"""Drugs of one cell of a pipeline that are drawn; the rest are counted."""
LONGEST = 26
LANES = 7
LABEL_DAYS = 17
"""Days that the label of a strip takes up."""
WIDTH = 620
REGIONS = ("FDA", "EMA", "PMDA", "NMPA")
NO_REGION = "Trials"
_STRIP_KINDS = ("phase 3 completion", "FDA target date")
_SHADES = ("#0B6E6E", "#3A9191", "#7FBDBD", "#B9DCDC", "#DDEDED")
_BANDS = PHASE_BANDS[::-1]
"""Phases from early to late."""
_PHASES: Mapping[str, str] = {
    "phase 1": _SHADES[3],
    "phase 1/2": _SHADES[2],
    "phase 2": _SHADES[2],
    "phase 2/3": _SHADES[1],
    "phase 3": _SHADES[1],
    "phase 4": _SHADES[0],
    "not reported": "#9AA8B1",
}


def draw_trials(trials: Sequence[ProgramTrial], as_of: str) -> Chart | None:
    """Draw trials from their start to their primary completion, the newest first.

    Args:
        trials: The trials; those without a start or a completion are left out.
        as_of: Day of the line that marks today.

    Returns:
        The chart; None where no trial has both days.
    """
    rows = [
        {
            "trial": trial.number,
            "start": _full(trial.start_on),
            "end": _full(trial.primary_completion_on),
            "phase": phase_words(trial.phase) or "not reported",
            "status": trial.state,
            "title": unmark(trial.title),
        }
        for trial in trials
        if trial.start_on and trial.primary_completion_on >= trial.start_on
    ][:MOST_TRIALS]
    if not rows:
        return None
    phases = [phase for phase in _PHASES if any(row["phase"] == phase for row in rows)]
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(height=9, cornerRadius=2)
        .encode(
            x=alt.X("start:T", title=None, axis=alt.Axis(format="%b %Y", tickCount=8)),
            x2="end:T",
            y=alt.Y("trial:N", sort=[row["trial"] for row in rows], title=None),
            color=alt.Color(
                "phase:N",
                title=None,
                scale=alt.Scale(domain=phases, range=[_PHASES[phase] for phase in phases]),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=["trial:N", "title:N", "phase:N", "status:N", "start:T", "end:T"],
        )
    )
    chart = alt.layer(bars, _today(as_of)).properties(width=WIDTH, height=alt.Step(18))
    caption = "Trials from start to primary completion; the line marks today"
    return Chart.build(chart, caption, "Trials by start and primary completion", len(rows))


def draw_matrix(drug: DrugProfile) -> Chart | None:
    """Draw the stage of a drug by indication and region, furthest indications first.

    A stage of no region, as trials show it, stands in a column of its own.
    """
    cells: dict[tuple[str, str], Stage] = {}
    order: list[str] = []
    for program in drug.programs[: MOST_INDICATIONS * 2]:
        name = unmark(program.indication) or "not reported"
        if name not in order:
            order.append(name)
        for statement in program.stages:
            if not statement.is_over:
                _put(cells, name, statement.region or NO_REGION, statement.stage)
        if not program.stages:
            _put(cells, name, NO_REGION, program.shown_stage)
    order = order[:MOST_INDICATIONS]
    rows = [
        {
            "indication": name,
            "region": region,
            "stage": STAGE_WORDS[stage],
            "rank": len(STAGES) - STAGES.index(stage),
        }
        for (name, region), stage in cells.items()
        if name in order and stage not in {"UNKNOWN", "DISCONTINUED"}
    ]
    if not rows:
        return None
    others = sorted({str(row["region"]) for row in rows} - {*REGIONS, NO_REGION})
    columns = [*REGIONS, *others, NO_REGION]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "region:N", sort=columns, scale=alt.Scale(domain=columns), title=None, axis=_top_axis()
        ),
        y=alt.Y("indication:N", sort=order, title=None, axis=alt.Axis(labelLimit=220)),
        tooltip=["indication:N", "region:N", "stage:N"],
    )
    shade = alt.Color("rank:Q", scale=alt.Scale(range=_SHADES[::-1], domain=[2, 11]), legend=None)
    ink = alt.condition("datum.rank >= 9", alt.value("white"), alt.value("#17222B"))
    chart = alt.layer(
        base.mark_rect(stroke="white").encode(color=shade),
        base.mark_text(fontSize=10).encode(text="stage:N", color=ink),
    ).properties(width=alt.Step(84), height=24 * len(order) + 36)
    caption = "Highest stage by indication and region"
    return Chart.build(chart, caption, "Stage of the drug by indication and region", len(rows))


def draw_pipeline(drugs: Iterable[DrugProfile], areas: Mapping[str, str]) -> Chart | None:
    """Draw a pipeline: therapeutic areas by phase, a chip for each drug, in-licensed outlined."""
    cells: dict[tuple[str, str], list[DrugProfile]] = defaultdict(list)
    for drug in drugs:
        band = phase_of(drug.stage)
        if drug.is_active and band in _BANDS:
            cells[areas.get(drug.asset.key, "Other"), band].append(drug)
    if not cells:
        return None
    sizes: dict[str, int] = defaultdict(int)
    for (area, _), members in cells.items():
        sizes[area] += len(members)
    order = sorted(sizes, key=lambda area: (area == "Other", -sizes[area], area))
    rows: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    line = 0
    for area in order:
        by_band = {band: cells.get((area, band), []) for band in _BANDS}
        height = min(MOST_CHIPS + 1, max(map(len, by_band.values())))
        labels.append({"area": area, "y": line + height / 2, "top": line - 0.25})
        for band, band_drugs in by_band.items():
            rows += _chips(band_drugs, band, line)
        line += height + 1
    band_axis = alt.X(
        "band:N",
        sort=list(_BANDS),
        scale=alt.Scale(domain=list(_BANDS)),
        title=None,
        axis=_top_axis(),
    )
    y = alt.Y("y:Q", scale=alt.Scale(domain=[line - 0.5, -0.5]), axis=None)
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=band_axis, y=y, tooltip=_CHIP_TIP)
    chips = base.mark_rect(width=104, height=15, cornerRadius=4).encode(
        color=alt.condition("datum.licensed", alt.value("white"), alt.value("#CFE6E6")),
        stroke=alt.condition("datum.licensed", alt.value("#C2571A"), alt.value("#CFE6E6")),
    )
    names = base.mark_text(fontSize=9, color="#17222B").encode(text="name:N")
    sides = (
        alt.Chart(alt.InlineData(values=labels))
        .mark_text(align="right", fontSize=10, dx=-8)
        .encode(x=alt.value(0), y=y, text="area:N")
    )
    rules = (
        alt.Chart(alt.InlineData(values=labels[1:]))
        .mark_rule(color="#E1E7EA")
        .encode(y=alt.Y("top:Q", scale=alt.Scale(domain=[line - 0.5, -0.5]), axis=None))
    )
    chart = alt.layer(rules, chips, names, sides).properties(
        width=alt.Step(112), height=max(60, 19 * line), padding={"left": 150}
    )
    caption = "Active drugs by therapeutic area and phase; in-licensed or acquired drugs outlined"
    return Chart.build(chart, caption, "Pipeline by therapeutic area and phase", len(rows))


_CHIP_TIP = ["full:N", "indication:N", "owner:N", "band:N"]


def _chips(drugs: Sequence[DrugProfile], band: str, line: int) -> list[dict[str, Any]]:
    """Return the chips of one cell, from the line down."""
    shown = drugs[: MOST_CHIPS if len(drugs) > MOST_CHIPS + 1 else MOST_CHIPS + 1]
    rows: list[dict[str, Any]] = [
        {
            "band": band,
            "y": line + index + 0.5,
            "name": shorten(drug.name, 18),
            "full": drug.name,
            "indication": unmark(drug.programs[0].indication) if drug.programs else "",
            "owner": ", ".join(drug.owners),
            "licensed": drug.provenance.origin in {"licensed-in", "acquired"},
        }
        for index, drug in enumerate(shown)
    ]
    if len(drugs) > len(shown):
        more = len(drugs) - len(shown)
        rows.append(
            {"band": band, "y": line + len(shown) + 0.5, "name": f"{more} more", "full": "",
             "indication": "", "owner": "", "licensed": False}
        )  # fmt: skip
    return rows


def draw_exclusivity(drugs: Iterable[DrugProfile], as_of: str) -> Chart | None:
    """Draw how many products lose exclusivity in each year to come."""
    rows: dict[str, list[str]] = defaultdict(list)
    for drug in drugs:
        if drug.protection and drug.protection.last_on >= as_of:
            rows[drug.protection.last_on[:4]].append(drug.name)
    values = [
        {"year": year, "products": len(names), "names": ", ".join(sorted(names))}
        for year, names in sorted(rows.items())
    ]
    if not values:
        return None
    chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar(color="#0B6E6E")
        .encode(
            x=alt.X("year:O", title="Latest listed loss of exclusivity"),
            y=alt.Y("products:Q", title="Products", axis=alt.Axis(tickMinStep=1)),
            tooltip=["year:O", "names:N"],
        )
        .properties(width=alt.Step(26), height=200)
    )
    caption = "Products by year of their latest listed loss of exclusivity"
    return Chart.build(chart, caption, "Loss of exclusivity by year", len(values))


def draw_catalysts(drugs: Iterable[DrugProfile], as_of: str, months: int = 24) -> Chart | None:
    """Draw the dated catalysts of drugs in the months to come, a line for each drug."""
    year, month = int(as_of[:4]), int(as_of[5:7]) + months
    last = f"{year + (month - 1) // 12}-{(month - 1) % 12 + 1:02d}"
    rows = [
        {
            "drug": shorten(drug.name, LONGEST),
            "date": _full(event.date),
            "kind": event.category,
            "event": unmark(event.event),
        }
        for drug in drugs
        for event in drug.catalysts
        if event.date != "TBD" and not event.is_past_due and as_of[:7] <= event.date <= last
    ]
    rows.sort(key=lambda row: row["date"])
    names = list(dict.fromkeys(row["drug"] for row in rows))[:MOST_TRIALS]
    rows = [row for row in rows if row["drug"] in names]
    if not rows:
        return None
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=80)
        .encode(
            x=alt.X("date:T", title=None, axis=alt.Axis(format="%b %Y", tickCount=8)),
            y=alt.Y("drug:N", sort=names, title=None, axis=alt.Axis(grid=True)),
            color=alt.Color("kind:N", title=None, legend=alt.Legend(orient="top")),
            shape=alt.Shape("kind:N", title=None),
            tooltip=["drug:N", "event:N", alt.Tooltip("date:T", format="%b %Y")],
        )
        .properties(width=WIDTH, height=alt.Step(20))
    )
    caption = f"Dated catalysts of the next {months} months"
    return Chart.build(chart, caption, "Catalysts by drug and month", len(rows))


def draw_strip(events: Sequence[Development], as_of: str) -> Chart | None:
    """Draw what lies ahead as a strip of days, each with the drug's name, in lanes.

    Where a week has more than there are lanes, decisions are drawn before readouts.
    """
    lanes: list[list[date]] = [[] for _ in range(LANES)]
    rows: list[dict[str, Any]] = []
    for event in sorted(
        events, key=lambda development: development.type != EventType.DECISION_EXPECTED
    ):
        day = date.fromisoformat(_full(event.day))
        free = (
            index
            for index, taken in enumerate(lanes)
            if all(abs((day - other).days) >= LABEL_DAYS for other in taken)
        )
        lane = next(free, None)
        if lane is None or event.drug is None:
            continue
        lanes[lane].append(day)
        name = shorten(unmark(event.drug.name), 20)
        kind = _STRIP_KINDS[event.type == EventType.DECISION_EXPECTED]
        rows.append(
            {
                "day": day.isoformat(),
                "lane": lane,
                "drug": name,
                "event": title_of(event),
                "kind": kind,
            }
        )
    if not rows:
        return None
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("day:T", title=None, axis=alt.Axis(format="%d %b", tickCount=10)),
        y=alt.Y("lane:O", axis=None),
        tooltip=[alt.Tooltip("event:N", title="Event"), alt.Tooltip("day:T", format="%d %b %Y")],
    )
    color = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=[*_STRIP_KINDS], range=["#0B6E6E", "#C2571A"]),
        legend=alt.Legend(orient="top"),
    )
    dots = base.mark_circle(size=60).encode(color=color)
    names = base.mark_text(align="left", dx=7, fontSize=11).encode(text="drug:N")
    chart = alt.layer(dots, names, _today(as_of)).properties(
        width="container", height=22 * LANES + 60
    )
    caption = "FDA target action dates and planned completions of phase 3 trials, next 90 days"
    return Chart.build(chart, caption, "Decisions and phase 3 readouts ahead by day", len(rows))


def _today(as_of: str) -> Any:
    """Return the line that marks today."""
    return (
        alt.Chart(alt.InlineData(values=[{"day": as_of}]))
        .mark_rule(strokeDash=[4, 3], color="#888888")
        .encode(x="day:T")
    )


def _top_axis() -> alt.Axis:
    return alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False, labelLimit=110)


def _put(cells: dict[tuple[str, str], Stage], name: str, region: str, stage: Stage) -> None:
    """Keep the higher stage of a cell."""
    cell = cells.get((name, region))
    if cell is None or STAGES.index(stage) < STAGES.index(cell):
        cells[name, region] = stage


def _full(day: str) -> str:
    """Return a day; of a month or year its middle."""
    return {4: f"{day}-07-01", 7: f"{day}-15"}.get(len(day), day)
