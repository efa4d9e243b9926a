"""The design of differential expression in the form: further comparisons, pairs, interactions."""

from collections.abc import Mapping, Sequence
from itertools import permutations

import streamlit as st

from core.agent import Agent
from pages.ui import form
from pages.ui.form import state_key
from pages.ui.plain import plain

MOST_PAIRS = 400
"""Comparisons offered; a condition of more groups than this makes is no condition."""
MOST_GMT_MB = 5
FIELDS = ("model_groups", "test")
ADDED = ("surrogate_variables", "sample_weights", "gene_sets", "certificate")


def fill_design(agent: Agent, values: Mapping[str, object]) -> None:
    """Put the further comparisons and the reduced design of a request into the form."""
    given = values.get("contrasts")
    pairs = given if isinstance(given, list) else []
    st.session_state[_own_key(agent)] = values.get("reduced") is not None
    st.session_state[state_key(agent, "contrasts")] = [
        f"{pair['comparison_group']} vs {pair['reference_group']}" for pair in pairs
    ]


def draw_design(
    agent: Agent,
    groups: Sequence[str],
    columns: Sequence[str],
    main: tuple[str, str],
    *,
    design: Sequence[str],
) -> dict[str, object]:
    """Draw what goes beyond one comparison of two groups and return the fields of the request.

    Args:
        agent: The agent.
        groups: Groups of the condition.
        columns: Metadata columns but the condition.
        main: Reference and comparison group of the main comparison.
        design: Columns that are in the design so far, the condition last.
    """
    pairs = {
        f"{second} vs {first}": {"reference_group": first, "comparison_group": second}
        for first, second in list(permutations(groups, 2))[:MOST_PAIRS]
        if (first, second) != main
    }
    with st.expander("Design, gene sets and certificate", icon=":material/account_tree:"):
        chosen = _draw_contrasts(agent, list(pairs))
        with st.container(horizontal=True):
            subject = _pick_column(agent, "paired_column", columns)
            crossed = _pick_column(agent, "interaction", columns)
            repeated = _pick_column(agent, "duplicate_correlation", columns)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            values = form.draw_fields(agent, FIELDS)
        inside = dict.fromkeys(name for name in (subject, crossed, *design) if name)
        values["reduced"] = _pick_reduced(agent, list(inside)) if values["test"] == "lrt" else None
        values |= form.draw_fields(agent, ADDED)
        values["gene_sets_gmt"] = _pick_gmt(agent)
    return {
        **values,
        "contrasts": [pairs[name] for name in chosen],
        "paired_column": subject,
        "interaction": crossed,
        "duplicate_correlation": repeated,
    }


def _pick_gmt(agent: Agent) -> str | None:
    """Draw a box for gene sets of one's own and return their text."""
    info = agent.request.model_fields["gene_sets_gmt"]
    given = st.file_uploader(
        "Gene sets of your own (GMT)",
        type=("gmt", "txt", "tsv"),
        key=f"{state_key(agent, 'gene_sets_gmt')}:box",
        help=info.description,
        max_upload_size=MOST_GMT_MB,
    )
    return None if given is None else given.getvalue().decode("utf-8", errors="replace")


def _own_key(agent: Agent) -> str:
    return f"{state_key(agent, 'reduced')}:own"


def _pick_reduced(agent: Agent, design: list[str]) -> list[str] | None:
    """Draw the choice of a reduced design; None leaves out what is tested alone."""
    info = agent.request.model_fields["reduced"]
    is_own = st.toggle("Choose the reduced design", key=_own_key(agent), help=info.description)
    if not is_own:
        return None
    key = state_key(agent, "reduced")
    given = st.session_state.get(key)
    kept_terms = design[:-1] if given is None else [name for name in given if name in design]
    st.session_state[key] = kept_terms
    chosen = st.multiselect(
        "Columns that the reduced design keeps", design, key=key, placeholder="None: ~ 1"
    )
    st.caption(plain(f"Reduced design: ~ {' + '.join(chosen) or '1'}"))
    return chosen


def _draw_contrasts(agent: Agent, names: list[str]) -> list[str]:
    """Draw the further comparisons; what the table no longer offers is dropped."""
    key = state_key(agent, "contrasts")
    st.session_state[key] = [name for name in st.session_state.get(key) or [] if name in names]
    info = agent.request.model_fields["contrasts"]
    return st.multiselect(
        "Further comparisons", names, key=key, help=info.description, placeholder="None"
    )


def _pick_column(agent: Agent, name: str, columns: Sequence[str]) -> str | None:
    """Draw a choice of a metadata column, none at first."""
    key = state_key(agent, name)
    if st.session_state.get(key) not in columns:
        st.session_state[key] = None
    info = agent.request.model_fields[name]
    return st.selectbox(
        form.label_of(name, info),
        columns,
        index=None,
        key=key,
        help=info.description,
        placeholder="None",
    )
