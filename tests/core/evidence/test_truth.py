"""The truth rules: stale statuses, whose trial raises a stage, what a part of a label says."""

import re
from datetime import date

from core.evidence.assets.stages.truth import (
    ProgramTrial,
    StageClaim,
    companies_with_role,
    highest_of,
    program_stages,
    trial_state,
)
from core.evidence.names.companies import company_group
from core.vocabulary.companies import load_companies
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


def trial(phase: str = "PHASE2", *companies: str) -> ProgramTrial:
    """Return a trial of a drug of Acme."""
    named = frozenset(companies or ("Acme",))
    return ProgramTrial("ctgov:NCT00000001", phase, named, "2026-01-01", 7)


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
    assert program_stages([trial("PHASE4")], [], ACME) == []
    assert highest([trial("PHASE4"), trial("PHASE1")], []).stage == "PHASE1"


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
    nobody = ProgramTrial("ctgov:NCT00000002", "PHASE2", frozenset(), "2026-01-01")
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
