"""Differential expression: form, and the result as an analyst judges it."""

import pandas as pd
import streamlit as st

from core.agents.differential_expression import AGENT
from core.agents.differential_expression.records import METHODS
from core.agents.differential_expression.report import describe_filter, make_front
from core.agents.differential_expression.schema import DifferentialExpressionData
from core.records.runs import RunRecord
from core.reports.spreadsheet import safe_csv
from core.results import read_table
from core.workbench import current
from pages.ui import expression_form
from pages.ui.charts import show_findings
from pages.ui.composing import front_alone
from pages.ui.expression_genes import show_agreement, show_strongest
from pages.ui.expression_more import show_certificate, show_contrasts, show_gene_sets
from pages.ui.expression_result import (
    show_gene_table,
    show_mean_difference,
    show_overview,
    show_quality,
    show_samples,
)
from pages.ui.files import show_files
from pages.ui.plain import plain
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import Tabs, View

MOST_WEIGHTS = 12


def _show_settings(run: RunRecord, data: DifferentialExpressionData) -> None:
    settings = data.settings
    rows = {
        "Comparison": data.summary.comparison,
        "Design": settings.design,
        "Cut-offs": f"padj < {data.input.fdr_cutoff:g}, |log2FC| >= {data.input.log2fc_cutoff:g}",
        "Expression filter": describe_filter(settings),
        "Independent filtering at": f"{settings.independent_filter_alpha:g}",
        "Size factors": settings.size_factors,
        "Dispersion trend": settings.dispersion_trend or "not fitted",
        "Tested against |log2FC| of": f"{settings.lfc_threshold:g}",
        "Emulates": ", ".join(f"{name}: {text}" for name, text in settings.emulates.items()),
        "Libraries": ", ".join(f"{name} {text}" for name, text in settings.libraries.items()),
    }
    if settings.intrablock_correlation is not None:
        rows["Correlation within subjects"] = f"{settings.intrablock_correlation:.3f}"
    if settings.sample_weights:
        lightest = sorted(settings.sample_weights.items(), key=lambda weight: weight[1])[
            :MOST_WEIGHTS
        ]
        rows["Sample weights, lightest first"] = ", ".join(f"{a} {b:.2f}" for a, b in lightest)
    rows |= {
        f"Term {term.name}": f"{term.kind} {' < '.join(term.levels)}" for term in settings.terms
    }
    for table in (data.input.counts_csv, data.input.metadata_csv):
        rows[table.name] = f"{table.n_rows:,} x {table.n_columns:,}, sha256 {table.sha256[:16]}…"
    texts = {plain(name): plain(text) for name, text in rows.items()}
    st.table(texts, border="horizontal", alt="Settings of the run")
    show_files(run)
    with st.expander("R script that repeats this run", icon=":material/code:"):
        st.code(data.r_script, language="r")


def _all_genes(run: RunRecord) -> bytes:
    """Return the tables of all methods below each other as CSV."""
    workbench = current()
    names = [
        artifact.name
        for artifact in run.artifacts
        if artifact.kind == "table" and artifact.name in METHODS
    ]
    parts = [read_table(run, name, workbench).assign(method=name) for name in names]
    return safe_csv(pd.concat(parts))


def _show_findings(_run: RunRecord, data: DifferentialExpressionData) -> None:
    show_findings(data.findings)


def _choose_tabs(data: DifferentialExpressionData) -> Tabs:
    """Return the tabs of a result: those that the request asked for beside the usual ones."""
    tabs: Tabs = {
        "Comparisons": (show_contrasts,) if data.contrasts else (),
        "Gene sets": (show_gene_sets,) if data.gene_set_results else (),
        "Certificate": (show_certificate,) if data.certificate else (),
    }
    further = {name: parts for name, parts in tabs.items() if parts}
    return {"Answer": TABS["Answer"], **further, **TABS}


TABS: Tabs = {
    "Answer": (show_overview, _show_findings),
    "MA": (show_mean_difference,),
    "Strongest genes": (show_strongest,),
    "PCA & distances": (show_samples,),
    "Quality": (show_quality,),
    "Genes": (show_gene_table,),
    "Agreement": (show_agreement,),
    "Methods and settings": (_show_settings,),
}
VIEW = View(
    tabs=_choose_tabs,
    draw=expression_form.draw,
    fill=expression_form.fill,
    table=_all_genes,
    document=front_alone(make_front),
)
show_agent(AGENT, signed_in_caller(), VIEW)
