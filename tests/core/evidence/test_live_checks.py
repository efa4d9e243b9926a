"""The check of live sources: recorded answers are the same, and every change is named."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.evidence.sources.sync.sources import SYNCED
from core.execution.live_checks import ShapeRow, check_sources
from core.settings import Settings
from core.vocabulary.tables import load_rows
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving
from tests.core.evidence.test_sync_labels import make_labels, make_letters, openfda
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
    entries = make_labels(1) if row.source == "openfda-labels" else make_letters(1)
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
