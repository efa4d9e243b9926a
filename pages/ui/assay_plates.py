"""The plates of a plan's protocols, one choice at a time."""

import streamlit as st

from core.agents.assay_development.schema import AssayDevelopmentData
from core.records.runs import RunRecord
from pages.ui.plain import plain


def show_plates(_run: RunRecord, data: AssayDevelopmentData) -> None:
    """Draw the plate of a chosen protocol with its materials."""
    skeletons = {one.assay: one for one in data.protocol_skeletons}
    name = st.selectbox("Protocol", list(skeletons), key="protocol", bind="query-params")
    one = skeletons[name]
    left, right = st.columns(2)
    with left:
        st.caption(f"{one.layout.wells} wells, {one.layout.replicates} replicates")
        *rows, legend = one.layout.text.splitlines()
        st.code("\n".join(rows) or legend, language=None)
        st.caption(plain(legend) if rows else "")
    with right:
        st.dataframe(
            [
                {"Material": x.name, "Role": x.role, "Critical": "yes" if x.critical else ""}
                for x in one.materials
            ],
            hide_index=True,
        )
