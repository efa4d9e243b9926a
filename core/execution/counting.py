"""Counts of the areas of disease: made in a child when the evidence has changed."""

import threading

from core.errors import WorkbenchError
from core.evidence.assets.coverage import count_coverage
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.import_state import AreaRow, Coverage, read_coverage, write_coverage
from core.execution.child import OPENER, open_child_stores
from core.ports import Stores
from core.settings import Settings
from core.workbench import Workbench

ALLOWANCE_S = 3_600.0
_counting = threading.Lock()


def start_counting(workbench: Workbench, generation: int) -> bool:
    """Count the areas in a child unless that is done; return whether it is under way.

    Args:
        workbench: Of this process.
        generation: Of the evidence that is held.
    """
    names = workbench.stores.identity.version()
    counted = read_coverage(workbench.stores.states).version
    if not names or counted == _version(names, generation):
        return False
    if _counting.acquire(blocking=False):
        threading.Thread(
            target=_count_aside, args=(workbench,), daemon=True, name="coverage"
        ).start()
    return True


def _version(names: str, generation: int) -> str:
    """Return what counts are made of."""
    return f"{names} generation-{generation}"


def _count_aside(workbench: Workbench) -> None:
    try:
        workbench.executor.call(run_counting, workbench.settings, timeout_s=ALLOWANCE_S)
    except WorkbenchError:  # the page goes without; its next visit tries again
        return
    finally:
        _counting.release()


def run_counting(settings: Settings) -> None:
    """Count the areas and keep the counts; runs in a child."""
    stores = open_child_stores(OPENER, settings)
    try:
        keep_coverage(stores)
    finally:
        stores.engine.close()


def keep_coverage(stores: Stores) -> None:
    """Count the areas and keep the counts with the version they are of."""
    version = _version(stores.identity.version(), stores.evidence.info().generation)
    resolver = Resolver(stores.identity, stores.learned_names)
    rows = [AreaRow(**vars(count)) for count in count_coverage(stores.evidence, resolver)]
    write_coverage(stores.states, Coverage(version=version, rows=rows))
