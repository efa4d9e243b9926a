"""Syncs with openFDA and DailyMed on a loopback site: what they keep, and what may go wrong."""

import gzip
import json
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from core.evidence.sources.live.web import Site
from core.evidence.sources.sync.reports import SyncReport
from core.evidence.sources.sync.sources import find_sources
from core.records.sources import AnswerStatus
from core.settings import Settings
from storage.evidence import open_evidence
from tests.core.evidence.loopback import Answering, Asked, Loopback, Sent, as_json, serving

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
NAMES = ("openfda-labels", "openfda-letters", "openfda-shortages", "dailymed")
Label = dict[str, Any]
NOT_FOUND = Sent(
    b'{"error": {"code": "NOT_FOUND", "message": "No matches found!"}}',
    404,
    {"Content-Type": "application/json"},
)
XML = {"Content-Type": "application/xml"}
SPL = """<?xml version="1.0"?><document xmlns="urn:hl7-org:v3"><setId root="{id}"/>
<effectiveTime value="{day}"/><component><structuredBody><component><section>
<subject><manufacturedProduct><manufacturedProduct><name>{brand}</name>
<asEntityWithGeneric><genericMedicine><name>{drug}</name></genericMedicine></asEntityWithGeneric>
<ingredient classCode="ACTIB"><ingredientSubstance><name>{drug}</name></ingredientSubstance>
</ingredient></manufacturedProduct>
<subjectOf><approval><id extension="{application}"/></approval></subjectOf></manufacturedProduct>
</subject></section></component><component><section>
<code code="34067-9"/><text><paragraph>{drug} is indicated for asthma.</paragraph></text>
</section></component></structuredBody></component></document>"""


def make_labels(count: int, application: str = "NDA") -> list[Label]:
    """Return labels in the shape of openFDA, some on each day of November, the latest last."""
    return [
        {
            "set_id": f"00000000-0000-4000-8000-{index:012d}",
            "effective_time": f"202611{26 if index >= 250 else 10 + index % 10}",
            "indications_and_usage": [f"drug{index} is indicated for asthma."],
            "openfda": {
                "brand_name": [f"Brand{index}"],
                "generic_name": [f"drug{index}"],
                "substance_name": [f"DRUG{index}"],
                "manufacturer_name": ["Acme"],
                "application_number": [f"{application}{index:06d}"],
                "product_type": ["HUMAN PRESCRIPTION DRUG"],
            },
        }
        for index in range(count)
    ]


def make_letters(count: int) -> list[Label]:
    """Return complete response letters in the shape of openFDA."""
    return [
        {
            "file_name": f"CRL_NDA{index:06d}_20250101.pdf",
            "application_number": [f"NDA {index:06d}"],
            "letter_date": "01/15/2025",
            "letter_type": "COMPLETE RESPONSE",
            "company_name": "Acme",
            "text": "We cannot approve this application in its present form.",
        }
        for index in range(count)
    ]


def make_shortages(count: int) -> list[Label]:
    """Return shortages in the shape of openFDA."""
    return [
        {
            "generic_name": f"Drug{index} Injection",
            "company_name": "Acme",
            "presentation": f"Drug{index}, Injection, 5 mg/mL",
            "status": "Current" if index % 2 else "Resolved",
            "initial_posting_date": "01/15/2025",
            "update_date": "11/20/2026",
        }
        for index in range(count)
    ]


def openfda(entries: Sequence[Label], version: str = "2026-11-26") -> Answering:
    """Return what answers as openFDA does: pages by the Link header, no hits with a 404."""

    def answer(asked: Asked) -> Sent:
        search = asked.query.get("search", "")
        assert " OR " not in search.replace(" AND ", "&")
        hits = list(entries)
        if match := re.search(r"effective_time:\[(\d{8}) TO (\d{8})\]", search):
            assert search.startswith('openfda.product_type:"HUMAN PRESCRIPTION DRUG" AND ')
            hits = [hit for hit in hits if match[1] <= hit["effective_time"] <= match[2]]
        if not hits:
            return NOT_FOUND
        first, size = int(asked.query.get("search_after", "0")), int(asked.query["limit"])
        meta = {"last_updated": version, "results": {"skip": 0, "limit": size, "total": len(hits)}}
        sent = as_json({"meta": meta, "results": hits[first : first + size]})
        if first + size < len(hits):
            link = f"https://evil.example.org{asked.path}?limit={size}&search_after={first + size}"
            sent.headers["Link"] = f'<{link}>; rel="next"'
        return sent

    return answer


