"""Which addresses may be opened: names of public hosts over https, nothing near this machine."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import quote, urlsplit

from core.model_ports import PageRefused

LONGEST = 2_000
PORT = 443
_HOST = re.compile(
    r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]"
)
"""Labels in ASCII, the last of which begins with a letter: no number, no address."""
_NOT_PUBLIC = frozenset(
    {
        *("local", "internal", "localhost", "localdomain", "lan", "home", "corp", "intranet"),
        *("private", "arpa", "onion", "invalid", "test", "alt"),
    }
)
"""Last labels that are never those of a public host."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost"})
_SAFE = "%/:=&?~+!$,;'@()*[]"
_PRIVATE = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
            *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24"),
            *("192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24"),
            *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
            "168.63.129.16/32",  # metadata of Azure
            *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
        ),
    )
)
"""Networks of the registries of special addresses of RFC 6890, Teredo and 6to4 among them."""
_GLOBAL = ip_network("2000::/3")
"""The only public addresses of IPv6; mapped, translated, local and multicast ones lie outside."""
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


@dataclass(frozen=True)
class Address:
    """An address that may be opened.

    Attributes:
        scheme: "https"; "http" for this machine in tests.
        host: Name of the host in lower case.
        port: Port.
        target: Path and query.
        is_loopback: Whether it is of this machine, as only tests allow.
    """

    scheme: str
    host: str
    port: int
    target: str
    is_loopback: bool = False

    @property
    def url(self) -> str:
        """Return it in one piece."""
        port = f":{self.port}" if self.is_loopback else ""
        return f"{self.scheme}://{self.host}{port}{self.target}"


def refuse_address(why: str) -> PageRefused:
    """Return what to raise for an address that is not opened."""
    return PageRefused("address", f"The page was not opened: {why}.")


def read_address(url: str, *, hosts: Sequence[str] = (), takes_loopback: bool = False) -> Address:
    """Return an address in its parts if it may be opened.

    Args:
        url: The address; untrusted.
        hosts: Hosts to which addresses are limited, with their subdomains; none for all.
        takes_loopback: Whether addresses of this machine are allowed, as in tests.

    Raises:
        PageRefused: `address` or `host_not_listed`.

    >>> read_address("https://www.fda.gov/drugs?x=1#top").url
    'https://www.fda.gov/drugs?x=1'
    """
    if len(url) > LONGEST or not url.isprintable() or re.search(r"[\s\\]", url):
        raise refuse_address("its address is too long or has signs that no address has")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise refuse_address("its address is malformed") from None
    target = quote(parts.path or "/", safe=_SAFE)
    target += f"?{quote(parts.query, safe=_SAFE)}" if parts.query else ""
    is_near = host in _LOOPBACK and port and "@" not in parts.netloc
    if takes_loopback and is_near and parts.scheme in {"http", "https"}:
        return Address(parts.scheme, host, port or 0, target, is_loopback=True)
    if parts.scheme != "https":
        raise refuse_address("only https addresses are opened")
    if "@" in parts.netloc or "%" in parts.netloc or parts.netloc.endswith(":"):
        raise refuse_address("its address names a user or has signs that no host has")
    if port not in {None, PORT}:
        raise refuse_address("its address names a port other than 443")
    labels = host.split(".")
    if not _HOST.fullmatch(host) or any(label.startswith("xn--") for label in labels):
        raise refuse_address("its host is no name in ASCII with a domain")
    if labels[-1] in _NOT_PUBLIC:
        raise refuse_address("its host is no public one")
    if hosts and not is_listed(host, hosts):
        raise PageRefused("host_not_listed", "The page was not opened: its host is not listed.")
    return Address("https", host, PORT, target)


def is_listed(host: str, hosts: Sequence[str]) -> bool:
    """Return whether a host is one of some hosts or of their subdomains.

    >>> is_listed("www.fda.gov", ["fda.gov"]), is_listed("notfda.gov", ["fda.gov"])
    (True, False)
    """
    return any(host == name or host.endswith(f".{name}") for name in hosts)


def is_public(text: str) -> bool:
    """Return whether an address of the network is public; what is no address is not.

    >>> [is_public(text) for text in ("8.8.8.8", "169.254.169.254", "::ffff:8.8.8.8")]
    [True, False, False]
    """
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if not address.is_global or any(address in network for network in _PRIVATE):
        return False
    if isinstance(address, IPv4Address):
        return True
    return address in _GLOBAL and not _embeds(address)


def _embeds(address: IPv6Address) -> bool:
    """Return whether the lower half has an address of IPv4, as ISATAP writes it."""
    return (int(address) >> 32) & 0xFFFFFFFF in _ISATAP or address.scope_id is not None
