"""Syncs with ClinicalTrials.gov on a loopback register: what they keep, and what may go wrong."""

import copy
import gzip
import json
import os
import random
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path

import pytest

from core.errors import EvidenceDamaged, InvalidInput
from core.evidence.sources.live.clinicaltrials import PAGE
from core.evidence.sources.live.web import Site
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.sync.reports import SyncReport
from core.evidence.sources.sync.trials import TrialWalk
from core.evidence.sources.sync.verifying import compare_rows
from core.evidence.sources.sync.walking import sync_walk
from core.records.evidence_pack import FactQuery
from core.records.mirrors import SourceCopy, SyncCursor
from core.records.sources import AnswerStatus
from core.settings import Settings
from core.vocabulary.predicates import Predicate
from storage.evidence import open_evidence
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving
from tests.core.evidence.register_server import Study, make_study, number_of, register

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
SINCE = "2026-11-01"


def make_studies(count: int) -> list[Study]:
    """Return phase 3 studies, a page of them on each day."""
    return [
        make_study(
            f"NCT{90_000_000 + index:08d}",
            f"drug-{index}",
            "Sponsor",
            "asthma",
            f"2026-11-{10 + index // PAGE:02d}",
        )
        for index in range(count)
    ]


def sync(
    home: Path,
    answer: Answering,
    *,
    now: datetime = NOW,
    since: str = SINCE,
    announce: Callable[[str], None] = lambda _: None,
) -> tuple[SyncReport, list[Asked]]:
    """Sync an instance with a register."""
    with serving(answer) as server:
        site = Site("ctgov", server.address, budget_s=30.0, pause_s=0.0, sleep=lambda _: None)
        evidence = open_evidence(Settings(home=home))
        walk = TrialWalk(site, now.date())
        return sync_walk(walk, evidence, now, announce, since=since), server.asked


def statuses(home: Path) -> dict[str, str]:
    """Return the status that the pack tells of each trial."""
    query = FactQuery(sources=("ctgov",), predicates=(Predicate.TRIAL_STATUS,))
    facts = open_evidence(Settings(home=home)).facts(query)
    return {fact.fact.record_id.partition(":")[2]: fact.fact.object for fact in facts}


def pages_of(asked: list[Asked]) -> list[Asked]:
    """Return the questions for changed studies."""
    return [one for one in asked if "filter.advanced" in one.query]


def test_what_changed_comes_once_and_an_unchanged_register_is_asked_nothing(tmp_path: Path) -> None:
    studies = make_studies(450)
    first, asked = sync(tmp_path, register(studies))
    assert (first.status, first.counted, first.read) == ("answered", 450, 450)
    assert (first.changed, first.promoted) == (450, 450)
    assert len(statuses(tmp_path)) == 450
    again, asked = sync(tmp_path, register(studies), since="")
    assert (again.status, [one.path for one in asked]) == ("unchanged", ["/api/v2/version"])
    studies[7]["protocolSection"]["statusModule"] |= {
        "overallStatus": "TERMINATED",
        "lastUpdatePostDateStruct": {"date": "2026-11-28"},
    }
    for study in studies:  # changes daily for every study, and is no change
        study["derivedSection"]["miscInfoModule"]["versionHolder"] = "2026-11-28"
    tomorrow = register(studies, "2026-11-28T09:00:00")
    third, asked = sync(tmp_path, tomorrow, since="", now=NOW + timedelta(days=1))
    assert (third.status, third.read, third.changed, third.promoted) == ("answered", 1, 1, 1)
    assert "RANGE[2026-11-25, MAX]" in asked[1].query["filter.advanced"]
    assert statuses(tmp_path)[number_of(studies[7])] == "TERMINATED"
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    assert (mirror.count().records, mirror.count().states) == (450, 451)
    assert [hit.status for hit in mirror.search("drug-7 asthma")] == ["TERMINATED"]


def test_a_walk_during_which_the_register_changes_is_begun_again(tmp_path: Path) -> None:
    studies = make_studies(300)
    versions = iter(["2026-11-26T09:00:00", *["2026-11-27T09:00:00"] * 9])

    def answer(asked: Asked) -> Sent:
        if asked.path.endswith("version"):
            return as_json({"dataTimestamp": next(versions)})
        return register(studies)(asked)

    report, asked = sync(tmp_path, answer)
    assert (report.status, report.as_of) == ("answered", "2026-11-27T09:00:00")
    assert [("pageToken" in page.query) for page in pages_of(asked)] == [False, True, False, True]