def dailymed(labels: Sequence[Label], version: str = "Nov 26, 2026 09:26:50PM EST") -> Answering:
    """Return what answers as DailyMed does: lists newest first, and documents."""

    def answer(asked: Asked) -> Sent:
        by_id = {label["set_id"]: label for label in labels}
        if not asked.path.endswith("/spls.json"):
            label = by_id.get(asked.path.rpartition("/")[2].removesuffix(".xml"))
            return Sent(as_spl(label), headers=XML) if label else Sent(status=404)
        since = asked.query.get("published_date", "").replace("-", "")
        assert bool(since) == (asked.query.get("published_date_comparison") == "gte")
        hits = [label for label in labels if label["effective_time"] >= since]
        hits.sort(key=lambda label: str(label["effective_time"]), reverse=True)
        page, size = int(asked.query.get("page", "1")), int(asked.query["pagesize"])
        rows = [
            {
                "setid": label["set_id"],
                "spl_version": 1,
                "published_date": f"{datetime.strptime(label['effective_time'], '%Y%m%d'):%b %d, %Y}",  # noqa: DTZ007, E501
                "title": f"{label['openfda']['brand_name'][0]} TABLET [ACME]",
            }
            for label in hits[size * (page - 1) : size * page]
        ]
        told = {"total_elements": len(hits), "total_pages": -(-len(hits) // size)}
        return as_json({"data": rows, "metadata": {"db_published_date": version, **told}})

    return answer


def as_spl(label: Label) -> bytes:
    """Return a label as DailyMed's document."""
    names = label["openfda"]
    return SPL.format(
        id=label["set_id"],
        day=label["effective_time"],
        brand=names["brand_name"][0],
        drug=names["generic_name"][0],
        application=names["application_number"][0],
    ).encode()


def serve(name: str, count: int, day: int = 26) -> Answering:
    """Return what answers as a source does over some records of its own."""
    if name == "dailymed":
        return dailymed(make_labels(count), f"Nov {day}, 2026 09:26:50PM EST")
    makers = {"openfda-letters": make_letters, "openfda-shortages": make_shortages}
    return openfda(makers.get(name, make_labels)(count), f"2026-11-{day}")


def sync_at(home: Path, server: Loopback, name: str, days: int = 0) -> SyncReport:
    """Sync an instance with a running site, some days after the first day."""
    (source,) = find_sources([name])
    site = Site(name, server.address, budget_s=30.0, pause_s=0.0, sleep=lambda _: None)
    evidence = open_evidence(Settings(home=home))
    return source.sync([site], evidence, NOW + timedelta(days=days), lambda _: None)


def sync(home: Path, name: str, answer: Answering, days: int = 0) -> SyncReport:
    """Sync an instance with what answers."""
    with serving(answer) as server:
        return sync_at(home, server, name, days)


def records(home: Path) -> int:
    """Return how many records the pack holds."""
    return open_evidence(Settings(home=home)).info().records


@pytest.mark.parametrize("name", NAMES)
def test_what_changed_comes_once(name: str, tmp_path: Path) -> None:
    first = sync(tmp_path, name, serve(name, 250))
    assert (first.status, first.counted, first.read) == ("answered", 250, 250)
    assert (first.changed, first.promoted, records(tmp_path)) == (250, 250, 250)
    with serving(serve(name, 250)) as server:
        assert sync_at(tmp_path, server, name).status == "unchanged"
        assert len(server.asked) == 1
    later = sync(tmp_path, name, serve(name, 251, 27), days=1)
    assert (later.status, later.changed, later.promoted) == ("answered", 1, 1)
    assert records(tmp_path) == 251


FAULTS: list[tuple[Sent, AnswerStatus]] = [
    (Sent(status=500), "unavailable"),
    (Sent(b"Too many", 429, {"Retry-After": "86400"}), "over_budget"),
    (as_json({"error": {"code": "API_KEY_INVALID"}}, status=403), "not_configured"),
    (as_json({"error": {"code": "BAD_REQUEST"}}, status=400), "refused"),
    (as_json({"error": {"code": "GONE"}}, status=404), "unavailable"),
    (Sent(status=302, headers={"Location": "https://evil.example.org/"}), "unavailable"),
    (Sent(b"<html>", headers={"Content-Type": "text/html"}), "unavailable"),
    (as_json({"meta": {}, "results": [{"renamed": 1}]}), "unavailable"),
    (as_json({"data": [], "metadata": {"total_pages": "x"}}), "unavailable"),
    (as_json({"results": []}, cut=9), "unavailable"),
    (as_json([]), "unavailable"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("fault", "status"), FAULTS)
def test_after_a_fault_the_next_sync_goes_on_where_it_was(
    fault: Sent, status: AnswerStatus, name: str, tmp_path: Path
) -> None:
    whole = serve(name, 250)

    def at_second_page(asked: Asked) -> Sent:
        is_later = "search_after" in asked.query or asked.query.get("page", "1") != "1"
        return fault if is_later else whole(asked)

    report = sync(tmp_path, name, lambda _: fault)
    assert (report.status, report.read, records(tmp_path)) == (status, 0, 0)
    report = sync(tmp_path, name, at_second_page)
    assert report.status == "partial"
    assert 0 < report.read == records(tmp_path) < 250
    report = sync(tmp_path, name, whole)
    assert (report.status, report.read, records(tmp_path)) == ("answered", 250, 250)


@pytest.mark.parametrize("version", ["", "soon", "2026", "2026-13-01", "20261126", "2026-11-311"])
def test_data_without_a_day_are_not_believed(version: str, tmp_path: Path) -> None:
    report = sync(tmp_path, "openfda-labels", openfda(make_labels(3), version))
    assert (report.status, records(tmp_path)) == ("unavailable", 0)


def test_a_day_in_the_future_is_no_day_of_a_copy(tmp_path: Path) -> None:
    sync(tmp_path, "openfda-labels", openfda(make_labels(3), "2999-01-01"))
    evidence = open_evidence(Settings(home=tmp_path))
    number = f"label:{make_labels(1)[0]['set_id']}"
    assert evidence.records([number])[number].copied_on == "2026-11-27"
    assert evidence.mirror("openfda-labels").cursor().high_water == "2026-11-27"


def test_no_hits_are_believed_only_where_the_source_says_so(tmp_path: Path) -> None:
    old = make_labels(3)
    for label in old:
        label["effective_time"] = "20200101"
    assert sync(tmp_path, "openfda-labels", openfda(old)).status == "empty"
    assert sync(tmp_path / "other", "dailymed", dailymed(old)).status == "empty"


@pytest.mark.parametrize("name", ["openfda-labels", "dailymed"])
def test_a_source_that_ignores_the_day_is_not_believed(name: str, tmp_path: Path) -> None:
    labels = make_labels(3)
    labels[1]["effective_time"] = "20200101"
    whole = dailymed(labels) if name == "dailymed" else openfda(labels)

    def ignoring(asked: Asked) -> Sent:
        ignored = {"published_date", "published_date_comparison", "search"}
        query = {key: value for key, value in asked.query.items() if key not in ignored}
        return whole(Asked(asked.method, asked.path, query, asked.headers))

    report = sync(tmp_path, name, ignoring)
    assert (report.status, records(tmp_path)) == ("unavailable", 0)
    assert "ignores the day" in report.message


@pytest.mark.parametrize("name", ["openfda-labels", "dailymed"])
def test_the_pack_takes_labels_of_originals(name: str, tmp_path: Path) -> None:
    labels = [*make_labels(2), *make_labels(5, "ANDA")[2:]]
    report = sync(tmp_path, name, dailymed(labels) if name == "dailymed" else openfda(labels))
    assert (report.changed, report.promoted, records(tmp_path)) == (5, 2, 2)


@pytest.mark.parametrize("name", ["openfda-letters", "openfda-shortages", "dailymed"])
def test_what_is_missing_twice_is_withdrawn_and_stays(name: str, tmp_path: Path) -> None:
    sync(tmp_path, name, serve(name, 150))
    reports = [
        sync(tmp_path, name, serve(name, 149, 26 + weeks), days=7 * weeks) for weeks in (1, 2)
    ]
    assert [len(report.withdrawn) for report in reports] == [0, 1]
    emptied = [sync(tmp_path, name, serve(name, 9, 28 + each), days=21 + each) for each in (1, 2)]
    assert {(report.status, report.withdrawn) for report in emptied} == {("partial", ())}
    assert records(tmp_path) == 150


def test_documents_that_are_garbage_or_gone_cost_themselves_alone(tmp_path: Path) -> None:
    labels = make_labels(30)
    whole = dailymed(labels)
    odd = {
        labels[0]["set_id"]: Sent(status=404),
        labels[1]["set_id"]: Sent(b"<document", headers=XML),
        labels[2]["set_id"]: Sent(b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', headers=XML),
    }

    def answer(asked: Asked) -> Sent:
        return odd.get(asked.path.rpartition("/")[2].removesuffix(".xml")) or whole(asked)

    report = sync(tmp_path, "dailymed", answer)
    assert (report.status, report.promoted) == ("answered", 27)
    assert "3 labels could not be read" in report.message


def _killed(home: Path, server: Loopback, name: str, step: int) -> None:
    """Sync and die without a word at a step; runs in a child."""
    steps = iter(range(1_000))

    def announce(_words: str) -> None:
        if next(steps) == step:
            os._exit(9)

    (source,) = find_sources([name])
    site = Site(name, server.address, budget_s=30.0, pause_s=0.0)
    source.sync([site], open_evidence(Settings(home=home)), NOW, announce)


@pytest.mark.parametrize("name", NAMES)
def test_kills_lose_nothing(name: str, tmp_path: Path) -> None:
    with serving(serve(name, 250)) as server:
        for step in (0, 1, 2, 3, 1, 4):
            work = (tmp_path, server, name, step)
            child = get_context("fork").Process(target=_killed, args=work)
            child.start()
            child.join()
            assert child.exitcode in {0, 9}
        assert sync_at(tmp_path, server, name).status in {"answered", "unchanged"}
    mirror = open_evidence(Settings(home=tmp_path)).mirror(name)
    assert (mirror.count().records, mirror.count().states, mirror.due(1)) == (250, 250, [])
    assert records(tmp_path) == 250


def test_real_labels_come_to_what_an_import_makes_of_them(reference: Path, tmp_path: Path) -> None:
    with gzip.open(reference / "labels_full.ndjson.gz", "rt") as lines:
        labels = [json.loads(line) for line, _ in zip(lines, range(20), strict=False)]
    for label in labels:
        label["effective_time"] = "20261120"
    report = sync(tmp_path, "openfda-labels", openfda(labels))
    assert report.promoted == sum(
        not label["openfda"]["application_number"][0].startswith("ANDA") for label in labels
    )
    for path in (reference / "spl").glob("*.xml"):
        body = path.read_bytes()
        number = re.search(rb'<setId root="([^"]+)"', body)
        assert number
        label = make_labels(1)[0] | {"set_id": number[1].decode()}
        whole = dailymed([label])
        sent = Sent(body, headers=XML)
        report = sync(
            tmp_path / path.stem,
            "dailymed",
            lambda asked, whole=whole, sent=sent: (
                sent if asked.path.endswith(".xml") else whole(asked)
            ),
        )
        assert (report.status, report.promoted) == ("answered", 1)
