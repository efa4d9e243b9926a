"""Days of states, and what a program's state is by them: which was newest, which known when."""

import csv
import io
import itertools
import json
import re
from dataclasses import replace
from datetime import date

from core.evidence.assets.stages.truth import (
    StageClaim,
    companies_with_role,
    highest_of,
    program_stages,
    trial_state,
)
from core.evidence.names.companies import company_group
from core.evidence.sources.importing import find_files, import_files
from core.evidence_ports import Evidence
from core.records.evidence_pack import FactQuery
from core.records.programs import ProgramTrial
from core.records.stages import Stage
from core.settings import Settings
from core.vocabulary.companies import load_companies
from storage.evidence.states import last_day
from storage.stores import open_stores
from tests.core.evidence.conftest import NOW
from tests.rows import over_rows

TODAY = date(2026, 11, 21)
ACME = frozenset({"Acme"})


@over_rows(
    ("status", "completion", "stated", "is_active"),
    [
        ("RECRUITING", "2027-01-31", "2026-08-01", True),
        ("RECRUITING", "2025-11-21", "2026-08-01", True),
        ("RECRUITING", "2025-11-20", "2026-08-01", False),
        ("ACTIVE_NOT_RECRUITING", "2025-11", "2026-08-01", True),
        ("NOT_YET_RECRUITING", "2025-10", "2026-08-01", False),
        ("RECRUITING", "", "2026-08-01", True),
        ("RECRUITING", "2027-01-31", "", False),
        ("COMPLETED", "2027-01-31", "2026-08-01", False),
        ("UNKNOWN", "", "", False),
    ],
)
def test_an_open_status_is_believed_a_year_beyond_completion(
    status, completion, stated, is_active
) -> None:
    state = trial_state(status, completion, stated, TODAY)
    assert state.is_active == is_active


def test_a_stale_status_says_what_it_was_and_when() -> None:
    state = trial_state("RECRUITING", "2020-05", "2019-03-01", TODAY)
    assert (state.word, state.shown) == ("UNKNOWN", "unknown (recruiting on 2019-03-01)")


def trial(phase: Stage = "PHASE2", *companies: str) -> ProgramTrial:
    """Return a trial of a drug of Acme."""
    named = frozenset(companies or ("Acme",))
    trial = ProgramTrial("ctgov:NCT00000001", phase=phase, phase_fact=7, as_of="2026-01-01")
    return replace(trial, companies=named)


def highest(trials: list[ProgramTrial], claims: list[StageClaim], **told: bool) -> StageClaim:
    """Return the highest stage of a program of Acme."""
    found = highest_of(program_stages(trials, claims, ACME, **told))
    assert found is not None
    return found


def test_trials_of_others_raise_nothing() -> None:
    others = [trial("PHASE3", "University"), trial("PHASE3", "Other Inc")]
    assert highest([trial(), *others], []).stage == "PHASE2"
    assert program_stages(others, [], ACME) == []


def test_a_phase_4_trial_is_no_approval() -> None:
    assert program_stages([trial("APPROVED")], [], ACME) == []
    assert highest([trial("APPROVED"), trial("PHASE1")], []).stage == "PHASE1"


def test_conflicting_stages_are_kept_and_the_highest_is_dated() -> None:
    claims = [
        StageClaim("PHASE3", as_of="2026-07-08", record_id="pipeline:a"),
        StageClaim("APPROVED", "FDA", "2025-03-01", "label:b"),
        StageClaim("PHASE2", "PMDA", "2024-01-01", "pmda:c"),
    ]
    found = highest([trial()], claims)
    assert (found.stage, found.region, found.as_of) == ("APPROVED", "FDA", "2025-03-01")
    assert program_stages([trial()], claims, ACME)[1:] == claims


def test_what_an_expert_states_is_never_turned_down_but_marked() -> None:
    expert = StageClaim("APPROVED", "NMPA", "2022", "pack:1", is_expert=True)
    found = highest([trial("PHASE3")], [expert])
    assert (found.stage, found.region, found.is_expert) == ("APPROVED", "NMPA", True)
    label = StageClaim("APPROVED", "FDA", "2025-07", "label:1")
    assert not highest([trial("PHASE3")], [expert, label]).is_expert


