"""ClinicalTrials.gov on a loopback server: recorded answers, faults, and a run that reads it."""

import gzip
import json
import os
import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.clinicaltrials import ClinicalTrialsConnector
from core.evidence.sources.live.web import Site
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving
from tests.core.evidence.register_server import Study, register

TODAY = date(2026, 11, 27)
REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
SEED = 20261127


@pytest.fixture(scope="module")
def studies() -> Sequence[Study]:
    """Return 150 raw studies, drawn by seed."""
    with gzip.open(REFERENCE / "evidence" / "ctgov_v2_studies.ndjson.gz", "rt") as lines:
        every = [json.loads(line) for line in lines]
    return random.Random(SEED).sample(every, 150)


def ask(answer: Answering, query: SourceQuery) -> tuple[SourceAnswer, list[Asked]]:
    with serving(answer) as server:
        site = Site("ctgov", server.address, budget_s=5.0, pause_s=0.0, sleep=lambda _: None)
        return ClinicalTrialsConnector(site, TODAY).search(query), server.asked


@pytest.mark.reference
def test_recorded_answers_come_back_as_studies() -> None:
    folder = REFERENCE / "evidence" / "api_captures" / "ctgov"
    captures = sorted(folder.glob("search_*.json"))
    assert len(captures) == 7
    for capture in captures:
        recorded: dict[str, Any] = json.loads(capture.read_text())
        page = {key: value for key, value in recorded.items() if key != "nextPageToken"}
        answer, _ = ask(lambda _, page=page: as_json(page), SourceQuery([["x"]]))
        numbers = [
            study["protocolSection"]["identificationModule"]["nctId"]
            for study in recorded["studies"]
        ]
        assert [parsed.record.source_id for parsed in answer.records] == numbers
        assert answer.status in {"answered", "partial"}


@pytest.mark.reference
def test_questions_are_asked_by_field_and_narrower_ones_give_no_more(
    studies: Sequence[Study],
) -> None:
    chance = random.Random(SEED)
    for study in chance.sample(list(studies), 20):
        protocol = study["protocolSection"]
        arms = protocol.get("armsInterventionsModule", {}).get("interventions", [])
        drugs = [arm["name"] for arm in arms if '"' not in arm["name"]][:1]
        diseases = protocol["conditionsModule"]["conditions"][:1]
        wide, asked = ask(register(studies), SourceQuery((), drugs=drugs))
        narrow, _ = ask(register(studies), SourceQuery((), drugs=drugs, diseases=diseases))
        if not drugs:
            assert asked == []
            continue
        assert wide.asked == asked[0].query["filter.advanced"]
        assert "AREA[InterventionName]" in wide.asked
        assert (narrow.n_hits or 0) <= (wide.n_hits or 0)


@pytest.mark.reference
def test_pages_are_walked_up_to_the_limit(studies: Sequence[Study]) -> None:
    question = SourceQuery((), since="2000-01-01", limit=1_000)
    total = len(studies)
    answer, asked = ask(register(studies), question)
    assert (answer.status, answer.n_hits, len(answer.records)) == ("answered", total, total)
    cut, _ = ask(register(studies), SourceQuery((), since="2000-01-01", limit=40))
    assert (cut.status, cut.n_hits, len(cut.records)) == ("partial", total, 40)
    assert "read 40 of 150 studies" in cut.message
    assert len(asked) == 1


PAGE = {"studies": [], "totalCount": 0}
FAULTS = [
    (as_json(PAGE), "empty"),
    (as_json({"studies": [], "totalCount": 12}), "unavailable"),
    (as_json({"records": []}), "unavailable"),
    (as_json({"studies": [{"protocol": {}}], "totalCount": 1}), "unavailable"),
    (Sent(b"Unknown area `Foo`", status=400), "refused"),
    (Sent(b"<html>", headers={"Content-Type": "text/html"}), "unavailable"),
    (Sent(json.dumps(PAGE).encode()[:-3], headers={"Content-Type": "application/json"}),)
    + ("unavailable",),
    (as_json(PAGE, cut=5), "unavailable"),
    (Sent(status=429, headers={"Retry-After": "3600"}), "over_budget"),
    (Sent(status=503), "unavailable"),
    (Sent(status=500), "unavailable"),
    (Sent(status=301, headers={"Location": "https://evil.example.org/"}), "unavailable"),
]


@pytest.mark.parametrize(("fault", "status"), FAULTS)
def test_a_fault_is_never_taken_for_nothing_found(fault: Sent, status: str) -> None:
    answer, _ = ask(lambda _: fault, SourceQuery((), drugs=["pembrolizumab"]))
    assert (answer.status, answer.records) == (status, ())
    assert (answer.message == "") == (status == "empty")


@pytest.mark.reference
def test_a_page_that_fails_leaves_those_before_it(studies: Sequence[Study]) -> None:
    whole = register(studies)
    answers = [whole, lambda _: Sent(status=500)]

    def answer(asked: Asked) -> Sent:
        sent = answers.pop(0)(asked)
        page = json.loads(sent.content) if sent.content else {}
        return as_json({**page, "nextPageToken": "20"}) if page else sent

    read, _ = ask(answer, SourceQuery((), since="2000-01-01", limit=170))
    assert read.status == "partial"
    assert len(read.records) == 150
    assert "500" in read.message
