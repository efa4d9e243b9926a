"""The evidence pack: versions, search, exchange, carrying."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from core.errors import EvidenceDamaged, InvalidInput
from core.ports import Stores
from core.records.events import EventQuery
from core.records.evidence import Damage, Fact, Mention, Parsed, Qualifiers, Record, Span
from core.records.evidence_pack import FactQuery, ImportedFile, TextQuery
from storage.evidence import EvidenceStore, generations
from storage.evidence.writer import PackWriter


@pytest.fixture
def pack(tmp_path: Path) -> EvidenceStore:
    """Return an evidence store without a pack."""
    return EvidenceStore(tmp_path / "instance" / "pack.db")


def make_trial(
    number: int, drug: str = "pembrolizumab", *, status: str = "RECRUITING", title: str = ""
) -> Parsed:
    """Return a trial of a drug with two facts."""
    record = Record(
        source="ctgov",
        source_id=f"NCT{number:08d}",
        url=f"https://clinicaltrials.gov/study/NCT{number:08d}",
        kind="trial_registration",
        title=title or f"{drug} in lung cancer, study {number}",
        updated_on="2026-01-02",
        fetched_at="2026-02-01",
        origin="trials.csv",
        raw_ref=f"trials.csv:{number}",
        spans=(Span("summary", "Patients with a tumor that grows.", 0, 33),),
        mentions=(
            Mention("drug", drug, "investigational", "intervention"),
            Mention("company", "Merck Sharp & Dohme LLC", relation="sponsor"),
        ),
    )
    facts = (
        Fact(record.id, record.source_id, "trial_phase", "PHASE3"),
        Fact(
            record.id,
            drug,
            "studied_in",
            "lung cancer",
            value=12.5,
            qualifiers=Qualifiers(indication="lung cancer", n="40"),
            locator="conditions",
        ),
        Fact(record.id, record.source_id, "trial_status", status, as_of="2026-01-02"),
    )
    return Parsed(record, facts)


def fill(pack: EvidenceStore, *parsed: Parsed) -> None:
    """Write records as the next generation."""
    with pack.next_generation() as writer:
        writer.add(parsed)


def test_an_absent_pack_holds_nothing(pack: EvidenceStore) -> None:
    assert pack.info().records == 0
    assert pack.record("ctgov:NCT00000001") is None
    assert pack.search(TextQuery([["lung"]])) == []


def test_a_record_comes_back_as_it_was_written(pack: EvidenceStore) -> None:
    trial = make_trial(1)
    fill(pack, trial)
    assert pack.record("ctgov:NCT00000001") == trial.record
    stored = pack.facts(FactQuery(record_ids=["ctgov:NCT00000001"]))
    assert tuple(one.fact for one in stored) == trial.facts
    assert pack.fact(stored[1].id) == stored[1]


def test_facts_are_found_by_any_spelling_of_the_subject(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1, "MK-3475"), make_trial(2, "nivolumab"))
    found = pack.facts(FactQuery(subjects=["mk 3475"], predicates=["studied_in"]))
    assert [one.fact.record_id for one in found] == ["ctgov:NCT00000001"]
    mentions = pack.mentioning("drug", ["MK3475"])
    assert mentions == {
        "ctgov:NCT00000001": [Mention("drug", "MK-3475", "investigational", "intervention")]
    }
    assert list(pack.names("drug")) == [("mk3475", "MK-3475", 1), ("nivolumab", "nivolumab", 1)]


def test_facts_of_everything_are_refused(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1))
    with pytest.raises(InvalidInput):
        pack.facts(FactQuery(predicates=["trial_status"]))


def test_a_changed_record_keeps_its_older_version(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1), make_trial(2))
    fill(pack, make_trial(1, status="COMPLETED"))
    query = FactQuery(record_ids=["ctgov:NCT00000001"], predicates=["trial_status"])
    found = pack.facts(query)
    assert [(one.version, one.fact.object) for one in found] == [(2, "COMPLETED")]
    assert len(pack.versions("ctgov:NCT00000001")) == 2
    assert pack.info().records == 2
    assert pack.info().generation == 2
    hits = pack.search(TextQuery([["pembrolizumab"]]))
    assert sorted(hit.record_id for hit in hits) == ["ctgov:NCT00000001", "ctgov:NCT00000002"]


def test_the_same_record_again_makes_no_version(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1))
    later = make_trial(1)
    fill(pack, replace(later, record=replace(later.record, fetched_at="2026-09-09")))
    assert len(pack.versions("ctgov:NCT00000001")) == 1


def test_two_states_in_one_batch_leave_the_later_one_newest(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1), make_trial(1, status="TERMINATED"))
    query = FactQuery(record_ids=["ctgov:NCT00000001"], predicates=["trial_status"])
    assert [one.fact.object for one in pack.facts(query)] == ["TERMINATED"]


def test_aliases_are_alternatives_and_groups_are_all_asked_for(pack: EvidenceStore) -> None:
    fill(
        pack,
        make_trial(1, "MK-3475", title="MK-3475 in melanoma"),
        make_trial(2, "pembrolizumab", title="pembrolizumab in melanoma"),
        make_trial(3, "pembrolizumab", title="pembrolizumab in colon cancer"),
    )
    both = pack.search(TextQuery([["pembrolizumab", "MK 3475"], ["melanoma"]]))
    assert {hit.record_id[-1] for hit in both} == {"1", "2"}


@pytest.mark.parametrize("words", ['"', "-", ":", "NEAR(", "a OR", "* title:", "'; DROP", "\x00"])
def test_no_word_of_a_caller_is_query_language(pack: EvidenceStore, words: str) -> None:
    fill(pack, make_trial(1))
    assert pack.search(TextQuery([[words, f"zzz {words}"]])) == []


def test_search_filters_by_kind_date_phase_and_company(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1))
    lung = TextQuery([["lung"]])
    assert len(pack.search(replace(lung, kinds=["trial_registration"]))) == 1
    assert pack.search(replace(lung, kinds=["paper"])) == []
    assert len(pack.search(replace(lung, since="2026-01-02", until="2026-01-02"))) == 1
    assert pack.search(replace(lung, since="2026-01-03")) == []
    assert pack.search(replace(lung, until="2026-01-01")) == []
    assert len(pack.search(replace(lung, phases=["PHASE3"]))) == 1
    assert pack.search(replace(lung, phases=["PHASE2"])) == []
    assert len(pack.search(replace(lung, companies=["merck sharp & dohme llc"]))) == 1
    assert pack.search(replace(lung, companies=["Pfizer"])) == []


def test_a_title_counts_more_than_a_text(pack: EvidenceStore) -> None:
    body = make_trial(1, title="another study")
    spans = (Span("summary", "This says zanidatamab among many other words here."),)
    fill(
        pack,
        replace(body, record=replace(body.record, spans=spans)),
        make_trial(2, title="zanidatamab study"),
    )
    hits = pack.search(TextQuery([["zanidatamab"]]))
    assert [hit.record_id[-1] for hit in hits] == ["2", "1"]


def test_an_interrupted_import_leaves_the_old_pack(pack: EvidenceStore) -> None:
    def interrupt() -> None:
        with pack.next_generation() as writer:
            writer.add([make_trial(2)])
            raise KeyboardInterrupt

    fill(pack, make_trial(1))
    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert pack.info().records == 1
    assert pack.info().generation == 1
    fill(pack, make_trial(3))
    assert pack.info().records == 2


def test_an_older_or_poorer_copy_is_kept_but_does_not_count(pack: EvidenceStore) -> None:
    trial = make_trial(1, status="COMPLETED")
    full = replace(trial, record=replace(trial.record, detail=2))
    poor = replace(make_trial(1, status="RECRUITING"), record=replace(trial.record, detail=1))
    old_record = replace(trial.record, detail=9, updated_on="2019-01-01")
    fill(pack, full)
    fill(pack, poor, replace(make_trial(1, status="WITHDRAWN"), record=old_record))
    query = FactQuery(record_ids=["ctgov:NCT00000001"], predicates=["trial_status"])
    assert [one.fact.object for one in pack.facts(query)] == ["COMPLETED"]
    assert len(pack.versions("ctgov:NCT00000001")) == 3


@pytest.mark.parametrize(("most_amended", "lost"), [(0, 1), (2_000, 2)])
def test_a_pack_that_fails_its_check_does_not_take_over(
    pack: EvidenceStore, monkeypatch: pytest.MonkeyPatch, most_amended: int, lost: int
) -> None:
    monkeypatch.setattr(generations, "MOST_AMENDED", most_amended)
    fill(pack, make_trial(1))
    whole_check: Callable[..., list[str]] = PackWriter.check

    def check(writer: PackWriter, *, whole: bool = True) -> list[str]:
        writer._connection.execute(text(f"DELETE FROM records WHERE pk = {lost}"))
        return whole_check(writer, whole=whole)

    monkeypatch.setattr(PackWriter, "check", check)
    with pytest.raises(EvidenceDamaged, match="3 facts without a record"):
        fill(pack, make_trial(2))
    assert pack.info().records == 1


def test_damaged_rows_and_files_are_remembered(pack: EvidenceStore) -> None:
    with pack.next_generation() as writer:
        writer.report(Damage("trials.csv", 17, "no trial number"))
        writer.finish_file(ImportedFile("trials.csv", "trials", "a" * 64, "2026-01-01", 0, 1))
    assert list(pack.damages()) == [Damage("trials.csv", 17, "no trial number")]
    assert pack.info().files[0].damaged == 1
    assert pack.info().damaged == 1


def test_a_pack_is_carried_as_one_file(pack: EvidenceStore, tmp_path: Path) -> None:
    fill(pack, make_trial(1), make_trial(2, "MK-3475"))
    carried = tmp_path / "carried.pack"
    mark = pack.export(carried)
    assert carried.with_name("carried.pack.sha256").read_text().startswith(mark)
    fill(pack, make_trial(3))
    assert pack.adopt(carried).records == 2
    assert [hit.record_id[-1] for hit in pack.search(TextQuery([["MK 3475"]]))] == ["2"]
    fill(pack, make_trial(4))
    assert pack.info().records == 3


def test_an_export_overwrites_nothing(pack: EvidenceStore, tmp_path: Path) -> None:
    fill(pack, make_trial(1))
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InvalidInput):
        pack.export(tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_changed_or_foreign_file_is_not_adopted(pack: EvidenceStore, tmp_path: Path) -> None:
    fill(pack, make_trial(1))
    carried = tmp_path / "carried.pack"
    pack.export(carried)
    with sqlite3.connect(carried) as changed:
        changed.execute("UPDATE records SET title = 'another'")
    changed.close()
    with pytest.raises(EvidenceDamaged, match="manifest"):
        pack.adopt(carried)
    (tmp_path / "text").write_text("no pack at all " * 500)
    with pytest.raises(EvidenceDamaged):
        pack.adopt(tmp_path / "text")
    assert pack.info().records == 1


def test_an_open_reader_keeps_its_generation(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1))
    with pack._reading() as connection:
        before = connection.scalar(text("SELECT count(*) FROM records"))
        fill(pack, make_trial(2))
        assert connection.scalar(text("SELECT count(*) FROM records")) == before
    assert pack.info().records == before + 1


def test_a_small_import_is_written_into_the_live_pack(pack: EvidenceStore, tmp_path: Path) -> None:
    fill(pack, *(make_trial(number) for number in range(1, 6)))
    path = tmp_path / "instance" / "pack.db"
    before = path.stat().st_ino
    fill(pack, make_trial(1, "nivolumab", status="COMPLETED"), make_trial(9, "toripalimab"))
    assert path.stat().st_ino == before
    assert pack.info().generation == 2
    assert pack.names_with("drug", ["mab"]) == ["nivolumab", "pembrolizumab", "toripalimab"]
    assert [hit.record_id for hit in pack.search(TextQuery([["toripalimab"]]))] == [
        "ctgov:NCT00000009"
    ]


def test_a_name_that_no_current_record_has_any_more_is_listed_no_more(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1, "olddrug"), make_trial(2, "shareddrug"), make_trial(3, "shareddrug"))
    fill(pack, make_trial(1, "newdrug"), make_trial(2, "newdrug"))
    assert pack.spellings("drug") == ["newdrug", "shareddrug"]
    fill(pack, make_trial(3, "newdrug"))
    assert pack.spellings("drug") == ["newdrug"]


@pytest.mark.parametrize("seed", range(3))
def test_small_and_large_imports_come_to_the_same_pack(
    pack: EvidenceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    drugs = ["pembrolizumab", "nivolumab", "MK-3475"]
    imports = [
        [
            make_trial(
                chance.randint(1, 5), chance.choice(drugs), status=f"STATE {chance.random()}"
            )
            for _ in range(chance.randint(1, 4))
        ]
        for _ in range(4)
    ]
    copied = EvidenceStore(tmp_path / "copied.db")
    for brought in imports:
        fill(pack, *brought)
        with monkeypatch.context() as changed:
            changed.setattr(generations, "MOST_AMENDED", 0)
            fill(copied, *brought)
    assert pack.version() == copied.version()
    assert pack.info() == copied.info()
    ids = [f"ctgov:NCT{number:08d}" for number in range(1, 6)]
    assert pack.records(ids) == copied.records(ids)
    query = FactQuery(record_ids=ids)
    assert [one.fact for one in pack.facts(query)] == [one.fact for one in copied.facts(query)]
    assert pack.spellings("drug") == copied.spellings("drug")


def test_an_import_that_ends_in_the_middle_leaves_the_live_pack(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1))
    version = pack.version()
    with suppress(KeyError), pack.next_generation() as writer:
        writer.add([make_trial(2)])
        raise KeyError
    assert pack.version() == version
    assert pack.info().records == 1


def test_a_file_that_was_being_written_when_the_machine_went_down_is_taken_back(
    tmp_path: Path,
) -> None:
    pack = EvidenceStore(tmp_path / "pack.db")
    fill(pack, make_trial(1))
    child = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _KILLED, str(tmp_path / "pack.db")], check=False
    )
    assert child.returncode == -9
    assert (tmp_path / "pack.db-journal").exists()
    assert pack.info().records == 1
    fill(pack, make_trial(2))
    assert pack.info().records == 2


_KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("DELETE FROM records")
for number in range(2000):
    connection.execute("INSERT INTO meta VALUES (?, ?)", (str(number), "x" * 500))
os.kill(os.getpid(), signal.SIGKILL)
"""
"""Pages that have gone to the file before the end are in the journal."""


