"""Keys for everybody; people and the audit log for administrators.

What is allowed stands in `core.accounts`. A restricted key needs the right `admin` here, but may
rotate and revoke itself.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import Field
from starlette.responses import Response

from api.auth import require_caller
from api.models import Done, OkAnswer, Wire
from api.queries import MOST_ROWS, read_choice, read_number, root_of
from api.threads import in_thread, look_up
from api.workspace_routes import read_body, read_id
from core import accounts
from core.errors import NotAuthenticated, NotFound
from core.records.runs import (
    ADMIN,
    READ,
    ApiKey,
    AuditEntry,
    Caller,
    KeyState,
    QuotaState,
    Role,
    User,
    UserState,
)
from core.records.wire import NOT_BLANK, WHOLE
from core.workbench import current

router = APIRouter()
MOST_DAYS = 36_500
MOST_LINES = 10_000
_NAME = r"^[a-z0-9._@-]{3,64}$"


class KeyRow(ApiKey):
    """A key as it may be shown: never the key itself."""

    status: KeyState = Field(description="Whether it works.")

    @classmethod
    def of(cls, key: ApiKey) -> "KeyRow":
        """Return the wire form of a key."""
        return cls(**key.model_dump(), status=key.state(current().now()))


class UserRow(User):
    """An account as administrators see it."""

    status: UserState = Field(description="Whether it can be used.")

    @classmethod
    def of(cls, user: User) -> "UserRow":
        """Return the wire form of an account."""
        return cls(**user.model_dump(), status=user.state)


class AccountAnswer(OkAnswer):
    """Who you are, and what is left of your quota."""

    name: str
    role: Role
    scopes: list[str] = Field(description="Rights of this key; empty: no restriction.")
    quota: QuotaState


class AllKeys(OkAnswer):
    """Keys, newest first."""

    keys: list[KeyRow]


class NewKey(Wire):
    """Body of `POST /v1/keys`."""

    name: str = Field(max_length=100, pattern=NOT_BLANK, description="What will use the key.")
    scopes: list[str] = Field(
        default=[],
        max_length=50,
        description="Agents that it may run, read (read all runs) or admin; empty: everything.",
    )
    days: Annotated[int, Field(ge=1, le=MOST_DAYS), WHOLE] | None = Field(
        default=None, description="Days until it expires; null: never."
    )
    user: Annotated[str, Field(max_length=64, pattern=NOT_BLANK)] | None = Field(
        default=None, description="Whose key, for administrators; null: your own."
    )


class RotateKey(Wire):
    """Body of `POST /v1/keys/{key_id}/rotate`."""

    grace_hours: Annotated[int, Field(ge=0, le=90 * 24), WHOLE] = Field(
        default=24, description="How long the old key still works."
    )


class CreatedKey(OkAnswer):
    """A new key, shown once."""

    key: KeyRow
    secret: str = Field(description="The key itself; only a hash of it is stored.")


class AllUsers(OkAnswer):
    """Accounts by name."""

    users: list[UserRow]


class UserAnswer(OkAnswer):
    """An account."""

    user: UserRow
    link: str | None = Field(
        default=None, description="Sets the password, once; null where there is none to set."
    )


class NewUser(Wire):
    """Body of `POST /v1/users`."""

    name: str = Field(
        pattern=_NAME, description="3 to 64 of a-z 0-9 . _ - @, not beginning with a dot."
    )
    role: Role = Field(default="analyst", description="api-only accounts hold keys alone.")


class ChangeUser(Wire):
    """Body of `PATCH /v1/users/{user_name}`; fields that are not given stay."""

    role: Role | None = Field(default=None, description="New role.")
    is_disabled: bool | None = Field(
        default=None, description="Disabled: sessions end and keys stop working."
    )
    quota_runs: Annotated[int, Field(ge=0, le=1_000_000), WHOLE] | None = Field(
        default=None, description="Runs a month; null: the number of the instance."
    )


class ResetUser(Wire):
    """Body of `POST /v1/users/{user_name}/reset`."""

    revoke_keys: bool = Field(default=False, description="Whether the account's keys end, too.")


class LinkUser(Wire):
    """Body of `PUT /v1/users/{user_name}/sign-on`."""

    subject: str = Field(
        min_length=1, max_length=255, description="The person's `sub` at the identity provider."
    )


class AuditLog(OkAnswer):
    """Lines of the audit log, newest first."""

    lines: list[AuditEntry]


async def require_administrator(request: HttpRequest) -> Caller:
    """Return the caller if the key administers the instance.

    Raises:
        NotAuthenticated: The key is restricted and has not the right `admin`.
        NotFound: The caller is no administrator.
    """
    caller = await require_caller(request)
    if caller.scopes and ADMIN not in caller.scopes:
        raise NotAuthenticated("missing or invalid API key")
    accounts.require_admin(caller)
    return caller


async def require_viewer(request: HttpRequest) -> Caller:
    """Return the caller if the key reads all that is the person's, or administers."""
    caller = await require_caller(request)
    if caller.scopes and not {READ, ADMIN} & set(caller.scopes):
        raise NotAuthenticated("missing or invalid API key")
    return caller


