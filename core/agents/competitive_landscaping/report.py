"""The report of a run: memo, drugs, figures, density, events, patients, facts, sources."""

from collections.abc import Sequence

from core.agents.competitive_landscaping.charts import draw_density
from core.agents.competitive_landscaping.completeness import in_words
from core.agents.competitive_landscaping.figures import ACROSS_TRIALS
from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.evidence.assets.stages.unconfirmed import NOTE, mark
from core.records.stages import STAGE_WORDS, phase_words
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
from core.reports.evidence_parts import (
    explain_mark,
    list_left_out,
    list_sources,
    marks,
    tell_facts,
)

MOST_ROWS = 60
MOST_FIGURE_ROWS = 30
_Cell = str | float | int | None


def compose(data: CompetitiveLandscapingData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run.

    Args:
        data: The run's result; its table of facts may be empty.
        tables: The run's tables.
        about: What the document says of the run.
    """
    chart = draw_density(data)
    blocks: list[Block] = [
        KeyFigures(_key_figures(data)),
        *_list_memo(data),
        Heading("Drugs by rank"),
        *_list_drugs(data),
        *_list_figures(data.drugs),
        Heading("Where it is crowded, where it is open"),
        *([chart] if chart else []),
        *_list_room(data),
        *_list_events(data),
        *_list_patients(data),
        Heading("How the answer came about"),
        *_list_method(data),
        *tell_facts(tables),
        list_sources(data.sources),
    ]
    return Document(
        title=f"Competitive landscaping: {_as_text(data.query)}",
        subtitle=f"{len(data.drugs)} drugs, {len(data.sources)} sources",
        about=about,
        blocks=tuple(blocks),
        warnings=tuple(data.warnings),
    )


def _as_text(text: str) -> str:
    """Return a caller's text in which nothing is bold or a citation."""
    return " ".join(text.split()).replace("**", "*\u200b*").replace("[", "(").replace("]", ")")


def _key_figures(data: CompetitiveLandscapingData) -> tuple[tuple[str, str], ...]:
    """Return the figures shown large."""
    late = sum(one.stage in {"APPROVED", "FILED", "PHASE3", "PHASE2_3"} for one in data.drugs)
    hhi = data.concentration.hhi
    return (
        ("Drugs", f"{len(data.drugs):,}"),
        ("Phase 3 or later", f"{late:,}"),
        ("With active trials", f"{sum(one.n_active_trials > 0 for one in data.drugs):,}"),
        ("Readouts in a year", f"{len(data.events):,}"),
        ("Companies", f"{data.concentration.n_companies:,}"),
        ("Concentration", "–" if hhi is None else f"{hhi:.2f}"),
    )


def _list_memo(data: CompetitiveLandscapingData) -> list[Block]:
    """List the memo's sections."""
    blocks: list[Block] = [Heading("Memo")]
    for section in data.memo:
        texts = tuple(claim.text.replace("**", "*") for claim in section.claims)
        blocks += [Heading(section.title, 2), Bullets(texts)]
    return blocks


def _list_drugs(data: CompetitiveLandscapingData) -> list[Block]:
    """List the drugs."""
    if not data.drugs:
        return [Paragraph("No drug within this is on record.")]
    rows = tuple(
        (
            one.rank_score,
            one.drug_name,
            mark(one.company, "company", one.unconfirmed),
            mark(STAGE_WORDS[one.stage], "stage", one.unconfirmed),
            mark(one.target, "target", one.unconfirmed),
            mark(one.modality, "modality", one.unconfirmed),
            one.indication,
            marks(one.source_ids),
        )
        for one in data.drugs[:MOST_ROWS]
    )
    columns = ("Rank", "Drug", "Company", "Stage", "Target", "Kind", "Indications", "Sources")
    grid = Grid(columns, rows, "Drugs by rank", total=len(data.drugs))
    return [grid, *explain_mark((one.unconfirmed for one in data.drugs), NOTE)]


def _list_figures(drugs: Sequence[DrugRow]) -> list[Block]:
    """List the drugs that have a figure."""
    rows = tuple(
        (one.drug_name, one.efficacy or None, one.toxicity or None)
        for one in drugs
        if one.efficacy or one.toxicity
    )
    if not rows:
        return [Paragraph("The records held give no figure of efficacy or toxicity for these.")]
    caption = f"Figures as reported, {ACROSS_TRIALS}"
    shown = rows[:MOST_FIGURE_ROWS]
    return [Grid(("Drug", "Efficacy", "Toxicity"), shown, caption, total=len(rows))]


def _list_room(data: CompetitiveLandscapingData) -> list[Block]:
    """List companies and open indications."""
    sponsors = tuple(
        (one.company, one.n, marks(one.source_ids)) for one in data.concentration.top_sponsors
    )
    spaces = tuple((one.indication, one.reason, marks(one.source_ids)) for one in data.white_space)
    blocks: list[Block] = []
    if sponsors:
        total = data.concentration.n_companies
        blocks.append(Grid(("Company", "Drugs", "Sources"), sponsors, "Companies", total=total))
    if spaces:
        columns = ("Indication", "Why it counts as open", "Sources")
        blocks.append(Grid(columns, spaces, "Open indications"))
    return blocks or [Paragraph("Too little is on record to tell.")]


def _list_events(data: CompetitiveLandscapingData) -> list[Block]:
    """List the readouts ahead."""
    if not data.events:
        return []
    rows = tuple(
        (
            one.expected_on,
            one.drug_name,
            one.company,
            one.trial_id,
            phase_words(one.phase) or None,
            one.indication,
            marks(one.source_ids),
        )
        for one in data.events
    )
    columns = ("Primary completion", "Drug", "Company", "Trial", "Phase", "Indication", "Sources")
    caption = "Primary completions of active trials in the next twelve months"
    return [Heading("The next twelve months"), Grid(columns, rows, caption)]


def _list_patients(data: CompetitiveLandscapingData) -> list[Block]:
    """List biomarkers, endpoints and subsets."""
    found = data.indication_specific_results
    marked: list[tuple[str, tuple[tuple[_Cell, ...], ...]]] = [
        (
            "Endpoints",
            tuple(
                (f"{one.endpoint} ({one.role})", one.n_trials, marks(one.source_ids))
                for one in found.clinical_endpoints
            ),
        ),
        (
            "Biomarkers that choose patients",
            tuple((one.name, one.n_trials, marks(one.source_ids)) for one in found.biomarkers),
        ),
        (
            "Patients",
            tuple(
                (one.subset, one.n_trials, marks(one.source_ids)) for one in found.patient_subsets
            ),
        ),
    ]
    grids = [Grid(("What", "Trials", "Sources"), rows, name) for name, rows in marked if rows]
    return [Heading("What trials measure, and in whom"), *grids] if grids else []


def _list_method(data: CompetitiveLandscapingData) -> list[Block]:
    """List criterion, parsed query, sources asked and candidates left out."""
    parsed = data.parsed_query.model_dump()
    read = tuple(
        (name.replace("_", " "), ", ".join(value) if isinstance(value, list) else value)
        for name, value in parsed.items()
        if value
    )
    groups = tuple(
        (one.source, one.status.replace("_", " "), one.as_of or None, one.n_hits)
        for one in data.source_report
    )
    left = [(one.drug_name, one.reason) for one in data.excluded]
    return [
        Paragraph(_as_text(data.relevance_criterion)),
        Paragraph(f"Completeness: {in_words(data.completeness)}"),
        Grid(("Part", "Understood as"), read, "How the query was understood"),
        Grid(("Source", "Status", "As of", "Records read"), groups, "Sources"),
        *list_left_out(left),
    ]