def test_the_version_without_a_source_ignores_what_it_brings(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1))
    before, other = pack.version(), pack.version(["uspto_chem"])
    patent = Record("uspto_chem", "US1", "", "patent", "Amides")
    fill(pack, Parsed(patent))
    assert pack.version() != before
    assert pack.version(["uspto_chem"]) == other
    fill(pack, make_trial(1, status="COMPLETED"))
    assert pack.version(["uspto_chem"]) != other


def test_every_store_has_its_evidence(stores: Stores) -> None:
    assert stores.evidence.info().generation >= 0


def test_every_mention_is_listed_with_its_record_and_role(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1), make_trial(1, "nivolumab", status="COMPLETED"))
    found = list(pack.all_mentions("drug"))
    kind = "trial_registration"
    assert found == [("ctgov:NCT00000001", kind, "nivolumab", "investigational")]


def test_mentions_of_many_records_come_in_their_order(pack: EvidenceStore) -> None:
    fill(pack, *(make_trial(number) for number in range(1, 4)))
    found = pack.mentions(["ctgov:NCT00000002", "ctgov:NCT00000003", "ctgov:NCT99999999"])
    assert set(found) == {"ctgov:NCT00000002", "ctgov:NCT00000003"}
    assert [one.kind for one in found["ctgov:NCT00000002"]] == ["drug", "company"]


