"""EU CTIS and ISRCTN on a loopback server: records that a client stored, and faults."""

import gzip
import json
import os
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.european_trials import CtisConnector, IsrctnConnector
from core.evidence.sources.live.web import Site
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving

TODAY = date(2026, 11, 27)
REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
QUERY = SourceQuery((), drugs=["budesonide", "x, y"], diseases=["asthma"])
CONNECTORS = {"ctis": CtisConnector, "isrctn": IsrctnConnector}
BROKEN = Sent(b'{"data": [', headers={"Content-Type": "application/json"})


def ask(name: str, answer: Answering, query: SourceQuery = QUERY) -> tuple[SourceAnswer, Asked]:
    with serving(answer) as server:
        site = Site(name, server.address, budget_s=5.0, pause_s=0.0, sleep=lambda _: None)
        return CONNECTORS[name](site, TODAY).search(query), server.asked[0]


def as_list(entries: list[dict[str, Any]], total: int | None = None) -> Sent:
    """Return a page of CTIS."""
    counted = len(entries) if total is None else total
    return as_json({"pagination": {"totalRecords": counted}, "data": entries})


def write(value: object, name: str) -> str:
    """Return XML of a record that a client turned into JSON."""
    if isinstance(value, list):
        return "".join(write(each, name) for each in value)
    if isinstance(value, dict):
        inner = "".join(write(each, key) for key, each in value.items())
    else:
        inner = escape(str(value))
    return f"<{name}>{inner}</{name}>"


def as_xml(trials: list[dict[str, Any]], total: int | None = None) -> Sent:
    """Return an answer of ISRCTN."""
    written = "".join(
        '<fullTrial><trial lastUpdated="2026-03-01T00:00:00.000Z">'
        f"{''.join(write(each, key) for key, each in trial.items())}</trial>"
        "<sponsor><organisation>Delta Bio Ltd</organisation></sponsor></fullTrial>"
        for trial in trials
    )
    counted = len(trials) if total is None else total
    root = f'<allTrials xmlns="http://www.67bricks.com/isrctn" totalCount="{counted}">'
    return Sent(f"{root}{written}</allTrials>".encode(), headers={"Content-Type": "text/xml"})


def stored(folder: str) -> list[dict[str, Any]]:
    path = REFERENCE / "live" / folder / "ctrdata_records.ndjson.gz"
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def told(answer: SourceAnswer) -> list[tuple[str, str, str, list[str]]]:
    """Return number, phase, status and tested drugs of each trial."""
    rows = []
    for parsed in answer.records:
        facts = {fact.predicate: fact.object for fact in parsed.facts}
        drugs = [m.name for m in parsed.record.mentions if m.role == "investigational"]
        phase, status = facts.get("trial_phase", ""), facts.get("trial_status", "")
        rows.append((parsed.record.source_id, phase, status, drugs))
    return rows


@pytest.mark.reference
def test_listed_trials_of_ctis_come_back() -> None:
    shape = REFERENCE / "evidence" / "fixtures_other" / "ctis_search_response_shape.json"
    answer, asked = ask("ctis", lambda _: as_json(json.loads(shape.read_text())))
    assert asked.method == "POST"
    assert (answer.status, answer.n_hits) == ("answered", 3)
    assert answer.asked == "budesonide, x y"
    assert told(answer) == [  # the first is on ClinicalTrials.gov, too
        ("2023-422888-33-00", "PHASE2", "AUTHORIZED", ["mRNA-5678"]),
        ("2025-600100-11-00", "PHASE1", "AUTHORIZED", ["ONC-001"]),
    ]
    sponsors = [m.name for p in answer.records for m in p.record.mentions if m.kind == "company"]
    assert sponsors == ["Moderna", "Unknown Biotech GmbH"]
    listed = [each for each in stored("eu_ctis") if isinstance(each["ctStatus"], int)]
    again, _ = ask("ctis", lambda _: as_list(listed))
    assert [row[:3] for row in told(again)] == [
        (each["ctNumber"], "PHASE2", "AUTHORIZED") for each in listed
    ]


