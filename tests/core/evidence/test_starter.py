"""The starter pack in the store: loaded once, again when it changes, under what is fuller."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from core.evidence.assets import curators_drugs
from core.evidence.sources.pack import deals, fda_dates, loading, own_records, source_records
from core.evidence.sources.pack.files import path_of, write_rows
from core.evidence.sources.pack.loading import TAKEN_OUT, is_loaded, load_starter
from core.evidence.sources.pack.notice import starter_notice
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.pack.schema import OVERRIDES, TAIL, table_of
from core.evidence_ports import Evidence
from core.records.evidence_pack import FactQuery
from tools.curation.table_files import write_tables

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
Tables = dict[str, list[dict[str, str]]]
EXPERT = {"basis": "expert", "status": "unverified", "curated_on": "2026-11-01"}
SEEN = {
    "source_title": "ClinicalTrials.gov",
    "as_of": "2026-03-01",
    "basis": "published",
    "status": "verified",
    "curated_on": "2026-11-01",
    "verified_on": "2026-11-01",
}


def row(table: str, **cells: str) -> dict[str, str]:
    """Return a row with every column of a table."""
    known = table_of(table)
    origin = EXPERT if known.is_of_people else SEEN
    return dict.fromkeys((*known.columns, *TAIL), "") | origin | {"area": "lung"} | cells


def drugamab() -> dict[str, str]:
    """Return a drug."""
    return row("drugs", drug="drugamab", target="PD-1", mechanism="PD-1 inhibitor")


def trial(nct_id: str = "NCT00000001", **cells: str) -> dict[str, str]:
    """Return a trial."""
    return row(
        "trials",
        nct_id=nct_id,
        drug="drugamab",
        drugs="investigational:DRG-1|comparator:docetaxel",
        conditions="NSCLC",
        phase="PHASE3",
        status="RECRUITING",
        sponsor="Acme",
        words="DRG-1: anti-PD-1 antibody",
        source_id=f"ctgov:{nct_id}",
        **cells,
    )


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Tables:
    """Return tables that take the place of the pack's own."""
    held: Tables = {}

    def load(name: str) -> tuple[dict[str, str], ...]:
        return tuple(held.get(name, ()))

    for module in (deals, fda_dates, own_records, source_records):
        monkeypatch.setattr(module, "load_rows", load)
    monkeypatch.setattr(loading, "starter_version", lambda: repr(sorted(held.items())))
    return held


def test_a_pack_is_loaded_once_and_again_when_it_changes(pack: Evidence, tables: Tables) -> None:
    tables["drugs"] = [drugamab()]
    assert not is_loaded(pack)
    assert load_starter(pack, NOW) == 1
    assert is_loaded(pack)
    before = pack.version()
    assert load_starter(pack, NOW) == 0
    assert pack.version() == before
    tables["stages"] = [
        row("stages", drug="drugamab", indication="NSCLC", stage="PHASE2", state="active")
    ]
    assert load_starter(pack, NOW) == 1
    assert pack.version() != before
    (fact,) = pack.facts(FactQuery(subjects=["drugamab"], predicates=["in_stage"]))
    assert (fact.fact.object, fact.fact.basis, fact.fact.status) == (
        "PHASE2",
        "expert",
        "unverified",
    )


READ = {
    "basis": "published",
    "status": "verified",
    "source_url": "https://a.example/news/1",
    "source_title": "Acme begins a phase 2 trial",
    "as_of": "2026-10-05",
}


def test_what_a_person_read_is_a_record_of_its_address(pack: Evidence, tables: Tables) -> None:
    known = row("stages", drug="drugamab", indication="asthma", stage="PHASE1", state="active")
    read = known | {"indication": "NSCLC", "stage": "PHASE2"} | READ
    tables["drugs"], tables["stages"] = [drugamab()], [known, read]
    assert load_starter(pack, NOW) == 2
    own, other = (
        one.fact for one in pack.facts(FactQuery(sources=["pack"], predicates=["in_stage"]))
    )
    assert (own.record_id, own.basis, own.status) == ("pack:drugamab", "expert", "unverified")
    assert (other.basis, other.status, other.as_of) == ("published", "verified", "2026-10-05")
    assert (other.object, other.locator) == ("PHASE2", "stages.csv")
    record = pack.record(other.record_id)
    assert record is not None
    assert (record.url, record.title) == (READ["source_url"], READ["source_title"])
    assert [one.name for one in record.mentions] == ["drugamab", "NSCLC"]
    assert "not confirmed" not in record.licence


