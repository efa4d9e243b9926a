"""Syncs of live sources: from the command line, from a page, and every day at a set time.

A page and the daily time run the sync in a child, so that the app goes on answering.
"""

import threading
from collections.abc import Callable
from datetime import UTC, datetime

import structlog

from core.errors import InvalidInput
from core.evidence.preparing import derive_names_and_events
from core.evidence.sources.live.clinicaltrials import NAME, ClinicalTrialsConnector
from core.evidence.sources.live.phase import LIVE_SOURCES
from core.evidence.sources.live.syncing import SyncReport, sync_trials
from core.execution.child import OPENER, open_child_stores
from core.ports import Stores
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import Workbench

LONGEST_SYNC_S = 6 * 3_600.0


def sync_source(
    stores: Stores,
    settings: Settings,
    now: datetime,
    by: str,
    announce: Callable[[str], None] = lambda _words: None,
    *,
    since: str = "",
) -> SyncReport:
    """Sync the register with an instance, and what is derived from its records.

    Args:
        stores: Stores of the instance.
        settings: How the register is reached.
        now: Instant of the sync.
        by: Who asked for it, for the audit log.
        announce: Called with one line before each step.
        since: Day from which changes are read; "": see `sync_trials`.
    """
    if settings.offline:
        message = "the instance opens no connections (BPW_OFFLINE)"
        return SyncReport(NAME, "offline", message=message)
    source = next(source for source in LIVE_SOURCES if source.name == NAME)
    site = source.site(settings, LONGEST_SYNC_S, stores.rates)
    connector = ClinicalTrialsConnector(site, now.date())
    report = sync_trials(connector, stores.evidence, now, announce, since=since)
    derive_names_and_events(stores, announce)
    detail = f"{report.source}: {report.status}, {report.promoted} states"
    stores.audit.add(by, "evidence sync", detail)
    return report


def run_sync(settings: Settings, by: str) -> SyncReport:
    """Sync the register; runs in a child.

    Args:
        settings: Settings of the instance.
        by: Who asked for it.
    """
    stores = open_child_stores(OPENER, settings)
    try:
        return sync_source(stores, settings, datetime.now(UTC), by)
    finally:
        stores.engine.close()


def sync_in_child(workbench: Workbench, by: str) -> None:
    """Sync the register in a child and wait for it; a failure goes to the log.

    Args:
        workbench: Of this process.
        by: Who asked for it, for the audit log.
    """
    log = structlog.get_logger("sync")
    try:
        report = workbench.executor.call(run_sync, workbench.settings, by, timeout_s=LONGEST_SYNC_S)
        log.info("synced", source=report.source, status=report.status, promoted=report.promoted)
    except Exception as failure:  # noqa: BLE001 - whatever it is, tomorrow is another day
        log.error("not synced", exc_info=failure)


def start_sync(workbench: Workbench, caller: Caller) -> None:
    """Begin a sync and return at once.

    Args:
        workbench: Of this process.
        caller: An administrator.

    Raises:
        InvalidInput: The caller is no administrator, the instance is offline, or a sync runs.
    """
    if not caller.is_admin:
        raise InvalidInput("only administrators sync evidence")
    if workbench.settings.offline:
        raise InvalidInput("this instance opens no connections (BPW_OFFLINE)")
    if workbench.stores.evidence.mirror(NAME).is_syncing():
        raise InvalidInput("a sync is already running")
    work = (workbench, caller.name)
    threading.Thread(target=sync_in_child, args=work, daemon=True, name="sync").start()
