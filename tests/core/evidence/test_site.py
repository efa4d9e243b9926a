"""One site over the network: what its answers come to, and how often it is asked."""

import gzip
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from core.evidence.sources.live.web import NoAnswer, Site
from core.records.sources import AnswerStatus
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving


def make_site(address: str, **options: object) -> Site:
    """Return a site that waits for nobody."""
    return Site("source", address, budget_s=5.0, pause_s=0.0, **options)  # type: ignore[arg-type]


def in_order(*answers: Sent) -> Answering:
    """Return what gives one answer after the other."""
    left = list(answers)
    return lambda _: left.pop(0)


def test_redirects_are_followed_on_the_same_host_only() -> None:
    moved = Sent(status=301, headers={"Location": "/studies/NCT02"})
    with serving(in_order(moved, as_json({"id": "NCT02"}))) as server:
        assert b"NCT02" in make_site(server.address).ask("GET", "/studies/NCT01").content
        assert [asked.path for asked in server.asked] == ["/studies/NCT01", "/studies/NCT02"]
    for target in ("http://127.0.0.1:9/elsewhere", "//evil.example.org/x", "/loop"):
        away = Sent(status=302, headers={"Location": target})
        with serving(lambda _, away=away: away) as server, pytest.raises(NoAnswer) as failure:
            make_site(server.address).ask("GET", "/loop")
        assert failure.value.status == "unavailable"
        assert len(server.asked) == 1


def test_an_unchanged_file_is_told_with_its_validators() -> None:
    def answer(asked: Asked) -> Sent:
        if asked.headers.get("If-None-Match") == '"7"':
            return Sent(status=304)
        return Sent(b"rows", headers={"ETag": '"7"', "Link": '<next>; rel="next"'})

    with serving(answer) as server:
        site = make_site(server.address)
        first = site.ask("GET", "/file")
        again = site.ask("GET", "/file", headers={"If-None-Match": first.headers["etag"]})
    assert (first.content, first.headers["link"]) == (b"rows", '<next>; rel="next"')
    assert again.is_unchanged


def test_answers_are_asked_for_packed_and_unpacked_within_bounds() -> None:
    body = b"[" + b"1, " * 100_000 + b"1]"
    packed = Sent(gzip.compress(body), headers={"Content-Encoding": "gzip"})
    with serving(lambda _: packed) as server:
        assert make_site(server.address).ask("GET", "/").content == body
        assert server.asked[0].headers["Accept-Encoding"] == "gzip"
    bomb = Sent(gzip.compress(bytes(40_000_000)), headers={"Content-Encoding": "gzip"})
    with serving(lambda _: bomb) as server, pytest.raises(NoAnswer, match="more than 30 MB"):
        make_site(server.address).ask("GET", "/")


def test_both_forms_of_retry_after_are_honored() -> None:
    at = datetime.now(UTC) + timedelta(seconds=3)
    for header in ("3", format_datetime(at, usegmt=True)):
        waits: list[float] = []
        busy = Sent(status=429, headers={"Retry-After": header})
        with serving(in_order(busy, Sent(b"ok"))) as server:
            site = make_site(server.address, sleep=waits.append)
            assert site.ask("GET", "/").content == b"ok"
        assert 1.5 < waits[0] <= 3.0


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (Sent(b"Unknown field `foo`", status=400), "refused"),
        (as_json({"error": {"code": "API_KEY_INVALID"}}, status=403), "not_configured"),
        (Sent(b"<html>blocked</html>", status=403), "unavailable"),
        (Sent(status=401), "not_configured"),
        (Sent(b"broken query", status=500), "unavailable"),
    ],
)
def test_a_failure_is_told_by_its_cause(answer: Sent, status: AnswerStatus) -> None:
    with serving(lambda _: answer) as server, pytest.raises(NoAnswer) as failure:
        make_site(server.address).ask("GET", "/")
    assert failure.value.status == status
    assert failure.value.detail == answer.content.decode()
    assert answer.content.decode() not in failure.value.message or not answer.content


def test_the_run_ends_the_budget_of_a_site() -> None:
    with serving(lambda _: Sent(b"ok")) as server, pytest.raises(NoAnswer) as failure:
        make_site(server.address, left=lambda: 0.0).ask("GET", "/")
    assert failure.value.status == "over_budget"
    assert server.asked == []
