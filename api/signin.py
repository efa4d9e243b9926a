"""Signing in and out in a browser with a password.

A form from another site does not come this far (api/border.py); an unknown name costs the same
time and gives the same sentence as a wrong password.
"""

from functools import partial
from html import escape
from string import Template
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from api import mail_links, one_time, second_factor, single_sign_on
from api.browser_sessions import safe_target, signed_in, token_of
from api.hashing import PASSWORDS
from api.second_factor import after_password
from api.signin_page import THROTTLED, address_of, make_page, read_form, refused, show_notice
from core.errors import ExecutionError, NotAuthenticated, StorageFull, StorageUnavailable
from core.records.runs import Caller
from core.workbench import current

_SIGNIN_BODY = Template("""<p>Use your workbench account.</p>
$notice<form method="post" action="/auth/login">
<input type="hidden" name="next" value="$target">
<label for="name">Name</label>
<input id="name" name="name" value="$name" autocomplete="username" autocapitalize="none"
spellcheck="false" maxlength="64" required$name_focus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password"
required$password_focus>
<button type="submit">Sign in</button>
</form>$other""")
_OTHER = Template(f"""
<p class="other"><a href="{single_sign_on.START}?next=$target">Use single sign-on</a></p>""")
_SIGNOUT_BODY = """<p>You can sign in again at any time. Running analyses go on.</p>
<form method="post" action="/auth/logout"><button type="submit" autofocus>Sign out</button></form>
"""


async def show_signin(request: Request) -> Response:
    """Show the form, or go on at once when the browser is signed in already."""
    target = safe_target(request.query_params.get("next", "/"))
    if await signed_in(request) is not None:
        return RedirectResponse(target, status_code=303)
    return _signin_page(200, "", target=target)


async def sign_in(request: Request) -> Response:
    """Check name and password, begin a session and go on to where the visitor wanted."""
    fields = await read_form(request)
    if fields is None:
        return _signin_page(400, "The form could not be read; try again.")
    target = safe_target(fields.get("next", "/"))
    name, password = fields.get("name", ""), fields.get("password", "")
    try:
        return await PASSWORDS.call(
            address_of(request), _check_password, request, name, password, target
        )
    except (NotAuthenticated, ExecutionError) as error:
        return refused(error, partial(_signin_page, name=name, target=target))


async def show_signout(request: Request) -> Response:
    """Ask before signing out; a link alone must not end a session."""
    if await signed_in(request) is None:
        return RedirectResponse("/auth/login", status_code=303)
    return make_page(200, "Sign out", _SIGNOUT_BODY)


async def sign_out(request: Request) -> Response:
    """End the session and take the cookie away."""
    caller = await signed_in(request)
    try:
        if caller is not None:
            await run_in_threadpool(_end_session, request, caller)
    except (StorageFull, StorageUnavailable) as error:
        return make_page(
            500, "Sign out", f'<p role="alert">{escape(error.message)}</p>\n{_SIGNOUT_BODY}'
        )
    answer = RedirectResponse("/auth/login", status_code=303, headers={"Cache-Control": "no-store"})
    settings = current().settings
    answer.delete_cookie(
        settings.session_cookie, secure=settings.secure_cookie, httponly=True, samesite="lax"
    )
    return answer


ROUTES = [
    Route("/auth/login", show_signin, methods=["GET"]),
    Route("/auth/login", sign_in, methods=["POST"]),
    Route("/auth/logout", show_signout, methods=["GET"]),
    Route("/auth/logout", sign_out, methods=["POST"]),
    *second_factor.ROUTES,
    *single_sign_on.ROUTES,
    *one_time.ROUTES,
    *mail_links.ROUTES,
]


def _check_password(request: Request, name: str, password: str, target: str) -> Response:
    """Check the password; return what comes next: the pages, a code or its set-up."""
    users, address = current().stores.users, address_of(request)
    device = request.cookies.get(current().settings.device_cookie)
    try:
        user = users.check_password(name, password, address=address, device=device)
    except NotAuthenticated as error:
        if error.word != THROTTLED:
            _note_failure(name, address)
        raise
    return after_password(request, user, target)


def _note_failure(name: str, address: str) -> None:
    """Note a failed sign-in; a name without an account may be a password and is not kept."""
    stores = current().stores
    accounts = {user.name for user in stores.users.list()}
    account = name.strip().lower()
    subject = account if account in accounts else "unknown account"
    stores.audit.add("unknown", "signin_failed", subject, f"from {address}")


def _end_session(request: Request, caller: Caller) -> None:
    stores = current().stores
    stores.users.close_session(token_of(request) or "")
    stores.audit.add(caller.name, "signout", caller.name)


def _signin_page(status: int, notice: str, *, name: str = "", target: str = "/") -> HTMLResponse:
    offers_other = current().settings.has_single_sign_on
    body = _SIGNIN_BODY.substitute(
        notice=show_notice(notice),
        name=escape(name),
        target=escape(target),
        name_focus="" if name else " autofocus",
        password_focus=" autofocus" if name else "",
        other=_OTHER.substitute(target=quote(target)) if offers_other else "",
    )
    return make_page(status, "Sign in", body)
