"""What happened, read from files through their importers: typed, dated, merged, once."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.evidence.events.preparing import prepare_events
from core.evidence.sources.importing import find_files, import_files
from core.ports import Stores
from core.records.events import Event, EventQuery
from core.records.identity import Entity, EntityName
from core.settings import Settings
from core.vocabulary.event_types import EventType, event_rules, event_types
from core.vocabulary.predicates import Predicate
from storage.stores import open_stores
from tests.core.evidence.conftest import NOW

COLUMNS = (
    "nct_id,brief_title,phase,overall_status,lead_sponsor,conditions,interventions,enrollment,"
    "primary_outcomes,start_date,primary_completion_date,completion_date,why_stopped,last_update,snapshot_date"
)
ALL = EventQuery()
Bring = Callable[..., list[Event]]


def trial(number: int = 1, **changes: str) -> str:
    """Return a row of the trial-facts table."""
    cells = dict.fromkeys(COLUMNS.split(","), "") | {
        "nct_id": f"NCT{number:08d}",
        "brief_title": "Drugamab in Asthma",
        "phase": "PHASE3",
        "overall_status": "RECRUITING",
        "lead_sponsor": "Acme Inc.",
        "conditions": "Asthma",
        "interventions": "DRUG:drugamab",
        "enrollment": "100",
        "start_date": "2023-01-10",
        "primary_completion_date": "2024-06",
        "completion_date": "",
        "last_update": "2023-02-01",
        "snapshot_date": "2023-03-01",
    }
    return ",".join((cells | changes).values()) + "\n"


def table(*rows: str) -> dict[str, str]:
    """Return a file of trials."""
    return {"trials.csv": COLUMNS + "\n" + "".join(rows)}


def applications(*told: tuple[str, str, str, str]) -> dict[str, str]:
    """Return the tables of Drugs@FDA: number, type, ingredient and day of each application."""
    products = "".join(f"{number}\tBRAND\t{drug}\n" for number, _, drug, _ in told)
    return {
        "fda/Applications.txt": "ApplNo\tApplType\tSponsorName\n"
        + "".join(f"{number}\t{kind}\tACME\n" for number, kind, _, _ in told),
        "fda/Products.txt": "ApplNo\tDrugName\tActiveIngredient\n" + products,
        "fda/Submissions.txt": "ApplNo\tSubmissionType\tSubmissionStatus\tSubmissionStatusDate\n"
        + "".join(
            f"{number}\tORIG\tAP\t{day} 00:00:00\n{number}\tSUPPL\tAP\t{day[:4]}-12-30 00:00:00\n"
            for number, _, _, day in told
        ),
    }


HEAD = "N/R/U,Applicant,BLA Number,Proprietary Name,Proper Name,BLA Type,Approval Date,Ref\n"
PURPLE = {
    "pb_2026_03.csv": f"Purple Book changes,,\n{HEAD}{HEAD}"
    ",Acme,761001,Brand,drugamab-abcd,351(k) Biosimilar,4-Jan-19,drugamab\n"
}


def pipeline(day: str, *assets: str) -> dict[str, str]:
    """Return a snapshot of a company's pipeline."""
    shown = [{"asset": one, "max_phase": 2, "programs": []} for one in assets]
    page = {"source_url": "https://acme.example/p", "as_of": day, "assets": shown}
    return {f"p{day}.json": json.dumps({"companies": {"Acme": page}})}


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    """Return an instance that knows two drugs."""
    stores = open_stores(Settings(home=tmp_path / "instance", database_url=None))
    rows = [
        row
        for key, name in (("UNII:1", "drugamab"), ("UNII:2", "otherinib"))
        for row in (Entity("drug", key, name), EntityName("drug", name, key, 1, name))
    ]
    stores.identity.build(rows, (), "two drugs")
    yield stores
    stores.engine.close()


@pytest.fixture
def bring(stores: Stores, tmp_path: Path) -> Bring:
    """Return what imports files and returns all events."""

    def run(*files: dict[str, str], query: EventQuery = ALL) -> list[Event]:
        for number, file in enumerate(files):
            folder = tmp_path / f"files{number}{abs(hash(str(file)))}"
            for name, content in file.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            import_files(stores.evidence, find_files([folder]), now=NOW)
            prepare_events(stores.evidence, stores.identity, stores.learned_names)
        return list(stores.evidence.events(query))

    return run


def said(events: list[Event]) -> set[tuple[str, str, str, str]]:
    """Return type, day and what was told before and after."""
    return {(one.type, one.day, one.lead.before, one.lead.after) for one in events}


STOP = {
    "overall_status": "TERMINATED",
    "why_stopped": "Slow accrual",
    "enrollment": "40",
    "primary_completion_date": "2024-06-15",
    "last_update": "2024-05-05",
    "snapshot_date": "2024-06-01",
}


def test_a_change_lies_between_the_states_that_tell_it(bring) -> None:
    events = bring(table(trial()), table(trial(**STOP)))
    assert said(events) == {
        ("trial_stop", "2024-05-05", "RECRUITING", "TERMINATED: Slow accrual"),
        ("trial_enrollment_change", "2024-05-05", "100", "40"),
        ("trial_start", "2023-01-10", "", ""),  # the finer day of completion is no change
    }
    (stop,) = [one for one in events if one.type == EventType.TRIAL_STOP]
    assert (stop.precision, stop.lead.since, stop.lead.phase) == ("between", "2023-02-01", "PHASE3")
    assert (stop.drugs, stop.companies, stop.diseases) == (
        ("drugamab",),
        ("Acme Inc.",),
        ("Asthma",),
    )
    assert (stop.generation, stop.is_baseline) == (2, False)


