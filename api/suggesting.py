"""Names that begin as somebody types in the bar: things of the evidence, and the person's runs."""

import threading

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.briefs.entities.index import EntityIndex
from core.errors import WorkbenchError
from core.execution.entities import read_index
from core.records.runs import Caller, RunSearch
from core.workbench import Workbench, current

MOST = 8
MOST_RUNS = 3
LONGEST = 200
_building = threading.Lock()
_kept: dict[tuple[str, str], EntityIndex] = {}


def index_now(workbench: Workbench) -> EntityIndex:
    """Return the index of the evidence of now; it is built once, in a child.

    Raises:
        WorkbenchError: The child could not build it.
    """
    stores = workbench.stores
    state = (f"{workbench.settings.home}/{stores.identity.version()}", stores.evidence.version())
    with _building:
        if state not in _kept:
            index = read_index(workbench)
            _kept.clear()
            _kept[state] = index
        return _kept[state]


def warm_index(workbench: Workbench) -> int:
    """Build the index ahead of the first key, and return how many things it knows."""
    return len(index_now(workbench).entities)


async def suggest(request: Request) -> Response:
    """Answer what a text may begin."""
    caller: Caller = request.state.caller
    text = request.query_params.get("q", "").strip()[:LONGEST]
    suggestions = await run_in_threadpool(_suggest, caller, text) if text else []
    return JSONResponse({"suggestions": suggestions}, headers={"Cache-Control": "no-store"})


def _suggest(caller: Caller, text: str) -> list[dict[str, str]]:
    workbench = current()
    try:
        things = index_now(workbench).find(text, MOST)
    except WorkbenchError as failure:
        structlog.get_logger("suggest").error("no index", reason=failure.message)
        things = []
    runs = workbench.stores.runs.list(caller.user_id, search=RunSearch(text), limit=MOST_RUNS)
    return [
        *(
            {
                "kind": suggestion.entity.kind,
                "id": suggestion.entity.id,
                "name": suggestion.entity.name,
                "said": suggestion.said,
            }
            for suggestion in things
        ),
        *(
            {"kind": "run", "id": run.run_uuid, "name": run.title, "said": run.agent}
            for run in runs
        ),
    ]


ROUTES = [Route("/suggest", suggest)]
