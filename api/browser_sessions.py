"""Sessions of browsers: one cookie, begun and looked up.

The cookie holds a random token that scripts cannot read. A second cookie tells in which browser
somebody signed in before: strangers who guess at that account do not lock its owner out there.
"""

from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.signin_page import address_of
from core.errors import NotAuthenticated
from core.records.runs import Caller, User
from core.workbench import current

DAY_S = 86400
DEVICE_DAYS = 365
_LONGEST_TARGET = 2000


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


async def signed_in(request: Request) -> Caller | None:
    """Return who is signed in in the browser, if anybody is."""
    return await run_in_threadpool(find_caller, token_of(request))


def token_of(request: Request) -> str | None:
    """Return the session's token as the browser sent it."""
    return request.cookies.get(current().settings.session_cookie)


def go_on(target: str) -> Response:
    """Return the way to an address of this site (`safe_target`)."""
    return RedirectResponse(target, status_code=303, headers={"Cache-Control": "no-store"})


def begin_session(request: Request, user: User, answer: Response, note: str = "") -> Response:
    """Begin a session, which ends the browser's former one; return the answer with its cookies.

    Args:
        request: Whose browser signs in.
        user: The account; it has proved who it is.
        answer: What the browser gets.
        note: How it proved that, for the audit log.
    """
    users, settings, address = current().stores.users, current().settings, address_of(request)
    former = token_of(request)
    if former:
        users.close_session(former)
    current().stores.audit.add(user.name, "signin", user.name, f"from {address}{note}")
    agent = request.headers.get("user-agent", "")
    token = users.open_session(user.user_id, address=address, agent=agent)
    for cookie, value, days in (
        (settings.session_cookie, token, settings.session_days),
        (settings.device_cookie, users.device_token(user.name), DEVICE_DAYS),
    ):
        answer.set_cookie(
            cookie,
            value,
            max_age=int(days * DAY_S),
            secure=settings.secure_cookie,
            httponly=True,
            samesite="lax",
        )
    return answer