def test_fewer_studies_than_the_register_counts_never_move_the_mark(tmp_path: Path) -> None:
    studies = make_studies(40)

    def cut_short(asked: Asked) -> Sent:
        if asked.path.endswith("version"):
            return register(studies)(asked)
        return as_json({"studies": studies[:30], "totalCount": 40})

    report, _ = sync(tmp_path, cut_short)
    assert (report.status, report.read, report.counted) == ("partial", 30, 40)
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    assert mirror.cursor().high_water == ""
    assert len(statuses(tmp_path)) == 30  # what was read is not lost
    whole, _ = sync(tmp_path, register(studies), since="")
    assert (whole.status, whole.read, whole.changed) == ("answered", 40, 10)


FAULTS: list[tuple[Sent, AnswerStatus]] = [
    (Sent(status=500), "unavailable"),
    (Sent(status=429, headers={"Retry-After": "86400"}), "over_budget"),
    (Sent(b"bad query", status=400), "refused"),
    (Sent(status=302, headers={"Location": "https://evil.example.org/"}), "unavailable"),
    (Sent(b"<html>", headers={"Content-Type": "text/html"}), "unavailable"),
    (as_json({"studies": [{"protocol": 1}], "totalCount": 1}), "unavailable"),
    (as_json({"studies": []}), "unavailable"),
    (as_json({"studies": [], "totalCount": 0}, cut=9), "unavailable"),
]


@pytest.mark.parametrize(("fault", "status"), FAULTS)
def test_after_a_fault_the_next_sync_goes_on_where_it_was(
    fault: Sent, status: AnswerStatus, tmp_path: Path
) -> None:
    studies = make_studies(450)
    whole = register(studies)

    def at_first(asked: Asked) -> Sent:
        return whole(asked) if asked.path.endswith("version") else fault

    def at_second_page(asked: Asked) -> Sent:
        return fault if "pageToken" in asked.query else whole(asked)

    report, _ = sync(tmp_path, at_first)
    assert (report.status, report.read) == (status, 0)
    assert report.message
    report, _ = sync(tmp_path, at_second_page)
    assert (report.status, report.read, report.promoted) == ("partial", PAGE, PAGE)
    report, asked = sync(tmp_path, whole)
    assert (report.status, report.read) == ("answered", 450)
    assert len(pages_of(asked)) == 2
    assert len(statuses(tmp_path)) == 450


def _killed(home: Path, address: str, step: int) -> None:
    """Sync and die without a word at a step; runs in a child."""
    steps = iter(range(1_000))

    def announce(_words: str) -> None:
        if next(steps) == step:
            os._exit(9)

    site = Site("ctgov", address, budget_s=30.0, pause_s=0.0)
    evidence = open_evidence(Settings(home=home))
    sync_walk(TrialWalk(site, NOW.date()), evidence, NOW, announce, since=SINCE)


def test_ten_kills_lose_nothing(tmp_path: Path) -> None:
    studies = make_studies(900)
    with serving(register(studies)) as server:
        for step in random.Random(20261127).sample(range(8), 8) + [4, 5]:
            child = get_context("fork").Process(
                target=_killed, args=(tmp_path, server.address, step)
            )
            child.start()
            child.join()
            assert child.exitcode in {0, 9}
    report, _ = sync(tmp_path, register(studies), since="")
    assert report.status in {"answered", "unchanged"}
    assert len(statuses(tmp_path)) == 900
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    assert (mirror.count().records, mirror.count().states) == (900, 900)
    assert mirror.due(1) == []


def test_two_syncs_of_one_register_do_not_run_at_once(tmp_path: Path) -> None:
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    with mirror.alone(), pytest.raises(InvalidInput, match="already running"):
        sync(tmp_path, register(make_studies(1)))


def test_a_study_missing_twice_is_withdrawn_and_stays(tmp_path: Path) -> None:
    studies = make_studies(5)
    sync(tmp_path, register(studies))
    left = studies[1:]
    withdrawn = []
    for weeks in (1, 2, 3):
        now = NOW + timedelta(weeks=weeks)
        report, _ = sync(tmp_path, register(left, f"{now:%Y-%m-%d}T09:00:00"), now=now, since="")
        withdrawn.append(report.withdrawn)
    assert withdrawn == [(), (number_of(studies[0]),), ()]
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    assert (mirror.count().records, mirror.count().withdrawn) == (5, 1)
    assert len(statuses(tmp_path)) == 5
    now = NOW + timedelta(weeks=4)  # it is back
    sync(tmp_path, register(studies, f"{now:%Y-%m-%d}T09:00:00"), now=now, since="")
    assert mirror.count().withdrawn == 0