def test_mentions_and_passages_are_those_of_the_current_version(pack: EvidenceStore) -> None:
    old = make_trial(1, "pembrolizumab")
    fill(pack, old)
    record = replace(make_trial(1, "nivolumab").record, updated_on="2026-02-02")
    fill(pack, replace(old, record=record))
    (drug, _) = pack.mentions([record.id])[record.id]
    assert drug.name == "nivolumab"
    assert [span.section for span in pack.passages([record.id], ["summary"])[record.id]] == [
        "summary"
    ]
    assert pack.passages([record.id], ["eligibility"]) == {}


def test_names_with_a_part_are_found_wherever_it_stands(pack: EvidenceStore) -> None:
    drugs = ("Sitagliptin 100 mg", "Vilda-gliptin", "metformin", "50%_gliptin")
    fill(pack, *(make_trial(number, drug) for number, drug in enumerate(drugs, 1)))
    assert pack.names_with("drug", ["gliptin"]) == [
        "50%_gliptin",
        "Sitagliptin 100 mg",
        "Vilda-gliptin",
    ]
    assert pack.names_with("drug", ["%"]) == []
    assert pack.names_with("company", ["gliptin"]) == []


def test_facts_of_a_source_are_found_without_naming_records(pack: EvidenceStore) -> None:
    fill(pack, make_trial(1), make_trial(2))
    found = pack.facts(FactQuery(sources=["ctgov"], predicates=["trial_phase"]))
    assert [one.fact.record_id for one in found] == ["ctgov:NCT00000001", "ctgov:NCT00000002"]
    assert pack.facts(FactQuery(sources=["label"])) == []


