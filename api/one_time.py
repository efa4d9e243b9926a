"""Invitations and resets: a link that sets a password, once.

Opening the link changes nothing, so that programs which look into mail do not use it up. The
page loads nothing and links nowhere, so the token in its address is told to nobody.
"""

from html import escape
from string import Template

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from api.signin_page import is_own_form, make_page, read_form
from core.accounts import redeem_link
from core.errors import InvalidInput, NotFound, StorageFull
from core.workbench import current

PATH = "/auth/password"
_TITLE = "Choose a password"
_BODY = Template("""<p>For the account <strong>$name</strong>. At least 10 characters.</p>
$notice<form method="post" action="/auth/password">
<input type="hidden" name="token" value="$token">
<input type="hidden" name="name" value="$name" autocomplete="username">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus>
<label for="again">The same again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required>
<button type="submit">Set password</button>
</form>""")
_ENDED = """<p>This link is not valid, has expired or was used already.
Ask your administrator for a new one.</p>"""


async def show_form(request: Request) -> Response:
    """Show the form of a link that works."""
    return await _form(200, request.query_params.get("token", ""))


async def set_password(request: Request) -> Response:
    """Set the password and go on to the sign-in page."""
    fields = await read_form(request)
    if fields is None or not is_own_form(request):
        return _ended(400)
    token, password = fields.get("token", ""), fields.get("password", "")
    if password != fields.get("again", ""):
        return await _form(400, token, "The two passwords differ.")
    try:
        await run_in_threadpool(redeem_link, current().stores, token, password)
    except NotFound:
        return _ended(404)
    except InvalidInput as error:
        return await _form(400, token, f"{error.message[:1].upper()}{error.message[1:]}.")
    except StorageFull as error:
        return await _form(500, token, error.message)
    return RedirectResponse("/auth/login", status_code=303, headers={"Cache-Control": "no-store"})


async def _form(status: int, token: str, notice: str = "") -> Response:
    try:
        link = await run_in_threadpool(current().stores.users.find_link, token)
    except NotFound:
        return _ended(404)
    said = f'<div class="notice" role="alert">{escape(notice)}</div>\n' if notice else ""
    body = _BODY.substitute(name=escape(link.user.name), token=escape(token), notice=said)
    return make_page(status, _TITLE, body)


def _ended(status: int) -> Response:
    return make_page(status, _TITLE, _ENDED)


ROUTES = [
    Route(PATH, show_form, methods=["GET"]),
    Route(PATH, set_password, methods=["POST"]),
]
