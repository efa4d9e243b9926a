"""What a person has besides runs: lists, alert hits and links, with the same rights.

A key that is restricted to agents reaches none of it; one with the right `read` reads all of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Annotated, TypeVar, get_args

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field
from starlette.responses import Response

from api.auth import require_owner, require_reader
from api.bodies import read_json
from api.models import Done, OkAnswer, Wire
from api.queries import read_choice, read_number, root_of
from api.run_routes import own_run, read_model
from api.threads import in_thread, look_up
from core.agent import MEGABYTE
from core.alert_ports import Subscriptions
from core.comparing import Difference, compare_runs
from core.errors import InvalidInput, NotFound
from core.knowledge.event_materiality import CatalystType
from core.records.alerts import AlertHit, HitSearch, NewHit, SignalLevel, Subscription
from core.records.lists import ListKind, SavedList
from core.records.runs import RunShare
from core.records.wire import NOT_BLANK, WHOLE
from core.runner import subscriptions_of
from core.workbench import current

router = APIRouter()
MOST_HITS = 1000
PREVIEW_DAYS = 90
LONGEST_NAME = 200
SHARED = "shared"
"""Query parameter of a page that opens a shared run (pages/ui/sharing.py)."""
HitId = Annotated[int, Field(ge=1, le=2**31 - 1), WHOLE]
Name = Annotated[str, Field(max_length=LONGEST_NAME, pattern=NOT_BLANK)]
Body = TypeVar("Body", bound=BaseModel)
Entries = Annotated[list[Name], Field(max_length=500)]


class ListAnswer(OkAnswer):
    """A list of drugs or companies."""

    list: SavedList


class AllLists(OkAnswer):
    """Your lists by name."""

    lists: list[SavedList]


class NewList(Wire):
    """Body of `POST /v1/lists`."""

    name: str = Field(max_length=80, pattern=NOT_BLANK, description="Unique among your lists.")
    kind: ListKind = Field(description="What its entries are.")
    entries: Entries = Field(default=[], description="Names to begin with.")


class ChangeList(Wire):
    """Body of `PATCH /v1/lists/{list_id}`; fields that are not given stay."""

    name: Annotated[str, Field(max_length=80, pattern=NOT_BLANK)] | None = Field(
        default=None, description="New name."
    )
    add: Entries = Field(default=[], description="Names to add.")
    remove: Entries = Field(default=[], description="Names to take out.")


class ShareRun(Wire):
    """Body of `POST /v1/runs/{run_id}/shares`."""

    hides_inputs: bool = Field(
        default=False, description="Whether readers see neither the request nor exports."
    )


class ShareAnswer(OkAnswer):
    """A new read-only link, shown once."""

    share: RunShare
    url: str = Field(description="For people with an account; its token is not stored.")


class AllShares(OkAnswer):
    """The links to a run that still work, newest first."""

    shares: list[RunShare]


class ComparisonAnswer(OkAnswer):
    """What a later run says differently from an earlier one."""

    difference: Difference


class AlertHits(OkAnswer):
    """Alert hits, newest import first, then the best."""

    unseen: int = Field(description="Hits not seen yet, without muted and snoozed ones.")
    hits: list[AlertHit]


class SeenHits(Wire):
    """Body of `POST /v1/alerts/hits/seen`."""

    hit_ids: Annotated[list[HitId], Field(max_length=MOST_HITS)] | None = Field(
        default=None, description="Hits to mark as seen; null: all."
    )


class MuteAlert(Wire):
    """Body of `PATCH /v1/alerts/{query_id}` and `PATCH /v1/alerts/hits/{hit_id}`."""

    days: Annotated[int, Field(ge=1, le=365), WHOLE] | None = Field(
        description="How long it stays out of sight; null: show it again."
    )


class MutedAlert(OkAnswer):
    """A saved query."""

    query: Subscription


class AlertPreview(OkAnswer):
    """How often a saved query would have fired."""

    days: int = Field(description="Days looked at.")
    hits: list[NewHit] = Field(description="What would have fired.")
    on_record: list[NewHit] = Field(
        description="All events of these days, also those that a first import brought."
    )


@router.get("/lists", operation_id="list_lists", tags=["lists"])
async def list_lists(request: HttpRequest) -> AllLists:
    """List your lists of drugs and companies."""
    caller = await require_reader(request)
    return AllLists(lists=list(await in_thread(current().stores.lists.of, caller.user_id)))


@router.post("/lists", status_code=201, operation_id="create_list", tags=["lists"])
async def create_list(request: HttpRequest) -> ListAnswer:
    """Create a list; an existing one of this name and kind gets the entries."""
    caller = await require_owner(request)
    body = await read_body(NewList, request)
    lists = current().stores.lists
    made = await in_thread(lists.make, caller.user_id, body.name, body.kind)
    if body.entries:
        made = await in_thread(lists.change, caller.user_id, made.list_id, add=body.entries)
    return ListAnswer(list=made)


@router.patch("/lists/{list_id}", operation_id="change_list", tags=["lists"])
async def change_list(request: HttpRequest, list_id: str) -> ListAnswer:
    """Rename a list, add names, take names out."""
    caller = await require_owner(request)
    body = await read_body(ChangeList, request)
    changed = await in_thread(
        current().stores.lists.change,
        caller.user_id,
        read_id(list_id, "list"),
        name=body.name,
        add=body.add,
        remove=body.remove,
    )
    return ListAnswer(list=changed)


@router.delete("/lists/{list_id}", operation_id="delete_list", tags=["lists"])
async def delete_list(request: HttpRequest, list_id: str) -> Done:
    """Delete a list."""
    caller = await require_owner(request)
    await in_thread(current().stores.lists.delete, caller.user_id, read_id(list_id, "list"))
    return Done(status="deleted")


@router.post("/runs/{run_id}/shares", status_code=201, operation_id="share_run", tags=["runs"])
async def share_run(request: HttpRequest, run_id: str) -> ShareAnswer:
    """Create a read-only link to one of your completed runs."""
    caller, run = await own_run(request, run_id, is_changing=True)
    body = await read_body(ShareRun, request)
    stores = current().stores
    share, token = await in_thread(
        stores.shares.create, caller.user_id, run_id, hides_inputs=body.hides_inputs
    )
    await in_thread(stores.audit.note, caller.name, "share", run_id, str(share.share_id))
    return ShareAnswer(share=share, url=f"{root_of(request)}/{run.agent}?{SHARED}={token}")


@router.get("/runs/{run_id}/shares", operation_id="list_shares", tags=["runs"])
async def list_shares(request: HttpRequest, run_id: str) -> AllShares:
    """List the links to one of your runs."""
    caller, _ = await own_run(request, run_id)
    shares = await look_up(current().stores.shares.list, caller.user_id, run_id)
    return AllShares(shares=list(shares))


@router.delete("/runs/{run_id}/shares/{share_id}", operation_id="end_share", tags=["runs"])
async def end_share(request: HttpRequest, run_id: str, share_id: str) -> Done:
    """End a link to one of your runs."""
    caller, _ = await own_run(request, run_id, is_changing=True)
    stores, number = current().stores, read_id(share_id, "link")
    listed = await look_up(stores.shares.list, caller.user_id, run_id)
    if number not in {share.share_id for share in listed}:
        raise NotFound("link not found")
    await in_thread(stores.shares.revoke, caller.user_id, number)
    await in_thread(stores.audit.note, caller.name, "unshare", run_id, share_id)
    return Done(status="deleted")


@router.get("/runs/{run_id}/compare/{other_id}", operation_id="compare_runs", tags=["runs"])
async def compare(request: HttpRequest, run_id: str, other_id: str) -> ComparisonAnswer:
    """Compare two of your runs of one agent, the earlier one with the later one."""
    pair = [(await own_run(request, each))[1] for each in (run_id, other_id)]
    before, after = sorted(pair, key=lambda run: run.created_at)
    return ComparisonAnswer(difference=await in_thread(compare_runs, before, after, current()))


@router.get("/alerts/hits", operation_id="list_hits", tags=["alerts"])
async def list_hits(request: HttpRequest) -> AlertHits:
    """List what your watched queries found."""
    subscriptions = await _subscriptions(request)
    query_id = read_number(request, "query_id", 0, 0, 10**9)
    days = read_number(request, "days", 0, 0, 3650)
    is_typed = "catalyst_type" in request.query_params
    kinds = get_args(CatalystType)
    search = HitSearch(
        query_id=query_id or None,
        catalyst_type=read_choice(request, "catalyst_type", kinds, "") if is_typed else None,
        least_score=read_number(request, "least_score", 0, 0, 100),
        only_unseen=read_choice(request, "only_unseen", ("true", "false"), "false") == "true",
        with_muted=read_choice(request, "with_muted", ("true", "false"), "false") == "true",
        since=current().now() - timedelta(days=days) if days else None,
        limit=read_number(request, "limit", 50, 1, MOST_HITS),
        offset=read_number(request, "offset", 0, 0, 10**9),
    )
    hits = await look_up(subscriptions.hits, search)
    return AlertHits(unseen=await look_up(subscriptions.unseen), hits=list(hits))


@router.post("/alerts/hits/seen", operation_id="mark_hits_seen", tags=["alerts"])
async def mark_hits_seen(request: HttpRequest) -> AlertHits:
    """Mark hits as seen; the answer lists what still waits."""
    subscriptions = await _subscriptions(request, is_changing=True)
    body = await read_body(SeenHits, request)
    await in_thread(subscriptions.mark_seen, body.hit_ids)
    hits = await look_up(subscriptions.hits, HitSearch(only_unseen=True))
    return AlertHits(unseen=await look_up(subscriptions.unseen), hits=list(hits))


@router.get("/alerts/digest", operation_id="get_digest", tags=["alerts"], response_class=Response)
async def get_digest(request: HttpRequest) -> Response:
    """Write what came in the last days as Markdown, by query."""
    from core.briefs.watching.firing import digest

    subscriptions = await _subscriptions(request)
    now = current().now()
    since = now - timedelta(days=read_number(request, "days", 7, 1, 365))
    hits = await look_up(subscriptions.hits, HitSearch(since=since, limit=MOST_HITS))
    return Response(digest(hits, since, now), media_type="text/markdown; charset=utf-8")


@router.get(
    "/alerts/calendar", operation_id="get_calendar", tags=["alerts"], response_class=Response
)
async def get_calendar(request: HttpRequest) -> Response:
    """Write the year ahead of your watched queries as a calendar (iCalendar)."""
    from core.execution.watching import calendar_in_child

    subscriptions, bench = await _subscriptions(request), current()
    saved = await look_up(subscriptions.list)
    _, content = await in_thread(
        bench.executor.call, calendar_in_child, bench.settings, saved, bench.now()
    )
    return Response(content, media_type="text/calendar; charset=utf-8")


@router.patch("/alerts/hits/{hit_id:int}", operation_id="snooze_hit", tags=["alerts"])
async def snooze_hit(request: HttpRequest, hit_id: int) -> Done:
    """Snooze a hit for some days, or end that."""
    subscriptions = await _subscriptions(request, is_changing=True)
    number = read_id(str(hit_id), "hit")
    body = await read_body(MuteAlert, request)
    until = current().now() + timedelta(days=body.days) if body.days else None
    with _absent("hit"):
        await in_thread(subscriptions.snooze, number, until)
    return Done(status="snoozed" if until else "shown")


@router.patch("/alerts/{query_id:int}", operation_id="mute_alert", tags=["alerts"])
async def mute_alert(request: HttpRequest, query_id: int) -> MutedAlert:
    """Mute one of your saved queries for some days, or end that."""
    subscriptions = await _subscriptions(request, is_changing=True)
    number = read_id(str(query_id), "query")
    body = await read_body(MuteAlert, request)
    until = current().now() + timedelta(days=body.days) if body.days else None
    with _absent("query"):
        return MutedAlert(query=await in_thread(subscriptions.mute, number, until))


@contextmanager
def _absent(thing: str) -> Iterator[None]:
    """Answer 404 for what a body would call an unknown value: here the address names it."""
    try:
        yield
    except InvalidInput as error:
        if error.word in ("unknown_query", "unknown_hit"):
            raise NotFound(f"{thing} not found") from error
        raise


@router.get("/alerts/{query_id}/preview", operation_id="preview_alert", tags=["alerts"])
async def preview_alert(request: HttpRequest, query_id: str) -> AlertPreview:
    """Say how often one of your saved queries would have fired in the last 90 days."""
    from core.execution.watching import preview_in_child

    subscriptions, bench = await _subscriptions(request), current()
    number = read_id(query_id, "query")
    queries = await look_up(subscriptions.list)
    saved = next((query for query in queries if query.query_id == number), None)
    levels: tuple[SignalLevel, ...] = ("low", "medium", "high")
    if saved is None or saved.question is None:
        raise NotFound("query not found, or not one that can be watched")
    level = read_choice(request, "signal_level", levels, saved.signal_level)
    preview = await in_thread(
        bench.executor.call,
        preview_in_child,
        bench.settings,
        saved.question,
        level,
        bench.now(),
        PREVIEW_DAYS,
    )
    return AlertPreview(
        days=preview.days, hits=list(preview.hits), on_record=list(preview.on_record)
    )


async def read_body(model: type[Body], request: HttpRequest) -> Body:
    """Return the small JSON body of a request as its model."""
    body: Body = read_model(model, await read_json(request, MEGABYTE))
    return body


def read_id(text: str, thing: str) -> int:
    """Return the number in an address. Raises NotFound when it is none."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise NotFound(f"{thing} not found")
    return int(text)


async def _subscriptions(request: HttpRequest, *, is_changing: bool = False) -> Subscriptions:
    caller = await (require_owner if is_changing else require_reader)(request)
    return subscriptions_of(caller, current())
