"""The Evidence page in each of its states, and imports that run aside."""

import io
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InvalidInput, WorkerCrashed
from core.evidence.sources.import_state import ImportState, read_state, write_state
from core.evidence.sources.importing import find_files, import_files
from core.execution.counting import keep_coverage
from core.execution.given_pages import remove
from core.execution.importing import export_pack, safe_name, start_import
from core.execution.syncing import start_sync
from core.records.runs import Caller
from core.workbench import Workbench
from pages.ui.evidence_held import age_words
from tests.core.evidence.loopback import serving
from tests.core.evidence.register_server import make_study, register
from tests.pages.conftest import SHELL
from tests.rows import over_rows

TRIALS = (
    "nct_id,brief_title,phase,overall_status,lead_sponsor,conditions,interventions,"
    "last_update,snapshot_date\n"
)
GOOD = "NCT00000001,Drug A in Asthma,PHASE2,RECRUITING,Acme,Asthma,DRUG:A-101,2025-06-01,2025\n"
BAD = "nobody,Drug A,PHASE2,RECRUITING,Acme,Asthma,DRUG:A-101,2025-06-01,2025\n"


@pytest.fixture
def admin(workbench: Workbench) -> Caller:
    user = workbench.stores.users.create("root", "correct horse battery", "admin")
    return Caller(user_id=user.user_id, name=user.name, role=user.role)