def test_what_no_longer_holds_counts_only_alone() -> None:
    gone = StageClaim("APPROVED", "EMA", "2024-02-23", "ema:1", is_over=True)
    assert highest([trial("PHASE3")], [gone]).stage == "PHASE3"
    assert highest([], [gone]).stage == "APPROVED"


def test_a_stage_that_a_record_carries_is_no_expert_s() -> None:
    expert = StageClaim("PHASE2", as_of="2026-11-01", record_id="pack:1", is_expert=True)
    found = highest([trial()], [expert])
    assert (found.as_of, found.is_expert) == ("2026-01-01", False)


def test_a_trial_that_names_nobody_counts_only_where_asked() -> None:
    nobody = ProgramTrial("ctgov:NCT00000002", phase="PHASE2", as_of="2026-01-01")
    other = trial("PHASE3", "University")
    assert program_stages([nobody, other], [], ACME) == []
    found = highest([nobody, other], [], unnamed=True)
    assert (found.stage, found.record_id) == ("PHASE2", "ctgov:NCT00000002")


def test_a_discontinued_program_is_kept_below_the_others() -> None:
    stopped = StageClaim("DISCONTINUED", as_of="2026-01-01")
    assert highest([], [stopped]).stage == "DISCONTINUED"
    assert highest([trial()], [stopped]).stage == "PHASE2"


def test_holders_have_the_role_and_without_them_the_first_with_most_trials() -> None:
    trials = [("B", "2019"), ("A", "2021"), ("A", "2018"), ("B", "2020")]
    assert companies_with_role({"Acme"}, trials) == ACME
    assert companies_with_role((), trials) == {"A"}
    assert companies_with_role((), []) == frozenset()


@over_rows(
    ("name", "group"),
    [
        ("Merck Sharp & Dohme LLC", "Merck & Co."),
        ("MERCK SHARP DOHME", "Merck & Co."),
        ("Merck & Co., Inc.", "Merck & Co."),
        ("Merck KGaA", "Merck KGaA"),
        ("Genentech, Inc.", "Roche"),
        ("Novo Nordisk A/S", "Novo Nordisk"),
        ("Acme Bio Ltd.", "Acme Bio"),
        ("Janssen Pharmaceutica N.V., Belgium", "Johnson & Johnson"),
        ("Janssen Sciences Ireland UC", "Johnson & Johnson"),
        ("Horizon Therapeutics USA, Inc.", "Amgen"),
        ("Novartis Korea Ltd.", "Novartis"),
        ("Alzheimer Society of Canada", "Alzheimer Society of Canada"),
    ],
)
def test_a_company_counts_under_its_group(name, group) -> None:
    assert company_group(name) == group


def test_the_table_of_companies_claims_no_source_it_has_not() -> None:
    published = [row for row in load_companies() if row.basis != "expert"]
    assert {row.basis for row in published} == {"published"}
    assert all(row.relation == "acquired" and row.source_title for row in published)
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\d", row.from_on) for row in published)
    assert not any(row.source_title for row in load_companies() if row not in published)


TRIAL = "ctgov:NCT00000001"
HEADER = (
    "nct_id",
    "brief_title",
    "interventions",
    "overall_status",
    "snapshot_date",
    "last_update",
)