def test_results_are_fetched_where_they_were_posted_since(tmp_path: Path) -> None:
    studies = make_studies(60)
    for study, posted_on in zip(studies, ["2026-11-20"] * 25 + ["2020-01-01"] * 5, strict=False):
        study |= {"hasResults": True, "resultsSection": {"participantFlowModule": {}}}
        states = study["protocolSection"]["statusModule"]
        states["resultsFirstPostDateStruct"] = {"date": posted_on}
    _, asked = sync(tmp_path, register(copy.deepcopy(studies)))
    full = [
        one.query["filter.ids"] for one in asked if "resultsSection" in one.query.get("fields", "")
    ]
    assert sorted("|".join(full).split("|")) == sorted(map(number_of, studies[:25]))


def test_a_day_asked_for_leaves_no_gap_behind_the_mark(tmp_path: Path) -> None:
    studies = make_studies(450)
    sync(tmp_path, register(studies[:10], "2026-11-10T09:00:00"), now=NOW - timedelta(days=17))
    broken = register(studies)

    def at_second_page(asked: Asked) -> Sent:
        return Sent(status=500) if "pageToken" in asked.query else broken(asked)

    sync(tmp_path, at_second_page, since="")
    report, _ = sync(tmp_path, register(studies), since="2026-11-25")
    assert (report.status, len(statuses(tmp_path))) == ("answered", 450)


def test_a_pack_that_was_lost_is_offered_everything_anew(tmp_path: Path) -> None:
    studies = make_studies(30)
    sync(tmp_path, register(studies))
    (tmp_path / "evidence" / "pack.db").unlink()
    sync(tmp_path, register(studies), since="")
    assert len(statuses(tmp_path)) == 30


def test_a_study_that_cannot_be_read_is_counted_and_stops_no_other(tmp_path: Path) -> None:
    studies = make_studies(3)
    studies[0]["protocolSection"]["designModule"]["enrollmentInfo"]["count"] = 10**400
    studies[1]["protocolSection"]["statusModule"]["startDateStruct"] = ["2026"]
    report, _ = sync(tmp_path, register(studies))
    assert (report.status, report.promoted) == ("answered", 1)
    assert "2 studies could not be read" in report.message


def test_a_damaged_mirror_names_its_remedy_and_an_empty_one_begins_anew(tmp_path: Path) -> None:
    studies = make_studies(3)
    file = tmp_path / "evidence" / "mirror" / "ctgov.db"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"")
    sync(tmp_path, register(studies))
    assert len(statuses(tmp_path)) == 3
    file.write_bytes(b"garbage" * 5_000)
    with pytest.raises(EvidenceDamaged, match="remove the file"):
        sync(tmp_path, register(studies))


def test_results_that_are_too_large_or_left_out_are_asked_for_again(tmp_path: Path) -> None:
    studies = make_studies(40)
    for study in studies:
        study |= {"hasResults": True, "resultsSection": {"text": "x" * 2_000_000}}
        states = study["protocolSection"]["statusModule"]
        states["resultsFirstPostDateStruct"] = {"date": "2026-11-20"}
    whole, left_out = register(studies), number_of(studies[7])

    def leaves_one_out(asked: Asked) -> Sent:
        sent = whole(asked)
        if "resultsSection" not in asked.query.get("fields", ""):
            return sent
        page = json.loads(sent.content)
        kept = [study for study in page["studies"] if number_of(study) != left_out]
        return as_json({**page, "studies": kept})

    report, _ = sync(tmp_path, leaves_one_out)
    assert (report.status, report.promoted) == ("answered", 40)
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    assert mirror.cursor().owed == left_out
    sync(tmp_path, whole, since="")
    assert mirror.cursor().owed == ""
    assert mirror.count().states == 41


def test_results_that_are_owed_are_remembered_by_a_walk_that_breaks_off(tmp_path: Path) -> None:
    studies = make_studies(250)
    studies[3] |= {"hasResults": True, "resultsSection": {"participantFlowModule": {}}}
    states = studies[3]["protocolSection"]["statusModule"]
    states["resultsFirstPostDateStruct"] = {"date": "2026-11-20"}
    whole = register(studies)

    def breaks_off(asked: Asked) -> Sent:
        if "pageToken" in asked.query:
            return Sent(status=500)
        if "resultsSection" in asked.query.get("fields", ""):
            return as_json({"studies": [], "totalCount": 0})
        return whole(asked)

    report, _ = sync(tmp_path, breaks_off)
    assert report.status == "partial"
    sync(tmp_path, whole, since="")
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    assert (mirror.cursor().owed, mirror.count().states) == ("", 251)


