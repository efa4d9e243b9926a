"""Single sign-on: the way to the identity provider and back, with one sealed cookie between."""

import json
import secrets
from html import escape

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from api.browser_sessions import begin_session, go_on, safe_target
from api.hashing import PROVIDER
from api.identity_provider import UNAVAILABLE, IdentityProvider, Journey
from api.signin_page import address_of, failure_status, make_page
from api.threads import in_thread
from core import accounts
from core.errors import ExecutionError, NotAuthenticated, TooBusy, WorkbenchError
from core.workbench import current

START = "/auth/oidc"
BACK = "/auth/oidc/callback"
_TITLE = "Single sign-on"
_JOURNEY_S = 600
_PURPOSE = "oidc"
_LONGEST = 4000
_LONGEST_TARGET = 400
"""Signs of a target that the cookie takes along: browsers keep 4 kB."""


async def begin(request: Request) -> Response:
    """Send the browser to the provider."""
    settings = current().settings
    if not settings.has_single_sign_on:
        return _failed("Single sign-on is not set up on this instance.", 404)
    target = safe_target(request.query_params.get("next", "/"))
    target = target if len(target) <= _LONGEST_TARGET else "/"
    provider = IdentityProvider(settings)
    try:
        address, journey = await PROVIDER.call(
            address_of(request), provider.begin, _redirect_uri(request), target
        )
    except (NotAuthenticated, TooBusy) as error:
        return _failed(error.message, 503)
    answer = RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})
    answer.set_cookie(
        settings.journey_cookie,
        current().stores.seals.seal(_PURPOSE, json.dumps(journey)),
        max_age=_JOURNEY_S,
        secure=settings.secure_cookie,
        httponly=True,
        samesite="lax",
    )
    return answer


async def come_back(request: Request) -> Response:
    """Check what the provider sent along, and begin a session."""
    settings, query = current().settings, request.query_params
    sealed = request.cookies.get(settings.journey_cookie, "")
    content = current().stores.seals.unseal(_PURPOSE, sealed, max_age_s=_JOURNEY_S)
    journey = Journey(*json.loads(content)) if content else None
    state, code = query.get("state", ""), query.get("code", "")
    if journey is None or not secrets.compare_digest(state.encode(), journey.state.encode()):
        answer = _failed("This sign-in has expired or was begun in another browser.", 400)
    elif not code or len(code) > _LONGEST or not settings.has_single_sign_on:
        answer = _failed("The identity provider did not confirm the sign-in.", 403)
    else:
        answer = await _enter(request, journey, code)
    answer.delete_cookie(
        settings.journey_cookie, secure=settings.secure_cookie, httponly=True, samesite="lax"
    )
    return answer


async def _enter(request: Request, journey: Journey, code: str) -> Response:
    provider = IdentityProvider(current().settings)
    stores = current().stores
    try:
        person = await PROVIDER.call(
            address_of(request), provider.finish, journey, code, _redirect_uri(request)
        )
        user = await in_thread(accounts.sign_on, stores, person)
        answer = go_on(safe_target(journey.target))
        return await in_thread(begin_session, request, user, answer, ", single sign-on")
    except NotAuthenticated as error:
        return _failed(error.message, 503 if error.word == UNAVAILABLE else 403)
    except ExecutionError as error:
        return _failed(error.message, failure_status(error))
    except WorkbenchError as error:
        return _failed(error.message, 403)


def _redirect_uri(request: Request) -> str:
    """Return the address that the provider must know: the public one, or that of the request."""
    settings = current().settings
    base = settings.public_url or str(request.base_url)
    return base.rstrip("/") + BACK


def _failed(reason: str, status: int) -> Response:
    sentence = f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
    body = (
        f'<div class="notice" role="alert">{escape(sentence)}</div>\n'
        f'<p><a href="{START}">Try again</a> or <a href="/auth/login">sign in with a password</a>.'
        "</p>"
    )
    return make_page(status, _TITLE, body)


ROUTES = [Route(START, begin, methods=["GET"]), Route(BACK, come_back, methods=["GET"])]
