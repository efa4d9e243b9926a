"""Where a request comes from: the name it was sent to, the page that sent it.

A browser adds the cookie to whatever any page makes it send: the port does not matter to a
cookie, nor to SameSite. So the instance looks at what a page cannot forge: `Host`, `Origin` and
the Fetch Metadata headers. Programs send neither of the last two and have no cookie to abuse.
"""

import ipaddress
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from core.settings import Settings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_OWN_SITES = frozenset({"same-origin", "none"})
_LONGEST = 300


def read_address(text: str) -> SplitResult | None:
    """Return `scheme://host:port` in parts, or None when it is anything else."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return None
    is_bare = not (parts.path or parts.query or parts.fragment) and "@" not in parts.netloc
    is_plain = text.isascii() and text.isprintable() and len(text) <= _LONGEST
    return parts if is_bare and is_plain and parts.hostname else None


def is_known_host(headers: Headers, scope: Scope, settings: Settings) -> bool:
    """Return whether a request was sent to a name of this instance.

    Args:
        headers: Headers of the request.
        scope: ASGI scope; its `server` is the address that the connection came in at.
        settings: `allowed_hosts`, `host`.
    """
    given, server = headers.getlist("host"), scope.get("server")
    own = (settings.host.lower(), str(server[0]).lower() if server else "")
    return len(given) == 1 and _is_known(given[0], own, settings.allowed_hosts)


@lru_cache(maxsize=256)
def _is_known(host: str, own: tuple[str, str], allowed: tuple[str, ...]) -> bool:
    """Return whether a host is one of this instance.

    An address in numbers needs no list: what protects against a foreign name that was turned to
    this machine (DNS rebinding) is that it is a name.

    Args:
        host: As the client names it.
        own: Names that need no list.
        allowed: The list; an entry without a port fits every port.
    """
    address = read_address(f"http://{host}")
    if address is None or address.hostname is None:
        return False
    name = address.hostname.rstrip(".")
    if _is_number(name) or name in {"localhost", *own}:
        return True
    return not {name, f"{name}:{address.port}"}.isdisjoint(entry.lower() for entry in allowed)


def is_own_origin(headers: Headers, scope: Scope, settings: Settings) -> bool:
    """Return whether the page that sends a request, if there is one, is a page of this instance.

    Args:
        headers: Headers of the request; a missing `Origin` is a program.
        scope: ASGI scope; only its scheme is read.
        settings: `allowed_hosts`, `secure_cookie`.
    """
    given = headers.getlist("origin")
    if not given:
        return True
    origin = read_address(given[0]) if len(given) == 1 else None
    if origin is None or origin.hostname is None or origin.scheme not in _DEFAULT_PORTS:
        return False
    is_tls = settings.secure_cookie or scope["scheme"] in {"https", "wss"}
    if is_tls and origin.scheme != "https":
        return False
    standard = _DEFAULT_PORTS[origin.scheme]
    host = read_address(f"{origin.scheme}://{headers.get('host', '')}")
    address = (origin.hostname, origin.port or standard)
    if host is not None and address == (host.hostname, host.port or standard):
        return True
    port = None if address[1] == standard else address[1]
    names = {name.lower() for name in settings.allowed_hosts}
    return (address[0] if port is None else f"{address[0]}:{port}") in names


def is_own_fetch(headers: Headers, method: str) -> bool:
    """Return whether the browser says that a page of this instance asks, or a person.

    From elsewhere only a link that opens in the window itself is followed; a picture, a script, a
    frame or a fetch of another port of this machine would come with the cookie.

    Args:
        headers: Headers of the request; older browsers and programs tell nothing.
        method: HTTP method; GET for a websocket.
    """
    site = headers.get("sec-fetch-site")
    if site is None or site in _OWN_SITES:
        return True
    is_link = headers.get("sec-fetch-mode") == "navigate"
    return is_link and headers.get("sec-fetch-dest") == "document" and method in SAFE_METHODS


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
