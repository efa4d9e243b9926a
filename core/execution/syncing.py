"""Syncs of live sources: from the command line, from a page, and every day at a set time.

A page and the daily time run them in a child, so that the app goes on answering. One source follows
the other; one that fails is labeled, and the others go on.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import structlog

from core.errors import InvalidInput, WorkbenchError
from core.evidence.preparing import derive_names_and_events
from core.evidence.sources.sync.reports import SyncReport
from core.evidence.sources.sync.sources import LONGEST_SYNC_S, SYNCED, find_sources
from core.execution.child import OPENER, open_child_stores
from core.ports import Stores
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import Workbench


def sync_sources(
    stores: Stores,
    settings: Settings,
    now: datetime,
    by: str,
    announce: Callable[[str], None] = lambda _words: None,
    *,
    names: Sequence[str] = (),
    since: str = "",
) -> list[SyncReport]:
    """Sync sources with an instance, and what is derived from their records.

    Args:
        stores: Stores of the instance.
        settings: How sources are reached.
        now: Instant of the sync.
        by: Who asked for it, for the audit log.
        announce: Called with one line before each step.
        names: Short names of the sources; empty: all.
        since: Day from which changes are read; "": see `sync_walk`.

    Raises:
        InvalidInput: There is no such source, the one that is named is syncing, or another host
            of the instance changes the evidence.
    """
    sources = find_sources(names)
    if settings.offline:
        message = "the instance opens no connections (BPW_OFFLINE)"
        return [SyncReport(source.name, "offline", message=message) for source in sources]
    reports: list[SyncReport] = []
    with stores.sharing.writing():
        for source in sources:
            sites = source.sites(settings, stores.rates)
            try:
                report = source.sync(sites, stores.evidence, now, announce, since)
            except WorkbenchError as failure:
                if len(sources) == 1:
                    raise
                report = SyncReport(source.name, "unavailable", message=failure.message)
            reports.append(report)
            detail = f"{report.source}: {report.status}, {report.promoted} states"
            stores.audit.add(by, "evidence sync", detail)
        derive_names_and_events(stores, announce)
    return reports


def run_sync(settings: Settings, by: str, names: Sequence[str]) -> list[SyncReport]:
    """Sync sources (see `sync_sources`); runs in a child."""
    stores = open_child_stores(OPENER, settings)
    try:
        return sync_sources(stores, settings, datetime.now(UTC), by, names=names)
    finally:
        stores.engine.close()


def sync_in_child(workbench: Workbench, by: str, names: Sequence[str] = ()) -> None:
    """Sync sources in a child and wait for it; a failure goes to the log."""
    log = structlog.get_logger("sync")
    longest_s = LONGEST_SYNC_S * len(find_sources(names))
    try:
        work = (workbench.settings, by, tuple(names))
        for report in workbench.executor.call(run_sync, *work, timeout_s=longest_s):
            log.info("synced", source=report.source, status=report.status, promoted=report.promoted)
    except Exception as failure:  # noqa: BLE001 - whatever it is, tomorrow is another day
        log.error("not synced", exc_info=failure)


def find_syncing(workbench: Workbench) -> list[str]:
    """Return the short names of the sources that are being synced on this machine."""
    mirror = workbench.stores.evidence.mirror
    return [source.name for source in SYNCED if mirror(source.name).is_syncing()]


def start_sync(workbench: Workbench, caller: Caller, names: Sequence[str] = ()) -> None:
    """Begin a sync and return at once.

    Args:
        workbench: Of this process.
        caller: An administrator.
        names: Short names; empty: all.

    Raises:
        InvalidInput: The caller is no administrator, the instance is offline, or a sync runs.
    """
    if not caller.is_admin:
        raise InvalidInput("only administrators sync evidence")
    if workbench.settings.offline:
        raise InvalidInput("this instance opens no connections (BPW_OFFLINE)")
    if find_syncing(workbench) or workbench.stores.sharing.is_writing():
        raise InvalidInput("a sync is already running")
    work = (workbench, caller.name, tuple(names))
    threading.Thread(target=sync_in_child, args=work, daemon=True, name="sync").start()