def test_an_absent_pack_has_no_mentions(pack: EvidenceStore) -> None:
    assert pack.mentions(["ctgov:NCT00000001"]) == {}
    assert pack.passages(["ctgov:NCT00000001"], ["summary"]) == {}
    assert pack.names_with("drug", ["mab"]) == []


def test_a_newer_poorer_copy_hides_neither_sponsor_nor_results(pack: EvidenceStore) -> None:
    full = make_trial(1)
    posted = Fact(full.record.id, "x", "trial_result", "OS", 12.0, "months", as_of="2026-01-02")
    sponsor = Fact(full.record.id, "x", "trial_sponsor", "Merck Sharp & Dohme LLC", as_of="2026")
    stopped = Fact(full.record.id, "x", "trial_stopped", "slow accrual", as_of="2026-01-02")
    full = replace(full, facts=(*full.facts, posted, sponsor, stopped))
    newer = make_trial(1, status="COMPLETED")
    drug = newer.record.mentions[0]
    newer = replace(
        newer, record=replace(newer.record, updated_on="2026-05-01", detail=1, mentions=(drug,))
    )
    fill(pack, replace(full, record=replace(full.record, detail=2)), newer)
    fill(pack, make_trial(2))  # a later generation keeps it
    found = pack.facts(FactQuery(record_ids=[full.record.id]))
    told = {one.fact.predicate: (one.fact.object, one.version) for one in found}
    assert told == {
        "trial_phase": ("PHASE3", 2),
        "studied_in": ("lung cancer", 2),
        "trial_status": ("COMPLETED", 2),
        "trial_result": ("OS", 1),
        "trial_sponsor": ("Merck Sharp & Dohme LLC", 1),
    }
    names = [one.name for one in pack.mentions([full.record.id])[full.record.id]]
    assert sorted(names) == ["Merck Sharp & Dohme LLC", "pembrolizumab"]


