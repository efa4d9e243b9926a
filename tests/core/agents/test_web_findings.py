"""Two agents with a web search: findings behind all rows, nothing else changed, caps obeyed."""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import pytest

from core.model_ports import PageRefused
from core.records.web import SearchAnswer, SearchKind, SearchStatus, WebHit, WebPage
from core.settings import Settings
from core.workbench import RunContext
from tests.benchmarks.frozen_answers import NOW, ask, make_context
from tests.instances import link, starter_home
from tests.standin.inprocess import InProcess, make_drafter
from tests.standin.models import CANARY, honest

COMPANY = ("company-asset-searcher", {"company": "Amgen"})
FIELD = ("competitive-landscaping", {"query": "KRAS G12C inhibitors in NSCLC"})
RELEASE = (
    "THOUSAND OAKS, Nov. 2, 2026 -- Amgen today announced that it has acquired Dark Blue "
    "Therapeutics for $840 million.\n"
    "Amgen is developing AMG 4711 for gout. Amgen may acquire Pfizer. "
    "The first patient has been dosed in a phase 2 trial of sotorasib in colorectal cancer.\n"
    "Amgen has not licensed sotorasib from Pfizer."
)
OTHER = "Pfizer licensed sirolimus from Roche. The festival opened on Monday."


@dataclass
class FakeWeb:
    """A web of two pages.

    Attributes:
        statuses: What each search comes to.
        queries: Queries that came.
        fetched: Addresses that were fetched.
        cost: Searches that one query costs.
    """

    statuses: Mapping[SearchKind, SearchStatus] = field(
        default_factory=lambda: {"include_llm_web_search": "used"}
    )
    queries: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    requests: int = 0
    is_suspicious: bool = False

    def search(self, kind: SearchKind, query: str, limit: int) -> SearchAnswer:
        status = self.statuses.get(kind, "not_configured")
        if status in {"not_configured", "skipped"}:
            return SearchAnswer(status, message="This search is not configured.")
        self.requests += 1
        self.queries.append(query)
        if status == "failed":
            return SearchAnswer("failed", message="The search did not answer.", requests=1)
        urls = ("https://news.example/amgen", "https://news.example/other", "https://gone.example/")
        return SearchAnswer("used", tuple(WebHit(url) for url in urls), requests=1)

    def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        if "gone" in url:
            raise PageRefused("not_found", "The page is not there.")
        text = RELEASE if "amgen" in url else OTHER
        day = date(2026, 11, 2)
        return WebPage(url, "Release", text, day, NOW, "0" * 64, is_suspicious=self.is_suspicious)


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> RunContext:
    home = link(starter_home(), tmp_path_factory.mktemp("web") / "instance")
    return make_context(Settings(home=home, database_url=None))


