"""The plates of a plan's protocols, one choice at a time."""

import pandas as pd
import streamlit as st

from core.agents.assay_development.schema import AssayDevelopmentData
from core.records.runs import RunRecord
from pages.ui.plain import plain
from pages.ui.tables import draw_table


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
        draw_table(
            pd.DataFrame(
                [(x.name, x.role, "yes" if x.critical else "") for x in one.materials],
                columns=["Material", "Role", "Critical"],
            ),
            f"Materials of the protocol {one.assay}, with their roles",
            csv="protocol_materials",
        )
