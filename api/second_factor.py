"""The second factor of accounts with a password: asked for at sign-in, set up and turned off.

Between password and code nothing is stored: the form carries a sealed token that holds for five
minutes and names the account. Single sign-on has its second factor at the identity provider.
"""

import json
from functools import partial
from html import escape
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from api.browser_sessions import begin_session, go_on, safe_target, signed_in
from api.hashing import PASSWORDS
from api.signin_page import (
    THROTTLED,
    address_of,
    failure_status,
    make_page,
    read_form,
    refused,
    show_notice,
)
from api.threads import in_thread
from core import accounts
from core.errors import ExecutionError, NotAuthenticated, WorkbenchError
from core.records.runs import Caller, Enrollment, User
from core.workbench import current

PATH, CODE_PATH, CONFIRM_PATH = "/auth/factor", "/auth/code", "/auth/factor/confirm"
_PURPOSE = "signin-code"
_CHALLENGE_S = 300
_TITLE, _CODE_TITLE = "Two-factor authentication", "Enter a code"
_CODE_FIELD = """<label for="code">Code</label>
<input id="code" name="code" autocomplete="one-time-code" maxlength="40"
spellcheck="false" required autofocus>"""
_CODE = Template(f"""<p>Open your authenticator app and enter the code for this workbench. If you
lost the app, enter one of your recovery codes.</p>
$notice<form method="post" action="{CODE_PATH}">
<input type="hidden" name="token" value="$token">
{_CODE_FIELD}
<button type="submit">Sign in</button>
</form>""")
_ENROLLMENT = Template(f"""<p>Scan this with an authenticator app, or type the key below into it.
Then enter the code that the app shows.</p>
$qr
<p>Key: <code>$secret</code></p>
$notice<form method="post" action="{CONFIRM_PATH}">
<input type="hidden" name="token" value="$token">
<input type="hidden" name="next" value="$target">
{_CODE_FIELD}
<button type="submit">Turn on</button>
</form>""")
_PASSWORD_FIELD = """<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>"""
_BACK = '<p class="other"><a href="/account">Back to your account</a></p>'
_OFF = Template(f"""<p>Off. With it, signing in takes your password and a code from an app on your
phone.</p>
$notice<form method="post" action="{PATH}">
{_PASSWORD_FIELD}
<button type="submit">Set up</button>
</form>{_BACK}""")
_ON = Template(f"""<p>On. You have $left recovery codes left. To get new ones or change the phone,
turn it off and set it up again.</p>
$notice<form method="post" action="{PATH}">
{_PASSWORD_FIELD}
{_CODE_FIELD}
<button type="submit">Turn off</button>
</form>{_BACK}""")
_ELSEWHERE = f"""<p>You sign in through your organization's identity provider, which asks for the
second factor.</p>{_BACK}"""
_CODES = Template("""<p>It is on. Keep these recovery codes where you keep passwords: each signs you
in once if you lose the app. They are shown only now.</p>
<ul class="codes">$codes</ul>
<p class="other"><a href="$target">Continue</a></p>""")
_EXPIRED = """<div class="notice" role="alert">This sign-in has expired.</div>
<p><a href="/auth/login">Sign in again</a></p>"""


def after_password(request: Request, user: User, target: str) -> Response:
    """Return what follows a right password: the pages, the form for a code, or its set-up."""
    stores = current().stores
    if stores.factors.is_on(user.user_id):
        content = [user.user_id, target, user.credential_mark]
        return _code_page(stores.seals.seal(_PURPOSE, json.dumps(content)), 200)
    if current().settings.second_factor == "required":
        return _enrollment_page(stores.factors.offer(user), target, 200)
    return begin_session(request, user, go_on(target))


async def enter_code(request: Request) -> Response:
    """Take the code that follows a password and begin the session."""
    fields = await read_form(request) or {}
    token = fields.get("token", "")
    content = current().stores.seals.unseal(_PURPOSE, token, max_age_s=_CHALLENGE_S)
    if content is None:
        return make_page(400, _CODE_TITLE, _EXPIRED)
    user_id, target, mark = json.loads(content)
    user = await in_thread(current().stores.users.by_id, user_id)
    if user.disabled_at is not None or user.credential_mark != mark:
        return make_page(400, _CODE_TITLE, _EXPIRED)
    try:
        return await in_thread(_take_code, request, user, fields.get("code", ""), target)
    except WorkbenchError as error:
        return refused(error, partial(_code_page, token))