def plain(data: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(data.model_dump_json(by_alias=True))
    return fields


FREE = {"web_findings", "web_search", "usage", "warnings", "source_report"}


@pytest.mark.parametrize(("name", "request_fields"), [COMPANY, FIELD])
def test_findings_stand_behind_rows_that_stay_as_they_are(
    name: str, request_fields: dict[str, Any], context: RunContext
) -> None:
    before = plain(ask(name, request_fields, context))
    web = FakeWeb()

    after = plain(ask(name, request_fields, replace(context, web=web)))

    assert "web_findings" not in before
    assert {k: v for k, v in after.items() if k not in FREE} == {
        k: v for k, v in before.items() if k not in FREE
    }
    rows = after["web_findings"]
    assert {row["status"] for row in rows} == {"web, not confirmed"}
    assert all(row["quote"] and row["url"] and row["published_on"] for row in rows)
    assert {row["stage"] for row in rows} <= {"", "PHASE2"}
    assert ("stage", "sotorasib") in {(row["relation"], row["drug_name"]) for row in rows}
    assert "sirolimus" not in {row["drug_name"] for row in rows}
    assert after["usage"]["web_search_requests"] == web.requests > 0
    assert [url for url in web.fetched if "amgen" in url] == ["https://news.example/amgen"]
    assert any(warning.startswith("pages_left_out: 1 not found") for warning in after["warnings"])


def test_a_company_has_its_deals_and_new_drugs(context: RunContext) -> None:
    after = plain(ask(*COMPANY, replace(context, web=FakeWeb())))

    read = {(row["relation"], row["drug_name"], row["partner"]) for row in after["web_findings"]}
    assert ("acquired", "", "Dark Blue Therapeutics") in read
    assert ("develops", "AMG 4711", "") in read
    assert after["web_search"]["status"] == "used"
    assert not {partner for *_, partner in read} & {"Pfizer"}


def test_the_report_shows_findings_with_quote_and_address(context: RunContext) -> None:
    from tests.benchmarks.frozen_answers import _compose  # noqa: PLC0415

    name, request_fields = COMPANY
    data = ask(name, request_fields, replace(context, web=FakeWeb()))
    text = str(_compose(name, request_fields, data))

    assert "Web, not confirmed" in text
    assert "https://news.example/amgen" in text


@pytest.mark.parametrize("most", [1, 2, 5, 25])
def test_no_more_searches_than_allowed(most: int, context: RunContext) -> None:
    chance = random.Random(most)
    kinds: tuple[SearchKind, ...] = (
        "include_llm_web_search",
        "include_neuralsearch",
        "include_opensearch",
    )
    web = FakeWeb({kind: chance.choice(["used", "failed"]) for kind in kinds})
    name, request_fields = COMPANY

    ask(name, {**request_fields, "max_searches": most}, replace(context, web=web))

    assert web.requests <= most
    assert all("Amgen" in query for query in web.queries)


@pytest.mark.parametrize("status", ["failed", "not_configured"])
def test_a_search_that_fails_leaves_the_answer_as_it_is(
    status: SearchStatus, context: RunContext
) -> None:
    web = FakeWeb(
        dict.fromkeys(
            ("include_llm_web_search", "include_neuralsearch", "include_opensearch"), status
        )
    )

    after = plain(ask(*COMPANY, replace(context, web=web)))

    assert after["web_search"]["status"] == status
    assert after["web_search"]["message"]
    assert "web_findings" not in after


def test_switches_choose_the_searches_and_the_report_names_them(context: RunContext) -> None:
    name, request_fields = FIELD
    web = FakeWeb(
        dict.fromkeys(
            ("include_llm_web_search", "include_neuralsearch", "include_opensearch"), "used"
        )
    )
    switched = {kind: False for kind in ("include_llm_web_search", "include_neuralsearch")}

    after = plain(ask(name, {**request_fields, **switched}, replace(context, web=web)))

    lines = {line["flag"]: line for line in after["source_report"]}
    assert lines["include_opensearch"]["status"] == "answered"
    assert lines["include_neuralsearch"]["status"] == "switched_off"
    off = {**switched, "include_opensearch": False}
    silent = FakeWeb()
    ask(name, {**request_fields, **off}, replace(context, web=silent))
    assert silent.requests == 0


def test_an_unknown_company_is_not_searched(context: RunContext) -> None:
    web = FakeWeb()

    after = plain(
        ask("company-asset-searcher", {"company": "Qwyzzak 77"}, replace(context, web=web))
    )

    assert web.queries == []
    assert after["web_search"]["status"] == "skipped"


def test_a_model_that_lies_shows_nothing(context: RunContext) -> None:
    def lie(data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
        if "items" not in schema["properties"]:
            return honest(data, schema, chance)
        part = {"role": "company", "text": "Amgen"}
        quote = f"Amgen acquired {CANARY} for $3 billion in cash."
        return {"items": [{"relation": "acquired", "quote": quote, "parts": [part]}]}

    drafter = make_drafter(InProcess(lie), ("select", "web"))
    web = FakeWeb(is_suspicious=True)

    after = plain(ask(*COMPANY, replace(context, web=web, model=drafter)))

    assert CANARY not in json.dumps(after)
    assert after["usage"]["total_tokens"] == drafter.spend.total_tokens > 0
    assert any("quote not in page" in warning for warning in after["warnings"])
    assert any(warning.startswith("suspicious_source") for warning in after["warnings"])
