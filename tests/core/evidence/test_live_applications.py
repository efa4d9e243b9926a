"""openFDA's applications on a loopback server: recorded answers, faults, and what is asked."""

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.openfda import OpenFdaConnector
from core.evidence.sources.live.web import Site
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving

TODAY = date(2026, 11, 27)
REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
DRUGS = SourceQuery((), drugs=["semaglutide"])


def ask(answer: Answering, query: SourceQuery = DRUGS) -> tuple[SourceAnswer, list[Asked]]:
    with serving(answer) as server:
        site = Site("drugsfda", server.address, budget_s=5.0, pause_s=0.0, sleep=lambda _: None)
        return OpenFdaConnector(site, TODAY).search(query), server.asked


def recorded() -> list[dict[str, Any]]:
    """Return the recorded pairs of the endpoint."""
    lines = (REFERENCE / "live" / "openfda" / "openfda_r.ndjson").read_text().splitlines()
    pairs = [json.loads(line) for line in lines]
    return [pair for pair in pairs if "/drug/drugsfda.json" in pair["request"]["url"]]


@pytest.mark.reference
def test_recorded_answers_come_back_as_applications_or_as_what_they_are() -> None:
    expected = {404: "empty", 400: "refused", 403: "not_configured", 500: "unavailable"}
    pairs = recorded()
    assert len(pairs) >= 8
    for pair in pairs:
        response = pair["response"]
        body = response["body"]
        content = body if isinstance(body, str) else json.dumps(body)
        sent = Sent(
            content.encode(), response["status"], headers={"Content-Type": "application/json"}
        )
        answer, _ = ask(lambda _, sent=sent: sent)
        if response["status"] != 200:
            assert (answer.status, answer.records) == (expected[response["status"]], ())
            continue
        results = json.loads(content)["results"]
        numbers = [result["application_number"][-6:] for result in results]
        assert [parsed.record.source_id for parsed in answer.records] == numbers
        assert answer.as_of == "2025-07-09"
        for parsed, result in zip(answer.records, results, strict=True):
            told = [fact for fact in parsed.facts if fact.predicate == "submission"]
            assert len(told) == len(result["submissions"])
            days = [
                submission["submission_status_date"]
                for submission in result["submissions"]
                if submission["submission_type"] == "ORIG"
            ]
            assert parsed.record.published_on.replace("-", "") == min(days)


APPLICATION = {"application_number": "NDA999999", "products": [], "submissions": []}
META = {"last_updated": "2026-11-20", "results": {"total": 1}}
FAULTS = [
    Sent(b'{"error": {"code": "OTHER"}}', 404, {"Content-Type": "application/json"}),
    as_json({"meta": META, "results": []}),
    as_json({"meta": {}, "results": [APPLICATION]}),
    as_json({"meta": META, "results": [{"number": "NDA999999"}]}),
    Sent(b"<html>", headers={"Content-Type": "text/html"}),
    as_json({"meta": META, "results": [APPLICATION]}, cut=5),
    Sent(status=503),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_never_taken_for_nothing_found(fault: Sent) -> None:
    answer, _ = ask(lambda _: fault)
    assert (answer.status, answer.records) == ("unavailable", ())


def test_conditions_are_joined_by_and_and_a_cut_answer_says_so() -> None:
    page = as_json({"meta": {**META, "results": {"total": 7}}, "results": [APPLICATION]})
    query = SourceQuery((), drugs=["MK-1 OR x:y"], companies=["Acme"], since="2026-11-01")
    answer, asked = ask(lambda _: page, query)
    assert (answer.status, answer.n_hits) == ("partial", 7)
    search = asked[0].query["search"]
    assert search.count(" AND ") == 2
    assert "x:y" not in search
    silent, asked = ask(lambda _: page, SourceQuery([["KRAS"]], diseases=["asthma"]))
    assert (silent.records, asked) == ((), [])


@pytest.mark.parametrize("day", [None, "yesterday", "2026-11"])
def test_an_answer_without_a_day_is_of_today(day: str | None) -> None:
    meta = {**META, "last_updated": day}
    answer, _ = ask(lambda _: as_json({"meta": meta, "results": [APPLICATION]}))
    assert (answer.status, answer.as_of) == ("answered", TODAY.isoformat())
