"""Crossref on a loopback server: every recorded answer, faults, and what counts as an abstract."""

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.crossref import CrossrefConnector
from core.evidence.sources.live.web import Site
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving

TODAY = date(2026, 11, 28)
REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
QUERY = SourceQuery([["KRAS G12D", "KRAS"]], diseases=["pancreatic cancer", "PDAC"])
ABSTRACT = {
    "DOI": "10.1200/example.1",
    "title": ["Phase 1 of an inhibitor of <i>KRAS</i> in PDAC."],
    "container-title": ["Journal of Clinical Oncology"],
    "issue": "16_suppl",
    "published": {"date-parts": [[2026, 6, 1]]},
}

DOI_ENDS = (
    '"onclick=',
    "'x",
    "<b>x</b>",
    " x",
    "](javascript:x)",
    "[1]",
    "\\x",
    "\N{NO-BREAK SPACE}x",
)
"""What no DOI of today ends in."""


def ask(answer: Answering, query: SourceQuery = QUERY) -> tuple[SourceAnswer, list[Asked]]:
    with serving(answer) as server:
        site = Site("crossref", server.address, budget_s=5.0, pause_s=0.0, sleep=lambda _: None)
        return CrossrefConnector(site, TODAY).search(query), server.asked


def works(items: list[dict[str, Any]], total: object = None) -> Sent:
    """Return an answer of the search of works."""
    message = {"total-results": len(items) if total is None else total, "items": items}
    return as_json({"status": "ok", "message-type": "work-list", "message": message})


def recorded() -> Iterator[dict[str, Any]]:
    """Yield the recorded pairs."""
    for name in ("habanero", "paperqa"):
        with gzip.open(REFERENCE / "live" / "crossref" / f"{name}.ndjson.gz", "rt") as lines:
            yield from map(json.loads, lines)


@pytest.mark.reference
def test_every_recorded_answer_comes_back_as_what_it_is() -> None:
    counts: Counter[str] = Counter()
    for pair in recorded():
        response = pair["response"]
        body, status = response["body"] or "", response["status"]
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        headers = {"Content-Type": response["headers"].get("content-type") or ""}
        if location := response["headers"].get("location"):
            headers["Location"] = location
        sent = Sent(content, status, headers)
        answer, _ = ask(lambda _, sent=sent: sent)
        assert answer.records == ()
        counts[answer.status] += 1
        is_list = status == 200 and b'"message-type":"work-list"' in content.replace(b": ", b":")
        message = json.loads(content)["message"] if is_list else {}
        if status == 400:
            assert answer.status == "refused"
        elif not is_list:
            assert answer.status == "unavailable"
        elif not message["total-results"]:
            assert (answer.status, answer.n_hits) == ("empty", 0)
        elif message["items"]:  # without rows nothing is understood
            assert (answer.status, answer.n_hits) == ("partial", message["total-results"])
            assert "none of the" in answer.message
        else:
            assert answer.status == "unavailable"
    assert sum(counts.values()) == 159
    assert counts["refused"] == 17
    assert counts["partial"] >= 40
    assert counts["empty"] >= 2


@pytest.mark.reference
def test_a_recorded_work_of_a_supplement_is_an_abstract_of_a_meeting() -> None:
    n_read = 0
    for pair in recorded():
        body = pair["response"]["body"]
        document = body if isinstance(body, dict) else json.loads(body) if "{" in body[:1] else {}
        message = document.get("message")
        items = message.get("items", []) if isinstance(message, dict) else []
        for item in items:
            dates = (item.get("published") or {}).get("date-parts", [[]])[0]
            if not item.get("title") or not item.get("DOI") or not dates:
                continue
            meant = item | {"container-title": ["Blood"], "issue": "Supplement 1"}
            first = item["title"][0].split()[0].strip("<>/:,.()[]")
            if not first.isalnum():
                continue
            answer, _ = ask(lambda _, meant=meant: works([meant]), SourceQuery([[first]]))
            (parsed,) = answer.records
            n_read += 1
            assert parsed.record.kind == "conference_abstract"
            assert parsed.record.url == f"https://doi.org/{item['DOI']}"
            assert parsed.record.published_on == "-".join(f"{part:02}" for part in dates)
            assert (answer.status, parsed.facts) == ("partial", ())
    assert n_read > 60


