"""The small pages around signing in: one frame, forms read within limits."""

import secrets
from pathlib import Path
from string import Template
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse

BODY_LIMIT = 8192
_FORM = "application/x-www-form-urlencoded"
_PAGE = Template((Path(__file__).parent / "signin.html").read_text(encoding="utf-8"))


def make_page(status: int, title: str, body: str) -> HTMLResponse:
    """Return a page that loads nothing, runs nothing and sits in no frame.

    Args:
        status: HTTP status.
        title: Heading, written by us.
        body: HTML below the heading; text of visitors in it is escaped already.
    """
    nonce = secrets.token_urlsafe(16)
    policy = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(
        _PAGE.substitute(title=title, body=body, nonce=nonce),
        status_code=status,
        headers={
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        },
    )


def is_own_form(request: Request) -> bool:
    """Return whether a form was sent from this site (or by a program, which has no cookies)."""
    told_by_browser = request.headers.get("sec-fetch-site")
    if told_by_browser is not None:
        return told_by_browser in {"same-origin", "none"}
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    return origin is None or (host != "" and urlsplit(origin).netloc.lower() == host.lower())


async def read_form(request: Request) -> dict[str, str] | None:
    """Return the fields of a form of moderate size, or None."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        return None
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > BODY_LIMIT:
            return None
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=10)
    except ValueError:
        return None
    return {name: values[0] for name, values in fields.items()}
