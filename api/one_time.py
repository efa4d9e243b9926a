"""Invitations and resets: a link that sets a password, once.

The token stands behind the `#` of the link, which a browser sends to nobody: it is in no log of
this server or of a proxy, and in no `Referer`. The page takes it out of the address and posts it.
Opening the link changes nothing, so that programs which look into mail do not use it up.
"""

from html import escape
from string import Template

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from api.hashing import PASSWORDS, RETRY_S
from api.signin_page import address_of, failure_status, make_page, read_form, show_notice
from core.accounts import redeem_link
from core.errors import ExecutionError, InvalidInput, NotFound, WorkbenchError
from core.workbench import current

PATH = "/auth/password"
_TITLE = "Choose a password"
_BODY = Template("""<p>For the account <strong>$name</strong>. At least 12 characters, none of the
passwords that many people use.</p>
$notice<form method="post" action="/auth/password">
<input type="hidden" name="token" value="$token">
<input type="hidden" name="name" value="$name" autocomplete="username">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus>
<label for="again">The same again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required>
<button type="submit">Set password</button>
</form>""")
_OPENING = """<noscript><div class="notice" role="alert">Switch JavaScript on for this page: the
last part of the link is read in your browser and sent to nobody else.</div></noscript>
<form method="post" action="/auth/password" id="opening">
<input type="hidden" name="token" id="token">
<button type="submit">Go on</button>
</form>"""
_READ_TOKEN = """
const found = new URLSearchParams(location.hash.slice(1)).get("token");
history.replaceState(null, "", location.pathname);
document.getElementById("token").value = found || "";
document.getElementById("opening").submit();
"""
_ENDED = """<p>This link is not valid, has expired or was used already.
Ask your administrator for a new one.</p>"""


async def show_opening(request: Request) -> Response:
    """Show the page that reads the token from its own address and posts it."""
    return make_page(200, _TITLE, _OPENING, script=_READ_TOKEN)


async def set_password(request: Request) -> Response:
    """Show the form of a link that works, or set the password that came with it."""
    fields = await read_form(request)
    if fields is None:
        return _ended(400)
    token, password = fields.get("token", ""), fields.get("password")
    if password is None:
        return await _form(200, token)
    if password != fields.get("again", ""):
        return await _form(400, token, "The two passwords differ.")
    try:
        await PASSWORDS.call(address_of(request), redeem_link, current().stores, token, password)
    except WorkbenchError as error:
        return await _refused(error, token)
    return RedirectResponse("/auth/login", status_code=303, headers={"Cache-Control": "no-store"})


async def _refused(error: WorkbenchError, token: str) -> Response:
    """Say why no password was set; but for a link that does not work, with the form again."""
    if isinstance(error, ExecutionError):
        page = await _form(failure_status(error), token, error.message)
        page.headers["Retry-After"] = RETRY_S
        return page
    if isinstance(error, InvalidInput):
        return await _form(400, token, error.message)
    return _ended(404)


async def _form(status: int, token: str, notice: str = "") -> Response:
    try:
        link = await run_in_threadpool(current().stores.users.find_link, token)
    except NotFound:
        return _ended(404)
    body = _BODY.substitute(
        name=escape(link.user.name), token=escape(token), notice=show_notice(notice)
    )
    return make_page(status, _TITLE, body)


def _ended(status: int) -> Response:
    return make_page(status, _TITLE, _ENDED)


ROUTES = [
    Route(PATH, show_opening, methods=["GET"]),
    Route(PATH, set_password, methods=["POST"]),
]
