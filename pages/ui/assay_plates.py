"""The timeline of an assay plan, and the plates of its protocols, one choice at a time."""

import pandas as pd
import streamlit as st

from core.agents.assay_development.plate_chart import draw_plate
from core.agents.assay_development.report import WEEKS
from core.agents.assay_development.schema import AssayDevelopmentData
from core.agents.assay_development.week_chart import draw_weeks
from core.records.runs import RunRecord
from pages.ui.charts import show_chart
from pages.ui.plain import plain, show_number
from pages.ui.tables import draw_table


def show_weeks(_run: RunRecord, data: AssayDevelopmentData) -> None:
    """Draw the activities by week."""
    chart = draw_weeks(data.timeline, most=None)
    if chart is not None:
        st.subheader(WEEKS, anchor=False)
        show_chart(chart, "weeks")
    with st.expander("Activities as a table", icon=":material/table:"):
        rows = [
            (step.activity, step.start_week, step.end_week, "; ".join(step.depends_on))
            for step in data.timeline
        ]
        frame = pd.DataFrame(rows, columns=["Activity", "From week", "To week", "After"])
        draw_table(frame, "Activities by week", csv="activities")


def show_plates(_run: RunRecord, data: AssayDevelopmentData) -> None:
    """Draw the plate of a chosen protocol with its materials."""
    skeletons = {skeleton.assay: skeleton for skeleton in data.protocol_skeletons}
    name = st.selectbox("Protocol", list(skeletons), key="protocol", bind="query-params")
    protocol = skeletons[name]
    reduction = f"{protocol.data_reduction.model}; weighting: {protocol.data_reduction.weighting}"
    st.markdown(plain(f"{protocol.principle}."))
    left, right = st.columns(2)
    with left:
        chart = draw_plate(protocol.layout, protocol.assay)
        if chart is not None:
            show_chart(chart, "plate")
        elif protocol.layout.order:
            st.markdown("**Order, without a plate**")
            st.markdown(
                "\n".join(f"1. {plain(step)}" for step in protocol.layout.order.split(", "))
            )
            st.caption(show_number(protocol.layout.replicates, "replicate"))
    with right:
        st.markdown("**Materials**")
        draw_table(
            pd.DataFrame(
                [(x.name, x.role, "yes" if x.critical else "") for x in protocol.materials],
                columns=["Material", "Role", "Critical"],
            ),
            f"Materials of the protocol {protocol.assay}, with their roles",
            csv="protocol_materials",
        )
        st.markdown("**System suitability**")
        limits = [f"{x.parameter}: {x.criterion}" for x in protocol.system_suitability]
        st.markdown("\n".join(f"- {plain(limit)}" for limit in limits))
    st.markdown("**Steps**")
    st.markdown("\n".join(f"1. {plain(step.action)}" for step in protocol.steps))
    st.markdown(plain(f"Data reduction: {reduction}."))
