"""Pages are opened at public addresses alone, in time, within bounds, and as their sites allow."""

import gzip
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.drafting.web.fetch import LARGEST_PAGE, MOST_PAGES, Fetcher
from core.model_ports import PageRefused
from core.settings import Settings
from tests.core.evidence.loopback import Asked, Sent, serving
from tests.rows import over_rows
from tests.standin.web import PUBLIC, Network, make_certificate, network, serve_raw

__all__ = ["network"]
HTML = {"Content-Type": "text/html; charset=utf-8"}
NO_RULES = Sent(status=404)
HOSTILE = (
    """
http://www.example.org/
ftp://www.example.org/
file:///etc/passwd
gopher://www.example.org/
javascript:alert(1)
data:text/html,x
//www.example.org/
www.example.org
https:///etc/passwd
https:www.example.org
https://
https://localhost/
https://localhost.localdomain/
https://intranet/
https://metadata/
https://metadata.google.internal/computeMetadata/v1/
https://printer.local/
https://db.corp/
https://router.lan/
https://nas.home.arpa/
https://1.0.0.127.in-addr.arpa/
https://hidden.onion/
https://www.example.org./
https://127.0.0.1/
https://127.1/
https://2130706433/
https://0x7f000001/
https://0x7f.0.0.1/
https://0177.0.0.1/
https://0177.0x0.1/
https://127.0.0.1.:443/
https://[::1]/
https://[::ffff:127.0.0.1]/
https://[::127.0.0.1]/
https://[64:ff9b::7f00:1]/
https://[fe80::1%25eth0]/
https://169.254.169.254/latest/meta-data/
https://93.184.216.34/
https://user@www.example.org/
https://user:secret@www.example.org/
https://www.example.org@127.0.0.1/
https://www.example.org:8443/
https://www.example.org:22/
https://www.example.org:/
https://www.example.org:0443x/
https://www.example.org:99999/
https://www.example.org\\@127.0.0.1/
https://www.example.org%2f@127.0.0.1/
https://www.exam%70le.org/
https://www.example.org\t/
https://www.exa\u00admple.org/
https://\uff11\uff12\uff17.0.0.1/
https://\u2460\u2461\u2466.0.0.1/
https://127\u30020\u30020\u30021/
https://www.ex\u0430mple.org/
https://xn--mple-2wd.org/
https://exa mple.org/
https://-www.example.org/
https://www..example.org/
https://under_score.example.org/
https://a.b.1/
https://www.example.org/\u202e
""".strip("\n")
    .replace("\\t", "\t")
    .split("\n")
)
"""Addresses that are never looked up."""
NUMBERS = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255"),
    *("192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192"),
    *("192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "224.0.0.1"),
    *("240.0.0.1", "255.255.255.255", "168.63.129.16", "::", "::1", "::ffff:8.8.8.8"),
    *("::ffff:127.0.0.1", "::8.8.8.8", "64:ff9b::808:808", "64:ff9b:1::1", "2002:7f00:1::"),
    *("2001:0:7f00:1::", "2001:db8::1", "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254"),
    *("ff02::1", "100::1", "2001:10::1", "2a00:1450::5efe:7f00:1", "3fff::1", "4000::1"),
)
"""Where names lead that are not followed."""


def make(left: float = 60, **fields: Any) -> Fetcher:
    """Return what opens pages without waiting for its turn."""
    settings = Settings.model_validate({"contact": "team@example.org", **fields})
    return Fetcher(settings, left=lambda: left, sleep=lambda _: None)


def near(fields: dict[str, Any] | None = None, left: float = 60) -> Fetcher:
    """Return what opens pages of this machine."""
    return make(left, web_loopback=True, **(fields or {}))


def refusal(fetcher: Fetcher, url: str) -> str:
    """Return why a page was refused; "" where it came."""
    try:
        fetcher.fetch(url)
    except PageRefused as refused:
        return refused.reason
    return ""


def site(pages: dict[str, Sent], rules: Sent = NO_RULES) -> Callable[[Asked], Sent]:
    """Return a site of some pages."""
    return lambda asked: {"/robots.txt": rules, **pages}.get(asked.path, Sent(status=404))


def page(text: str = "<p>Text</p>", **options: Any) -> Sent:
    return Sent(text.encode(), headers=HTML, **options)


def test_hostile_addresses_are_neither_looked_up_nor_connected_to(network: Network) -> None:
    assert len(HOSTILE) >= 60
    opened = {url for url in HOSTILE if refusal(make(), url) != "address"}
    assert opened == set()
    assert (network.lookups, network.connections) == ([], [])


def test_names_that_lead_to_other_than_public_addresses_are_not_connected_to(
    network: Network,
) -> None:
    for number in NUMBERS:
        for answers in ([number], [PUBLIC, number], [number, PUBLIC]):
            network.names["www.example.org"] = answers
            assert refusal(make(), "https://www.example.org/") == "address", number
    network.names.clear()
    assert refusal(make(), "https://www.example.org/") == "not_found"
    assert network.connections == []


