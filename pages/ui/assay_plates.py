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
            (one.activity, one.start_week, one.end_week, "; ".join(one.depends_on))
            for one in data.timeline
        ]
        frame = pd.DataFrame(rows, columns=["Activity", "From week", "To week", "After"])
        draw_table(frame, "Activities by week", csv="activities")


def show_plates(_run: RunRecord, data: AssayDevelopmentData) -> None:
    """Draw the plate of a chosen protocol with its materials."""
    skeletons = {skeleton.assay: skeleton for skeleton in data.protocol_skeletons}
    name = st.selectbox("Protocol", list(skeletons), key="protocol", bind="query-params")
    one = skeletons[name]
    reduction = f"{one.data_reduction.model}; weighting: {one.data_reduction.weighting}"
    st.markdown(plain(f"{one.principle}."))
    left, right = st.columns(2)
    with left:
        chart = draw_plate(one.layout, one.assay)
        if chart is not None:
            show_chart(chart, "plate")
        elif one.layout.order:
            st.markdown("**Order, without a plate**")
            st.markdown("\n".join(f"1. {plain(step)}" for step in one.layout.order.split(", ")))
            st.caption(show_number(one.layout.replicates, "replicate"))
    with right:
        st.markdown("**Materials**")
        draw_table(
            pd.DataFrame(
                [(x.name, x.role, "yes" if x.critical else "") for x in one.materials],
                columns=["Material", "Role", "Critical"],
            ),
            f"Materials of the protocol {one.assay}, with their roles",
            csv="protocol_materials",
        )
        st.markdown("**System suitability**")
        limits = [f"{x.parameter}: {x.criterion}" for x in one.system_suitability]
        st.markdown("\n".join(f"- {plain(limit)}" for limit in limits))
    st.markdown("**Steps**")
    st.markdown("\n".join(f"1. {plain(step.action)}" for step in one.steps))
    st.markdown(plain(f"Data reduction: {reduction}."))