async def _require_key_maker(request: HttpRequest, key_id: str = "") -> Caller:
    """Return the caller if the key may make keys, or change this one, which may be itself."""
    caller = await require_caller(request)
    if caller.scopes and ADMIN not in caller.scopes and str(caller.key_id) != key_id:
        raise NotAuthenticated("missing or invalid API key")
    return caller


@router.get("/account", operation_id="get_account", tags=["account"])
async def get_account(request: HttpRequest) -> AccountAnswer:
    """Say who you are, what this key may do, and what is left of your quota."""
    caller, bench = await require_caller(request), current()
    quota = await in_thread(
        bench.stores.quotas.state, caller.user_id, limit=bench.settings.quota_runs, at=bench.now()
    )
    scopes = list(caller.scopes)
    return AccountAnswer(name=caller.name, role=caller.role, scopes=scopes, quota=quota)


@router.get("/keys", operation_id="list_keys", tags=["account"])
async def list_keys(request: HttpRequest) -> AllKeys:
    """List your keys; administrators list those of everybody with `everybody=true`."""
    is_all = read_choice(request, "everybody", ("true", "false"), "false") == "true"
    caller = await (require_administrator if is_all else require_viewer)(request)
    keys = await look_up(current().stores.keys.list, None if is_all else caller.user_id)
    return AllKeys(keys=[KeyRow.of(key) for key in keys])


@router.post("/keys", status_code=201, operation_id="create_key", tags=["account"])
async def create_key(request: HttpRequest) -> CreatedKey:
    """Create a key; it is shown once. A restricted key creates keys with its rights or fewer."""
    caller, bench = await _require_key_maker(request), current()
    body = await read_body(NewKey, request)
    owner = None
    if body.user is not None and body.user != caller.name:
        accounts.require_admin(caller)
        owner = await look_up(bench.stores.users.by_name, body.user)
    key, secret = await in_thread(
        accounts.create_key,
        bench.stores,
        caller,
        body.name,
        owner=owner,
        scopes=list(dict.fromkeys(body.scopes)),
        expires_at=bench.now() + timedelta(days=body.days) if body.days else None,
    )
    return CreatedKey(key=KeyRow.of(key), secret=secret)


@router.post("/keys/{key_id}/rotate", status_code=201, operation_id="rotate_key", tags=["account"])
async def rotate_key(request: HttpRequest, key_id: str) -> CreatedKey:
    """Rotate a key: its successor is shown once; the old key works until the grace period ends."""
    caller, stores = await _require_key_maker(request, key_id), current().stores
    number = read_id(key_id, "key")
    body = await read_body(RotateKey, request)
    grace = timedelta(hours=body.grace_hours)
    key, secret = await in_thread(accounts.rotate_key, stores, caller, number, grace)
    return CreatedKey(key=KeyRow.of(key), secret=secret)


@router.delete("/keys/{key_id}", operation_id="revoke_key", tags=["account"])
async def revoke_key(request: HttpRequest, key_id: str) -> Done:
    """Revoke a key."""
    caller = await _require_key_maker(request, key_id)
    number = read_id(key_id, "key")
    await in_thread(accounts.revoke_key, current().stores, caller, number)
    return Done(status="revoked")


@router.get("/users", operation_id="list_users", tags=["administration"])
async def list_users(request: HttpRequest) -> AllUsers:
    """List the accounts of the instance; for administrators."""
    await require_administrator(request)
    users = await look_up(current().stores.users.list)
    return AllUsers(users=[UserRow.of(user) for user in users])


@router.post("/users", status_code=201, operation_id="invite_user", tags=["administration"])
async def invite_user(request: HttpRequest) -> UserAnswer:
    """Add an account; its link sets the password and is shown once; for administrators."""
    caller = await require_administrator(request)
    body = await read_body(NewUser, request)
    user, token = await in_thread(accounts.invite, current().stores, caller, body.name, body.role)
    link = None if user.role == "api-only" else _link(request, token)
    return UserAnswer(user=UserRow.of(user), link=link)


@router.patch("/users/{user_name}", operation_id="change_user", tags=["administration"])
async def change_user(request: HttpRequest, user_name: str) -> UserAnswer:
    """Change role, quota or access of an account; for administrators."""
    caller, user = await _begin(request, user_name)
    body, stores = await read_body(ChangeUser, request), current().stores
    if body.role is not None and body.role != user.role:
        await in_thread(accounts.set_role, stores, caller, user.user_id, body.role)
    if "quota_runs" in body.model_fields_set:
        await in_thread(accounts.set_quota, stores, caller, user.user_id, body.quota_runs)
    if body.is_disabled is not None:
        act = accounts.disable if body.is_disabled else accounts.enable
        await in_thread(act, stores, caller, user.user_id)
    return await _shown(user)


