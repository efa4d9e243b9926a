"""What the home page is made of: events, alerts, jobs with an example each, age of the data."""

from typing import NamedTuple

import streamlit as st

from core.briefs.developments.records import Development
from core.briefs.developments.wording import title_of
from core.briefs.entities.today import TodayView
from core.records.alerts import HitSearch
from core.records.runs import Caller
from core.reports.phrases import show_date
from core.runner import subscriptions_of
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.citing import web_link
from pages.ui.entities.reading import list_sources
from pages.ui.evidence_held import MONTH_DAYS, TITLES, age_words, days_since
from pages.ui.next_steps import show_door
from pages.ui.plain import plain

OLD_DAYS = 6 * MONTH_DAYS
MOST_ALERTS = 5
MOST_SOURCES = 6


class Job(NamedTuple):
    """Something that people come here to do.

    Attributes:
        title: What it is, in words of the job.
        page: Where it starts.
        params: Address of a filled example.
        example: What the example is about.
        icon: Before the title.
    """

    title: str
    page: str
    params: dict[str, str]
    example: str
    icon: str


JOBS = (
    Job(
        "Scan a field",
        "field.py",
        {"target": "KRAS G12C", "disease": "non-small cell lung cancer"},
        "KRAS G12C in non-small cell lung cancer",
        "grid_on",
    ),
    Job("Profile a company", "company.py", {"id": "BioMarin"}, "BioMarin", "domain"),
    Job(
        "Plan a trial",
        "clinical_trial_design.py",
        {
            "ask.asset_name": "divarasib",
            "ask.indication": "non-small cell lung cancer",
            "ask.modality": "small molecule",
            "ask.mechanism_of_action": "KRAS G12C inhibitor",
            "ask.target": "KRAS G12C",
            "ask.development_stage": "phase 3",
            "ask.geography": "United States",
        },
        "divarasib in non-small cell lung cancer",
        "experiment",
    ),
    Job(
        "Draft a label",
        "label_strategy.py",
        {
            "ask.asset_name": "divarasib",
            "ask.indication": "non-small cell lung cancer",
            "ask.modality": "small molecule",
            "ask.mechanism_of_action": "KRAS G12C inhibitor",
            "ask.target": "KRAS G12C",
            "ask.development_stage": "phase 3",
            "ask.geography": "United States",
        },
        "divarasib, United States",
        "label",
    ),
    Job(
        "Find assets to license",
        "deal_sourcing.py",
        {"ask.thesis": "TROP2 antibody-drug conjugates without a partner"},
        "TROP2 antibody-drug conjugates without a partner",
        "handshake",
    ),
    Job("Analyze RNA-seq", "differential_expression.py", {}, "upload a count matrix", "genetics"),
)


def show_jobs() -> None:
    """Draw a card for each job, with its example as a link."""
    with st.grid(2, min_column_width=200):
        for job in JOBS:
            with st.container(border=True, gap=None, height="stretch"):
                st.page_link(job.page, label=f"**{job.title}**", icon=f":material/{job.icon}:")
                st.page_link(
                    job.page,
                    label=plain(job.example),
                    query_params=job.params,
                    icon=":material/play_arrow:",
                )


def show_events(view: TodayView) -> None:
    """Draw the newest events by group, each with its day, its drug's page and its source."""
    if not any(view.recent.values()):
        st.caption("No approval, readout or deal found.")
    for group, events in view.recent.items():
        if not events:
            continue
        with st.container(gap=None):
            st.markdown(f"**{group}**")
            for event in events:
                _show_event(event, view)


def _show_event(development: Development, view: TodayView) -> None:
    urls = (view.records[key].url for key in development.record_ids if key in view.records)
    url = next((url for url in urls if url), None)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{plain(show_date(development.day))} · {web_link(title_of(development), url)}")
        if development.drug is not None:
            show_door("drug", development.drug.key, development.drug.name)


def show_alerts(caller: Caller) -> None:
    """Draw the first alerts that nobody has seen yet."""
    st.subheader("Alerts", anchor=False)
    subscriptions = subscriptions_of(caller, current())
    for hit in subscriptions.hits(HitSearch(only_unseen=True, limit=MOST_ALERTS)):
        st.markdown(plain(f"{show_date(hit.event_day)} · {hit.title}"))
    st.page_link("alerts.py", label="All alerts", icon=":material/arrow_forward:")


def show_sources() -> None:
    """Draw the age of the data by source, the largest sources first; old ones in amber."""
    today = current().now().date()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Data as of", width="content")
        for source in list_sources()[:MOST_SOURCES]:
            is_old = days_since(source.newest, today) > OLD_DAYS
            title = TITLES.get(source.source, source.source)
            text = f"{title}: {show_date(source.newest)} ({age_words(source.newest, today)} old)"
            show_badge(text, "orange" if is_old else "gray")
        st.page_link("evidence.py", label="All sources")