def table(status: str, copied_on: str, updated_on: str = "") -> str:
    """Return a table of one trial."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerow(("NCT00000001", "T", "DRUG:drugoxib", status, copied_on, updated_on))
    return text.getvalue()


def full(status: str, updated_on: str) -> str:
    """Return a full record."""
    states = {"overallStatus": status, "lastUpdatePostDateStruct": {"date": updated_on}}
    named = {"nctId": "NCT00000001", "briefTitle": "T"}
    design = {"designInfo": {"primaryPurpose": "TREATMENT"}}
    modules = {"identificationModule": named, "statusModule": states, "designModule": design}
    return json.dumps({"protocolSection": modules})


STATES = {
    "a.csv": table("NOT_YET_RECRUITING", "2021"),
    "b.csv": table("RECRUITING", "2023-06"),
    "c.json": full("ACTIVE_NOT_RECRUITING", "2024-02-10"),
    "d.csv": table("ACTIVE_NOT_RECRUITING", "2026-03-01", "2024-02-10"),
    "e.csv": table("COMPLETED", "2025-08-05"),
}
"""Five files that tell five states of one trial."""


def status(evidence: Evidence, known_by: str = "") -> list[str]:
    query = FactQuery([TRIAL], predicates=["trial_status"], known_by=known_by)
    return [one.fact.object for one in evidence.facts(query)]


def test_the_newest_of_five_states_does_not_hang_on_the_order_of_their_files(tmp_path) -> None:
    for name, content in STATES.items():
        (tmp_path / name).write_text(content)
    told = set()
    for order in list(itertools.permutations(STATES))[::30]:
        home = tmp_path / "".join(name[0] for name in order)
        stores = open_stores(Settings(home=home, database_url=None))
        for name in order:
            import_files(stores.evidence, find_files([tmp_path / name]), now=NOW)
        days = tuple(status(stores.evidence, day)[:1] for day in ("2024-02-10", "2025-01-01"))
        told.add(repr((status(stores.evidence), days)))
        stores.engine.close()
    assert told == {repr((["COMPLETED"], (["ACTIVE_NOT_RECRUITING"],) * 2))}


def test_the_day_of_a_copy_is_no_day_of_a_change(pack, bring) -> None:
    bring("b.csv", STATES["b.csv"])
    record = pack.record(TRIAL)
    assert record
    assert (record.updated_on, record.copied_on, record.told_on) == ("", "2023-06", "2023-06")
    assert pack.changed("ctgov", "2020-01-01") == []
    assert pack.sources()[0].newest == "2023-06"
    bring("d.csv", STATES["d.csv"])
    record = pack.record(TRIAL)
    assert record
    assert (record.updated_on, record.copied_on) == ("2024-02-10", "2026-03-01")
    assert pack.changed("ctgov", "2020-01-01") == [TRIAL]


def test_older_states_are_read_as_they_were_known(pack, bring) -> None:
    for name, content in STATES.items():
        bring(name, content)
    assert status(pack, "2020-12-31") == []
    assert status(pack, "2021-06-30") == []  # of the year 2021 may be its last day
    assert status(pack, "2021-12-31") == ["NOT_YET_RECRUITING"]
    assert status(pack, "2023-06-15") == ["NOT_YET_RECRUITING"]  # a month may be its last day
    assert status(pack, "2023-06-30") == ["RECRUITING"]
    assert status(pack, "2025-08-05") == ["COMPLETED"]
    purpose = FactQuery([TRIAL], predicates=["trial_purpose"], known_by="2025-12-31")
    (lasting,) = pack.facts(purpose)  # only the fuller, older state tells it
    assert lasting.fact.object == "TREATMENT"
    by_name = FactQuery(subjects=["NCT00000001"], predicates=["trial_status"], known_by="2023-12")
    assert [one.fact.object for one in pack.facts(by_name)] == ["RECRUITING"]


def test_a_file_that_is_read_again_takes_the_place_of_what_it_said(pack, bring) -> None:
    bring("x.csv", table("TERMINATED", "2025-01-01"))
    bring("x.csv", table("COMPLETED", "2025-01-01"))
    assert status(pack) == ["COMPLETED"]
    assert status(pack, "2025-06-01") == ["COMPLETED"]


@over_rows(
    ("said", "last"), [("2026-03", "2026-03-31"), ("2026", "2026-12-31"), ("2026-03-14",) * 2]
)
def test_a_month_counts_from_its_last_day(said, last) -> None:
    assert last_day(said) == last
