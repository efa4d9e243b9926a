"""The report of a run: memo, drugs, figures, density, events, patients, facts, sources."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.agents.competitive_landscaping.columns import (
    BIOMARKERS,
    DRUG_VIEW,
    DRUGS,
    ENDPOINTS,
    FIGURE_VIEW,
    GROUPS,
    LEFT_OUT,
    PUBLICATIONS,
    READOUTS,
    SPACES,
    SPONSORS,
    STANDINGS,
    SUBSETS,
)
from core.agents.competitive_landscaping.completeness import in_words
from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.agents.competitive_landscaping.standing import EARLY_ASSET, NO_DRUG, count_listed
from core.briefs.columns import list_all, list_grid
from core.briefs.figures import ACROSS_TRIALS
from core.briefs.records import list_happened, points_of
from core.briefs.report import (
    METHOD,
    Placed,
    as_text,
    draw_pipeline,
    draw_timeline,
    further_figures,
    lead_sentences,
    list_doubts,
    list_lines,
    make_document,
    make_front,
    tell_memo,
)
from core.briefs.web import list_web
from core.records.stages import Stage
from core.reports.document import (
    About,
    Block,
    Chart,
    Document,
    Grid,
    Heading,
    Paragraph,
    TableReader,
)
from core.reports.evidence_parts import list_left_out, under
from core.vocabulary.stages import PHASE_BANDS, band_of

MOST_INDICATIONS = 14
LONGEST_LABEL = 260
"""Pixels of the name of an indication."""


def _density_rows(data: CompetitiveLandscapingData) -> list[dict[str, object]]:
    """Return drugs per indication and phase band over all targets, the fullest indications.

    A drug that acts on two targets counts once.
    """
    drugs: dict[tuple[str, str], set[str]] = {}
    for cell in data.density:
        drugs.setdefault((cell.indication, cell.phase_band), set()).update(cell.drugs)
    totals: dict[str, int] = {}
    for (indication, _), names in drugs.items():
        totals[indication] = totals.get(indication, 0) + len(names)
    largest = sorted(totals, key=lambda total: (-totals[total], total))[:MOST_INDICATIONS]
    return [
        {
            "indication": indication,
            "phase": band,
            "drugs": len(drugs[(indication, band)]),
            "names": ", ".join(sorted(drugs[(indication, band)])[:12]),
        }
        for indication in largest
        for band in PHASE_BANDS
        if (indication, band) in drugs
    ]


def draw_density(data: CompetitiveLandscapingData) -> Chart | None:
    """Return the map of drugs by indication and phase; None where there is nothing to draw."""
    rows = _density_rows(data)
    if not rows:
        return None
    order = list(dict.fromkeys(str(row["indication"]) for row in rows))
    color = {
        "field": "drugs",
        "type": "quantitative",
        "title": "Drugs",
        "scale": {"scheme": "teals", "domainMin": 0},
    }
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "width": 380,
        "height": {"step": 20},
        "encoding": _place(order),
        "layer": [
            {"mark": "rect", "encoding": {"color": color, "tooltip": {"field": "names"}}},
            {
                "mark": {"type": "text", "fontSize": 9},
                "encoding": {
                    "text": {"field": "drugs", "type": "quantitative"},
                    "color": {
                        "condition": {
                            "test": f"datum.drugs > {_dark(rows)}",
                            "value": "white",
                        },
                        "value": "black",
                    },
                },
            },
        ],
    }
    caption = "Drugs by indication and phase; a drug counts once at each of its programs"
    described = "Map of the number of drugs per indication and phase"
    return Chart(spec, caption, described, points=len(rows))


def _place(order: list[str]) -> dict[str, object]:
    """Return the axes: phases from early to late, indications in their order."""
    return {
        "x": {
            "field": "phase",
            "type": "ordinal",
            "sort": list(PHASE_BANDS[::-1]),
            "axis": {"title": None, "labelAngle": 0},
        },
        "y": {
            "field": "indication",
            "type": "nominal",
            "sort": order,
            "axis": {"title": None, "labelLimit": LONGEST_LABEL},
        },
    }


def _dark(rows: list[dict[str, object]]) -> float:
    """Return the count from which on a field is too dark for black letters."""
    return max(int(str(row["drugs"])) for row in rows) * 0.55


MOST_ROWS = 60
PRINTED = (*DRUG_VIEW, "sources")
MOST_FIGURE_ROWS = 30
LATE: frozenset[Stage] = frozenset({"APPROVED", "FILED", "PHASE3", "PHASE2_3"})
ROOM = "Competitive density and white space"
AHEAD = "The next twelve months"
_AHEAD = "Primary completions of active trials in the next twelve months"
PUBLISHED = "Papers and meeting abstracts"
_PUBLISHED = "Found by title and abstract, results not read; coverage of meetings is partial"
PATIENTS = "What trials measure, and in whom"


def compose(data: CompetitiveLandscapingData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    concentration = data.concentration
    drugs = [row for row in data.drugs if row.standing != EARLY_ASSET]
    n_early = len(data.drugs) - len(drugs)
    top = concentration.top_sponsors[:1]
    leader = f"{top[0].company} holds {top[0].n}" if top else "no company known"
    spread = "–" if concentration.hhi is None else f"{concentration.hhi:.2f}"
    counted = [
        ("Drugs", f"{len(drugs):,}", f"{sum(count.n for count in data.left_out):,} excluded"),
        *([("Early assets", f"{n_early:,}", "from titles and abstracts")] if n_early else []),
    ]
    figures = (
        *(counted if drugs else counted[::-1]),
        ("Phase 3 or later", f"{sum(drug.stage in LATE for drug in drugs):,}", "in scope"),
        ("Readouts in a year", f"{len(data.events):,}", "primary completions"),
        ("Companies", f"{concentration.n_companies:,}", leader),
        (
            "With active trials",
            f"{sum(drug.n_active_trials > 0 for drug in drugs):,}",
            "own trials",
        ),
        ("Concentration", spread, "sum of squared shares: 0 spread, 1 one holder"),
        ("Sources", f"{len(data.sources):,}", "cited"),
    )
    measured = [drug for drug in drugs if drug.efficacy or drug.toxicity]
    caption = f"Figures as reported, {ACROSS_TRIALS}"
    nothing = Paragraph("No efficacy or safety data found for these drugs.")
    none: list[Block] = [nothing] if drugs else []
    caption_of_lines = "Drugs and early assets by rank" if n_early else "Drugs by rank"
    blocks: list[Block] = [
        *list_lines(DRUGS, PRINTED, data.drugs, caption_of_lines, NO_DRUG, MOST_ROWS),
        *tell_memo(data.memo),
        *([*list_grid(DRUGS, FIGURE_VIEW, measured, caption, MOST_FIGURE_ROWS)] or none),
        *_list_room(data),
        *under(AHEAD, list_all(READOUTS, data.events, _AHEAD)),
        *list_happened(data.recent),
        *under(PUBLISHED, list_all(PUBLICATIONS, data.publications, _PUBLISHED)),
        *under(PATIENTS, _list_patients(data)),
        *list_web(data.web_findings),
        Heading(METHOD),
        *_list_method(data),
        *further_figures(figures),
    ]
    front = make_front(
        lead_sentences(data.memo, data.narrative),
        figures,
        draw_drugs(data.drugs),
        _list_doubts(data),
    )
    document = make_document(data, tables, about, front=front, blocks=blocks)
    if not n_early:
        return document
    counts = f"{count_listed(len(drugs), n_early)}, {len(data.sources)} sources"
    return replace(document, subtitle=f"{about.agent_title}: {counts}")


def draw_times(data: CompetitiveLandscapingData) -> Chart | None:
    """Return the picture of what happened, what lies ahead and until when drugs are protected."""
    ahead = [
        {
            "drug": event.drug_name,
            "day": event.expected_on,
            "kind": "ahead",
            "what": f"primary completion of {event.trial_id} in {event.indication}",
        }
        for event in data.events
    ]
    terms = {drug.drug_name: drug.protected_until for drug in data.drugs}
    return draw_timeline([*points_of(data.recent), *ahead], terms, data.as_of)


def draw_drugs(drugs: Sequence[DrugRow]) -> Chart | None:
    """Return the picture of drugs by phase and by target, kind or company, without early assets."""
    return draw_pipeline(
        {
            noun: [
                Placed(group, band_of(drug.stage) or "", drug.drug_name, drug.company)
                for drug in drugs
                if drug.standing != EARLY_ASSET
                for group in tell(drug).split("; ")
            ]
            for noun, tell in _GROUPS.items()
        }
    )


_GROUPS: Mapping[str, Callable[[DrugRow], str]] = {
    "target": lambda row: row.target,
    "kind": lambda row: row.modality,
    "company": lambda row: row.company,
}


def _list_doubts(data: CompetitiveLandscapingData) -> Iterator[str]:
    missing = sum(source.status == "not_configured" for source in data.source_report)
    unconfirmed = [row.unconfirmed for row in data.drugs if row.standing != EARLY_ASSET]
    return list_doubts(unconfirmed, data.warnings, missing, len(data.excluded))


def _list_room(data: CompetitiveLandscapingData) -> list[Block]:
    """Draw the map of indications and phases, list companies and open indications."""
    chart, concentration = draw_density(data), data.concentration
    blocks: list[Block] = [
        *([chart] if chart else []),
        *list_all(SPONSORS, concentration.top_sponsors, "Companies", concentration.n_companies),
        *list_all(SPACES, data.white_space, "Open indications"),
    ]
    return [Heading(ROOM), *(blocks or [Paragraph("Too few programs found.")])]


def _list_patients(data: CompetitiveLandscapingData) -> list[Block]:
    """List endpoints, biomarkers and subsets."""
    specific = data.indication_specific_results
    return [
        *(Paragraph(text.partition(": ")[2]) for text in specific.warnings),
        *list_all(ENDPOINTS, specific.clinical_endpoints, "Endpoints"),
        *list_all(BIOMARKERS, specific.biomarkers, "Biomarkers that choose patients"),
        *list_all(SUBSETS, specific.patient_subsets, "Patients"),
    ]


def _list_method(data: CompetitiveLandscapingData) -> list[Block]:
    """List criterion, parsed query, sources asked and candidates left out."""
    read = tuple(
        (name.replace("_", " "), ", ".join(value) if isinstance(value, list) else value)
        for name, value in data.parsed_query.model_dump(exclude={"changes", "words"}).items()
        if value
    )
    early = [count for count in data.standings if count.standing == EARLY_ASSET and count.n]
    standings = [count for count in data.standings if count.standing != EARLY_ASSET] + early
    by_standing = "Drugs by standing, and early assets" if early else "Drugs by standing"
    return [
        Paragraph(as_text(data.relevance_criterion)),
        Paragraph(f"Completeness: {in_words(data.completeness)}"),
        Grid(("Part", "Understood as"), read, "How the query was understood"),
        *list_all(GROUPS, data.source_report, "Sources"),
        *list_all(STANDINGS, standings, by_standing),
        *list_all(LEFT_OUT, data.left_out, "Excluded candidates, by reason"),
        *list_left_out([(excluded.drug_name, excluded.reason) for excluded in data.excluded]),
    ]
