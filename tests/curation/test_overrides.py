"""Decisions of curators: read last, checked, shown beside a drug, and safe from a refill."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest

from core.errors import InvalidInput, KnowledgeError
from core.evidence.sources.pack import decisions, reading
from core.evidence.sources.pack.files import Row, path_of, read_table, write_rows
from core.evidence.sources.pack.schema import EXPERT, OVERRIDES, PUBLISHED, TABLES, table_of
from tools.curation.checks import find_faults
from tools.curation.drug_sheet import write_sheets
from tools.curation.table_files import write_tables

TODAY = date(2026, 11, 21)
WritePack = Callable[..., Path]
FROM_REGISTER = {"source_url": "https://a.example/study", "source_title": "The register"}


def make_row(table: str, **cells: str) -> dict[str, str]:
    """Return a row of the drug drugamab with all that a row needs but its table's own cells."""
    known = table_of(table)
    row = dict.fromkeys(known.header, "")
    row |= {"drug": "drugamab", "area": "lung", "curated_on": "2026-11-01"}
    row["basis"], row["status"] = EXPERT if known.is_of_people else PUBLISHED
    if not known.is_of_people:
        row |= {"source_title": "Register", "as_of": "2026-03-01", "verified_on": "2026-11-01"}
    return row | cells


def make_trial(nct_id: str, **cells: str) -> dict[str, str]:
    """Return a trial of drugamab."""
    given = {"phase": "PHASE2", "drugs": "investigational:drugamab", "source_id": f"ctgov:{nct_id}"}
    return make_row("trials", nct_id=nct_id, **given | cells)


def make_decision(decision: str, key: str, table: str = "trials", **cells: str) -> dict[str, str]:
    """Return a row of the table of overrides."""
    said = {"table": table, "key": key, "decision": decision, "curator": "A. Curator"}
    return dict.fromkeys(OVERRIDES.header, "") | said | {"decided_on": "2026-11-20"} | cells


DRUG = make_row("drugs", target="PD-1", mechanism="PD-1 inhibitor")
ONE, TWO = make_trial("NCT00000001"), make_trial("NCT00000002")
CORRECTION = make_decision(
    "correct", "NCT00000001", column="phase", value="PHASE3", **FROM_REGISTER
)


@pytest.fixture
def write_pack(tmp_path: Path) -> WritePack:
    """Return what writes a pack of the rows given and tells its folder."""

    def write(**tables: Sequence[Row]) -> Path:
        for table in (*TABLES, OVERRIDES):
            text = write_rows(tables.get(table.name, ()), table)
            path_of(table, tmp_path).write_text(text, newline="")
        return tmp_path

    return write


@pytest.fixture
def load_trials(write_pack: WritePack, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Row]]:
    """Return what gives the trials of a pack as a run sees them."""

    def load(*overrides: Row) -> list[Row]:
        folder = write_pack(drugs=[DRUG], trials=[ONE, TWO], overrides=overrides)
        read = decisions.read_decisions
        monkeypatch.setattr(decisions, "read_decisions", lambda: read(folder))
        monkeypatch.setattr(reading, "read_table", lambda table: read_table(table, folder))
        monkeypatch.setattr(reading, "load_decisions", decisions.load_decisions.__wrapped__)
        return list(reading.load_rows.__wrapped__("trials"))

    return load


def test_a_dropped_row_is_gone(load_trials: Callable[..., list[Row]]) -> None:
    left = load_trials(make_decision("drop", "nct00000001"))
    assert [row["nct_id"] for row in left] == ["NCT00000002"]


def test_a_corrected_cell_is_another_one(load_trials: Callable[..., list[Row]]) -> None:
    first, second = load_trials(CORRECTION)
    assert (first["phase"], second["phase"]) == ("PHASE3", "PHASE2")
    assert {**first, "phase": "PHASE2"} == ONE


def test_a_kept_row_is_as_it_was(load_trials: Callable[..., list[Row]]) -> None:
    assert load_trials(make_decision("keep", "NCT00000001")) == [ONE, TWO]


FAULTS = (
    (make_decision("drop", "x", "trails"), "there is no table 'trails'"),
    (make_decision("drop", "NCT00000009"), "trials has no row 'nct00000009'"),
    (make_decision("drop", "x", "drugs"), "the key of drugs has 2 parts: drug|target"),
    (CORRECTION | {"column": "phases"}, "trials has no column 'phases' that can be corrected"),
    (CORRECTION | {"column": "basis"}, "trials has no column 'basis' that can be corrected"),
    (CORRECTION | {"column": "nct_id"}, "nct_id names the location of the row"),
    (CORRECTION | {"value": ""}, "a correction needs a value"),
    (CORRECTION | {"value": "PHASE_3"}, "phase is 'PHASE_3', not one of"),
    (CORRECTION | {"source_title": ""}, "a row that a source fills is corrected from a source"),
    (CORRECTION | {"source_url": "http://a.example"}, "no https address"),
    (CORRECTION | {"curator": ""}, "curator is empty"),
    (CORRECTION | {"decided_on": ""}, "decided_on is empty"),
    (make_decision("delete", "NCT00000001"), "decision is none of keep, drop, correct"),
    (make_decision("drop", "NCT00000001", column="phase"), "to drop applies to the whole row"),
)


