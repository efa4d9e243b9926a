"""The report of a run: what was found, documents, compounds, map, claims, sources."""

from core.agents.compound_map.charts import draw_compounds, draw_plane, draw_time
from core.agents.compound_map.columns import (
    ANSWERS,
    CLINICAL,
    COMPOUNDS,
    DOCUMENTS,
    FILES,
    GENERICS,
    LEFT_OUT,
    MENTIONED,
    OWN,
    OWNERS,
    PRINTED,
    PRINTED_DOCUMENTS,
    PRINTED_REASONS,
    REPAIRS,
    SCAFFOLDS,
    cut_smiles,
)
from core.agents.compound_map.records import ROLES, SURE
from core.agents.compound_map.schema import CompoundMapData
from core.briefs.columns import list_all, list_grid
from core.briefs.report import (
    METHOD,
    as_text,
    further_figures,
    list_doubts,
    make_document,
    make_front,
)
from core.reports.document import (
    About,
    Block,
    Bullets,
    Document,
    Grid,
    Heading,
    Paragraph,
    TableReader,
)
from core.reports.evidence_parts import under

MOST_COMPOUNDS = 60
MOST_SCAFFOLDS = 20
CLAIMS, KNOWN, YOURS, SAMPLE = (
    "Drawn in the claims",
    "Clinical compounds",
    "Your own compounds",
    "Documents",
)
ESTIMATE = (
    "Estimated expiry: earliest non-provisional filing + 20 years; adjustment, extension and lapse "
    "are not checked."
)


