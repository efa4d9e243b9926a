"""The check of live sources: recorded answers are the same, and every change is named."""

import gzip
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.evidence.sources.sync.sources import SYNCED
from core.execution.live_checks import ShapeRow, check_connectors, check_sources
from core.settings import Settings
from core.vocabulary.tables import load_rows
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving
from tests.core.evidence.test_live_patents import application, bag, hits
from tests.core.evidence.test_sync_labels import make_labels, make_letters, make_shortages, openfda
from tests.core.evidence.test_sync_lists import PURPLE_BOOK, TABLES, from_csv, orange_book

ROWS = load_rows("live_shapes", ShapeRow)
LIVE = Path("live") / "dailymed" / "quoted_answers.ndjson"


def recorded(reference: Path) -> dict[str, Sent]:
    """Return an answer of each source as it was recorded, or as its files at hand are packed."""
    captured = reference / "api_captures" / "ctgov" / "search_keytruda_limit3_20260811.json"
    quoted = json.loads((reference.parent / LIVE).read_text().splitlines()[0])
    with gzip.open(reference / "labels_full.ndjson.gz", "rt") as lines:
        label = json.loads(next(lines))
    ask = Asked("GET", "/", {"limit": "1"}, {})
    page = f'<a href="https://x.example.org{PURPLE_BOOK.format(2026, "march")}">'
    tables = (reference / "drugsfda" / "drugsatfda_2019-07-02.zip").read_bytes()
    return {
        "ctgov": as_json(json.loads(captured.read_text())),
        "drugsfda": Sent(tables),
        "orangebook": Sent(orange_book(reference)),
        "purplebook": Sent(page.encode()),
        "dailymed": as_json(json.loads(quoted["response"]["body"])),
        "openfda-labels": openfda([label])(ask),
        "openfda-letters": openfda(make_letters(1))(ask),
        "openfda-shortages": openfda(make_shortages(1))(ask),
        **{
            name: Sent(from_csv(reference / f"{table}.csv.gz", 5)) for name, table in TABLES.items()
        },
    }


def check(name: str, answer: Answering) -> tuple[str, str]:
    """Return what a source's answer is found to be; one request may be sent."""
    with serving(answer) as server:
        addresses = {name: server.address, f"{name}-page": server.address}
        settings = Settings(home=Path("/nowhere"), live_addresses=addresses)
        sources = [source for source in SYNCED if source.name == name]
        ((_, outcome, words),) = check_sources(sources, settings, None)
        assert len(server.asked) == 1
        return outcome, words


def test_recorded_answers_are_the_same(reference: Path) -> None:
    answers = recorded(reference)
    assert set(answers) == {source.name for source in SYNCED} == {row.source for row in ROWS}
    outcomes = {name: check(name, lambda _, sent=sent: sent) for name, sent in answers.items()}
    assert outcomes == dict.fromkeys(answers, ("same", ""))


def _without(document: Any, names: list[str]) -> None:
    for name in names[:-1]:
        document = document[0] if isinstance(document, list) else document
        document = document[name]
    inner = document[0] if isinstance(document, list) else document
    inner[f"{names[-1]}_renamed"] = inner.pop(names[-1])


@pytest.mark.parametrize("row", [row for row in ROWS if row.source.startswith("openfda")])
def test_a_field_that_is_renamed_is_named(row: ShapeRow) -> None:
    makers = {"openfda-labels": make_labels, "openfda-letters": make_letters}
    entries = makers.get(row.source, make_shortages)(1)
    document = json.loads(openfda(entries)(Asked("GET", "/", {"limit": "1"}, {})).content)
    _without(document, row.field.split(" / "))
    outcome, words = check(row.source, lambda _: as_json(document))
    assert outcome == "changed"
    assert f"field {row.field}: missing instead of {row.kind}" in words


FAULTS: list[tuple[Callable[[], Sent], str]] = [
    (lambda: Sent(status=500), "not reachable"),
    (lambda: Sent(status=302, headers={"Location": "https://evil.example.org/"}), "not reachable"),
    (lambda: as_json({"error": {"code": "API_KEY_INVALID"}}, status=403), "not configured"),
    (lambda: Sent(b"<html>Access denied</html>"), "changed"),
    (lambda: Sent(b"PK\x03\x04garbage"), "changed"),
    (lambda: as_json([]), "changed"),
]


@pytest.mark.parametrize(("fault", "outcome"), FAULTS)
def test_every_source_that_does_not_answer_is_labeled(
    fault: Callable[[], Sent], outcome: str
) -> None:
    assert {check(source.name, lambda _: fault())[0] for source in SYNCED} == {outcome}


PAPER = {"id": "1", "source": "MED", "title": "A", "firstPublicationDate": "2026-01-02"}
GRANT = {
    "project_num": "R01CA000001",
    "project_title": "A",
    "organization": {"org_name": "YALE UNIVERSITY"},
    "fiscal_year": 2026,
}
TRIAL = "<fullTrial><trial><isrctn>1</isrctn><drugNames>A</drugNames></trial></fullTrial>"
OF_CONNECTORS: dict[str, Answering] = {
    "ctis": lambda _: as_json(
        {"pagination": {"totalRecords": 1}, "data": [{"ctNumber": "2025-600100-11-00"}]}
    ),
    "europepmc": lambda asked: as_json(
        {
            "hitCount": 1,
            "resultList": {"result": [PAPER]},
            "request": {"queryString": asked.query["query"]},
        }
    ),
    "isrctn": lambda _: Sent(f'<allTrials totalCount="1">{TRIAL}</allTrials>'.encode()),
    "nih-reporter": lambda _: as_json({"meta": {"total": 1}, "results": [GRANT]}),
    "surechembl": lambda _: hits("US-12000001-B2", total=1),
    "uspto_odp": lambda _: bag(application("12000001"), total=1),
}


def check_connected(name: str, answer: Answering, **settings: Any) -> str:
    with serving(answer) as server:
        chosen = Settings(home=Path("/nowhere"), live_addresses={name: server.address}, **settings)
        ((checked, outcome, _),) = check_connectors([name], chosen, None, date(2026, 11, 27))
        assert checked == name
        return outcome


@pytest.mark.parametrize("name", OF_CONNECTORS)
def test_sources_of_runs_are_asked_by_their_connectors(name: str) -> None:
    key = {"uspto_odp_api_key": "key"}
    assert check_connected(name, OF_CONNECTORS[name], **key) == "same"
    assert check_connected(name, lambda _: Sent(status=500), **key) == "not reachable"
    renamed = as_json({"renamed": []}) if name != "isrctn" else Sent(b"<renamed/>")
    assert check_connected(name, lambda _: renamed, **key) in {"changed", "not reachable"}


def test_a_source_of_patents_without_its_key_is_not_configured() -> None:
    for name in ("uspto_odp", "epo_ops"):
        assert check_connected(name, lambda _: Sent(status=500)) == "not configured"