def upload(workbench: Workbench, caller: Caller, *files: tuple[str, str]) -> ImportState:
    """Import files and wait for the end."""
    start_import(workbench, caller, [(name, io.BytesIO(text.encode())) for name, text in files])
    end = time.monotonic() + 20
    while any(thread.name == "import" for thread in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return state_of(workbench)


def state_of(workbench: Workbench) -> ImportState:
    return read_state(workbench.stores, workbench.executor.worker)


def open_page(caller: Caller) -> AppTest:
    test = AppTest.from_file(str(SHELL), default_timeout=30)
    test.session_state["caller"] = caller
    return test.run().switch_page("evidence.py").run()


def words_of(page: AppTest) -> str:
    assert not page.exception
    kinds = (page.info, page.success, page.warning, page.error, page.caption, page.markdown)
    return " ".join(one.value for kind in kinds for one in kind)


def test_an_empty_pack_says_how_to_fill_it(workbench: Workbench, admin: Caller) -> None:
    page = open_page(admin)
    assert "No evidence is imported yet" in words_of(page)
    assert not page.dataframe


def test_an_import_is_shown_with_its_damaged_rows(workbench: Workbench, admin: Caller) -> None:
    state = upload(workbench, admin, ("trials.csv", TRIALS + GOOD + BAD), ("notes.txt", "hello"))
    assert (state.status, state.files[0].records, state.files[0].damaged) == ("done", 1, 1)
    page = open_page(admin)
    told = words_of(page)
    assert "1 records of 1 files" in told
    assert "notes" in told
    damaged = page.dataframe[-1].value
    assert damaged[["file", "line"]].to_numpy().tolist() == [["trials.csv", 3]]
    assert workbench.stores.audit.list(limit=1)[0].action == "evidence import"


def test_a_failed_import_changes_nothing_and_says_why(workbench: Workbench, admin: Caller) -> None:
    upload(workbench, admin, ("trials.csv", TRIALS + GOOD))
    before = workbench.stores.evidence.info().generation
    state = upload(workbench, admin, ("notes.txt", "hello"))
    assert state.status == "failed"
    assert workbench.stores.evidence.info().generation == before
    assert "changed nothing: no file of a known kind: notes" in words_of(open_page(admin)).replace(
        "\\", ""
    )


def test_an_import_whose_child_dies_is_told(
    workbench: Workbench, admin: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_arguments: object, **_options: object) -> None:
        raise WorkerCrashed("the process that was to answer ended without an answer")

    monkeypatch.setattr(type(workbench.executor), "call", die)
    assert upload(workbench, admin, ("trials.csv", TRIALS + GOOD)).status == "failed"


def test_a_running_import_is_shown_to_everybody(
    workbench: Workbench, admin: Caller, caller: Caller
) -> None:
    running = ImportState(
        status="running",
        worker=workbench.executor.worker,
        by="root",
        started_at=workbench.now().isoformat(),
        step="trials.csv",
        total=2,
        rows=4_000,
    )
    write_state(workbench.stores.states, running)
    for one in (admin, caller):
        told = words_of(open_page(one))
        assert "Importing evidence" in told
        assert "Import files" not in told
    with pytest.raises(InvalidInput, match="an import is running"):
        start_import(workbench, admin, [("t.csv", io.BytesIO(b"x"))])


def test_an_import_of_a_process_that_is_gone_is_over(workbench: Workbench, admin: Caller) -> None:
    write_state(workbench.stores.states, ImportState(status="running", worker="another/1/2/3"))
    assert "interrupted and changed nothing" in words_of(open_page(admin))


def test_only_administrators_import_and_export(workbench: Workbench, caller: Caller) -> None:
    with pytest.raises(InvalidInput, match="only administrators"):
        start_import(workbench, caller, [("t.csv", io.BytesIO(b"x"))])
    with pytest.raises(InvalidInput, match="only administrators"):
        export_pack(workbench, caller)
    page = open_page(caller)
    assert not page.button
    assert not page.expander


def test_an_administrator_syncs_and_the_page_says_what_came(
    workbench: Workbench, admin: Caller, caller: Caller
) -> None:
    with pytest.raises(InvalidInput, match="administrators"):
        start_sync(workbench, caller)
    assert [one.label for one in open_page(admin).button if "Sync" in one.label]
    studies = [make_study("NCT90000001", "alphamab", "Acme", "asthma")]
    with serving(register(studies)) as server:
        settings = workbench.settings.model_copy(
            update={"live_addresses": {"ctgov": server.address}}
        )
        start_sync(replace(workbench, settings=settings), admin, ["ctgov"])
        end = time.monotonic() + 30
        while any(thread.name == "sync" for thread in threading.enumerate()):
            assert time.monotonic() < end
            time.sleep(0.02)
    page = open_page(caller)
    (row,) = page.dataframe[0].value.to_dict("records")
    assert (row["Source"], row["Status"]) == ("ClinicalTrials.gov", "Up to date")
    assert row["Records"] == "1"
    assert not [one for one in page.button if "Sync" in one.label]


def test_a_pack_is_exported_and_imported_as_a_whole(workbench: Workbench, admin: Caller) -> None:
    upload(workbench, admin, ("trials.csv", TRIALS + GOOD))
    target, mark = export_pack(workbench, admin)
    assert len(mark) == 64
    upload(workbench, admin, ("more.csv", TRIALS + GOOD.replace("01,", "02,", 1)))
    assert workbench.stores.evidence.info().records == 2
    with target.open("rb") as content:
        start_import(workbench, admin, [(target.name, content)])
    while state_of(workbench).status == "running":
        time.sleep(0.02)
    assert workbench.stores.evidence.info().records == 1


def test_areas_are_counted_for_the_present_evidence(
    workbench: Workbench, admin: Caller, fill_names: Callable[[], None]
) -> None:
    fill_names()
    upload(workbench, admin, ("trials.csv", TRIALS + GOOD))
    keep_coverage(workbench.stores)
    page = open_page(admin)
    frames = [one.value for one in page.dataframe if "area" in one.value]
    row = frames[0].set_index("area").loc["Respiratory"]
    assert row.to_dict() == {"trials": 1, "labels": 0, "drugs": 1}


@pytest.fixture
def fill_names(workbench: Workbench) -> Callable[[], None]:
    """Return what builds a pack in which asthma is a disease of the lung."""
    from core.records.identity import Entity, EntityName, IsA

    def build() -> None:
        rows = [
            Entity("disease", "MONDO:1", "asthma"),
            EntityName("disease", "asthma", "MONDO:1", 1, "asthma"),
            IsA("disease", "MONDO:1", "MONDO:0005087"),
        ]
        workbench.stores.identity.build(rows, (), "1")

    return build


@over_rows(
    ("newest", "words"),
    [("2026-11-20", "1 day"), ("2026-03", "8 months"), ("2019", "7 years"), ("", "unknown")],
)
def test_ages_are_told_in_words(newest: str, words: str) -> None:
    assert age_words(newest, date(2026, 11, 21)) == words


@over_rows("name", ["../../x.csv", "..\\x.csv", "", "\u202e.csv", "a" * 300 + ".csv"])
def test_a_file_is_kept_under_a_harmless_name(name: str) -> None:
    kept = safe_name(name)
    assert kept
    assert len(kept) <= 120
    assert set(kept) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert not kept.startswith(".")


def test_the_old_pack_answers_while_the_next_is_written(
    workbench: Workbench, admin: Caller, tmp_path
) -> None:
    upload(workbench, admin, ("trials.csv", TRIALS + GOOD))
    evidence = workbench.stores.evidence
    seen: list[int] = []
    path = tmp_path / "more.csv"
    path.write_text(TRIALS + "".join(GOOD.replace("01,", f"{n:02},", 1) for n in range(2, 9)))
    import_files(
        evidence,
        find_files([path]),
        now=workbench.now(),
        progress=lambda *_: seen.append(evidence.info().records),
    )
    assert seen == [1, 1]
    assert evidence.info().records == 8


def wait_for_import() -> None:
    end = time.monotonic() + 20
    while any(thread.name == "import" for thread in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_press_release_is_read_accepted_and_taken_back(
    workbench: Workbench, admin: Caller
) -> None:
    page = open_page(admin)
    text = "Amgen is developing AMG 4711 for gout. Amgen may acquire Pfizer Inc."
    page.text_area[0].set_value(text)
    next(button for button in page.button if button.label.endswith("Read")).click()
    page.run()
    assert "develops" in words_of(page)
    assert "Pfizer" not in words_of(page)

    page.button(key="accept_0").click().run()
    wait_for_import()
    page = open_page(admin)
    [record_id] = workbench.stores.evidence.changed("accepted", "")
    assert "accepted by root" in words_of(page)
    assert "evidence accept" in {line.action for line in workbench.stores.audit.list(limit=9)}

    page.button(key=f"remove_{record_id.partition(':')[2]}").click().run()
    wait_for_import()
    assert "accepted by root" not in words_of(open_page(admin))


def test_only_administrators_add_press_releases(workbench: Workbench, caller: Caller) -> None:
    assert not open_page(caller).text_area
    with pytest.raises(InvalidInput):
        remove(workbench, caller, "accepted:0")
