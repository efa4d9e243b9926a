"""Drawn structures on a page: pictures without markup of anybody, and the proof of one compound."""

import base64

import pandas as pd
import streamlit as st

from core.agents.compound_map.records import Compound
from core.agents.compound_map.schema import CompoundMapData
from core.chemistry.drawing import draw_svg
from core.records.runs import RunRecord
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.citing import addresses
from pages.ui.plain import plain
from pages.ui.tables import draw_table

_CONFIDENCE = {"high": "green", "medium": "gray", "low": "red"}
_ROLES = {
    "claimed_example": "green",
    "example": "blue",
    "intermediate": "gray",
    "comparator": "orange",
    "reagent": "gray",
    "piece": "gray",
}


def picture_url(svg: str) -> str:
    """Return a drawing as a picture that a page shows without reading its markup."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def show_card(compound: Compound, pattern: str = "") -> None:
    """Draw a compound of the grid."""
    with st.container(border=True):
        picture = picture_url(draw_svg(compound.smiles, pattern=pattern))
        st.image(picture, width="stretch", alt=f"Structure of {compound.id}")
        with st.container(horizontal=True, gap="xsmall"):
            show_badge(compound.id, color="gray")
            show_badge(compound.role.replace("_", " "), color=_ROLES[compound.role])
            show_badge(str(compound.confidence_score), color=_CONFIDENCE[compound.confidence])
        owners = (
            compound.assignees[0] if compound.assignees else compound.patents[0].publication_number
        )
        st.caption(plain(owners))


def show_compound(run: RunRecord, data: CompoundMapData, compound: Compound) -> None:
    """Draw all that is known of a compound, with its proof."""
    left, right = st.columns([1, 2])
    with left:
        picture = picture_url(draw_svg(compound.smiles, (320, 240)))
        st.image(picture, width=320, alt=f"Structure of {compound.id}")
        if repair := compound.repair:
            picture = picture_url(draw_svg(repair.smiles, (320, 240)))
            st.image(picture, width=320, alt=f"Structure of {repair.name}")
            st.caption(plain(f"May be {repair.name}: {repair.reason}"))
    with right:
        nearest_clinical = compound.nearest_clinical
        properties = compound.properties
        st.table(
            {
                "Compound": plain(
                    f"{compound.id}, {compound.role.replace('_', ' ')} ({compound.role_reason})"
                ),
                "Structure": f"score {compound.confidence_score}, from "
                f"{compound.extraction_method}",
                "SMILES": plain(compound.smiles),
                "InChIKey": plain(compound.inchikey),
                "Owners": plain(", ".join(compound.assignees) or "not reported"),
                "First disclosed": plain(
                    f"{compound.first_disclosed_on} {compound.first_disclosed_in}".strip()
                    or "not reported"
                ),
                "Witnesses": plain(", ".join(compound.witnesses) or "none given"),
                "Doubts": plain("; ".join(compound.doubts) or "none"),
                "Nearest clinical": plain(
                    f"{nearest_clinical.id} at {nearest_clinical.tanimoto:.2f}"
                )
                if nearest_clinical
                else "none",
                "Same skeleton": plain(", ".join(compound.same_skeleton[:12]) or "none"),
                "Properties": plain(
                    f"MW {properties.molecular_weight}, cLogP {properties.clogp}, "
                    f"TPSA {properties.tpsa} Å², "
                    f"{properties.hbd} hydrogen-bond donors, {properties.hba} acceptors, "
                    f"{properties.rotors} rotatable bonds"
                ),
            },
            border="horizontal",
            alt="What is known of the compound",
        )
    _show_proof(run, compound)
    _show_places(data, compound)


def _show_places(data: CompoundMapData, compound: Compound) -> None:
    """Draw where the compound stands, each document with its address."""
    links = addresses(data.sources)
    by_number = {
        each.publication_number: links.get(each.source_ids[0], "") for each in data.patents
    }
    st.markdown("**Places**")
    rows = [
        {
            "document": patent.publication_number,
            "location": patent.location,
            "block": patent.image_or_block,
            "method": patent.method,
            "address": by_number.get(patent.publication_number, ""),
        }
        for patent in compound.patents
    ]
    draw_table(
        pd.DataFrame(rows),
        "Places at which the compound is drawn",
        csv=f"{compound.id}_places",
        columns={"address": st.column_config.LinkColumn("address", display_text="open")},
    )


def _show_proof(run: RunRecord, compound: Compound) -> None:
    """Draw crop, redraw and overlay; for attachments the block is the proof."""
    proof = compound.proof
    if proof is None:
        blocks = ", ".join(
            dict.fromkeys(p.image_or_block for p in compound.patents if p.image_or_block)
        )
        st.caption(plain(f"Proof: delivered as chemistry in {blocks[:300]}"))
        return
    artifact = next((each for each in run.artifacts if each.name == proof.file), None)
    if artifact is not None:
        with current().stores.blobs.open(artifact.sha256) as body:
            words = "Crop, drawn anew, and laid over the ink of the crop"
            st.image(body.read(), caption=words, alt=words)
    doubts = "; ".join(proof.doubts) if proof.doubts else "nothing in the ink speaks against it"
    checked = doubts if proof.is_checked else "the structure could not be laid over the picture"
    st.caption(plain(f"{proof.agreement:.0%} of the settings agree; {checked}"))
