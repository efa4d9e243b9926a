"""Reads given texts in a child, and brings what a person accepts into the evidence."""

import io
from collections.abc import Sequence
from datetime import UTC, date, datetime
from urllib.parse import urlsplit

from core.briefs.entities.identifying import Library
from core.checking.given_pages import GivenPage, make_removal, read_given, write_accepted
from core.errors import InvalidInput
from core.evidence.names.identity.resolver import Resolver
from core.execution.child import OPENER, open_child_stores
from core.execution.importing import start_import
from core.records.accepted import AcceptedFinding
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import Workbench

LONGEST_S = 120.0
MEMORY_MB = 2_048


def read_page(
    workbench: Workbench, name: str, content: bytes, url: str, published_on: date | None
) -> GivenPage:
    """Return what a text or document states, read in a child; nothing of it is kept.

    Raises:
        InvalidInput: The document or the address cannot be read.
        AgentTimeout: It took longer than two minutes.
    """
    check_address(url)
    settings = workbench.settings
    page: GivenPage = workbench.executor.call(
        _read,
        settings,
        name,
        content,
        url,
        published_on,
        timeout_s=LONGEST_S,
        memory_mb=min(MEMORY_MB, settings.memory_limit_mb),
    )
    return page


def check_address(url: str) -> None:
    """Raise InvalidInput for an address that no reader could follow."""
    parts = urlsplit(url)
    if url and (parts.scheme not in {"http", "https"} or not parts.hostname):
        raise InvalidInput("The address must begin with https://; leave it empty if there is none.")


def _read(
    settings: Settings, name: str, content: bytes, url: str, published_on: date | None
) -> GivenPage:
    stores = open_child_stores(OPENER, settings)
    try:
        now = datetime.now(UTC)
        resolver = Resolver(stores.identity, stores.learned_names)
        library = Library(stores.evidence, resolver, now.date())
        return read_given(name, content, url, published_on, library, now)
    finally:
        stores.engine.close()


def accept(workbench: Workbench, caller: Caller, findings: Sequence[AcceptedFinding]) -> None:
    """Begin to bring statements into the evidence under a person's name.

    Raises:
        InvalidInput: The caller is no administrator, or an import runs.
    """
    _bring_in(workbench, caller, findings)
    for finding in findings:
        workbench.stores.audit.add(caller.name, "evidence accept", finding.quote[:120])


def remove(workbench: Workbench, caller: Caller, record_id: str) -> None:
    """Begin to take an accepted statement back.

    Raises:
        InvalidInput: The caller is no administrator, or an import runs.
    """
    _bring_in(workbench, caller, [make_removal(record_id)])
    workbench.stores.audit.add(caller.name, "evidence remove", record_id)


def _bring_in(workbench: Workbench, caller: Caller, findings: Sequence[AcceptedFinding]) -> None:
    name, content = write_accepted(findings, caller.name, workbench.now())
    start_import(workbench, caller, [(name, io.BytesIO(content))])