def test_a_drug_of_which_all_was_read_has_no_record_of_mere_knowledge(
    pack: Evidence, tables: Tables
) -> None:
    tables["drugs"] = [drugamab()]
    load_starter(pack, NOW)
    tables["drugs"] = [drugamab() | READ]
    load_starter(pack, NOW)
    record = pack.record("pack:drugamab")
    assert record is not None
    assert record.title == TAKEN_OUT
    (fact,) = pack.facts(FactQuery(sources=["pack"], predicates=["acts_on"]))
    assert (fact.fact.object, fact.fact.basis) == ("PD-1 inhibitor", "published")


def test_only_what_a_person_read_is_confirmed(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = row("drugs", drug="readamab", mechanism="PD-1 inhibitor") | READ
    rows = (drugamab(), read)
    monkeypatch.setattr(curators_drugs, "load_rows", lambda _: rows)
    known, confirmed = curators_drugs.load_drugs.__wrapped__()
    assert known.state(known.mechanism).is_expert
    assert not confirmed.state(confirmed.mechanism).is_expert
    tables["drugs"] = list(rows)
    ids = {one.record.id for one in own_records.own_records()}
    assert set(confirmed.state(confirmed.mechanism).record_ids) <= ids


def test_what_is_taken_out_says_nothing_and_may_come_back(pack: Evidence, tables: Tables) -> None:
    tables["drugs"] = [drugamab()]
    load_starter(pack, NOW)
    tables["drugs"] = []
    load_starter(pack, NOW)
    record = pack.record("pack:drugamab")
    assert record is not None
    assert (record.title, record.mentions) == (TAKEN_OUT, ())
    assert pack.facts(FactQuery(subjects=["drugamab"])) == []
    tables["drugs"] = [drugamab()]
    load_starter(pack, NOW)
    record = pack.record("pack:drugamab")
    assert record is not None
    assert [one.name for one in record.mentions] == ["drugamab"]
    assert pack.facts(FactQuery(subjects=["drugamab"]))


def test_a_trial_has_roles_and_a_title_of_our_own(pack: Evidence, tables: Tables) -> None:
    tables["trials"] = [trial()]
    load_starter(pack, NOW)
    record = pack.record("ctgov:NCT00000001")
    assert record is not None
    title = "DRG-1 against docetaxel in NSCLC, phase 3"
    assert (record.title, record.origin) == (title, "starter pack")
    roles = {one.name: one.role for one in record.mentions if one.kind == "drug"}
    assert roles == {"DRG-1": "investigational", "docetaxel": "comparator"}
    facts = pack.facts(FactQuery(record_ids=[record.id]))
    assert {one.fact.basis for one in facts} == {"published"}
    (said,) = [one.fact for one in facts if one.fact.predicate == "acts_on"]
    assert (said.subject, said.object) == ("DRG-1", "anti-PD-1 antibody")


def test_an_imported_copy_takes_the_place_of_the_packs_and_keeps_it(
    pack: Evidence, tables: Tables, bring: Callable[..., Any]
) -> None:
    tables["trials"] = [trial()]
    load_starter(pack, NOW)
    bring(
        "t.csv",
        "nct_id,brief_title,interventions,overall_status,snapshot_date\n"
        "NCT00000001,Registered title,DRUG:DRG-1,COMPLETED,2026-03-01\n",
    )
    tables["trials"] = [trial(enrollment="400")]
    load_starter(pack, NOW)
    record = pack.record("ctgov:NCT00000001")
    assert record is not None
    assert record.title == "Registered title"


def test_approvals_labels_and_pipelines_come_under_the_sources_own_ids(
    pack: Evidence, tables: Tables
) -> None:
    named = {"drug": "drugamab", "ingredients": "DRUGAMAB", "brands": "DRUGA", "company": "Acme"}
    tables["approvals"] = [
        row(
            "approvals",
            register="purplebook",
            number="BLA000001",
            approved_on="2020-05-01",
            kind="351(a)",
            source_id="purplebook:BLA000001",
            **named,
        )
    ]
    tables["labels"] = [
        row(
            "labels",
            register="label",
            number="set-1",
            indications="asthma|obesity",
            boxed="yes",
            source_id="label:set-1",
            **named,
        )
    ]
    tables["pipelines"] = [
        row(
            "pipelines",
            company="Acme",
            asset="DRG-1",
            drug="drugamab",
            indication="asthma",
            stage="PHASE3",
            source_id="pipeline:Acme/DRG-1",
        )
    ]
    assert load_starter(pack, NOW) == 3
    assert {one.source for one in pack.sources()} == {"label", "pipeline", "purplebook"}
    (fact,) = pack.facts(FactQuery(sources=["purplebook"], predicates=["approved_on"]))
    assert (fact.fact.subject, fact.fact.object) == ("DRUGAMAB", "2020-05-01")
    said = pack.facts(FactQuery(sources=["label"], predicates=["indicated_for"]))
    assert [one.fact.object for one in said] == ["asthma", "obesity"]
    (passage,) = pack.passages(["label:set-1"], ["indications_and_usage"])["label:set-1"]
    assert passage.text == "asthma; obesity"


def test_the_packs_own_tables_load_within_bounds(pack: Evidence) -> None:
    began = time.process_time()  # neighbors on the machine do not count
    assert load_starter(pack, NOW) > 1_000
    assert time.process_time() - began < 20
    assert pack.damages() == []
    assert replace(pack.info().files[0], imported_at="").name == "starter pack"


def test_a_second_writing_of_the_same_rows_changes_no_byte(tmp_path: Path) -> None:
    path_of(OVERRIDES, tmp_path).write_text(write_rows([], OVERRIDES))
    rows = {("trials", "lung"): [trial(nct_id=f"NCT0000000{n}") for n in (3, 1, 2)]}
    assert write_tables(rows, date(2026, 11, 1), tmp_path)["trials"] == 3
    before = (tmp_path / "trials.csv").read_bytes()
    write_tables(rows, date(2026, 12, 1), tmp_path)
    assert (tmp_path / "trials.csv").read_bytes() == before
    rows["trials", "lung"][0] |= {"enrollment": "90"}
    write_tables(rows, date(2026, 12, 1), tmp_path)
    after = (tmp_path / "trials.csv").read_text().splitlines()
    assert [line.count("2026-12-01") for line in after] == [0, 0, 0, 2]


def test_only_an_answer_from_the_pack_alone_carries_the_banner(
    pack: Evidence, tables: Tables, bring: Callable[..., Any]
) -> None:
    assert starter_notice(pack) == ""
    tables["drugs"] = [drugamab()]
    load_starter(pack, NOW)
    assert re.match(
        r"starter_pack: starter pack of \d{4}-\d\d-\d\d, [\d,]+ rows, not complete",
        starter_notice(pack),
    )
    bring(
        "t.csv",
        "nct_id,brief_title,interventions,overall_status,snapshot_date\n"
        "NCT00000001,Registered title,DRUG:DRG-1,COMPLETED,2026-03-01\n",
    )
    assert starter_notice(pack) == ""


def test_a_licence_is_a_record_without_price_or_licensor_where_no_row_tells_them(
    pack: Evidence, tables: Tables
) -> None:
    tables["drugs"] = [drugamab()]
    deal = {"drug": "drugamab", "type": "license", "licensee": "Buyer", "territory": "US"}
    tables["deals"] = [row("deals", **deal, day="2021")]
    load_starter(pack, NOW)
    told = {
        one.fact.predicate: (one.fact.object, one.fact.status)
        for one in pack.facts(FactQuery(sources=("deals",)))
    }
    assert told == {
        "deal_type": ("license", "unverified"),
        "licensed_to": ("Buyer", "unverified"),
        "deal_announced_on": ("2021", "unverified"),
    }


def test_every_deal_of_the_pack_names_its_parties_and_what_was_read_its_source() -> None:
    roles = {
        (role["drug"], role["company"], role["territory"], role["from_on"])
        for role in load_rows("company_roles")
    }
    deals = load_rows("deals")
    assert len(deals) > 300
    known = [deal for deal in deals if deal["basis"] == "expert"]
    assert {
        (deal["drug"], deal["licensee"] or deal["partner"], deal["territory"], deal["day"])
        for deal in known
    } <= roles
    named = [deal for deal in deals if deal["licensor"] and (deal["licensee"] or deal["partner"])]
    assert len(named) >= 0.99 * len(deals)
    assert not [deal for deal in named if deal["licensor"] == deal["licensee"]]
    read = [deal for deal in deals if deal["basis"] == "published"]
    assert all(deal["type"] != "other" and len(deal["day"]) >= len("2025-06") for deal in read)
    assert all(deal["source_url"] for deal in deals if deal["upfront"] or deal["total"])
