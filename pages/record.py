"""Record page: what the evidence store holds of one source record, word for word."""

import pandas as pd
import streamlit as st

from core.evidence.proof.fact_tables import fact_qualifiers, fact_value
from core.records.evidence_pack import FactQuery
from core.workbench import current
from pages.ui.citing import web_link
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller
from pages.ui.tables import draw_table

MOST_FACTS = 200

signed_in_caller()
evidence = current().stores.evidence
record_id = st.query_params.get("id", "").strip()
record = evidence.record(record_id) if record_id else None
if record is None:
    st.title("Record not found", anchor=False)
    st.info("The evidence holds no record with this id. It may have been replaced by an import.")
    st.stop()
st.title(plain(record.title or record.source_id), anchor=False)
is_curated = record.source == "pack" and not record.url
st.caption(
    "Curator-entered: a row of the starter pack that names no source."
    if is_curated
    else " · ".join(
        [plain(record.source), plain(record.source_id)]
        + ([web_link("source", record.url)] if record.url else [])
    )
)
dates = {"Published": record.published_on, "As of": record.told_on, "License": record.licence}
st.markdown("  \n".join(f"{label}: {plain(text)}" for label, text in dates.items() if text))
facts = evidence.facts(FactQuery(record_ids=[record.id]))
if facts:
    st.subheader("Facts", anchor=False)
    rows = [
        {
            "Subject": stored.fact.subject,
            "Statement": stored.fact.predicate.replace("_", " "),
            "Value": fact_value(stored.fact),
            "Where": fact_qualifiers(stored.fact.qualifiers),
            "As of": stored.fact.as_of,
            "Location": stored.fact.locator,
        }
        for stored in facts[:MOST_FACTS]
    ]
    draw_table(pd.DataFrame(rows), "Facts of the record", csv="facts")
    if len(facts) > MOST_FACTS:
        st.caption(f"The first {MOST_FACTS} of {len(facts):,} facts.")
for span in record.spans:
    st.subheader(plain(span.section.replace("_", " ").capitalize()), anchor=False)
    st.markdown(plain(span.text))
