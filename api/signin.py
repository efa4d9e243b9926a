"""Signing in and out in a browser: two small pages and one cookie.

The cookie holds a random token that scripts cannot read. A form from another site is refused,
an unknown name costs the same time and gives the same sentence as a wrong password.
"""

from html import escape
from string import Template
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from api import one_time
from api.signin_page import is_own_form, make_page, read_form
from core.errors import NotAuthenticated, StorageFull, StorageUnavailable
from core.records.runs import Caller, User
from core.workbench import current

COOKIE = "bpw_session"
THROTTLED = "throttled"
DAY_S = 86400
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
    if not is_own_form(request):
        return _signin_page(403, notice="This form was sent from another site.")
    fields = await read_form(request)
    if fields is None:
        return _signin_page(400, notice="The form could not be read; try again.")
    target = safe_target(fields.get("next", "/"))
    name, password = fields.get("name", ""), fields.get("password", "")
    try:
        token = await run_in_threadpool(_begin_session, request, name, password)
    except NotAuthenticated as error:
        if error.word == THROTTLED:
            wait_s = error.details[0].message
            notice = f"Too many failed sign-ins. Try again in {wait_s} seconds."
            page = _signin_page(429, notice=notice, name=name, target=target)
            page.headers["Retry-After"] = wait_s
            return page
        notice = "The name or the password is wrong."
        return _signin_page(401, notice=notice, name=name, target=target)
    except (StorageFull, StorageUnavailable) as error:
        return _signin_page(500, notice=error.message, name=name, target=target)
    answer = RedirectResponse(target, status_code=303, headers={"Cache-Control": "no-store"})
    settings = current().settings
    answer.set_cookie(
        COOKIE,
        token,
        max_age=settings.session_days * DAY_S,
        secure=settings.secure_cookie,
        httponly=True,
        samesite="lax",
    )
    return answer


async def show_signout(request: Request) -> Response:
    """Ask before signing out; a link alone must not end a session."""
    if await _signed_in(request) is None:
        return RedirectResponse("/auth/login", status_code=303)
    return make_page(200, "Sign out", _SIGNOUT_BODY)


async def sign_out(request: Request) -> Response:
    """End the session and take the cookie away."""
    if not is_own_form(request):
        return make_page(403, "Sign out", _SIGNOUT_BODY)
    caller = await _signed_in(request)
    try:
        if caller is not None:
            await run_in_threadpool(_end_session, request, caller)
    except (StorageFull, StorageUnavailable) as error:
        return make_page(
            500, "Sign out", f'<p role="alert">{escape(error.message)}</p>\n{_SIGNOUT_BODY}'
        )
    answer = RedirectResponse("/auth/login", status_code=303, headers={"Cache-Control": "no-store"})
    secure = current().settings.secure_cookie
    answer.delete_cookie(COOKIE, secure=secure, httponly=True, samesite="lax")
    return answer


ROUTES = [
    Route("/auth/login", show_signin, methods=["GET"]),
    Route("/auth/login", sign_in, methods=["POST"]),
    Route("/auth/logout", show_signout, methods=["GET"]),
    Route("/auth/logout", sign_out, methods=["POST"]),
    *one_time.ROUTES,
]


def find_caller(token: str | None) -> Caller | None:
    """Return who is signed in with the cookie's token, if anybody is."""
    if not token:
        return None
    try:
        return current().stores.users.find_session(token)
    except NotAuthenticated:
        return None


def signin_address(path: str, query: str) -> str:
    """Return the address of the sign-in page that leads back to a page."""
    return "/auth/login?next=" + quote(f"{path}?{query}" if query else path, safe="/")


async def _signed_in(request: Request) -> Caller | None:
    return await run_in_threadpool(find_caller, request.cookies.get(COOKIE))


def _begin_session(request: Request, name: str, password: str) -> str:
    """Check the password, note the sign-in in the audit log and return a new token."""
    stores = current().stores
    address = request.client.host if request.client else ""
    try:
        user = stores.users.check_password(name, password, address=address)
    except NotAuthenticated as error:
        if error.word != THROTTLED:
            _note_failure(name, address)
        raise
    _replace_session(request)
    stores.audit.add(user.name, "signin", user.name, f"from {address}")
    return _open_session(request, user, address)


def _open_session(request: Request, user: User, address: str) -> str:
    agent = request.headers.get("user-agent", "")
    return current().stores.users.open_session(user.user_id, address=address, agent=agent)


def _replace_session(request: Request) -> None:
    """End the session that the browser had before."""
    token = request.cookies.get(COOKIE)
    if token:
        current().stores.users.close_session(token)


def _note_failure(name: str, address: str) -> None:
    """Note a failed sign-in; a name without an account may be a password and is not kept."""
    stores = current().stores
    accounts = {user.name for user in stores.users.list()}
    account = name.strip().lower()
    subject = account if account in accounts else "unknown account"
    stores.audit.add("unknown", "signin_failed", subject, f"from {address}")


def _end_session(request: Request, caller: Caller) -> None:
    stores = current().stores
    stores.users.close_session(request.cookies[COOKIE])
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