def compose(data: CompoundMapData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    complete = [compound for compound in data.compounds if compound.role != "piece"]
    claimed = sum(compound.claimed for compound in complete)
    freedom_to_operate = data.freedom_to_operate
    scaffolds = f"{len(freedom_to_operate.crowded):,}, {len(freedom_to_operate.not_drawn):,}"
    figures = (
        ("Compounds", f"{len(complete):,}", "molecules"),
        ("In claims", f"{claimed:,}", "drawn in the claims"),
        ("Confirmed structures", f"{data.n_sure:,}", f"second witness, score {SURE} or more"),
        ("Documents", f"{data.n_selected:,}", _say_chosen(data)),
        ("Owners", f"{len(data.assignees):,}", "of the documents"),
        ("R-group pieces", f"{len(data.compounds) - len(complete):,}", "with an open end"),
        ("Crops read", f"{data.n_compound_crops:,}", f"{data.n_smiles_raw:,} strings in all"),
        ("Crowded, not drawn scaffolds", scaffolds, "in this sample's claims"),
    )
    nothing = "No document on this target was found; the warnings say what to import."
    grid = list_all(CLINICAL, data.clinical_reference, "Known clinical compounds")
    time = draw_time(data)
    series = tuple(
        (
            series.id,
            series.n_members,
            cut_smiles(series.core),
            ", ".join(series.positions) or "none",
        )
        for series in data.series
    )
    columns = ("Series", "Members", "Core", "Positions that vary")
    map_grid = [Grid(columns, series, "Largest series")] if series else []
    documents = list_grid(DOCUMENTS, PRINTED_DOCUMENTS, data.patents, "Documents of the sample")
    reasons = list_grid(DOCUMENTS, PRINTED_REASONS, data.patents, "Why each document was chosen")
    document_blocks: list[Block] = [*documents, Paragraph(ESTIMATE)] if documents else []
    owners = list_all(OWNERS, data.assignees, "Owners of the sample")
    left = list_all(LEFT_OUT, data.patents_left_out, "Excluded candidates", most=MOST_COMPOUNDS)
    mentioned = list_all(MENTIONED, data.mentioned_in, "Documents that only mention the target")
    blocks: list[Block] = [
        Heading("Summary"),
        Bullets(tuple(data.summary) or (nothing,)),
        *_list_compounds(data),
        *under("Map", [*([time] if time else []), *map_grid]),
        *_list_freedom(data),
        *(under(KNOWN, [Paragraph(data.clinical_basis.message), *grid]) if grid else []),
        *_list_own(data),
        *under(SAMPLE, [*document_blocks, *reasons, *owners, *mentioned, *left]),
        Heading(METHOD),
        *_list_method(data),
        *further_figures(figures),
    ]
    plane = draw_plane(data) if data.compounds else None
    summary = data.summary or (nothing,)
    front = make_front(summary, figures, plane, list_doubts((), data.warnings, 0, 0))
    return make_document(data, tables, about, front=front, blocks=blocks)


def _say_chosen(data: CompoundMapData) -> str:
    """Say among how many documents was chosen, and how many are the caller's."""
    n_own = sum(upload.kind == "patent" for upload in data.uploads)
    if not n_own:
        return f"of {data.n_candidates:,} found"
    chosen = f"{data.n_selected - n_own:,} of {data.n_candidates:,} found"
    return f"{chosen}, {n_own:,} your own" if data.n_candidates else "your own"


def _list_compounds(data: CompoundMapData) -> list[Block]:
    """List the first compounds by rank, drawn and in words."""
    if not data.compounds:
        return [Heading("Compounds by rank"), Paragraph("No compound was found.")]
    return [
        Heading("Compounds by rank"),
        *draw_compounds(data.compounds),
        *list_grid(COMPOUNDS, PRINTED, data.compounds, "Compounds by rank", MOST_COMPOUNDS),
        Paragraph(
            "SMILES, InChIKey and every location are in the sheet “compounds” of the spreadsheet "
            "and in the files SDF and SMILES of this run."
        ),
        *list_all(
            REPAIRS,
            [compound for compound in data.compounds if compound.repair],
            "Drawings of known drugs that lost heteroatoms",
            most=MOST_SCAFFOLDS,
        ),
    ]


def _list_freedom(data: CompoundMapData) -> list[Block]:
    """List what is drawn in the claims, scaffold by scaffold."""
    freedom_to_operate = data.freedom_to_operate
    grid = list_all(
        SCAFFOLDS, freedom_to_operate.scaffolds, "Largest scaffolds", most=MOST_SCAFFOLDS
    )
    notice: Block = Paragraph(f"**{freedom_to_operate.notice}** {freedom_to_operate.basis}")
    return under(CLAIMS, [notice, *grid]) if grid else []


def _list_own(data: CompoundMapData) -> list[Block]:
    """List the caller's own compounds and files."""
    own_compounds, fresh = (
        data.own_compounds,
        sum(compound.is_new is not False for compound in data.own_compounds),
    )
    block: Block = Paragraph(
        f"**No match in this sample for {fresh} of {len(own_compounds)} compounds.** Documents "
        "outside the sample were not searched."
    )
    compounds = list_all(OWN, own_compounds, "Your compounds", most=MOST_COMPOUNDS)
    return under(
        YOURS,
        [
            *([block] if own_compounds else []),
            *compounds,
            *list_all(FILES, data.uploads, "Your files"),
        ],
    )


def _list_method(data: CompoundMapData) -> list[Block]:
    """Tell the funnel, roles and sources asked."""
    funnel = tuple((name.replace("_", " "), n) for name, n in data.funnel.model_dump().items())
    roles = tuple(
        (role.replace("_", " "), sum(compound.role == role for compound in data.compounds))
        for role in ROLES
    )
    generics = f"Generic drawings and reactions, listed separately: {len(data.generic):,}"
    return [
        Paragraph(
            f"Seed “{as_text(data.seed)}”: the same seed and evidence give the same sample and "
            f"map. Likeness is Tanimoto's on {data.similarity.fingerprint}; "
            f"{data.n_similarity_pairs:,} pairs from {data.similarity.threshold:g} on, and each "
            "compound's nearest."
        ),
        Paragraph(f"Searched for: {as_text(', '.join(data.aliases) or data.target)}."),
        Grid(("What became of the strings", "Number"), funnel, "From strings to compounds"),
        Grid(("Role", "Compounds"), roles, "Roles by heading, claims and structure (expert rules)"),
        *list_all(ANSWERS, data.source_report, "Sources of documents"),
        *list_all(GENERICS, data.generic, generics, most=MOST_SCAFFOLDS),
    ]
