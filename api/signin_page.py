"""The small pages around signing in: one frame, forms read within limits."""

import secrets
from collections.abc import Callable
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse

from api.hashing import RETRY_S
from core.errors import (
    ExecutionError,
    NotAuthenticated,
    StorageUnavailable,
    TooBusy,
    WorkbenchError,
)

BODY_LIMIT = 8192
THROTTLED = "throttled"
_FORM = "application/x-www-form-urlencoded"
_PAGE = Template((Path(__file__).parent / "signin.html").read_text(encoding="utf-8"))

_SHOW_PASSWORD = """
const fields = [...document.querySelectorAll('input[type="password"]')];
const toggle = document.createElement("span");
const show = (isShown) => {
  fields.forEach((field) => { field.type = isShown ? "text" : "password"; });
  toggle.setAttribute("aria-checked", isShown);
};
toggle.addEventListener("click", () => show(toggle.getAttribute("aria-checked") === "false"));
toggle.addEventListener("keydown", (event) => {
  if (event.key === " " || event.key === "Enter") { event.preventDefault(); toggle.click(); }
});
fields[0].form.addEventListener("submit", () => show(false));
toggle.className = "show";
toggle.tabIndex = 0;
toggle.setAttribute("role", "switch");
toggle.textContent = "Show password";
fields.at(-1).after(toggle);
show(false);
"""
"""Lets a person look at what was typed; it is hidden again before the browser sends it."""


def make_page(status: int, title: str, body: str, *, script: str = "") -> HTMLResponse:
    """Return a page that loads nothing and sits in no frame.

    Args:
        status: HTTP status.
        title: Heading, written by us.
        body: HTML below the heading; text of visitors in it is escaped already.
        script: A script of the page, a constant of ours. Passwords come with theirs; a page
            without either runs nothing.
    """
    nonce = secrets.token_urlsafe(16)
    script += _SHOW_PASSWORD if 'type="password"' in body else ""
    scripts = f"script-src 'nonce-{nonce}'; " if script else ""
    policy = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; {scripts}form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    run = f'<script nonce="{nonce}">{script}</script>' if script else ""
    return HTMLResponse(
        _PAGE.substitute(title=title, body=body + run, nonce=nonce),
        status_code=status,
        headers={
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        },
    )


def address_of(request: Request) -> str:
    """Return the network address that a request came from."""
    return request.client.host if request.client else ""


def failure_status(error: ExecutionError) -> int:
    """Return 503 for what passes by itself, 500 for what somebody must mend."""
    return 503 if isinstance(error, TooBusy | StorageUnavailable) else 500


def show_notice(text: str) -> str:
    """Return a message as a sentence in HTML; "" where there is none."""
    if not text:
        return ""
    sentence = f"{text[:1].upper()}{text[1:].rstrip('.')}."
    return f'<div class="notice" role="alert">{escape(sentence)}</div>\n'


def refused(error: WorkbenchError, page: Callable[[int, str], HTMLResponse]) -> HTMLResponse:
    """Return a form again with what was wrong, and how long to wait.

    Args:
        error: Why the form was refused.
        page: Makes the form from a status and a message.
    """
    if isinstance(error, ExecutionError):
        answer = page(failure_status(error), error.message)
        answer.headers["Retry-After"] = RETRY_S
    elif error.word == THROTTLED:
        answer = page(429, error.message)
        answer.headers["Retry-After"] = error.details[0].message
    else:
        answer = page(401 if isinstance(error, NotAuthenticated) else 400, error.message)
    return answer


async def read_form(request: Request) -> dict[str, str] | None:
    """Return the fields of a form of moderate size, or None."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        return None
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT:
            return None
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=10)
    except ValueError:
        return None
    return {name: values[0] for name, values in fields.items()}
