"""Signing in and out in a browser: two small pages and one cookie.

The cookie holds a random token that scripts cannot read. A form from another site does not come
this far (api/border.py); an unknown name costs the same time and gives the same sentence as a
wrong password. A second cookie tells in which browser somebody signed in before: strangers who
guess at that account do not lock its owner out there.
"""

from html import escape
from string import Template
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from api import mail_links, one_time
from api.hashing import PASSWORDS, RETRY_S
from api.signin_page import address_of, failure_status, make_page, read_form
from core.errors import ExecutionError, NotAuthenticated, StorageFull, StorageUnavailable
from core.records.runs import Caller, SignedIn
from core.workbench import current

THROTTLED = "throttled"
DAY_S = 86400
DEVICE_DAYS = 365
_LONGEST_TARGET = 2000
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
</form>""")
_SIGNOUT_BODY = """<p>You can sign in again at any time. Running analyses go on.</p>
<form method="post" action="/auth/logout"><button type="submit" autofocus>Sign out</button></form>
"""


def safe_target(target: str) -> str:
    """Return an address of this site to go on to; anything else becomes the home page.

    Browsers drop blanks and control characters and read a backslash as a slash, so none of
    them may occur.

    >>> safe_target("/runs?agent=alerts"), safe_target("//evil.example")
    ('/runs?agent=alerts', '/')
    """
    is_local = target.startswith("/") and not target.startswith(("//", "/auth/"))
    is_plain = target.isascii() and target.isprintable() and not set(target) & {"\\", " "}
    return target if is_local and is_plain and len(target) <= _LONGEST_TARGET else "/"


async def show_signin(request: Request) -> Response:
    """Show the form, or go on at once when the browser is signed in already."""
    target = safe_target(request.query_params.get("next", "/"))
    if await _signed_in(request) is not None:
        return RedirectResponse(target, status_code=303)
    return _signin_page(200, target=target)


async def sign_in(request: Request) -> Response:
    """Check name and password, begin a session and go on to where the visitor wanted."""
    fields = await read_form(request)
    if fields is None:
        return _signin_page(400, notice="The form could not be read; try again.")
    target = safe_target(fields.get("next", "/"))
    name, password = fields.get("name", ""), fields.get("password", "")
    try:
        signed_in = await PASSWORDS.call(
            address_of(request), _begin_session, request, name, password
        )
    except NotAuthenticated as error:
        return _refused(error, name, target)
    except ExecutionError as error:
        page = _signin_page(failure_status(error), notice=error.message, name=name, target=target)
        return _later(page, RETRY_S)
    answer = RedirectResponse(target, status_code=303, headers={"Cache-Control": "no-store"})
    settings = current().settings
    for cookie, value, days in (
        (settings.session_cookie, signed_in.token, settings.session_days),
        (settings.device_cookie, signed_in.device, DEVICE_DAYS),
    ):
        answer.set_cookie(
            cookie,
            value,
            max_age=days * DAY_S,
            secure=settings.secure_cookie,
            httponly=True,
            samesite="lax",
        )
    return answer


def _refused(error: NotAuthenticated, name: str, target: str) -> Response:
    """Return the form again, with how long to wait when there were too many failures."""
    if error.word != THROTTLED:
        notice = "The name or the password is wrong."
        return _signin_page(401, notice=notice, name=name, target=target)
    wait_s = error.details[0].message
    notice = f"Too many failed sign-ins. Try again in {wait_s} seconds."
    return _later(_signin_page(429, notice=notice, name=name, target=target), wait_s)


def _later(page: Response, wait_s: str) -> Response:
    page.headers["Retry-After"] = wait_s
    return page


async def show_signout(request: Request) -> Response:
    """Ask before signing out; a link alone must not end a session."""
    if await _signed_in(request) is None:
        return RedirectResponse("/auth/login", status_code=303)
    return make_page(200, "Sign out", _SIGNOUT_BODY)


async def sign_out(request: Request) -> Response:
    """End the session and take the cookie away."""
    caller = await _signed_in(request)
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
    *one_time.ROUTES,
    *mail_links.ROUTES,
]


def find_caller(token: str | None, *, is_seen: bool = True) -> Caller | None:
    """Return who is signed in with the cookie's token, if anybody is.

    Args:
        token: Value of the cookie.
        is_seen: Whether somebody is there, so that the session does not count as idle.
    """
    if not token:
        return None
    try:
        return current().stores.users.find_session(token, is_seen=is_seen)
    except NotAuthenticated:
        return None


def signin_address(path: str, query: str) -> str:
    """Return the address of the sign-in page that leads back to a page."""
    return "/auth/login?next=" + quote(f"{path}?{query}" if query else path, safe="/")


async def _signed_in(request: Request) -> Caller | None:
    return await run_in_threadpool(find_caller, _token(request))


def _token(request: Request) -> str | None:
    return request.cookies.get(current().settings.session_cookie)


def _begin_session(request: Request, name: str, password: str) -> SignedIn:
    """Check the password, note the sign-in in the audit log and return the new cookies."""
    users, audit = current().stores.users, current().stores.audit
    address = address_of(request)
    device = request.cookies.get(current().settings.device_cookie)
    try:
        user = users.check_password(name, password, address=address, device=device)
    except NotAuthenticated as error:
        if error.word != THROTTLED:
            _note_failure(name, address)
        raise
    former = _token(request)
    if former:
        users.close_session(former)
    audit.add(user.name, "signin", user.name, f"from {address}")
    agent = request.headers.get("user-agent", "")
    token = users.open_session(user.user_id, address=address, agent=agent)
    return SignedIn(token=token, device=users.device_token(user.name))


def _note_failure(name: str, address: str) -> None:
    """Note a failed sign-in; a name without an account may be a password and is not kept."""
    stores = current().stores
    accounts = {user.name for user in stores.users.list()}
    account = name.strip().lower()
    subject = account if account in accounts else "unknown account"
    stores.audit.add("unknown", "signin_failed", subject, f"from {address}")


def _end_session(request: Request, caller: Caller) -> None:
    stores = current().stores
    stores.users.close_session(_token(request) or "")
    stores.audit.add(caller.name, "signout", caller.name)


def _signin_page(
    status: int, *, notice: str = "", name: str = "", target: str = "/"
) -> HTMLResponse:
    body = _SIGNIN_BODY.substitute(
        notice=f'<div class="notice" role="alert">{escape(notice)}</div>\n' if notice else "",
        name=escape(name),
        target=escape(target),
        name_focus="" if name else " autofocus",
        password_focus=" autofocus" if name else "",
    )
    return make_page(status, "Sign in", body)
