"""The form of differential expression: two tables, and their real columns and groups to pick."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.agent import Agent
from core.records.runs import Caller
from core.tables.single_cells import CellChoice
from core.tables.workbooks import SheetChoice
from pages.ui import form
from pages.ui.expression_designs import draw_design, fill_design
from pages.ui.form import state_key
from pages.ui.upload import TableInput, pick_table, read_other_sheet

MOST_GROUPS = 50
REFERENCE_WORDS = (
    "control",
    "untreated",
    "untrt",
    "ctrl",
    "vehicle",
    "wt",
    "wild",
    "normal",
    "dmso",
)
_SHEET_OF_SAMPLES = SheetChoice(of_numbers=False)
CELLS = ("cell_sample_column", "cell_group_column", "cell_group")
"""In the order of `CellChoice`."""
_FOLDED = ("min_count", "filter_alpha", "lfc_test", "edger_flavor", "limma_flavor", "use_cache")
_SOURCES = {"counts": ("counts_csv", "count_file_id"), "meta": ("metadata_csv", "metadata_file_id")}


def fill(agent: Agent, values: dict[str, Any]) -> None:
    """Put a request into the form, with its tables."""
    form.fill(agent, values)
    fill_design(agent, values)
    for field, (inline, upload) in _SOURCES.items():
        key = state_key(agent, field)
        if values.get(upload):
            st.session_state[key] = {"file_id": values[upload]}
        elif values.get(inline):
            st.session_state[key] = {"text": values[inline]}
        else:
            st.session_state.pop(key, None)


def draw(agent: Agent, caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    first = st.container()  # the table stands above what is said of its cells, which is read first
    cells = draw_cells(agent)
    counts = _pick_counts(agent, caller, cells, first)
    metadata = pick_table(
        "Sample metadata",
        state_key(agent, "meta"),
        caller,
        help_text="One row a sample: the sample ID first, then the condition and any batches. "
        "CSV, TSV or a workbook; a second sheet of the workbook of counts needs no upload.",
        takes_archives=True,
        sheet=_SHEET_OF_SAMPLES,
    )
    if metadata is None and counts is not None:
        metadata = read_other_sheet(counts, caller, _SHEET_OF_SAMPLES)
    values = (
        {
            "counts_csv": counts.text if counts else None,
            "count_file_id": counts.file_id if counts else None,
            "metadata_csv": metadata.text if metadata else None,
            "metadata_file_id": metadata.file_id if metadata else None,
        }
    ) | cells
    if metadata is None:
        st.caption("Add the sample metadata to choose the groups to compare.")
        return values
    values |= _draw_comparison(agent, metadata)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        values |= form.draw_fields(agent, ("method", "fdr_cutoff", "log2fc_cutoff"))
    with st.expander("More settings", icon=":material/tune:"):
        values |= _draw_id_columns(agent, counts, metadata)
        values |= form.draw_fields(agent, _FOLDED)
    return values


def _pick_counts(
    agent: Agent, caller: Caller, cells: dict[str, Any], container: DeltaGenerator
) -> TableInput | None:
    """Draw the box of the count matrix at its place, its cells added up as is said below it."""
    with container:
        return pick_table(
            "Count matrix",
            state_key(agent, "counts"),
            caller,
            help_text="Raw counts: genes in rows, samples in columns, the gene ID first. CSV or "
            "TSV, gzip accepted; a workbook; a zip of folders of Salmon, kallisto, "
            "RSEM or 10x Genomics, one a sample; or h5ad, whose cells are added up by sample.",
            takes_archives=True,
            cells=CellChoice(*cells.values()),
        )


def draw_cells(agent: Agent) -> dict[str, Any]:
    """Draw which cells of h5ad or 10x make which sample, folded; None where nothing is said."""
    with st.expander("Counts of single cells (h5ad, 10x)", icon=":material/grain:"):
        st.caption(
            "Cells are added up by sample. Without a choice the column is sample, sample_id, "
            "orig.ident or donor; folders of 10x are samples themselves."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            return form.draw_fields(agent, CELLS)


def _draw_comparison(agent: Agent, metadata: TableInput) -> dict[str, object]:
    look = metadata.preview
    columns = list(look.columns[1:]) or list(look.columns)
    likely = [name for name in columns if 1 < len(look.groups(name)) <= max(2, len(look.rows) // 2)]
    condition = _pick(agent, "condition_column", columns, likely[0] if likely else columns[0])
    groups = look.groups(condition)[:MOST_GROUPS]
    reference = guess_reference(groups)
    with st.container(horizontal=True):
        first = _pick(agent, "reference_group", groups, reference)
        others = [group for group in groups if group != first]
        second = _pick(agent, "comparison_group", others, others[0] if others else None)
    names = [name for name in columns if name != condition]
    key = state_key(agent, "covariates")
    st.session_state[key] = [name for name in st.session_state.get(key) or [] if name in names]
    info = agent.request.model_fields["covariates"]
    covariates = st.multiselect(
        "Covariates", names, key=key, help=info.description, placeholder="None"
    )
    main = (str(first), str(second))
    further = draw_design(agent, groups, names, main, design=[*covariates, condition])
    return {
        **further,
        "condition_column": condition,
        "reference_group": first,
        "comparison_group": second,
        "covariates": covariates,
    }


def guess_reference(groups: Sequence[str]) -> str | None:
    """Return the group that most likely is the reference: a control by name, else the first.

    >>> guess_reference(["trt", "untrt"])
    'untrt'
    """
    named = [
        group for word in REFERENCE_WORDS for group in groups if group.lower().startswith(word)
    ]
    return next(iter([*named, *groups]), None)


def _pick(agent: Agent, name: str, options: Sequence[str], default: str | None) -> Any:
    """Draw a choice among the table's own words; a word that is not there gives way."""
    key = state_key(agent, name)
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    info = agent.request.model_fields[name]
    label = form.label_of(name, info)
    start = None if default is None else 0
    return st.selectbox(label, options, index=start, key=key, help=info.description)


def _draw_id_columns(
    agent: Agent, counts: TableInput | None, metadata: TableInput
) -> dict[str, object]:
    """Draw which columns hold the IDs; the first ones unless chosen."""
    tables = {"gene_id_column": counts, "sample_id_column": metadata}
    return {
        name: _pick(agent, name, list(table.preview.columns), None)
        for name, table in tables.items()
        if table is not None
    }
