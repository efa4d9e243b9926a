"""Europe PMC and NIH RePORTER on a loopback server: recorded answers and faults."""

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.europepmc import EuropePmcConnector
from core.evidence.sources.live.reporter import ReporterConnector
from core.evidence.sources.live.web import Site
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving

TODAY = date(2026, 11, 27)
REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
QUERY = SourceQuery([["KRAS", 'x" OR y'], ["pancreatic cancer"]], since="2026-01-01")
CONNECTORS = {"europepmc": EuropePmcConnector, "nih-reporter": ReporterConnector}
ARTICLE = {
    "id": "1",
    "source": "MED",
    "title": "A",
    "firstPublicationDate": "2026-01-02",
}


def ask(name: str, answer: Answering, query: SourceQuery = QUERY) -> tuple[SourceAnswer, Asked]:
    with serving(answer) as server:
        site = Site(name, server.address, budget_s=5.0, pause_s=0.0, sleep=lambda _: None)
        return CONNECTORS[name](site, TODAY).search(query), server.asked[0]


def echo(body: dict[str, Any]) -> Answering:
    """Return what answers with a body that repeats the question, as Europe PMC does."""
    return lambda asked: as_json({**body, "request": {"queryString": asked.query["query"]}})


@pytest.mark.reference
def test_recorded_articles_come_back_with_title_day_and_address() -> None:
    lines = (REFERENCE / "live" / "europepmc" / "biomcp_2026-08.ndjson").read_text().splitlines()
    bodies = [json.loads(json.loads(line)["response"]["body"]) for line in lines]
    assert sum(body["hitCount"] for body in bodies) > 10
    for body in bodies:
        answer, _ = ask("europepmc", echo(body))
        results = body["resultList"]["result"]
        assert [parsed.record.source_id for parsed in answer.records] == [
            f"{result['source']}/{result['id']}" for result in results
        ]
        assert [parsed.record.published_on for parsed in answer.records] == [
            result["firstPublicationDate"] for result in results
        ]
        assert "<" not in "".join(parsed.record.title for parsed in answer.records)
        assert answer.status == ("answered" if results else "empty")


@pytest.mark.reference
def test_recorded_grants_come_back_and_the_rest_is_said_to_be_left() -> None:
    for path in sorted((REFERENCE / "evidence/api_captures/nih_reporter").glob("*.json")):
        body = json.loads(path.read_text())
        answer, asked = ask("nih-reporter", lambda _, body=body: as_json(body))
        assert asked.method == "POST"
        assert len(answer.records) == len(body["results"])
        assert (answer.status, answer.n_hits) == ("partial", body["meta"]["total"])
        amounts = [fact.value for parsed in answer.records for fact in parsed.facts]
        assert amounts == [result["award_amount"] for result in body["results"]]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("europepmc", as_json({"errCode": 404, "errMsg": "Invalid page size provided."})),
        ("europepmc", as_json({"hitCount": 0, "request": {"queryString": "other words"}})),
        ("europepmc", echo({"hitCount": 7, "resultList": {"result": []}})),
        ("europepmc", echo({"hitCount": 1, "resultList": {"result": [{"id": "1"}]}})),
        ("europepmc", echo({"hitCount": -1, "resultList": {"result": []}})),
        ("nih-reporter", as_json({"meta": {}, "results": []})),
        ("nih-reporter", as_json({"meta": {"total": 0}, "results": []}, status=404)),
        ("nih-reporter", as_json({"meta": {"total": 0}, "results": [], "error": "x"})),
        ("nih-reporter", as_json({"meta": {"total": 4}, "results": []})),
        ("nih-reporter", as_json({"meta": {"total": 1}, "results": [{"project_num": "1"}]})),
        *((name, Sent(status=500)) for name in CONNECTORS),
        *((name, as_json({"results": []}, cut=3)) for name in CONNECTORS),
    ],
)
def test_a_fault_is_never_taken_for_nothing_found(name: str, fault: Sent | Answering) -> None:
    answer, _ = ask(name, fault if callable(fault) else lambda _: fault)
    assert (answer.status, answer.records) == ("unavailable", ())


@pytest.mark.parametrize(
    ("day", "published_on"),
    [
        ("2026-11-27", "2026-11-27"),
        ("2026-11", "2026-11"),
        ("2026-11-28", ""),
        ("2031-04-01", ""),
        ("2026-45-99", ""),
        ("99999999", ""),
        ("-5", ""),
    ],
)
def test_an_article_has_a_day_only_where_it_is_past(day: str, published_on: str) -> None:
    body = {"hitCount": 1, "resultList": {"result": [ARTICLE | {"firstPublicationDate": day}]}}
    answer, _ = ask("europepmc", echo(body))
    (parsed,) = answer.records
    assert (parsed.record.published_on, parsed.record.updated_on) == (published_on, published_on)


def test_an_empty_answer_is_empty_and_words_are_no_query_language() -> None:
    answer, asked = ask("europepmc", echo({"hitCount": 0, "resultList": {"result": []}}))
    assert (answer.status, answer.n_hits) == ("empty", 0)
    assert '"x OR y"' in asked.query["query"].replace("x  OR", "x OR")
    cut, _ = ask("europepmc", echo({"hitCount": 9, "resultList": {"result": [ARTICLE]}}))
    assert (cut.status, cut.message) == ("partial", "read 1 of 9 articles")
