"""Searches: each one's answers and failures, never more than allowed, replayed without asking."""

import hashlib
import io
import time
import zlib
from contextlib import ExitStack
from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from core.drafting.ledger import RESERVE_S
from core.drafting.opening import open_drafter
from core.drafting.web.visits import Web, open_web
from core.errors import NotFound
from core.evidence.sources.live.replies import RunReplies
from core.evidence.sources.live.web import LocalRates
from core.model_ports import PageRefused
from core.records.runs import Blob
from core.records.web import SearchAnswer
from core.settings import Settings
from tests.core.evidence.loopback import Answering, Sent, as_json, serving
from tests.standin.inprocess import PAYER
from tests.standin.models import CANARY, KEY
from tests.standin.web import SEARCH_FAILURES, failing, found_by

SWITCHES = {
    "exa": "include_neuralsearch",
    "searxng": "include_opensearch",
    "brave": "include_opensearch",
    "anthropic": "include_llm_web_search",
}
SITES = ("exa", "searxng", "brave")
FOUND = ["https://www.novartis.com/news/one", "https://www.fda.gov/two"]


class Hurried(LocalRates):
    """Rates without waits."""

    def reserve(self, host: str, pause_s: float, longest_wait_s: float) -> float | None:
        return 0.0


class Memory:
    """Notes and blobs of one instance in this process."""

    def __init__(self) -> None:
        self.kept: dict[bytes, str] = {}
        self.packed: dict[str, bytes] = {}

    def read(self, keys: Any) -> dict[bytes, str]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    def write(self, notes: Any) -> None:
        self.kept |= notes

    def put(self, content: bytes) -> Any:
        digest = hashlib.sha256(content).hexdigest()
        self.packed[digest] = content
        return Blob(sha256=digest, size=len(content))

    def open(self, sha256: str) -> Any:
        if sha256 not in self.packed:
            raise NotFound("no such blob")
        return io.BytesIO(self.packed[sha256])


def setting(searcher: str, address: str, **more: Any) -> Settings:
    fields: dict[str, Any] = {"web_search": searcher, "web_search_url": {searcher: address}}
    if searcher == "anthropic":
        fields = {"web_search": searcher, "anthropic_api_key": KEY, "model_base_url": address}
    elif searcher != "searxng":
        fields["web_search_key"] = {searcher: KEY}
    return Settings.model_validate({**fields, "offline": True, **more})


def make(
    settings: Settings, most: int = 12, seconds: float = 30, replies: RunReplies | None = None
) -> Web:
    drafter = open_drafter(settings, PAYER, RESERVE_S + seconds, replies=replies)
    web = open_web(settings, drafter, replies, RESERVE_S + seconds, most, rates=Hurried())
    assert web is not None
    return web


def message(stop: str = "end_turn", content: Any = None) -> Sent:
    """Return an answer of the service's own search; it says more than it found."""
    results = [
        {
            "type": "web_search_result",
            "url": url,
            "title": f"Title {KEY}",
            "page_age": "April 30, 2026",
            "encrypted_content": "x",
        }
        for url in (*FOUND, "http://10.0.0.1/")
    ]
    return as_json(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [
                {
                    "type": "server_tool_use",
                    "id": "s1",
                    "name": "web_search",
                    "input": {"query": "x"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s1",
                    "content": results if content is None else content,
                },
                {"type": "text", "text": f"{CANARY} https://evil.example.org/"},
            ],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {
                "input_tokens": 900,
                "output_tokens": 30,
                "server_tool_use": {"web_search_requests": 1, "web_fetch_requests": 0},
            },
        }
    )


def answer_of(searcher: str) -> Answering:
    return lambda asked: message() if searcher == "anthropic" else as_json(found_by(searcher))


def search(web: Web, searcher: str, words: str = "ACM-101 psoriasis") -> SearchAnswer:
    return web.search(SWITCHES[searcher], words, 5)


def test_each_search_gives_addresses_that_may_be_opened() -> None:
    for searcher, own in SWITCHES.items():
        with serving(answer_of(searcher)) as served:
            web = make(setting(searcher, served.address))
            answer = search(web, searcher)
            assert search(web, searcher).requests == 0
            others = {switch for switch in SWITCHES.values() if switch != own}
            assert {web.search(kind, "x").status for kind in others} == {"not_configured"}
        assert (answer.status, answer.requests, web.requests) == ("used", 1, 1), searcher
        assert [hit.url for hit in answer.hits] == FOUND
        assert answer.hits[0].published_on is not None
        assert all(sign not in f"{answer}" for sign in ("<strong>", KEY, CANARY, "evil"))
        (asked,) = served.asked
        assert asked.path in {"/search", "/res/v1/web/search", "/v1/messages"}
        key = {name.lower(): value for name, value in asked.headers.items()}
        named = {
            "exa": key.get("x-api-key"),
            "brave": key.get("x-subscription-token"),
            "searxng": KEY if asked.query.get("format") == "json" else "",
            "anthropic": key.get("authorization", "").removeprefix("Bearer "),
        }
        assert named[searcher] == KEY


def test_failures_are_labeled_and_show_no_key() -> None:
    for searcher in SITES:
        for script in (*SEARCH_FAILURES, "odd hits"):
            with serving(lambda asked, script=script: failing(script)) as served:
                web = make(setting(searcher, served.address), most=1)
                answer = search(web, searcher)
            expected = {
                "status 401": "not_configured",
                "odd hits": "used",
                "a list": "failed",
            }.get(script, "failed")
            assert answer.status == expected, (searcher, script)
            assert answer.hits == ()
            assert bool(answer.message) == (answer.status != "used")
            assert not any(word in f"{answer}" for word in (KEY, CANARY))
            assert len(served.asked) == answer.requests == web.requests == 1


