"""What the evidence pack holds, as figures and tables."""

from datetime import date

import altair as alt
import pandas as pd
import streamlit as st

from core.evidence.sources.import_state import read_coverage
from core.records.evidence_pack import PackInfo
from core.workbench import Workbench
from pages.ui.badges import show_badge
from pages.ui.downloads import offer_csv
from pages.ui.look import colors
from pages.ui.plain import plain, show_count, show_number
from pages.ui.tables import SHORT_ROWS, draw_table

EVERY_S = 3.0
SHOWN_DAMAGES = 1_000
YEAR_DAYS = 365
MONTH_DAYS = 30
TITLES = {
    "ctgov": "ClinicalTrials.gov trials",
    "ctgov-stops": "ClinicalTrials.gov reasons for stopping",
    "chictr": "ChiCTR trials",
    "cde": "China CDE trials",
    "ictrp": "WHO ICTRP trials",
    "drugsfda": "Drugs@FDA applications",
    "drugsfda-holders": "Drugs@FDA applications and holders",
    "ctgov-analyses": "Analyses posted at ClinicalTrials.gov",
    "deals": "Deals",
    "ema": "EMA human medicines",
    "fda-actions": "FDA target dates and actions",
    "fda-decisions": "FDA decisions on supplements",
    "label": "US labels",
    "pack": "Curated starter tables",
    "label-efficacy": "Effects that US labels report",
    "label-indications": "Indications of US labels",
    "orangebook-exclusivities": "Orange Book exclusivities",
    "orangebook-patents": "Orange Book patents",
    "pipeline": "Company pipelines",
    "accepted": "Accepted statements, not confirmed",
    "pmda": "PMDA approvals",
    "trial-report": "Main reports of trials",
    "purplebook": "Purple Book biologics",
    "uspto_chem": "US patents with structures (weekly chemistry files)",
    "uspto_redbook": "US patents with texts and structures (Red Book)",
}


def show_key_figures(info: PackInfo, workbench: Workbench) -> None:
    """Draw how much is held, and the version of names and records."""
    names = workbench.stores.identity.version()
    with st.container(horizontal=True):
        for label, number in (
            ("Records", info.records),
            ("Facts", info.facts),
            ("Sources", len(info.sources)),
            ("Damaged rows", info.damaged),
        ):
            st.metric(label, show_count(number), border=True, width=165)
    with st.container(horizontal=True, gap="small"):
        show_badge(f"generation {info.generation}", color="gray")
        if names:
            show_badge("name dictionary ready", icon=":material/check_circle:", color="green")
            st.caption(f"made of {plain(names)}", width="content")
        else:
            show_badge("no identity pack", icon=":material/warning:", color="orange")
            st.caption("Names stay as written. Run ./run setup with a network.", width="content")


def days_since(newest: str, today: date) -> int:
    """Return how many days ago a day was; a month and a year count from their first day."""
    if not newest:
        return 0
    year, month, day = [*map(int, newest.split("-")), 1, 1][:3]
    return (today - date(year, month, day)).days


def age_words(newest: str, today: date) -> str:
    """Return how long ago a day, month or year was.

    >>> age_words("2026-03", date(2026, 11, 21)), age_words("2019", date(2026, 11, 21))
    ('8 months', '7 years')
    """
    if not newest:
        return "unknown"
    days = days_since(newest, today)
    if days < 2 * MONTH_DAYS:
        return show_number(max(0, days), "day")
    if days < 2 * YEAR_DAYS:
        return show_number(days // MONTH_DAYS, "month")
    return show_number(days // YEAR_DAYS, "year")


def show_sources(info: PackInfo, workbench: Workbench) -> None:
    """Draw records and ages by source."""
    today = workbench.now().date()
    rows = [
        {
            "source": TITLES.get(source.source, source.source),
            "records": source.records,
            "oldest": source.oldest or None,
            "newest": source.newest or None,
            "age of the newest": age_words(source.newest, today),
        }
        for source in info.sources
    ]
    st.subheader("Sources", anchor=False)
    st.caption("Dates are those of the records. A status is only as new as its record.")
    _show(pd.DataFrame(rows), "evidence-sources", "Records, oldest and newest date of each source")


@st.fragment(run_every=EVERY_S)
def _wait_for_areas(workbench: Workbench, version: str) -> None:
    if read_coverage(workbench.stores.states).version != version:
        st.rerun(scope="app")
    st.caption(":material/pending: The areas are being counted; this takes about a minute.")


def show_areas(workbench: Workbench, *, is_counting: bool) -> None:
    """Draw trials, labels and drugs by area of disease.

    Args:
        workbench: Of this process.
        is_counting: The counts shown are of an earlier state and new ones are on their way.
    """
    coverage = read_coverage(workbench.stores.states)
    st.subheader("Areas of disease", anchor=False)
    st.caption("A trial counts in every area of its conditions; a drug once under all its names.")
    if not workbench.stores.identity.version():
        st.caption("Without an identity pack no condition is known as a disease of an area.")
        return
    if is_counting:
        _wait_for_areas(workbench, coverage.version)
    if not coverage.rows:
        return
    frame = pd.DataFrame([row.model_dump() for row in coverage.rows])
    chart = (
        alt.Chart(frame)
        .mark_bar(color=colors()["lower"])
        .encode(
            x=alt.X("trials:Q", title="trials"),
            y=alt.Y("area:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
            tooltip=["area", "trials", "labels", "drugs"],
        )
        .properties(height=26 * len(frame))
    )
    left, right = st.columns(2, gap="medium")
    with left:
        st.altair_chart(chart, alt="Trials of each area of disease")
    with right:
        _show(frame, "evidence-areas", "Trials, labels and drugs of each area of disease")


def show_files(info: PackInfo) -> None:
    """Draw the files that were imported, newest first."""
    rows = [
        {
            "file": file.name,
            "kind": file.format,
            "records": file.records,
            "damaged": file.damaged,
            "imported (UTC)": file.imported_at[:16].replace("T", " "),
            "sha256": file.sha256[:12],
        }
        for file in reversed(info.files)
    ]
    st.subheader("Imported files", anchor=False)
    if not rows:
        st.caption("None: the pack was carried here from another host.")
        return
    _show(pd.DataFrame(rows), "evidence-files", "Imported files with their counts")


def show_damages(info: PackInfo, workbench: Workbench) -> None:
    """Draw the rows that could not be read, with file and line."""
    st.subheader("Damaged rows", anchor=False)
    if not info.damaged:
        st.caption(":material/check_circle: Every row of every file was read.")
        return
    damages = workbench.stores.evidence.damages(SHOWN_DAMAGES)
    st.caption("Skipped rows are in no answer. Fix the file and import it again.")
    rows = [
        {"file": damage.file, "line": damage.line, "what is wrong": damage.reason}
        for damage in damages
    ]
    _show(pd.DataFrame(rows), "evidence-damaged-rows", "Rows that could not be read")
    if len(damages) < info.damaged:
        count_text = f"{show_count(len(damages))} of {show_count(info.damaged)}"
        st.caption(f"{count_text} are listed; all are counted.")


def _show(frame: pd.DataFrame, name: str, describe: str) -> None:
    """Draw a table and offer it as CSV."""
    counts = frame.select_dtypes("number").columns
    draw_table(
        frame,
        describe,
        height=460 if len(frame) > SHORT_ROWS + 4 else "content",
        columns={count: st.column_config.NumberColumn(format="localized") for count in counts},
    )
    offer_csv(frame, name, key=f"csv:{name}", total=len(frame))