@pytest.mark.parametrize(("row", "told"), FAULTS)
def test_a_wrong_decision_is_told_with_its_line_and_reaches_no_run(
    write_pack: WritePack, load_trials: Callable[..., list[Row]], row: Row, told: str
) -> None:
    folder = write_pack(drugs=[DRUG], trials=[ONE, TWO], overrides=[row])
    found = find_faults(TODAY, folder)
    assert found, told
    assert all(one.startswith("overrides.csv line 2: ") for one in found)
    assert any(told in one for one in found), found
    with pytest.raises(KnowledgeError, match=r"overrides\.csv line 2"):
        load_trials(row)


def test_two_decisions_on_one_cell_and_corrections_of_what_is_dropped_are_told(
    write_pack: WritePack,
) -> None:
    twice = CORRECTION | {"value": "PHASE4"}
    folder = write_pack(drugs=[DRUG], trials=[ONE, TWO], overrides=[CORRECTION, twice])
    assert find_faults(TODAY, folder) == [
        "overrides.csv line 3: the same row and column stand also in overrides.csv line 2"
    ]
    dropped = [make_decision("drop", "NCT00000001"), CORRECTION]
    folder = write_pack(drugs=[DRUG], trials=[ONE, TWO], overrides=dropped)
    assert find_faults(TODAY, folder) == [
        "overrides.csv line 3: corrects a row that another decision drops"
    ]


def test_days_of_decisions_have_a_form_and_a_past(write_pack: WritePack) -> None:
    late = CORRECTION | {"decided_on": "2026-12-01"}
    folder = write_pack(drugs=[DRUG], trials=[ONE, TWO], overrides=[late])
    assert find_faults(TODAY, folder) == [
        "overrides.csv line 2: decided_on lies in the future: 2026-12-01"
    ]


def test_a_row_is_checked_as_decisions_leave_it(write_pack: WritePack) -> None:
    wrong = make_trial("NCT00000003", phase="PHASE_3")
    folder = write_pack(drugs=[DRUG], trials=[wrong])
    assert "phase is 'PHASE_3'" in find_faults(TODAY, folder)[0]
    mended = [CORRECTION | {"key": "NCT00000003"}]
    assert find_faults(TODAY, write_pack(drugs=[DRUG], trials=[wrong], overrides=mended)) == []


def test_a_refill_neither_changes_nor_deletes_a_row_that_is_kept(write_pack: WritePack) -> None:
    kept = [make_decision("keep", one["nct_id"]) for one in (ONE, TWO)]
    folder = write_pack(drugs=[DRUG], trials=[ONE, TWO], overrides=kept)
    other = make_trial("NCT00000003")
    filled = {("trials", "lung"): [ONE | {"phase": "PHASE4"}, other]}
    assert write_tables(filled, TODAY, folder)["trials"] == 3
    rows = [row for _, row in read_table(table_of("trials"), folder)]
    assert rows == [ONE, TWO, other | {"curated_on": "2026-11-21", "verified_on": "2026-11-21"}]


def test_a_refill_writes_other_rows_anew(write_pack: WritePack) -> None:
    folder = write_pack(drugs=[DRUG], trials=[ONE, TWO], overrides=[CORRECTION])
    write_tables({("trials", "lung"): [ONE | {"enrollment": "90"}]}, TODAY, folder)
    (row,) = [row for _, row in read_table(table_of("trials"), folder)]
    assert (row["phase"], row["enrollment"], row["curated_on"]) == ("PHASE2", "90", "2026-11-21")


def test_a_drug_is_shown_across_tables_with_decisions(write_pack: WritePack) -> None:
    brand = make_row("approvals", register="purplebook", number="BLA1", brands="Druga|DRUGA SC")
    others = [make_row("drugs", drug="othermab"), make_row("drug_names", name="DRG-1")]
    folder = write_pack(
        drugs=[DRUG, others[0]],
        drug_names=[others[1]],
        trials=[ONE, TWO],
        approvals=[brand],
        overrides=[
            CORRECTION | {"note": "the register moved it"},
            make_decision("drop", "NCT00000002"),
        ],
    )
    lines = list(write_sheets("drg 1", folder))
    assert lines == list(write_sheets("druga sc", folder))
    assert lines[0] == "drugamab: DRG-1, Druga, DRUGA SC"
    places = [one.partition("\t")[0] for one in lines[1:] if not one.startswith("\t")]
    assert places == [
        *("drugs.csv line 2", "drug_names.csv line 2", "trials.csv line 2", "trials.csv line 3"),
        "approvals.csv line 2",
    ]
    assert [one for one in lines if one.startswith("\t")] == [
        "\tcorrected phase: PHASE2 -> PHASE3 by overrides.csv line 2 "
        "(A. Curator, 2026-11-20, https://a.example/study, the register moved it)",
        "\tdropped by overrides.csv line 3 (A. Curator, 2026-11-20)",
    ]


def test_an_unknown_drug_is_told_with_the_nearest_names(write_pack: WritePack) -> None:
    folder = write_pack(drugs=[DRUG])
    with pytest.raises(InvalidInput, match="no drug 'drugama'; the nearest names: drugamab"):
        list(write_sheets("drugama", folder))
