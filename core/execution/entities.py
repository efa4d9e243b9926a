"""Reads what pages about drugs, companies and fields show, in a child of the app."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from core.briefs.entities.asking import find_page
from core.briefs.entities.identifying import Library, identify
from core.briefs.entities.index import EntityIndex, build_index
from core.briefs.entities.today import read_today
from core.briefs.entities.views import (
    CompanyView,
    DrugView,
    FieldView,
    read_company,
    read_drug,
    read_field,
)
from core.evidence.names.identity.resolver import Resolver
from core.execution.child import OPENER, open_child_stores
from core.records.entities import Identified
from core.settings import Settings
from core.workbench import Workbench

LONGEST_S = 60.0
LONGEST_INDEX_S = 900.0
MOST_COMPARED = 5


def open_drug(text: str, library: Library) -> tuple[Identified, DrugView | None]:
    """Return what an identifier or name of a drug leads to; no view where no record is about it."""
    answer = identify("drug", text, library)
    return answer, read_drug(answer.entity.id, library) if answer.entity else None


def open_company(text: str, library: Library) -> tuple[Identified, CompanyView | None]:
    """Return what the name of a company leads to."""
    answer = identify("company", text, library)
    return answer, read_company(answer.entity.id, library) if answer.entity else None


def open_field(
    target: str, disease: str, library: Library
) -> tuple[Identified, Identified, FieldView | None]:
    """Return what a target and a disease lead to; no view where one of them is not known."""
    targets = identify("target", target, library) if target else Identified()
    diseases = identify("disease", disease, library) if disease else Identified()
    is_known = bool(target or disease) and all(
        answer.entity or not text for answer, text in ((targets, target), (diseases, disease))
    )
    if not is_known:
        return targets, diseases, None
    expression = targets.entity.id if targets.entity else ""
    key = diseases.entity.id if diseases.entity else ""
    return targets, diseases, read_field(expression, key, library)


def open_drugs(ids: str, library: Library) -> list[DrugView]:
    """Return the drugs of several identifiers, separated by commas; unknown ones are left out."""
    views = (open_drug(drug_id, library)[1] for drug_id in ids.split(",")[:MOST_COMPARED])
    return [view for view in views if view is not None]


READERS: Mapping[str, Callable[..., Any]] = {
    opener.__name__: opener
    for opener in (open_drug, open_company, open_field, open_drugs, find_page, read_today)
}


def read_view(workbench: Workbench, name: str, *arguments: str) -> Any:
    """Return what a page shows.

    Args:
        workbench: Of this process.
        name: Of the reader.
        arguments: Of the reader, without the library.

    Raises:
        AgentTimeout: It took longer than a minute.
        OutOfMemory: It needed more than a run may use.
        WorkerCrashed: The child died.
    """
    day = workbench.now().date()
    return workbench.executor.call(
        _read, workbench.settings, day, name, arguments, timeout_s=LONGEST_S
    )


def read_index(workbench: Workbench) -> EntityIndex:
    """Return the index of every name of the evidence.

    Raises:
        AgentTimeout: It took longer than a quarter of an hour.
        OutOfMemory: It needed more than a run may use.
        WorkerCrashed: The child died.
    """
    index: EntityIndex = workbench.executor.call(
        _build, workbench.settings, workbench.now().date(), timeout_s=LONGEST_INDEX_S
    )
    return index


def _build(settings: Settings, day: date) -> EntityIndex:
    return build_index(_open(settings, day))


def _read(settings: Settings, day: date, name: str, arguments: tuple[str, ...]) -> Any:
    return READERS[name](*arguments, _open(settings, day))


def _open(settings: Settings, day: date) -> Library:
    stores = open_child_stores(OPENER, settings)
    return Library(stores.evidence, Resolver(stores.identity, stores.learned_names), day)
