"""The report of a run: what was found, documents, compounds, map, claims, sources."""

from collections.abc import Sequence

from core.agents.compound_map.charts import draw_compounds, draw_plane, draw_time
from core.agents.compound_map.map_records import ScaffoldRow
from core.agents.compound_map.records import ROLES, Compound
from core.agents.compound_map.schema import CompoundMapData
from core.agents.compound_map.wording import count_of
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
from core.reports.evidence_parts import list_sources, marks

MOST_COMPOUNDS = 60
MOST_SCAFFOLDS = 20
LONGEST_SMILES = 90
_Cell = str | float | int | None


def compose(data: CompoundMapData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run.

    Args:
        data: The run's result; its tables may be empty.
        tables: The run's tables.
        about: What the document says of the run.
    """
    blocks: list[Block] = [
        KeyFigures(_key_figures(data)),
        *_tell_summary(data),
        *_list_compounds(data),
        *_list_map(data),
        *_list_freedom(data),
        *_list_clinical(data),
        *_list_own(data),
        *_list_documents(data),
        Heading("How the answer came about"),
        *_list_method(data),
        list_sources(data.sources),
    ]
    return Document(
        title=f"Compound map: {data.target}",
        subtitle=f"{count_of(len(data.compounds), 'molecule')} of "
        f"{count_of(data.n_selected, 'document')}",
        about=about,
        blocks=tuple(blocks),
        warnings=tuple(data.warnings),
    )


def _tell_summary(data: CompoundMapData) -> list[Block]:
    return [Heading("Summary"), Bullets(tuple(data.summary))] if data.summary else []


def _key_figures(data: CompoundMapData) -> tuple[tuple[str, str], ...]:
    """Return the figures shown large."""
    whole = [one for one in data.compounds if one.role != "piece"]
    found = data.freedom_to_operate
    return (
        ("Documents", f"{data.n_selected:,}"),
        ("Owners", f"{len(data.assignees):,}"),
        ("Compounds", f"{len(whole):,}"),
        ("R-group pieces", f"{len(data.compounds) - len(whole):,}"),
        ("In claims", f"{sum(one.claimed for one in whole):,}"),
        ("Sure structures", f"{data.n_sure:,}"),
        ("Crops read", f"{data.n_compound_crops:,}"),
        ("Crowded, open scaffolds", f"{len(found.crowded):,}, {len(found.open):,}"),
    )


def _list_compounds(data: CompoundMapData) -> list[Block]:
    """List the first compounds by rank, drawn and in words."""
    if not data.compounds:
        return [Paragraph("No compound was found.")]
    rows = tuple(_compound_row(one) for one in data.compounds[:MOST_COMPOUNDS])
    columns = ("Id", "Role", "Score", "Documents", "Owners", "Disclosed", "MW", "cLogP", "Near")
    figures = draw_compounds(data.compounds)
    return [
        Heading("Compounds by rank"),
        *([figures] if figures else []),
        Grid((*columns, "Sources"), rows, "Compounds by rank", total=len(data.compounds)),
        Paragraph(
            "SMILES, InChIKey and every place stand in the sheet “compounds” of the spreadsheet "
            "and in the files SDF and SMILES of this run."
        ),
    ]


def _compound_row(one: Compound) -> tuple[_Cell, ...]:
    near = one.nearest_clinical
    documents = list(dict.fromkeys(place.publication_number for place in one.patents))
    return (
        one.id,
        one.role.replace("_", " "),
        one.confidence_score,
        _shorten(documents),
        _shorten(one.assignees),
        one.first_disclosed_on or None,
        round(one.properties.molecular_weight, 1),
        round(one.properties.clogp, 1),
        f"{near.id} {near.tanimoto:.2f}" if near else None,
        marks(one.source_ids),
    )


def _shorten(texts: Sequence[str], most: int = 2) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


def _list_map(data: CompoundMapData) -> list[Block]:
    """Draw the plane and the time line, list series."""
    charts = [chart for chart in (draw_plane(data), draw_time(data)) if chart is not None]
    if not charts:
        return []
    series = tuple(
        (one.id, one.n_members, _cut_smiles(one.core), ", ".join(one.positions) or "none")
        for one in data.series
    )
    columns = ("Series", "Members", "Core", "Positions that vary")
    grid = [Grid(columns, series, "Largest series")] if series else []
    return [Heading("Map"), *charts, *grid]


def _cut_smiles(text: str) -> str:
    return text if len(text) <= LONGEST_SMILES else f"{text[:LONGEST_SMILES]}…"


def _list_freedom(data: CompoundMapData) -> list[Block]:
    """List what is drawn in the claims, scaffold by scaffold."""
    found = data.freedom_to_operate
    if not found.scaffolds:
        return []
    rows = tuple(_scaffold_row(one) for one in found.scaffolds[:MOST_SCAFFOLDS])
    columns = ("Scaffold", "State", "Why", "Granted", "Pending", "PCT", "Until", "Sources")
    return [
        Heading("Drawn in the claims"),
        Paragraph(f"**{found.notice}** {found.basis}"),
        Grid(columns, rows, "Largest scaffolds", total=len(found.scaffolds)),
    ]


def _scaffold_row(one: ScaffoldRow) -> tuple[_Cell, ...]:
    return (
        _cut_smiles(one.scaffold),
        one.state,
        one.reason,
        len(one.granted),
        len(one.pending),
        len(one.pct),
        one.last_expiry_on or None,
        marks(one.source_ids),
    )


def _list_clinical(data: CompoundMapData) -> list[Block]:
    """List the clinical compounds of the target."""
    if not data.clinical_reference:
        return []
    basis = Paragraph(data.clinical_basis.message)
    rows = tuple(
        (
            one.name,
            _say_stage(one.stage),
            one.structure_basis,
            one.match or None,
            f"{one.nearest.id} {one.nearest.tanimoto:.2f}" if one.nearest else None,
            one.n_near,
            marks(one.source_ids),
        )
        for one in data.clinical_reference
    )
    columns = ("Drug", "Stage", "Structure", "Is", "Nearest", "Near", "Sources")
    return [Heading("Clinical compounds"), basis, Grid(columns, rows, "Known clinical compounds")]


def _say_stage(stage: str) -> str:
    words: dict[str, str] = {str(key): word for key, word in STAGE_WORDS.items()}
    return words.get(stage, stage)


def _list_own(data: CompoundMapData) -> list[Block]:
    """List the caller's own compounds."""
    if not data.own_compounds:
        return []
    rows = tuple(
        (
            one.name,
            one.finding,
            f"{one.nearest.id} {one.nearest.tanimoto:.2f}" if one.nearest else None,
            "yes" if one.is_new else "no",
        )
        for one in data.own_compounds[:MOST_COMPOUNDS]
    )
    columns = ("Compound", "Finding", "Nearest", "New to the sample")
    total = len(data.own_compounds)
    return [Heading("Your own compounds"), Grid(columns, rows, "Your compounds", total=total)]


def _list_documents(data: CompoundMapData) -> list[Block]:
    """List the documents and their owners."""
    if not data.patents:
        return []
    rows = tuple(
        (
            one.publication_number,
            one.title,
            one.assignee or None,
            one.legal,
            one.priority_on or None,
            one.estimated_expiry_on or None,
            one.n_compounds,
            one.n_claimed,
            one.why_selected,
            marks(one.source_ids),
        )
        for one in data.patents
    )
    columns = ("Document", "Title", "Owner", "State", "Priority", "Expiry est.", "Compounds")
    grid = Grid((*columns, "Claimed", "Why chosen", "Sources"), rows, "Documents of the sample")
    owners = tuple(
        (one.assignee, one.patent_count, one.candidate_count, one.compound_count)
        for one in data.assignees
    )
    named = ("Owner", "Documents", "Candidates", "Compounds")
    table = [Grid(named, owners, "Owners of the sample")] if owners else []
    return [Heading("Documents"), grid, *table]


def _list_method(data: CompoundMapData) -> list[Block]:
    """Tell the funnel, roles, files and sources asked."""
    funnel = tuple((name.replace("_", " "), n) for name, n in data.funnel.model_dump().items())
    roles = tuple(
        (role.replace("_", " "), sum(one.role == role for one in data.compounds)) for role in ROLES
    )
    asked = tuple(
        (one.source, one.status.replace("_", " "), one.asked_at or None, one.count, one.message)
        for one in data.source_report
    )
    files = tuple(
        (one.file, one.n_pages, one.n_crops, one.n_read, one.n_names, one.message or None)
        for one in data.uploads
    )
    blocks: list[Block] = [
        Paragraph(
            f"Seed “{data.seed}”: the same seed and evidence give the same sample and map. "
            f"Likeness is Tanimoto's on {data.similarity.fingerprint}; pairs are listed from "
            f"{data.similarity.threshold:g} on."
        ),
        Grid(("What became of the strings", "Number"), funnel, "From strings to compounds"),
        Grid(("Role", "Compounds"), roles, "Roles by heading, claims and structure (expert rules)"),
    ]
    if asked:
        columns = ("Source", "Status", "Asked", "Documents", "Message")
        blocks.append(Grid(columns, asked, "Sources of documents"))
    if files:
        blocks.append(
            Grid(("File", "Pages", "Drawings", "Read", "Names", "Left"), files, "Your files")
        )
    return blocks