def test_a_name_that_changes_its_answer_is_connected_to_where_it_was_checked(
    network: Network, tmp_path: Path
) -> None:
    files = make_certificate(tmp_path, "www.example.org")
    seen: list[bytes] = []

    def speak(connection: socket.socket) -> None:
        seen.append(connection.recv(4_096))
        is_rules = b"/robots.txt" in seen[-1]
        head = b"404 Not Found" if is_rules else b"200 OK\r\nContent-Type: text/plain"
        connection.sendall(b"HTTP/1.1 " + head + b"\r\nContent-Length: 4\r\n\r\ntext")

    with serve_raw(speak, files) as port:
        answers = iter([[PUBLIC], [PUBLIC], ["127.0.0.1"], ["127.0.0.1"]])
        network.names["www.example.org"] = lambda: next(answers)
        network.names["www.example.com"] = [PUBLIC]
        network.ways[PUBLIC, 443] = ("127.0.0.1", port)
        fetcher = make(ca_bundle=str(files[0]))
        assert fetcher.fetch("https://www.example.org/a?b=1").content == b"text"
        assert refusal(fetcher, "https://www.example.org/") == "address"
        assert refusal(fetcher, "https://www.example.com/") == "no_answer"  # of another name
    assert network.connections == [(PUBLIC, 443)] * 3
    assert network.lookups[:3] == ["www.example.org"] * 3
    head = seen[1].decode().splitlines()
    assert head[0] == "GET /a?b=1 HTTP/1.1"
    assert "Host: www.example.org" in head
    assert "User-Agent: biopharma-workbench (team@example.org)" in head
    assert not any(line.lower().startswith(("cookie", "authorization", "referer")) for line in head)


def test_redirects_are_checked_like_addresses(network: Network) -> None:
    network.names |= {"inner.example.org": ["10.0.0.1"], "www.example.org": [PUBLIC]}
    targets = {
        "/inner": ("https://inner.example.org/", "address"),
        "/plain": ("http://www.example.org/", "address"),
        "/number": ("https://169.254.169.254/", "address"),
        "/local": ("http://metadata.google.internal/", "address"),
        "/file": ("file:///etc/passwd", "address"),
        "/user": ("https://a@www.example.org/", "address"),
        "/loop": ("/loop", "redirects"),
        "/4": ("/3", "redirects"),
        "/3": ("/2", ""),
        "/2": ("/1", ""),
        "/1": ("/page", ""),
        "/none": ("", "redirects"),
    }
    moved = {
        path: Sent(status=302, headers={"Location": target, "Set-Cookie": "a=1"})
        for path, (target, _) in targets.items()
    }
    with serving(site({**moved, "/page": page()})) as served:
        fetcher = near()
        reasons = {path: refusal(fetcher, served.address + path) for path in targets}
        assert reasons == {path: reason for path, (_, reason) in targets.items()}
        assert not any("Cookie" in asked.headers for asked in served.asked)
    port = int(served.address.rpartition(":")[2])
    assert {*network.connections} == {("127.0.0.1", port)}


def test_this_machine_is_reached_only_where_tests_allow_it(network: Network) -> None:
    with serving(site({"/": page()})) as served:
        assert refusal(make(), served.address) == "address"
        assert refusal(make(), served.address.replace("http:", "https:")) == "address"
        assert network.connections == []
        assert near({"offline": True}).fetch(served.address).url == f"{served.address}/"
    assert refusal(near({"offline": True}), "https://www.example.org/") == "offline"


def test_hosts_are_limited_and_a_proxy_needs_the_limit(network: Network) -> None:
    fetcher = make(web_hosts="example.org")
    assert refusal(fetcher, "https://www.notexample.org/") == "host_not_listed"
    assert refusal(make(proxy="http://127.0.0.1:9"), "https://www.example.org/") == "proxy"
    assert network.connections == []
    asked: list[bytes] = []

    def speak(connection: socket.socket) -> None:
        asked.append(connection.recv(4_096))
        connection.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")

    with serve_raw(speak) as port:
        behind = make(web_hosts="example.org", proxy=f"http://127.0.0.1:{port}")
        assert refusal(behind, "https://www.example.org/") == "no_answer"
        assert refusal(behind, "https://www.example.com/") == "host_not_listed"
    assert [line.split()[:2] for line in asked] == [[b"CONNECT", b"www.example.org:443"]]
    assert network.lookups == []


