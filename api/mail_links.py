"""The links of mails: opening one shows a button, pressing it confirms or ends the mails.

Programs that look into mail open links; so nothing changes before the button. A mail program's
own "unsubscribe" posts to the same address (RFC 8058).
"""

from html import escape

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from api.signin_page import failure_status, make_page
from core.errors import ExecutionError, NotFound
from core.mail import CONFIRM, STOP
from core.workbench import current

_WORDS = {
    CONFIRM: (
        "Digest of alerts",
        "Confirm this address",
        "Done: the digest comes to this address.",
    ),
    STOP: ("Digest of alerts", "End the mails", "Done: no more digests are sent."),
}
_ENDED = "<p>This link is not valid any more.</p>"


async def show_button(request: Request) -> Response:
    """Show what the link does, and the button that does it."""
    title, button, _ = _WORDS[request.url.path]
    token = escape(request.query_params.get("token", ""), quote=True)
    body = (
        f'<form method="post" action="{request.url.path}?token={token}">'
        f'<button type="submit">{button}</button></form>'
    )
    return make_page(200, title, body)


async def do_it(request: Request) -> Response:
    """Confirm the address or end the mails."""
    title, _, done = _WORDS[request.url.path]
    mailings = current().stores.mailings
    act = mailings.confirm if request.url.path == CONFIRM else mailings.stop
    try:
        await run_in_threadpool(act, request.query_params.get("token", ""))
    except NotFound:
        return make_page(404, title, _ENDED)
    except ExecutionError as error:
        return make_page(failure_status(error), title, f"<p>{escape(error.message)}</p>")
    return make_page(200, title, f"<p>{done}</p>")


ROUTES = [
    Route(path, call, methods=[method])
    for path in (CONFIRM, STOP)
    for method, call in (("GET", show_button), ("POST", do_it))
]
