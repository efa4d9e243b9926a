"""Who calls: the bearer key of a request."""

import re

from fastapi import Request as HttpRequest

from api.threads import look_up
from core.errors import NotAuthenticated
from core.records.runs import READ, Caller
from core.workbench import current

RECHECK_S = 1.0
"""Seconds between two looks at whether a session or a key still counts, while it waits."""
KEY_FORM = re.compile(r"bpw_live_[0-9a-f]{32}")


def read_key(request: HttpRequest) -> str:
    """Return the key in the `Authorization` header.

    Raises:
        NotAuthenticated: There is none, more than one, or it has another form.
    """
    headers = request.headers.getlist("authorization")
    scheme, _, key = headers[0].partition(" ") if len(headers) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not KEY_FORM.fullmatch(key):
        raise NotAuthenticated("missing or invalid API key")
    return key


async def require_caller(request: HttpRequest) -> Caller:
    """Return who holds the key of this request.

    Raises:
        NotAuthenticated: Always the same answer, whatever is wrong with the key.
    """
    key, keys = read_key(request), current().stores.keys
    caller = keys.recall_caller(key)
    if caller is None:
        caller = await look_up(keys.find_caller, key)
    request.state.caller_id = caller.user_id
    return caller


async def require_agent_caller(request: HttpRequest, agent: str) -> Caller:
    """Return the caller if the key may run this agent."""
    caller = await require_caller(request)
    if not caller.may_run(agent):
        raise NotAuthenticated("missing or invalid API key")
    return caller


async def require_reader(request: HttpRequest) -> Caller:
    """Return the caller if the key reads all that is the person's, not single agents' runs."""
    caller = await require_caller(request)
    if caller.scopes and READ not in caller.scopes:
        raise NotAuthenticated("missing or invalid API key")
    return caller


async def require_owner(request: HttpRequest) -> Caller:
    """Return the caller if the key is not restricted."""
    caller = await require_caller(request)
    if caller.scopes:
        raise NotAuthenticated("missing or invalid API key")
    return caller


async def require_writer(request: HttpRequest) -> Caller:
    """Return the caller if the key may do more than read."""
    caller = await require_caller(request)
    if not caller.may_write:
        raise NotAuthenticated("missing or invalid API key")
    return caller