BOMB = gzip.compress(b"\0" * 60_000_000)
ANSWERS = {
    "missing": (Sent(status=404), "status"),
    "busy": (Sent(status=429), "status"),
    "down": (Sent(status=503), "status"),
    "teapot": (Sent(status=204), "status"),
    "image": (Sent(b"x", headers={"Content-Type": "image/png"}), "type"),
    "json": (Sent(b"{}", headers={"Content-Type": "application/json"}), "type"),
    "untyped": (Sent(b"x"), "type"),
    "large": (page("x" * (LARGEST_PAGE + 1)), "too_large"),
    "fits": (page("x" * LARGEST_PAGE), ""),
    "bomb": (
        Sent(BOMB, headers={**HTML, "Content-Encoding": "gzip"}),
        "too_large",
    ),
    "bomb in a bomb": (
        Sent(gzip.compress(BOMB), headers={**HTML, "Content-Encoding": "gzip, gzip"}),
        "type",
    ),
    "brotli": (Sent(b"x", headers={**HTML, "Content-Encoding": "br"}), "type"),
    "no gzip": (Sent(b"plain", headers={**HTML, "Content-Encoding": "gzip"}), "no_answer"),
    "cut": (page(cut=10), "no_answer"),
    "text": (Sent(b"x", headers={"Content-Type": "Text/Plain"}), ""),
}


def test_answers_that_are_no_pages_are_refused_with_their_reason() -> None:
    pages = {f"/{name.replace(' ', '-')}": sent for name, (sent, _) in ANSWERS.items()}
    with serving(site(pages)) as served:
        fetcher = near()
        reasons = {path: refusal(fetcher, served.address + path) for path in pages}
    expected = [reason for _, reason in ANSWERS.values()]
    assert reasons == dict(zip(pages, expected, strict=True))


def drip(beginning: bytes) -> Callable[[socket.socket], None]:
    """Return a site that answers sign by sign without an end."""

    def speak(connection: socket.socket) -> None:
        connection.recv(4_096)
        connection.sendall(beginning)
        for _ in range(300):
            connection.sendall(b"a")
            time.sleep(0.02)

    return speak


@over_rows(
    "beginning",
    [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 999\r\n\r\n", b"HTTP/1.1 2"],
)
def test_a_site_that_drips_is_given_up(beginning: bytes) -> None:
    with serve_raw(drip(beginning)) as port:
        began = time.monotonic()
        assert refusal(near(left=0.4), f"http://127.0.0.1:{port}/") == "timed_out"
        assert time.monotonic() - began < 1.5


def test_a_run_without_time_opens_nothing(network: Network) -> None:
    network.names["www.example.org"] = [PUBLIC]
    assert refusal(make(left=0), "https://www.example.org/") == "deadline"
    assert network.connections == []


@over_rows(
    ("rules", "open_page", "closed_page"),
    [
        (Sent(status=404), "", ""),
        (Sent(b"User-agent: *\nDisallow: /closed"), "", "robots"),
        (Sent(b"User-agent: biopharma-workbench\nDisallow: /\n"), "robots", "robots"),
        (Sent(b"User-agent: other\nDisallow: /\n"), "", ""),
        (Sent(b"User-agent: *\nDisallow: /closed\n" + b"# x\n" * 300_000), "", "robots"),
        (Sent(status=403), "robots", "robots"),
        (Sent(status=500), "robots", "robots"),
        (Sent(status=302, headers={"Location": "https://10.0.0.1/"}), "address", "address"),
        (Sent(b"\xff\xfe\0<html>"), "", ""),
    ],
)
def test_sites_say_what_programs_may_read(rules: Sent, open_page: str, closed_page: str) -> None:
    with serving(site({"/open": page(), "/closed": page()}, rules)) as served:
        fetcher = near()
        assert refusal(fetcher, f"{served.address}/open") == open_page
        assert refusal(fetcher, f"{served.address}/closed") == closed_page
        assert [asked.path for asked in served.asked].count("/robots.txt") == 1


def test_a_run_reads_twenty_pages_in_turn() -> None:
    waits: list[float] = []
    with serving(site({"/": page()})) as served:
        fetcher = near()
        fetcher.sleep = waits.append
        reasons = [refusal(fetcher, served.address) for _ in range(MOST_PAGES + 2)]
        assert reasons == [""] * MOST_PAGES + ["page_limit"] * 2
        assert len(served.asked) == MOST_PAGES + 1
    assert len(waits) == MOST_PAGES
    assert 0.9 < waits[0] <= 1 < waits[-1]


def test_two_pages_of_a_host_are_read_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    running, most = [0], [0]

    def answer(asked: Asked) -> Sent:
        if asked.path == "/robots.txt":
            return NO_RULES
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.1)
        running[0] -= 1
        return page()

    with serving(answer) as served, ThreadPoolExecutor(6) as pool:
        fetcher = near()
        fetcher.fetch(served.address)
        assert {*pool.map(lambda _: refusal(fetcher, served.address), range(6))} == {""}
    assert most == [2]


@pytest.mark.parametrize("name", ["gzip", "identity"])
def test_packed_pages_are_unpacked(name: str) -> None:
    content = gzip.compress(b"<p>x</p>") if name == "gzip" else b"<p>x</p>"
    sent = Sent(content, headers={**HTML, "Content-Encoding": name})
    with serving(site({"/": sent})) as served:
        fetched = near().fetch(served.address)
    assert (fetched.content, fetched.kind, fetched.charset) == (b"<p>x</p>", "text/html", "utf-8")