def test_a_register_that_repeats_itself_is_not_believed(tmp_path: Path) -> None:
    studies = make_studies(200)

    def same_page(asked: Asked) -> Sent:
        if asked.path.endswith("version"):
            return register(studies)(asked)
        return as_json({"studies": studies, "totalCount": 400, "nextPageToken": "again"})

    report, asked = sync(tmp_path, same_page)
    assert (report.status, report.read, report.counted) == ("partial", 200, 400)
    assert len(pages_of(asked)) == 2
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    assert mirror.cursor().high_water == ""


def test_a_register_that_lists_nearly_nothing_withdraws_nothing(tmp_path: Path) -> None:
    studies = make_studies(30)
    sync(tmp_path, register(studies))
    for weeks in (1, 2, 3):
        now = NOW + timedelta(weeks=weeks)
        report, _ = sync(tmp_path, register([], f"{now:%Y-%m-%d}T09:00:00"), now=now, since="")
        assert (report.status, report.withdrawn) == ("partial", ())
    assert open_evidence(Settings(home=tmp_path)).mirror("ctgov").count().withdrawn == 0


def test_rows_of_the_starter_pack_are_compared_with_what_syncs_brought(tmp_path: Path) -> None:
    rows = [row for row in load_rows("trials") if row["overall_status"] == "COMPLETED"][:3]
    studies = make_studies(3)
    for row, study, status in zip(rows, studies, ("COMPLETED", "TERMINATED", ""), strict=True):
        protocol = study["protocolSection"]
        protocol["identificationModule"]["nctId"] = row["nct_id"]
        protocol["statusModule"] = {
            "overallStatus": status,
            "lastUpdatePostDateStruct": {"date": "2026-11-20"},
        }
        protocol["designModule"] = {"studyType": "INTERVENTIONAL", "phases": [row["phase"]]}
        protocol["sponsorCollaboratorsModule"]["leadSponsor"]["name"] = row["sponsor"] or "Any"
    sync(tmp_path, register(studies[:2]))
    evidence = open_evidence(Settings(home=tmp_path))
    before = evidence.version()
    counts_by_table, conflicts = compare_rows(evidence)
    counts = counts_by_table["trials.csv"]
    assert (counts["confirmed"], counts["in conflict"]) == (1, 1)
    assert sum(counts.values()) == len(load_rows("trials"))
    (conflict,) = conflicts
    assert conflict.record_id == f"ctgov:{rows[1]['nct_id']}"
    assert (conflict.predicate, conflict.source) == ("trial_status", "TERMINATED (2026-11-27)")
    assert conflict.row.startswith("COMPLETED (20")
    assert evidence.version() == before


def test_bodies_come_back_as_they_were_sent_from_a_mirror_of_any_format(tmp_path: Path) -> None:
    chance = random.Random(20261128)
    mirror = open_evidence(Settings(home=tmp_path)).mirror("ctgov")
    body = bytes(chance.choices(range(256), k=40_000))
    states = [body, b"", body, body[:1], body[1:], body[:-1], body * 2, body + b"end", b"x" + body]
    for _ in range(40):
        start, end = sorted(chance.choices(range(len(body)), k=2))
        body = body[:start] + bytes(chance.choices(b"abc", k=chance.randrange(99))) + body[end:]
        states.append(body)
        body = body or b"begin"
    for round_, state in enumerate(states):
        if round_ == 5:  # as an earlier release left it
            with sqlite3.connect(mirror.path) as database:
                rows = database.execute("SELECT digest FROM bodies").fetchall()
                whole = [(digest, mirror.file(digest)) for (digest,) in rows]
                database.execute("DROP TABLE bodies")
                database.execute("CREATE TABLE bodies(digest TEXT PRIMARY KEY, body BLOB NOT NULL)")
                packed = [(digest, gzip.compress(content)) for digest, content in whole]
                database.executemany("INSERT INTO bodies VALUES (?, ?)", packed)
                database.execute("PRAGMA user_version = 1")
            database.close()
        numbers = ["NCT00000001", f"NCT{round_ + 2:08d}"]
        day = f"2026-11-{1 + round_ // 2:02d}"
        mirror.keep([SourceCopy(number, state, day, day) for number in numbers], SyncCursor())
        due = {copy.source_id: copy.body for copy, _ in mirror.due(1_000)}
        assert [due[number] for number in numbers] == [state, state]
