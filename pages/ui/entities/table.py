"""The table of drugs on company and field pages: facets with counts, rows that open pages."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from core.briefs.entities.profiles import DrugProfile
from core.briefs.entities.tables import DRUGS, SOURCE, stage_words
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.records.stages import STAGE_WORDS
from pages.ui.badges import show_badge
from pages.ui.downloads import offer_csv
from pages.ui.drug_rows import pick_row
from pages.ui.entities.frame import frame_of
from pages.ui.plain import file_stem, plain
from pages.ui.projects.offering import offer_project, table_block
from pages.ui.saved_lists import choose_lists, offer_lists

Facet = Callable[[DrugProfile], Iterable[str]]
FACETS: dict[str, Facet] = {
    "Stage": lambda drug: [stage_words(drug)],
    "Owner": lambda drug: map(unmark, drug.owners),
    "Target": lambda drug: map(unmark, drug.targets),
    "Modality": lambda drug: [drug.modality or "not reported"],
    "Indication": lambda drug: dict.fromkeys(unmark(x.indication) for x in drug.programs),
}
_STAGE_ORDER = list(STAGE_WORDS.values())


def show_drug_table(
    drugs: Sequence[DrugProfile], cite: Cite, name: str, *, hides_inactive: bool = False
) -> list[DrugProfile]:
    """Draw drugs with filters; a picked row opens the drug's page.

    Args:
        drugs: All drugs of the page.
        cite: Knows the addresses of sources.
        name: File name of the CSV.
        hides_inactive: Whether to offer a switch that hides what is over.

    Returns:
        The drugs that pass the filters.
    """
    passing = _filter(drugs, hides_inactive=hides_inactive)
    if not passing:
        st.info("No drug passes these filters. Clear one of them to see rows again.")
        return []
    frame = frame_of(DRUGS, passing, cite)
    settings = {SOURCE: st.column_config.LinkColumn(SOURCE, display_text="open")}
    row = pick_row(frame, settings, "drugs", "Drugs with stage, owner, target and next catalyst")
    if row is not None:
        st.switch_page("asset.py", query_params={"id": passing[row].asset.key})
    st.caption(plain(f"{len(passing):,} of {len(drugs):,} drugs. Pick a row to open its page."))
    with st.container(horizontal=True):
        offer_csv(frame, file_stem(name), key="csv:drugs", total=len(drugs))
        offer_lists({"drug": [drug.name for drug in passing]}, "rows")
        offer_project(lambda: table_block(frame, name, "Drugs"), "rows", "the rows shown")
    return passing


def _filter(drugs: Sequence[DrugProfile], *, hides_inactive: bool) -> list[DrugProfile]:
    """Draw the facets with the number of drugs of each value, and return what passes all.

    Values of one facet widen, facets narrow each other.
    """
    passing = list(drugs)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.popover("Filters", icon=":material/filter_list:"):
            chosen = {facet: _choose(facet, drugs) for facet in FACETS}
            in_list = choose_lists()
        n_inactive = sum(not drug.is_active for drug in drugs)
        is_offered = hides_inactive and n_inactive
        label = f"Hide {n_inactive:,} inactive"
        if is_offered and st.toggle(label, key="hide", bind="query-params"):
            passing = [drug for drug in passing if drug.is_active]
        for facet, values in chosen.items():
            for value in values:
                show_badge(f"{facet}: {value}", "blue")
    for facet, values in chosen.items():
        if values:
            passing = [drug for drug in passing if values & set(FACETS[facet](drug))]
    return [drug for drug in passing if in_list({"drug": [drug.name], "company": drug.owners})]


def _choose(facet: str, drugs: Sequence[DrugProfile]) -> set[str]:
    """Draw one facet, whose choice stands in the address, and return what is chosen."""
    counts = Counter(value for drug in drugs for value in FACETS[facet](drug) if value)
    if len(counts) < 2:
        return set()
    key = f"facet-{facet.lower()}"
    if key not in st.session_state:
        st.session_state[key] = [value for value in st.query_params.get_all(key) if value in counts]
    chosen = st.multiselect(
        facet,
        _ordered(facet, counts),
        key=key,
        format_func=lambda value: f"{value} ({counts[value]:,})",
    )
    if st.query_params.get_all(key) != chosen:
        st.query_params[key] = chosen
    return set(chosen)


def _ordered(facet: str, counts: Counter[str]) -> list[str]:
    """Return the values of a facet: stages from the furthest, others by number of drugs."""
    if facet == "Stage":
        order = {word: index for index, word in enumerate(_STAGE_ORDER)}
        return sorted(counts, key=lambda count: order.get(count, len(order)))
    return [value for value, _ in counts.most_common()]
