"""The scope of a landscape on the answer itself: what sister targets or a wider disease add."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.agents.competitive_landscaping import AGENT
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.briefs.entities.tables import DRUGS
from core.errors import WorkbenchError
from core.records.runs import RunRecord
from core.vocabulary.sister_targets import load_sisters
from pages.ui.asked_chips import rewrite
from pages.ui.downloads import run_stem
from pages.ui.entities.frame import cite_from, show_table
from pages.ui.entities.reading import open_field, show_failure
from pages.ui.plain import plain, show_number
from pages.ui.session import signed_in_caller
from pages.ui.starting import begin, stored_request, uncached
from pages.ui.tables import draw_table

OUTSIDE = "no program in "
"""How the reason of a drug begins that acts as asked, but in other diseases."""


_LINKS = frozenset({"in", "for", "of"})
"""Words that join a disease to a question and go with it."""


def show_scope(run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw the switches to sister targets and to a wider disease, each with what it adds."""
    row = st.container(horizontal=True, gap="medium")
    _show_sisters(data, row)
    _show_diseases(run, data, row)


def _show_sisters(data: CompetitiveLandscapingData, row: DeltaGenerator) -> None:
    """Draw the drugs on targets that compete with the one asked about, as the store has them."""
    parsed = data.parsed_query
    if len(parsed.targets) != 1 or len(parsed.indications) > 1:
        return
    parts = {symbol for target in parsed.targets for symbol in target.split(" x ")}
    if not any(load_sisters().get(symbol) for symbol in parts):
        return
    is_near = row.toggle(
        "Sister targets",
        key="sister-targets",
        bind="query-params",
        help="Drugs on targets that compete with this one, such as PD-L1 for PD-1.",
    )
    if not is_near:
        return
    target, disease = parsed.targets[0], next(iter(parsed.indications), "")
    try:
        *_, view = open_field(target, disease)
    except WorkbenchError as failure:
        show_failure(failure)
        return
    names = {drug.drug_name.casefold() for drug in data.drugs}
    drugs = (
        [profile for profile in view.within("near") if profile.name.casefold() not in names]
        if view
        else []
    )
    with st.container(border=True):
        if view is None or not drugs:
            st.markdown("No further drug on a sister target found in the evidence.")
            return
        cite = cite_from(view.records)
        show_table(DRUGS, drugs, cite, "sister-targets", "Drugs on sister targets")
        st.page_link(
            "field.py",
            label="Open as a field",
            icon=":material/grid_on:",
            query_params={"target": target, "disease": disease, "scope": "near"},
        )


def _show_diseases(run: RunRecord, data: CompetitiveLandscapingData, row: DeltaGenerator) -> None:
    """Draw the switch to a wider disease: the drugs it adds, and the run that profiles them."""
    outside = [excluded for excluded in data.excluded if excluded.reason.startswith(OUTSIDE)]
    disease = outside[0].reason.removeprefix(OUTSIDE) if outside else ""
    if not outside:
        return
    is_wide = row.toggle(
        f"Any disease: {show_number(len(outside), 'more drug')}",
        key="any-disease",
        bind="query-params",
        help=f"Drugs that fit the question but have no program in {plain(disease)}.",
    )
    if not is_wide:
        return
    with st.container(border=True):
        st.markdown(
            plain(
                f"{show_number(len(outside), 'drug')} without a program in {disease}. Stage, "
                "trials and results of these drugs take a new run."
            )
        )
        frame = pd.DataFrame(
            [(excluded.drug_name, excluded.reason) for excluded in outside], columns=["Drug", "Why"]
        )
        draw_table(frame, "Drugs outside the disease", csv=f"{run_stem(run)}_other_diseases")
        _offer_run(run, data)


def _offer_run(run: RunRecord, data: CompetitiveLandscapingData) -> None:
    """Draw the button that asks again without the disease, where the question names more."""
    words = data.parsed_query.words
    dropped = [
        word
        for word, after in zip(words, [*words[1:], None], strict=True)
        if word.became == "disease"
        or (word.said in _LINKS and after is not None and after.became == "disease")
    ]
    query = rewrite(words, dropped, ()).strip()
    if run.owner_id != signed_in_caller().user_id or not query:
        return
    label = f"Run for any disease: “{query}”"
    if st.button(plain(label), icon=":material/open_in_full:", key="wider"):
        request = uncached(stored_request(AGENT, run))
        update = {"query": query, "indication": None}
        begin(AGENT, signed_in_caller(), request.model_copy(update=update))