def test_a_sponsor_that_the_newer_copy_states_counts_alone(pack: EvidenceStore) -> None:
    older = make_trial(1)
    sponsor = Fact(older.record.id, "x", "trial_sponsor", "Old Inc.")
    newer = replace(
        make_trial(1, status="COMPLETED"),
        record=replace(
            older.record,
            updated_on="2026-05-01",
            mentions=(Mention("company", "New Inc.", relation="sponsor"),),
        ),
        facts=(replace(sponsor, object="New Inc."),),
    )
    fill(pack, replace(older, facts=(*older.facts, sponsor)), newer)
    (told,) = pack.facts(FactQuery(record_ids=[older.record.id], predicates=["trial_sponsor"]))
    assert told.fact.object == "New Inc."
    names = {one.name for one in pack.mentions([older.record.id])[older.record.id]}
    assert names == {"New Inc.", "pembrolizumab"}


@pytest.mark.parametrize("is_told", [True, False])
def test_a_newer_copy_without_drugs_hides_none_that_an_older_names(
    pack: EvidenceStore, is_told: bool
) -> None:
    older, other = make_trial(1), Mention("drug", "placebo", "comparator")
    mentions = (other,) if is_told else ()
    newer = make_trial(1, status="COMPLETED")
    newer = replace(newer, record=replace(newer.record, updated_on="2026-05-01", mentions=mentions))
    fill(pack, older, newer)
    found = pack.mentions([older.record.id])[older.record.id]
    names = [one.name for one in found if one.kind == "drug"]
    assert names == (["placebo"] if is_told else ["pembrolizumab"])


def test_of_an_equally_full_older_copy_only_the_sponsor_counts(pack: EvidenceStore) -> None:
    older = make_trial(1)
    posted = Fact(older.record.id, "x", "trial_result", "OS", 12.0, "months")
    sponsor = Fact(older.record.id, "x", "trial_sponsor", "Old Inc.")
    newer = replace(older, record=replace(older.record, updated_on="2026-05-01", mentions=()))
    fill(pack, replace(older, facts=(*older.facts, posted, sponsor)), newer)
    found = pack.facts(FactQuery(record_ids=[older.record.id]))
    told = [(one.fact.predicate, one.version) for one in found]
    assert ("trial_sponsor", 1) in told
    assert "trial_result" not in dict(told)
    mentions = pack.mentions([older.record.id])[older.record.id]
    assert [one.relation for one in mentions if one.kind == "company"] == ["sponsor"]


