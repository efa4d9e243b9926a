"""The report of a run: summary, drugs, next events, programs, exclusivity, sources."""

from collections import Counter
from collections.abc import Sequence

from core.agents.company_asset_searcher.records import DrugRecord
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.evidence.assets.stages.approvals import UNTOLD
from core.evidence.assets.stages.unconfirmed import NOTE, mark
from core.records.stages import STAGE_WORDS
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

MOST_PROGRAMS = 120
MOST_INDICATIONS = 2


def compose(data: CompanyAssetSearcherData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run.

    Args:
        data: The run's result.
        tables: The run's tables.
        about: What the document says of the run.
    """
    blocks: list[Block] = [
        KeyFigures(_key_figures(data)),
        Heading("Summary"),
        Bullets(tuple(claim.text.replace("**", "*") for claim in data.claims) or (data.summary,)),
        Heading("Drugs by stage"),
        *_list_drugs(data.drugs),
        *_list_events(data.drugs),
        *_list_programs(data.drugs),
        *_list_exclusivity(data.drugs),
        Heading("How the answer came about"),
        *_list_method(data),
        *tell_facts(tables),
        list_sources(data.sources),
    ]
    return Document(
        title=f"Company assets: {data.company}",
        subtitle=f"{_number(data)} drugs, {len(data.sources)} sources",
        about=about,
        blocks=tuple(blocks),
        warnings=tuple(data.warnings),
    )


def _key_figures(data: CompanyAssetSearcherData) -> tuple[tuple[str, str], ...]:
    """Return the figures shown large."""
    phases = Counter(one.phase for one in data.drugs)
    return (
        ("Drugs", _number(data)),
        ("Approved", f"{phases['Approved']:,}"),
        ("Phase 3 or filed", f"{phases['Phase 3'] + phases['Filed']:,}"),
        ("Events dated", f"{sum(one.next_catalyst.date != 'TBD' for one in _ahead(data.drugs)):,}"),
        ("Ticker", data.ticker or "–"),
    )


def _number(data: CompanyAssetSearcherData) -> str:
    """Return how many drugs are listed, of how many that are on record."""
    listed, held = len(data.drugs), data.drugdb.count
    return f"{listed:,}" if listed == held else f"{listed:,} of {held:,}"


def _ahead(drugs: Sequence[DrugRecord]) -> list[DrugRecord]:
    found = [one for one in drugs if one.next_catalyst.weight_score > 0]
    return sorted(found, key=lambda one: (-one.next_catalyst.weight_score, one.name.casefold()))


def _list_drugs(drugs: Sequence[DrugRecord]) -> list[Block]:
    """List the drugs."""
    if not drugs:
        return [Paragraph("No drug of this company is on record.")]
    rows = tuple(
        (
            one.name,
            mark(one.phase, "stage", one.unconfirmed),
            _first_indications(one),
            mark(one.target or "", "target", one.unconfirmed) or None,
            mark(one.modality or "", "modality", one.unconfirmed) or None,
            one.origin,
            mark(one.partner or "", "company", one.unconfirmed) or None,
            marks(one.source_ids),
        )
        for one in drugs
    )
    columns = ("Drug", "Phase", "Indications", "Target", "Kind", "Origin", "Others", "Sources")
    grid = Grid(columns, rows, "Drugs by stage")
    return [grid, *explain_mark((one.unconfirmed for one in drugs), NOTE)]


def _first_indications(drug: DrugRecord) -> str | None:
    """Return the furthest indications, as many as a narrow column bears."""
    stated = list(dict.fromkeys(part.indication for part in drug.programs))
    names = [name for name in stated if name not in UNTOLD] or stated
    more = f" and {len(names) - MOST_INDICATIONS} more" if len(names) > MOST_INDICATIONS else ""
    return ("; ".join(names[:MOST_INDICATIONS]) + more) or None


def _list_events(drugs: Sequence[DrugRecord]) -> list[Block]:
    """List the next events, the weightiest first."""
    rows = tuple(
        (
            one.next_catalyst.date,
            one.next_catalyst.date_confidence,
            one.name,
            one.next_catalyst.event,
            one.next_catalyst.weight_score,
            one.next_catalyst.rationale,
            marks(one.next_catalyst.source_ids),
        )
        for one in _ahead(drugs)
    )
    if not rows:
        return []
    columns = ("When", "How sure", "Drug", "Event", "Weight", "Why", "Sources")
    return [Heading("Next events"), Grid(columns, rows, "Next events by weight")]


def _list_programs(drugs: Sequence[DrugRecord]) -> list[Block]:
    """List the programs by indication and region."""
    rows = tuple(
        (
            one.name,
            part.indication,
            part.region or None,
            "Discontinued" if part.is_discontinued else STAGE_WORDS[part.phase],
            ", ".join(part.trial_ids[:3]) or None,
            part.as_of or None,
            part.reason or None,
            marks(part.source_ids),
        )
        for one in drugs
        for part in one.programs
    )
    if not rows:
        return []
    columns = ("Drug", "Indication", "Region", "Stage", "Trials", "As of", "Stopped", "Sources")
    shown = rows[:MOST_PROGRAMS]
    grid = Grid(columns, shown, "Programs by indication and region", total=len(rows))
    return [Heading("Programs"), grid]


def _list_exclusivity(drugs: Sequence[DrugRecord]) -> list[Block]:
    """List until when approved products are protected."""
    rows = tuple(
        (
            one.name,
            one.exclusivity.last_patent_on,
            one.exclusivity.last_exclusivity_on,
            one.exclusivity.biologic_until,
            one.exclusivity.note,
            marks(one.exclusivity.source_ids),
        )
        for one in drugs
        if one.exclusivity and one.exclusivity.source_ids
    )
    if not rows:
        return []
    columns = ("Product", "Last patent", "Last exclusivity", "Biologic until", "Note", "Sources")
    return [Heading("Loss of exclusivity"), Grid(columns, rows, "As the registers held list it")]


def _list_method(data: CompanyAssetSearcherData) -> list[Block]:
    """List names searched and candidates left out."""
    trail = tuple(
        (one.name, one.relation, one.since or None, one.basis) for one in data.alias_trail
    )
    left = [(one.name, one.reason) for one in data.excluded]
    blocks: list[Block] = [
        Paragraph(f"{data.drugdb.message} {data.web_search.message}"),
        Paragraph(f"Names searched: {', '.join(data.drugdb.company_aliases_checked)}."),
    ]
    if trail:
        blocks.append(Grid(("Name", "Relation", "Since", "Basis"), trail, "Names of the company"))
    return [*blocks, *list_left_out(left)]