@pytest.mark.reference
def test_stored_trials_of_isrctn_come_back_where_they_test_a_drug() -> None:
    answer, asked = ask("isrctn", lambda _: as_xml(stored("isrctn")))
    assert asked.query["q"].startswith('(drugName:"budesonide" OR drugName:"x y") AND (condition:')
    rows = {row[0]: row[1:] for row in told(answer)}
    assert answer.n_hits == 9  # noqa: PLR2004 - as stored
    assert rows["ISRCTN96912679"] == ("PHASE3", "RECRUITING", [])
    assert rows["ISRCTN12949496"] == ("PHASE3", "TERMINATED", ["Milrinone"])
    assert rows["ISRCTN13281214"] == ("PHASE3", "COMPLETED", ["Ibuprofen"])
    assert "ISRCTN80181452" not in rows  # is on ClinicalTrials.gov, too


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("ctis", as_json({"data": []})),
        ("ctis", as_list([], total=7)),
        ("ctis", as_list([{"ctNumber": "12"}])),
        ("ctis", as_list([], total=-1)),
        ("ctis", replace(as_list([]), status=404)),
        ("isrctn", replace(as_xml([]), status=404)),
        ("isrctn", as_xml([], total=7)),
        ("isrctn", Sent(b"<html/>")),
        ("isrctn", Sent(b'<!DOCTYPE x [<!ENTITY a "b">]><allTrials totalCount="0"/>')),
        *((name, Sent(status=500)) for name in CONNECTORS),
        *((name, BROKEN) for name in CONNECTORS),
    ],
)
def test_a_fault_is_never_taken_for_nothing_found(name: str, fault: Sent) -> None:
    answer, _ = ask(name, lambda _: fault)
    assert (answer.status, answer.records) == ("unavailable", ())


@pytest.mark.parametrize(
    ("sponsor_type", "sponsor_class"),
    [
        ("Pharmaceutical company", "INDUSTRY"),
        ("Hospital/Clinic/Other health care facility", "OTHER"),
        ("", None),
    ],
)
def test_the_type_of_a_sponsor_of_ctis_is_its_class(
    sponsor_type: str, sponsor_class: str | None
) -> None:
    entry = {"ctNumber": "2025-600100-11-00", "ctTitle": "A", "sponsor": "Acme Bio"}
    answer, _ = ask("ctis", lambda _: as_list([entry | {"sponsorType": sponsor_type}]))
    assert _class_of(answer) == sponsor_class


@pytest.mark.parametrize(
    ("sponsor", "sponsor_class"),
    [
        ("Delta Bio Ltd", None),
        ("AstraZeneca", None),
        ("University of Leeds", "OTHER"),
        ("UCL", "OTHER"),
        ("", None),
    ],
)
def test_a_sponsor_of_isrctn_that_is_no_company_by_name_is_of_another_class(
    sponsor: str, sponsor_class: str | None
) -> None:
    good = as_xml([{"isrctn": "12345678", "drugNames": "Deltamab"}])
    content = good.content.replace(b"Delta Bio Ltd", sponsor.encode())
    answer, _ = ask("isrctn", lambda _: replace(good, content=content))
    assert _class_of(answer) == sponsor_class


def _class_of(answer: SourceAnswer) -> str | None:
    (parsed,) = answer.records
    facts = {fact.predicate: fact.object for fact in parsed.facts}
    return facts.get("trial_sponsor_class")


@pytest.mark.parametrize(
    ("name", "written", "day"),
    [
        ("ctis", "15/11/2026", "2026-11-15"),
        ("ctis", "11/15/2026", ""),
        ("ctis", "31/02/2026", ""),
        ("ctis", "28/11/2026", ""),
        ("ctis", "2026-11-15", ""),
        ("isrctn", "2026-11-15T00:00:00.000Z", "2026-11-15"),
        ("isrctn", "11/05/2026", ""),
        ("isrctn", "2026-45-99T00:00:00.000Z", ""),
        ("isrctn", "2026-11-28T00:00:00.000Z", ""),
    ],
)
def test_the_day_of_a_change_is_read_in_the_form_of_its_register(
    name: str, written: str, day: str
) -> None:
    entry = {"ctNumber": "2025-600100-11-00", "ctTitle": "A", "lastUpdated": written}
    page = as_xml([{"isrctn": "12345678", "drugNames": "Deltamab"}])
    content = page.content.replace(b"2026-03-01T00:00:00.000Z", written.encode())
    sent = as_list([entry]) if name == "ctis" else replace(page, content=content)
    (parsed,) = ask(name, lambda _: sent)[0].records
    assert parsed.record.updated_on == day


def test_nothing_found_and_a_cut_list_are_told_apart() -> None:
    assert ask("ctis", lambda _: as_list([]))[0].status == "empty"
    assert ask("isrctn", lambda _: as_xml([]))[0].status == "empty"
    entry = {"ctNumber": "2025-600100-11-00", "ctTitle": "A"}
    cut, _ = ask("ctis", lambda _: as_list([entry], total=12_000))
    assert (cut.status, cut.message) == ("partial", "read 1 of 12,000 trials")