@pytest.mark.parametrize(
    "copy",
    [
        {"snapshot_date": "2025-01-01"},  # the same state, copied later
        {"overall_status": "UNKNOWN", "last_update": "", "snapshot_date": "2026-01-01"},
        {"enrollment": "", "start_date": "2023-01", "last_update": "2023-09-09"},  # poorer
        {"primary_outcomes": "Response [1 year]", "last_update": "2023-02-01"},  # fuller
        {"overall_status": "COMPLETED", "last_update": "", "snapshot_date": ""},  # of no known day
    ],
)
def test_a_copy_of_a_known_state_is_no_event(bring, copy) -> None:
    before = bring(table(trial()))
    assert said(bring(table(trial(**copy)))) == said(before)


def test_the_day_of_a_copy_dates_no_stop_and_a_plan_is_no_start(bring) -> None:
    rows = (
        trial(1, **STOP | {"last_update": "", "start_date": ""}),
        trial(2, **STOP | {"start_date": ""}),
        trial(3, overall_status="NOT_YET_RECRUITING"),
        trial(4, start_date="2023-11-01"),
    )
    assert said(bring(table(*rows))) == {
        ("trial_stop", "2024-05-05", "", "TERMINATED: Slow accrual"),
    }


def test_an_old_stop_is_dated_by_the_end_of_its_trial(bring) -> None:
    row = STOP | {"start_date": "2007-01", "completion_date": "2008-08"}
    assert ("trial_stop", "2008-08-31", "", "TERMINATED: Slow accrual") in said(
        bring(table(trial(**row)))
    )


def test_a_second_import_of_the_same_files_makes_no_event(bring) -> None:
    files = table(trial(), trial(2, **STOP)), PURPLE, pipeline("2026-01-01", "A-1")
    first = bring(*files)
    assert bring(*files) == first
    assert first
    assert all(one.is_baseline for one in first)
    assert bring(query=EventQuery(with_baseline=False)) == []


def test_the_order_of_imports_changes_no_event(bring, stores) -> None:
    forwards = bring(table(trial()), table(trial(**STOP)), PURPLE)
    stores.evidence.keep_events([], None, "")
    assert [one.id for one in bring(table(trial()))] == [one.id for one in forwards]
    later = table(trial(7)), table(trial(7, **STOP))
    assert said(bring(later[1], later[0])) == said(forwards)  # an older state that comes later


def test_a_state_from_between_dates_a_known_change_and_is_no_news(bring) -> None:
    bring(table(trial()), table(trial(**STOP)))
    between = STOP | {"last_update": "2023-12-01", "snapshot_date": "2024-01-01"}
    (stop,) = [one for one in bring(table(trial(**between))) if one.type == EventType.TRIAL_STOP]
    assert (stop.day, stop.generation) == ("2023-12-01", 2)


def test_approvals_are_what_they_are_and_are_told_once(bring) -> None:
    told = (
        ("761001", "BLA", "DRUGAMAB-ABCD", "2019-01-04"),
        ("200001", "NDA", "OTHERINIB", "2019-02-01"),
        ("200002", "NDA", "OTHERINIB", "2019-02-06"),  # another form, within a week
        ("200003", "ANDA", "OTHERINIB", "2019-03-01"),
    )
    events = bring(applications(*told), PURPLE)
    approvals = [one for one in events if "approval" in one.type]
    assert {one.type for one in events if one not in approvals} == {"supplement_unclassed"}
    assert [(one.type, one.day, len(one.records)) for one in approvals] == [
        ("generic_approval", "2019-03-01", 1),
        ("original_approval", "2019-02-01", 2),
        ("biosimilar_approval", "2019-01-04", 2),
    ]
    assert events[-1].generation == 1  # the second source tells what was known


def test_a_pipeline_is_compared_with_the_snapshot_before(bring) -> None:
    assert bring(pipeline("2026-01-01", "A-1", "A-2")) == []
    events = bring(pipeline("2026-07-01", "A-2", "A-3"))
    assert {(one.type, one.drugs, one.lead.since, one.day) for one in events} == {
        ("pipeline_exit", ("A-1",), "2026-01-01", "2026-07-01"),
        ("pipeline_entry", ("A-3",), "2026-01-01", "2026-07-01"),
    }


def test_events_are_found_by_window_names_and_import(bring, stores) -> None:
    other = {"interventions": "DRUG:otherinib", "conditions": "Gout", "lead_sponsor": "Beta"}
    bring(table(trial(1, start_date="2022-02"), trial(2, **other)), table(trial(1, **STOP)))
    ask = stores.evidence.events

    def types(query: EventQuery) -> list[str]:
        return [one.type for one in ask(query)]

    assert types(EventQuery(drugs=("OTHERINIB",))) == ["trial_start"]
    assert types(EventQuery(companies=("Beta",))) == ["trial_start"]
    assert types(EventQuery(diseases=("Gout",), drugs=("drugamab",))) == []
    assert types(EventQuery(since="2024-01-01")) == ["trial_enrollment_change", "trial_stop"]
    assert types(EventQuery(after_generation=1, types=("trial_stop",))) == ["trial_stop"]
    assert types(EventQuery(record_ids=("ctgov:NCT00000002",))) == ["trial_start"]
    assert len(ask(EventQuery(limit=1))) == 1
    whole = {one.id for one in ask(ALL)}
    assert {one.id for one in ask(EventQuery(since="2023-01-01"))} <= whole


def test_every_type_has_a_row_and_rules_name_fields_that_are_there() -> None:
    assert set(event_types()) == set(EventType)
    fields = {"object", "unit", "population", "record", *Predicate}
    for rule in event_rules():
        asked = {one.partition("=")[0] for one in rule.when.split(";") if one}
        assert asked | ({rule.after} - {""}) <= fields, rule.predicate
