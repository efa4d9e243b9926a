"""The result of a compound map: key figures, and one function a tab but that of the compounds."""

import streamlit as st

from core.agents.compound_map.map_records import ScaffoldRow
from core.agents.compound_map.records import SURE
from core.agents.compound_map.schema import CompoundMapData
from core.chemistry.drawing import draw_svg
from core.records.runs import RunRecord
from core.records.stages import STAGE_WORDS
from core.results import read_table
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.charts import show_plotly
from pages.ui.citing import addresses, cited
from pages.ui.map_charts import matrix, timeline
from pages.ui.map_drawn import picture_url
from pages.ui.plain import plain, show_count
from pages.ui.result_parts import show_rows
from pages.ui.tables import draw_table

_COLORS = {"crowded": "red", "occupied": "orange", "open": "green"}
MOST_CARDS = 12


def show_summary(data: CompoundMapData) -> None:
    """Draw the key figures and the sentences of the summary."""
    pieces = sum(one.role == "piece" for one in data.compounds)
    crops = data.n_compound_crops
    figures = [
        ("Documents", show_count(data.n_selected), _say_chosen(data)),
        (
            "Compounds",
            show_count(len(data.compounds) - pieces),
            f"and {show_count(pieces)} R-group pieces",
        ),
        (
            "In claims",
            show_count(sum(one.claimed and one.role != "piece" for one in data.compounds)),
            "drawn in the claims",
        ),
        ("Sure", show_count(data.n_sure), f"score {SURE} or more"),
        ("Owners", show_count(len(data.assignees)), "of the documents"),
        ("Crops", show_count(crops), f"{show_count(data.n_smiles_raw)} strings in all"),
    ]
    with st.grid(len(figures), min_column_width=130):
        for label, number, note in figures:
            with st.container(border=True):
                st.metric(label, number)
                st.caption(plain(note))
    if data.summary:
        links = addresses(data.sources)
        with st.container(border=True):
            st.markdown("\n".join(f"- {cited(text, links)}" for text in data.summary))


def _say_chosen(data: CompoundMapData) -> str:
    """Say among how many documents was chosen, and how many are the caller's."""
    own = sum(one.kind == "patent" for one in data.uploads)
    chosen = data.n_selected - own
    found = f"{show_count(chosen)} of {show_count(data.n_candidates)} found"
    if not own:
        return f"of {show_count(data.n_candidates)} found"
    return f"{found}, {show_count(own)} your own" if data.n_candidates else "your own"


def show_claims(_run: RunRecord, data: CompoundMapData) -> None:
    """Draw what the claims draw, scaffold by scaffold, owners and time."""
    found = data.freedom_to_operate
    st.warning(f"**{plain(found.notice)}** {plain(found.basis)}", icon=":material/gavel:")
    if not found.scaffolds:
        st.info("No scaffold is on the map.")
        return
    states = [one.state for one in found.scaffolds]
    counts = ", ".join(f"{states.count(word)} {word}" for word in _COLORS)
    st.markdown(f"**Largest scaffolds**: {counts}")
    for start in range(0, min(len(found.scaffolds), MOST_CARDS), 3):
        for column, one in zip(st.columns(3), found.scaffolds[start : start + 3], strict=False):
            with column:
                _show_scaffold(one)
    show_rows(
        found.scaffolds,
        "scaffolds",
        (
            "scaffold",
            "state",
            "reason",
            "n_compounds",
            "n_claimed",
            "assignees",
            "granted",
            "pending",
            "pct",
            "first_disclosed_on",
            "last_expiry_on",
        ),
        {"n_compounds": "compounds", "n_claimed": "in claims", "last_expiry_on": "est. until"},
    )
    _show_owners(data)


def _show_scaffold(one: ScaffoldRow) -> None:
    with st.container(border=True):
        st.image(picture_url(draw_svg(one.scaffold)), width=220)
        show_badge(one.state, color=_COLORS[one.state])
        until = f", est. until {one.last_expiry_on}" if one.last_expiry_on else ""
        st.caption(
            plain(
                f"{one.reason}. {len(one.granted)} granted, {len(one.pending)} pending, "
                f"{len(one.pct)} PCT{until}."
            )
        )


def _show_owners(data: CompoundMapData) -> None:
    """Draw owners by scaffold, and documents over time."""
    crossed = matrix(data)
    if crossed is not None:
        show_plotly(
            crossed[0],
            crossed[1],
            name="owners",
            caption="Compounds by owner and scaffold (S1 is the largest): where several columns "
            "are filled, owners meet.",
            describe="Number of compounds per owner and scaffold",
        )
    dated = timeline(data)
    if dated is not None:
        show_plotly(
            dated[0],
            dated[1],
            name="time",
            caption="Documents by priority date; the larger the dot, the more compounds no earlier "
            "document of the sample draws.",
            describe="Documents by priority date",
        )