@router.delete("/users/{user_name}", operation_id="delete_user", tags=["administration"])
async def delete_user(request: HttpRequest, user_name: str) -> Done:
    """Delete a disabled account with its runs, files and lists; for administrators."""
    caller, user = await _begin(request, user_name)
    await in_thread(accounts.delete, current().stores, caller, user.user_id)
    return Done(status="deleted")


@router.post("/users/{user_name}/reset", operation_id="reset_user", tags=["administration"])
async def reset_user(request: HttpRequest, user_name: str) -> UserAnswer:
    """End an account's password and sessions; the link sets a new one; for administrators."""
    caller, user = await _begin(request, user_name)
    body = await read_body(ResetUser, request)
    token = await in_thread(
        accounts.reset_password,
        current().stores,
        caller,
        user.user_id,
        is_revoking=body.revoke_keys,
    )
    return await _shown(user, _link(request, token))


@router.delete("/users/{user_name}/sessions", operation_id="end_sessions", tags=["administration"])
async def end_sessions(request: HttpRequest, user_name: str) -> Done:
    """Sign an account out of every browser; for administrators."""
    caller, user = await _begin(request, user_name)
    await in_thread(accounts.end_all_sessions, current().stores, caller, user.user_id)
    return Done(status="ended")


@router.delete("/users/{user_name}/factor", operation_id="remove_factor", tags=["administration"])
async def remove_factor(request: HttpRequest, user_name: str) -> Done:
    """Turn off an account's two-factor authentication; for administrators."""
    caller, user = await _begin(request, user_name)
    await in_thread(accounts.remove_factor, current().stores, caller, user.user_id)
    return Done(status="removed")


@router.put("/users/{user_name}/sign-on", operation_id="link_user", tags=["administration"])
async def link_user(request: HttpRequest, user_name: str) -> UserAnswer:
    """Let a person at the identity provider sign in to an account; for administrators."""
    caller, user = await _begin(request, user_name)
    body, bench = await read_body(LinkUser, request), current()
    issuer = bench.settings.oidc_issuer or ""
    await in_thread(accounts.link, bench.stores, caller, user.user_id, issuer, body.subject)
    return await _shown(user)


@router.delete("/users/{user_name}/sign-on", operation_id="unlink_user", tags=["administration"])
async def unlink_user(request: HttpRequest, user_name: str) -> UserAnswer:
    """End single sign-on of an account; for administrators."""
    caller, user = await _begin(request, user_name)
    await in_thread(accounts.unlink, current().stores, caller, user.user_id)
    return await _shown(user)


@router.get("/audit", operation_id="list_audit", tags=["administration"], response_model=AuditLog)
async def list_audit(request: HttpRequest) -> Response:
    """Read the audit log as JSON, CSV or JSON lines; for administrators."""
    await require_administrator(request)
    form = read_choice(request, "format", ("json", "csv", "jsonl"), "json")
    lines = await in_thread(
        current().stores.audit.list,
        limit=read_number(request, "limit", 200, 1, MOST_LINES),
        offset=read_number(request, "offset", 0, 0, MOST_ROWS),
        action=request.query_params.get("action"),
        text=request.query_params.get("text"),
    )
    if form == "csv":
        content = await in_thread(_as_csv, lines)
        return Response(content, media_type="text/csv; charset=utf-8")
    if form == "jsonl":
        text = "".join(f"{line.model_dump_json()}\n" for line in lines)
        return Response(text, media_type="application/x-ndjson")
    return Response(AuditLog(lines=list(lines)).model_dump_json(), media_type="application/json")


def _as_csv(lines: Sequence[AuditEntry]) -> bytes:
    import pandas as pd

    from core.reports.spreadsheet import safe_csv

    frame = pd.DataFrame(
        [line.model_dump(mode="json") for line in lines], columns=list(AuditEntry.model_fields)
    )
    return safe_csv(frame)


def _link(request: HttpRequest, token: str) -> str:
    return f"{root_of(request)}{accounts.LINK}{token}"


async def _begin(request: HttpRequest, user_name: str) -> tuple[Caller, User]:
    caller = await require_administrator(request)
    return caller, await look_up(current().stores.users.by_name, user_name)


async def _shown(user: User, link: str | None = None) -> UserAnswer:
    users = await look_up(current().stores.users.list)
    changed = next((each for each in users if each.user_id == user.user_id), None)
    if changed is None:
        raise NotFound("account not found")
    return UserAnswer(user=UserRow.of(changed), link=link)