def test_failures_of_a_model_that_searches_are_labeled() -> None:
    fault = {"type": "web_search_tool_result_error", "error_code": "too_many_requests"}
    cases = {
        "fault": message(content=fault),
        "refusal": message(stop="refusal"),
        **{script: failing(script) for script in ("status 401", "status 529", "html", "a list")},
    }
    for name, sent in cases.items():
        with serving(lambda asked, sent=sent: sent) as served:
            answer = search(make(setting("anthropic", served.address)), "anthropic")
        assert (answer.status, answer.hits, answer.requests) == ("failed", (), 1), name
        assert not any(word in answer.message for word in (KEY, CANARY))
        assert len(served.asked) == 1


def test_hosts_and_days_limit_the_hits() -> None:
    for searcher in SITES:
        with serving(answer_of(searcher)) as served:
            web = make(setting(searcher, served.address, web_hosts="fda.gov"))
            kind = SWITCHES[searcher]
            urls = [
                [hit.url for hit in web.search(kind, "x", 5, None, hosts).hits]
                for hosts in ((), ("www.fda.gov",), ("novartis.com",))
            ]
            assert urls == [FOUND[1:]] * 3
            assert web.search(kind, "x", 5, date(2026, 4, 15)).hits == ()


@limits(max_examples=5, deadline=None)
@given(
    most=st.integers(1, 5),
    calls=st.lists(
        st.tuples(st.sampled_from(("exa", "searxng")), st.integers(0, 4), st.booleans()),
        max_size=12,
    ),
)
def test_no_more_is_searched_than_allowed(most: int, calls: list[tuple[str, int, bool]]) -> None:
    plan = {f"words {number}": fails for _, number, fails in calls}

    def answer(asked: Any) -> Sent:
        fails = plan.get(asked.query.get("q", ""), len(served["exa"].asked) % 2)
        searcher = "searxng" if asked.method == "GET" else "exa"
        return failing("status 429") if fails else as_json(found_by(searcher))

    served: dict[str, Any] = {}
    with ExitStack() as stack:
        for searcher in ("exa", "searxng"):
            served[searcher] = stack.enter_context(serving(answer))
        urls = {name: site.address for name, site in served.items()}
        fields = {"web_search": "exa,searxng", "web_search_url": urls}
        settings = Settings.model_validate(
            {**fields, "web_search_key": {"exa": KEY}, "offline": True}
        )
        web = make(settings, most, seconds=2.5)
        for searcher, number, _ in calls:
            web.search(SWITCHES[searcher], f"words {number}")
        sent = sum(len(site.asked) for site in served.values())
    assert sent == web.requests <= most


def test_a_search_ends_with_the_run() -> None:
    with serving(lambda asked: (time.sleep(1.5), as_json(found_by("exa")))[1]) as served:
        late = make(setting("exa", served.address), seconds=1)
        assert search(late, "exa").status == "skipped"
        assert served.asked == []


def test_a_replay_is_given_the_same_and_asks_nobody() -> None:
    memory, page = Memory(), "<p>Acme today announced that ACM-101 met its primary endpoint.</p>"

    def visit(web: Web) -> list[Any]:
        given: list[Any] = [web.kinds]
        for words in ("one", "two", "one", "three"):
            given.append(web.search(web.kinds[0], words))
        for path in ("/page", "/page", "/missing"):
            try:
                given.append(web.fetch(served.address + path))
            except PageRefused as refused:
                given.append((refused.reason, str(refused)))
        spent = web.drafter.spend if web.drafter else None
        return [*given, web.requests, spent]

    for searcher in ("exa", "anthropic"):

        def answer(asked: Any, searcher: str = searcher) -> Sent:
            if asked.path in {"/page", "/missing", "/robots.txt"}:
                status = 200 if asked.path == "/page" else 404
                return Sent(page.encode(), status, {"Content-Type": "text/html"})
            return answer_of(searcher)(asked)

        with serving(answer) as served:
            settings = setting(searcher, served.address, web_loopback=True)
            run = RunReplies(memory, memory, "2026-11-29")
            given = visit(make(settings, 2, replies=run))
            n_asked = len(served.asked)
            assert [type(part).__name__ for part in given[1:6]].count("SearchAnswer") == 4
            assert given[4].status == "skipped"
            assert given[5] == given[6]
            assert given[7][0] == "status"
            stored = {part.name: part.sha256 for part in run.parts}
            off = settings.model_copy(update={"web_search": ()})
            replayed = RunReplies(memory, memory, "2026-11-29", stored=stored)
            assert visit(make(off, 2, replies=replayed)) == given
            again = RunReplies(memory, memory, "2026-11-29")
            fresh = make(settings, 2, replies=again)
            assert fresh.fetch(f"{served.address}/page") == given[5]
            assert len(served.asked) == n_asked
    assert not any(KEY.encode() in zlib.decompress(content) for content in memory.packed.values())
    nothing = RunReplies(memory, memory, "2026-11-29", stored={})
    assert open_web(settings, None, nothing, 60, 5) is None
    assert open_web(Settings(), None, None, 60, 5) is None