def test_only_titles_of_supplements_that_name_everything_are_kept() -> None:
    others = [
        ABSTRACT | {"title": ["KRAS in lung cancer"]},
        ABSTRACT | {"title": ["CKRAST in PDAC"]},
        ABSTRACT | {"issue": "16"},
        ABSTRACT | {"container-title": ["A Journal"]},
        ABSTRACT | {"DOI": "none"},
        *(ABSTRACT | {"DOI": f"10.1200/example{end}"} for end in DOI_ENDS),
    ]
    answer, asked = ask(lambda _: works([*others, ABSTRACT], 4_000_000))
    assert [parsed.record.source_id for parsed in answer.records] == ["10.1200/example.1"]
    assert answer.records[0].record.title == "Phase 1 of an inhibitor of KRAS in PDAC."
    assert (answer.status, answer.n_hits) == ("partial", 4_000_000)
    assert "partial" in answer.message
    assert answer.asked == asked[0].query["query.bibliographic"] == "KRAS G12D pancreatic cancer"
    filters = asked[0].query["filter"].split(",")
    assert filters[0] == "from-pub-date:2023-01-01"
    assert "container-title:Journal of Clinical Oncology" in filters
    assert "sort" not in asked[0].query
    whole, _ = ask(lambda _: works([ABSTRACT]))
    assert (whole.status, len(whole.records)) == ("partial", 1)


@pytest.mark.parametrize(
    ("published", "day"),
    [
        ({"date-parts": [[2026, 6]]}, "2026-06"),
        ({"date-parts": [[2026]]}, "2026"),
        ({"date-parts": [[None]]}, ""),
        ({"date-parts": [[2026, 11, 28]]}, "2026-11-28"),
        ({"date-parts": [[2026, 11, 29]]}, ""),
        ({"date-parts": [[2026, 12]]}, ""),
        ({"date-parts": [[2031, 4, 1]]}, ""),
        ({"date-parts": [[2026, 45, 99]]}, ""),
        ({"date-parts": [[99999999]]}, ""),
        ({"date-parts": [[-5]]}, ""),
        ({"date-parts": [[2026, True]]}, ""),
        (None, ""),
    ],
)
def test_a_day_is_as_exact_as_it_is_given(published: object, day: str) -> None:
    answer, _ = ask(lambda _: works([ABSTRACT | {"published": published}]))
    assert answer.records[0].record.published_on == day


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (Sent(status=429, headers={"Retry-After": "3600"}), "over_budget", ""),
        (Sent(status=403), "unavailable", "403"),
        (Sent(b"Resource not found.", 404, {"Content-Type": "text/plain"}), "unavailable", ""),
        (Sent(status=500), "unavailable", "500"),
        (as_json({"status": "failed", "message": []}, status=400), "refused", ""),
        (as_json({"status": "failed", "message": []}), "unavailable", "message / items"),
        (
            as_json({"status": "failed", "message": {"total-results": 0, "items": []}}),
            "unavailable",
            "status",
        ),
        (
            as_json({"message": {"total-results": 0, "items": []}}, status=404),
            "unavailable",
            "404",
        ),
        (works([], -1), "unavailable", "total-results"),
        (works([ABSTRACT], "many"), "unavailable", "total-results"),
        (works([], 7), "unavailable", "total-results"),
        (works([{"doi": "10.1200/example.1"}]), "unavailable", "total-results"),
        (Sent(b"<html>", headers={"Content-Type": "text/html"}), "unavailable", "text/html"),
        (as_json({"message": {}}, cut=4), "unavailable", ""),
    ],
)
def test_a_fault_is_never_taken_for_nothing_found(fault: Sent, status: str, words: str) -> None:
    answer, _ = ask(lambda _: fault)
    assert (answer.status, answer.records) == (status, ())
    assert words in answer.message


def test_a_slow_or_too_large_answer_is_none() -> None:
    good = works([ABSTRACT])
    with serving(lambda _: Sent(good.content, headers=good.headers, drip_s=0.05)) as server:
        slow = Site("crossref", server.address, budget_s=0.3, pause_s=0.0)
        assert CrossrefConnector(slow, TODAY).search(QUERY).status == "over_budget"
    with serving(lambda _: good) as server:
        small = Site("crossref", server.address, pause_s=0.0, largest=50)
        assert CrossrefConnector(small, TODAY).search(QUERY).status == "unavailable"


def test_empty_is_said_with_how_much_is_covered() -> None:
    answer, _ = ask(lambda _: works([]))
    assert (answer.status, answer.n_hits) == ("empty", 0)
    assert "partial" in answer.message