def test_the_names_nearest_to_a_misspelt_one_are_found(pack: EvidenceStore) -> None:
    drugs = ("pembrolizumab", "Pembrolizumab-biosimilar", "nivolumab", "sitagliptin", "\u03b2-drug")
    fill(pack, *(make_trial(number, drug) for number, drug in enumerate(drugs, 1)))
    assert pack.nearest_names("drug", "pembrolizumap") == [
        ("pembrolizumab", 0.75),
        ("Pembrolizumab-biosimilar", 0.462),
    ]
    assert pack.nearest_names("drug", "Sitagliptine", 1) == [("sitagliptin", 0.786)]
    assert pack.nearest_names("drug", "aspirin") == []
    assert pack.nearest_names("drug", "%") == []
    assert pack.nearest_names("company", "sitagliptin") == []


def test_a_file_of_events_of_an_earlier_version_counts_as_empty(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "events.db") as database:
        database.execute("CREATE TABLE told (record_id TEXT)")
        database.execute("CREATE TABLE meta (mark TEXT)")
        database.execute("INSERT INTO meta VALUES ('earlier')")
    database.close()
    pack = EvidenceStore(tmp_path / "pack.db", tmp_path / "events.db")
    assert pack.events_mark() == ""
    assert list(pack.events(EventQuery())) == []
    pack.keep_events([], None, "now")
    assert pack.events_mark() == "now"


def test_states_that_say_the_same_words_keep_them_once(pack: EvidenceStore, tmp_path: Path) -> None:
    first = make_trial(1)
    states = [first]
    for day, status in (("2026-02-01", "COMPLETED"), ("2026-03-01", "TERMINATED")):
        facts = (*first.facts[:2], replace(first.facts[2], object=status, as_of=day))
        states.append(Parsed(replace(first.record, updated_on=day), facts))
    renamed = replace(first.record, updated_on="2026-04-01", title="toripalimab in melanoma")
    states += [Parsed(renamed, first.facts), replace(states[1], facts=first.facts[:1])]
    for state in states:
        fill(pack, state)
    for version, state in enumerate(states, start=1):
        record = pack.record(first.record.id, version)
        assert record is not None
        assert (record.title, record.spans, record.mentions) == (
            *(state.record.title, state.record.spans, state.record.mentions),
        )
    for words, count in (("lung", 0), ("melanoma", 1), ("tumor", 1)):
        assert len(pack.search(TextQuery([[words]]))) == count
    assert list(pack.names("drug")) == [("pembrolizumab", "pembrolizumab", 1)]
    with sqlite3.connect(tmp_path / "instance" / "pack.db") as database:
        (kept,) = database.execute("SELECT count(*) FROM spans").fetchone()
    database.close()
    assert kept == 3
    target = tmp_path / "carried.pack"
    pack.export(target)
    other = EvidenceStore(tmp_path / "other" / "pack.db")
    other.adopt(target)
    assert [len(other.search(TextQuery([[word]]))) for word in ("lung", "tumor")] == [0, 1]


@pytest.mark.parametrize("version", [1, 2])
def test_a_pack_of_an_older_format_is_upgraded_when_it_is_first_read(
    version: int, pack: EvidenceStore, tmp_path: Path
) -> None:
    fill(pack, make_trial(1))
    with sqlite3.connect(tmp_path / "instance" / "pack.db") as database:
        database.execute("DROP INDEX ix_records_text")
        database.execute("ALTER TABLE records DROP COLUMN text_pk")
        database.execute("UPDATE meta SET value = ? WHERE name = 'format'", [version])
        if version == 1:
            database.execute("ALTER TABLE records DROP COLUMN copied_on")
            database.execute("DROP TABLE names")
    database.close()
    former = EvidenceStore(tmp_path / "instance" / "pack.db")
    assert former.spellings("drug") == ["pembrolizumab"]
    assert former.records(["ctgov:NCT00000001"])["ctgov:NCT00000001"].copied_on == ""
    fill(former, make_trial(2))
    assert former.info().records == 2
