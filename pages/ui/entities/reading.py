"""Reads what an entity page shows: in a child, once for each state of the evidence and day."""

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from core.briefs.entities.asking import Answerer
from core.briefs.entities.today import TodayView
from core.briefs.entities.views import CompanyView, DrugView, FieldView
from core.errors import WorkbenchError
from core.execution.entities import read_view
from core.records.entities import Entity, EntityKind, Identified
from core.records.evidence_pack import SourceCount
from core.workbench import current
from pages.ui.next_steps import show_door
from pages.ui.plain import plain

_KEPT = 64


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def _read(state: tuple[str, str], name: str, arguments: tuple[str, ...]) -> Any:
    """Return what a reader gives; `state` is part of the key, so its name has no underscore."""
    del state
    return read_view(current(), name, *arguments)


def _read_now(name: str, *arguments: str) -> Any:
    """Return what a reader gives for the evidence and day of now."""
    workbench = current()
    stores, day = workbench.stores, workbench.now().date()
    version = f"{stores.evidence.version()} {stores.identity.version()} {workbench.settings.home}"
    return _read((version, day.isoformat()), name, arguments)


def open_drug(text: str) -> tuple[Identified, DrugView | None]:
    """Return what an address of an asset page leads to."""
    return cast("tuple[Identified, DrugView | None]", _read_now("open_drug", text))


def open_company(text: str) -> tuple[Identified, CompanyView | None]:
    """Return what an address of a company page leads to."""
    return cast("tuple[Identified, CompanyView | None]", _read_now("open_company", text))


def open_field(target: str, disease: str) -> tuple[Identified, Identified, FieldView | None]:
    """Return what an address of a field page leads to."""
    now = _read_now("open_field", target, disease)
    return cast("tuple[Identified, Identified, FieldView | None]", now)


def open_drugs(ids: str) -> list[DrugView]:
    """Return the drugs that an address of the compare page names."""
    return cast("list[DrugView]", _read_now("open_drugs", ids))


def find_answer(text: str) -> Answerer:
    """Return the page that answers a question."""
    return cast("Answerer", _read_now("find_page", text))


def open_today(drugs: Sequence[str]) -> TodayView:
    """Return what the home page tells, of these drugs alone where some are named."""
    return cast("TodayView", _read_now("read_today", "\n".join(drugs)))


def list_sources() -> Sequence[SourceCount]:
    """Return the sources of the evidence, the largest first; counted once for each version."""
    return _count_sources(current().stores.evidence.version(), str(current().settings.home))


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def _count_sources(version: str, home: str) -> Sequence[SourceCount]:
    del version, home
    return sorted(current().stores.evidence.sources(), key=lambda source: -source.records)


def show_failure(failure: WorkbenchError) -> None:
    """Say that a page could not be read, and what to do."""
    st.error(
        plain(f"This page could not be read: {failure.message}. Try again in a minute."),
        icon=":material/error:",
    )


def show_unknown(kind: EntityKind, text: str, answer: Identified) -> None:
    """Draw what is there for an identifier or name that no page has: a choice, or nearest names.

    Args:
        kind: What sort of thing was meant.
        text: As it stands in the address.
        answer: What it came to.
    """
    if answer.choices:
        st.title("Which one do you mean?", anchor=False)
        st.caption(plain(f"“{text}” has several meanings."))
        for choice in answer.choices:
            show_door(choice.kind, choice.id, choice.name)
        return
    st.title("Not found", anchor=False)
    noun = "drug" if kind == "drug" else kind
    if not text:
        st.info(f"Type the name of a {noun} into the bar above.")
        return
    st.info(plain(f"No {noun} called “{text}” was found in the evidence."))
    if answer.nearest:
        st.markdown("**Nearest names**")
        with st.container(horizontal=True, gap="small"):
            for name in answer.nearest:
                show_door(kind, name, name)


def show_empty(entity: Entity) -> None:
    """Say that a thing is known by name, but the evidence has no records about it."""
    st.title(plain(entity.name), anchor=False)
    st.info(
        "The name is known, but no trial, label, approval or pipeline record in the evidence is "
        "about it. Import more evidence on the Data page, or run a scan with live sources."
    )