def _take_code(request: Request, user: User, code: str, target: str) -> Response:
    stores = current().stores
    device = request.cookies.get(current().settings.device_cookie)
    try:
        stores.factors.check(user, code, device=device)
    except NotAuthenticated as error:
        if error.word != THROTTLED:
            note = f"code, from {address_of(request)}"
            stores.audit.add("unknown", "signin_failed", user.name, note)
        raise
    return begin_session(request, user, go_on(safe_target(target)), ", with a code")


async def show_factor(request: Request) -> Response:
    """Show whether the factor is on, with the form that changes it."""
    caller = await signed_in(request)
    if caller is None:
        return go_on(f"/auth/login?next={PATH}")
    return await in_thread(_state_page, caller, 200)


async def change_factor(request: Request) -> Response:
    """Check the password again, then begin the set-up, or turn the factor off with a code."""
    caller, fields = await signed_in(request), await read_form(request) or {}
    if caller is None:
        return go_on(f"/auth/login?next={PATH}")
    try:
        return await PASSWORDS.call(address_of(request), _change, request, caller, fields)
    except WorkbenchError as error:
        show = partial(_state_page, caller)
        return await in_thread(refused, error, show)


def _change(request: Request, caller: Caller, fields: dict[str, str]) -> Response:
    stores = current().stores
    device = request.cookies.get(current().settings.device_cookie)
    user = stores.users.check_password(
        caller.name, fields.get("password", ""), address=address_of(request), device=device
    )
    if not stores.factors.is_on(user.user_id):
        return _enrollment_page(stores.factors.offer(user), "/account", 200)
    stores.factors.check(user, fields.get("code", ""), device=device)
    accounts.remove_factor(stores, caller, user.user_id)
    return go_on(PATH)


async def confirm(request: Request) -> Response:
    """Turn the factor on with its first code and show the recovery codes."""
    fields, caller = await read_form(request) or {}, await signed_in(request)
    token, target = fields.get("token", ""), safe_target(fields.get("next", "/"))
    stores = current().stores
    try:
        offered = stores.factors.find_offer(token)
        codes = await in_thread(accounts.confirm_factor, stores, token, fields.get("code", ""))
        items = "".join(f"<li>{escape(code)}</li>" for code in codes)
        page = make_page(200, _TITLE, _CODES.substitute(codes=items, target=escape(target)))
        if caller is not None and caller.user_id == offered.user_id:
            return page
        user = await in_thread(stores.users.by_id, offered.user_id)
        return await in_thread(begin_session, request, user, page, ", with a first code")
    except NotAuthenticated as error:
        return refused(error, partial(_enrollment_page, offered, target))
    except WorkbenchError as error:
        status = failure_status(error) if isinstance(error, ExecutionError) else 400
        return make_page(status, _TITLE, show_notice(error.message))


def _state_page(caller: Caller, status: int, notice: str = "") -> HTMLResponse:
    stores = current().stores
    if stores.users.by_id(caller.user_id).password_set_at is None:
        return make_page(status, _TITLE, _ELSEWHERE)
    template = _ON if stores.factors.is_on(caller.user_id) else _OFF
    left = stores.factors.count_recovery_codes(caller.user_id)
    return make_page(status, _TITLE, template.substitute(left=left, notice=show_notice(notice)))


def _code_page(token: str, status: int, notice: str = "") -> HTMLResponse:
    body = _CODE.substitute(token=escape(token), notice=show_notice(notice))
    return make_page(status, _CODE_TITLE, body)


def _enrollment_page(
    offered: Enrollment, target: str, status: int, notice: str = ""
) -> HTMLResponse:
    import segno

    drawn = segno.make(offered.address, error="m")
    body = _ENROLLMENT.substitute(
        qr=drawn.svg_inline(svgclass="qr", light="#fff", omitsize=True, title="QR code"),
        secret=" ".join(offered.secret[at : at + 4] for at in range(0, len(offered.secret), 4)),
        token=escape(offered.token),
        target=escape(target),
        notice=show_notice(notice),
    )
    return make_page(status, _TITLE, body)


ROUTES = [
    Route(CODE_PATH, enter_code, methods=["POST"]),
    Route(PATH, show_factor, methods=["GET"]),
    Route(PATH, change_factor, methods=["POST"]),
    Route(CONFIRM_PATH, confirm, methods=["POST"]),
]