def show_clinical(_run: RunRecord, data: CompoundMapData) -> None:
    """Draw the clinical compounds of the target with their nearest compounds of the map."""
    st.caption(plain(data.clinical_basis.message))
    if not data.clinical_reference:
        st.info("No clinical compound of this target is on record.")
        return
    drawn = [one for one in data.clinical_reference if one.smiles]
    for start in range(0, len(drawn), 4):
        for column, one in zip(st.columns(4), drawn[start : start + 4], strict=False):
            with column, st.container(border=True):
                st.image(picture_url(draw_svg(one.smiles)), width=220)
                near = one.nearest
                told = f"; nearest {near.id} at {near.tanimoto:.2f}" if near else ""
                found = f"is {one.match}" if one.match else "not drawn in the sample"
                stage = _say_stage(one.stage)
                st.caption(plain(f"{one.name}, {stage}: {found}{told}"))
    columns = ("name", "stage", "structure_basis", "match", "n_near", "as_of", "aliases")
    show_rows(data.clinical_reference, "clinical", columns, {"n_near": "near compounds"})


def _say_stage(stage: str) -> str:
    return next((word for key, word in STAGE_WORDS.items() if key == stage), stage)


def show_series(run: RunRecord, data: CompoundMapData) -> None:
    """Draw the largest series with what varies, and matched pairs."""
    if not data.series:
        st.info("No scaffold has three or more compounds.")
        return
    table = read_table(run, "r_groups", current())
    names = [one.id for one in data.series]
    chosen = st.segmented_control("Series", names, default=names[0], key="series")
    one = next((each for each in data.series if each.id == chosen), data.series[0])
    left, right = st.columns([1, 2])
    with left:
        st.image(picture_url(draw_svg(one.core, (320, 240))), width=320)
        st.caption(
            plain(f"{one.n_members} members, {one.n_decomposed} in the table. {one.message}")
        )
    with right:
        rows = table[table["series"] == one.id]
        wide = rows.pivot_table(
            index="compound_id", columns="position", values="group", aggfunc="first", sort=False
        )
        draw_table(
            wide.reset_index(),
            "Groups of the series by compound and position",
            csv=f"{one.id}_groups",
        )
    st.markdown("**Matched pairs**: compounds that differ in one group alone")
    pairs = read_table(run, "matched_pairs", current())
    draw_table(pairs, "Matched pairs", csv="matched-pairs", height=320)


def show_own(_run: RunRecord, data: CompoundMapData) -> None:
    """Draw the caller's own compounds and files."""
    if not data.own_compounds and not data.uploads:
        st.info("Nothing of your own was sent with this request: add patent PDFs or compounds.")
        return
    if data.own_compounds:
        fresh = sum(one.is_new for one in data.own_compounds)
        st.markdown(
            f"**{fresh} of {len(data.own_compounds)} compounds are drawn in no document of this "
            "sample.** This says nothing of documents outside the sample."
        )
        columns = ("name", "finding", "match", "match_claimed", "match_places", "smiles")
        show_rows(data.own_compounds, "own", columns)
    if data.uploads:
        st.markdown("**Your files**")
        columns = ("file", "n_pages", "n_crops", "n_read", "n_names", "message")
        names = {"n_pages": "pages", "n_crops": "drawings", "n_read": "drawings read"}
        show_rows(data.uploads, "files", columns, names | {"n_names": "names read"})


def show_documents(_run: RunRecord, data: CompoundMapData) -> None:
    """Draw the documents, their owners, and candidates left out."""
    if not data.patents:
        st.info("No document on this target is held; the warnings say what to import.")
        return
    columns = (
        "publication_number",
        "title",
        "assignee",
        "legal",
        "priority_on",
        "estimated_expiry_on",
        "n_compounds",
        "n_claimed",
        "why_selected",
        "url",
    )
    names = {"estimated_expiry_on": "est. expiry", "n_claimed": "in claims"}
    show_rows(data.patents, "documents", columns, names | {"n_compounds": "compounds"})
    st.caption(
        "Estimated expiry: earliest non-provisional filing + 20 years; adjustment, extension and "
        "lapse are not checked."
    )
    st.markdown("**Owners**")
    show_rows(data.assignees, "owners")
    st.markdown("**Candidates left out**")
    show_rows(data.patents_left_out, "left-out")


def show_method(_run: RunRecord, data: CompoundMapData) -> None:
    """Draw the funnel, generic drawings, sources asked and the seed."""
    st.markdown(
        f"Seed **{plain(data.seed)}**: the same seed and evidence give the same sample and map. "
        f"Likeness is Tanimoto's on {plain(data.similarity.fingerprint)}; "
        f"{show_count(data.n_similarity_pairs)} pairs from {data.similarity.threshold:g} on, and "
        "each compound's nearest."
    )
    st.table(
        {name.replace("_", " "): show_count(n) for name, n in data.funnel.model_dump().items()},
        border="horizontal",
        width="content",
        alt="What became of the strings",
    )
    st.markdown("**Searched for**: " + plain(", ".join(data.aliases) or data.target))
    st.markdown("**Sources of documents**")
    show_rows(data.source_report, "answers")
    number = show_count(len(data.generic))
    st.markdown(f"**Generic drawings and reactions**, kept apart: {number}")
    show_rows(data.generic[:500], "generic", ("smiles", "kind", "publication_number", "section"))
