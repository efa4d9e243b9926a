"""Watched queries on both databases: whose they are, the cap, marks, hits that come once."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, delete, select

from core.alert_ports import Subscriptions
from core.errors import InvalidInput, QuotaExceeded
from core.ports import Stores
from core.records.alerts import HitSearch, NewHit, WatchQuestion
from core.records.runs import NewRun, User
from core.settings import Settings
from storage.instants import Clock
from storage.stores import open_stores
from storage.tables import AlertHitRow, SavedQueryRow, UserRow

MOST = 25
AGENT = "differential-expression"
MakeRun = Callable[..., NewRun]
Wait = Callable[..., None]


def own(stores: Stores, user: User, most: int = MOST) -> Subscriptions:
    return stores.watches.of(user.user_id, [AGENT], most)


def hit(identity: str, score: int = 60, kind: str = "deal") -> NewHit:
    return NewHit(
        identity=identity,
        title=f"hit {identity}",
        catalyst_type=kind,
        score=score,
        event_day="2025-03-30",
        source_ids=("ctgov:NCT1",),
    )


def fire(stores: Stores, clock: Clock, *hits: NewHit, generation: int = 2) -> list[int | None]:
    return [
        stores.watches.fire(watch, hits, generation, clock())
        for watch in stores.watches.due(generation)
    ]


def test_run_saves_its_question_and_a_call_that_leaves_no_trace_saves_nothing(
    stores: Stores, anna: User, new_run: MakeRun
) -> None:
    asked = WatchQuestion(target="PD-1")
    run = stores.runs.open(new_run(question=asked))
    silent = stores.runs.open(new_run(saves_query=False, fingerprint="b" * 64), quota=None)
    (saved,) = own(stores, anna).list()
    assert (saved.query_id, saved.question, saved.is_enabled) == (run.query_id, asked, False)
    assert silent.query_id is None
    assert [one.run_uuid for one in stores.runs.list(anna.user_id)] == [run.run_uuid]
    assert stores.runs.get(anna.user_id, silent.run_uuid).query_id is None


def test_query_of_a_deleted_run_lives_on(stores: Stores, anna: User, new_run: MakeRun) -> None:
    run = stores.runs.open(new_run(question=WatchQuestion(target="PD-1")))
    stores.runs.finish(run.run_uuid, "completed", at=run.created_at)
    own(stores, anna).enable(run.query_id or 0, "low", generation=1)
    stores.runs.delete(anna.user_id, run.run_uuid)
    (watch,) = stores.watches.due(2)
    assert watch.question == WatchQuestion(target="PD-1")


def test_another_caller_reaches_no_query_and_no_hit(
    stores: Stores, anna: User, boris: User, clock: Clock
) -> None:
    mine, other = own(stores, anna), own(stores, boris)
    query_id = mine.add_manual("alphamab", "UNII:1", "low", generation=1).query_id
    fire(stores, clock, hit("a"))
    (found,) = mine.hits()
    assert (list(other.list()), list(other.hits()), other.unseen()) == ([], [], 0)
    assert list(other.hits(HitSearch(query_id=query_id, with_muted=True))) == []
    assert other.mark_seen([found.hit_id]) == other.mark_seen() == 0
    acts: tuple[Callable[[int], object], ...] = (
        other.get,
        other.remove,
        lambda number: other.enable(number, "low", generation=1),
        lambda number: other.mute(number, clock()),
        lambda number: other.snooze(found.hit_id if number == query_id else 10**6, clock()),
    )
    for act in acts:
        told = []
        for number in (query_id, 10**6):  # somebody's, and nobody's
            with pytest.raises(InvalidInput) as caught:
                act(number)
            told.append(caught.value.record())
        assert told[0] == told[1]
    assert mine.unseen() == 1
    assert mine.quota().enabled_count == 1
    assert other.quota().enabled_count == 0


def test_at_the_cap_nothing_is_enabled_or_saved(stores: Stores, anna: User) -> None:
    mine = own(stores, anna, 1)
    first = mine.add_manual("alphamab", "UNII:1", "low", generation=1)
    with pytest.raises(QuotaExceeded) as caught:
        mine.add_manual("betamab", "UNII:2", "low", generation=1)
    told = {one.field: one.message for one in caught.value.details}
    assert told == {"quota.name": "alerts", "quota.limit": "1", "quota.used": "1"}
    assert [one.query_id for one in mine.list()] == [first.query_id]
    again = mine.add_manual("MK alphamab", "UNII:1", "high", generation=9)
    assert (again.query_id, again.signal_level) == (first.query_id, "high")
    assert again.evaluated_generation == 1
    assert mine.remove(first.query_id) == mine.remove(first.query_id)
    with pytest.raises(InvalidInput):
        mine.enable(first.query_id + 1, "low", generation=1)


def test_eight_that_enable_at_once_stop_at_the_cap(
    stores: Stores, anna: User, settings: Settings
) -> None:
    refused: list[str] = []

    def work(number: int) -> None:
        opened = open_stores(settings)
        mine = own(opened, anna)
        for each in range(5):
            try:
                mine.add_manual(f"drug {number}-{each}", f"{number}-{each}", "low", generation=1)
            except QuotaExceeded as failure:
                refused.append(failure.code)
        opened.engine.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    mine = own(stores, anna)
    assert mine.quota().enabled_count == sum(one.is_enabled for one in mine.list()) == MOST
    assert len(refused) == 8 * 5 - MOST
    assert len(mine.list()) == MOST


def test_of_two_evaluations_at_once_one_comes_second(
    stores: Stores, anna: User, clock: Clock
) -> None:
    mine = own(stores, anna)
    mine.add_manual("alphamab", "UNII:1", "low", generation=1)
    (seen_by_both,) = stores.watches.due(2)
    assert stores.watches.fire(seen_by_both, [hit("a")], 2, clock()) == 1
    assert stores.watches.fire(seen_by_both, [hit("a"), hit("b")], 2, clock()) is None
    assert [one.identity for one in mine.hits()] == ["a"]
    assert stores.watches.due(2) == []
    assert fire(stores, clock, hit("a"), hit("c"), hit("c"), generation=3) == [1]


def test_lease_is_one_workers_until_it_ends_or_runs_out(stores: Stores, clock: Clock) -> None:
    assert stores.watches.begin("a", 60)
    assert not stores.watches.begin("b", 60)
    assert stores.watches.begin("a", -60)
    assert stores.watches.begin("b", 60)
    stores.watches.end("a", "not its own", clock())
    assert not stores.watches.begin("a", 60)
    stores.watches.end("b", "told", clock())
    assert stores.watches.counts().note == "told"
    assert stores.watches.begin("a", 60)


def test_a_query_that_was_off_does_not_fire_for_that_time_unless_asked(
    stores: Stores, anna: User
) -> None:
    mine = own(stores, anna)
    query_id = mine.add_manual("alphamab", "UNII:1", "low", generation=1).query_id
    mine.remove(query_id)
    assert stores.watches.due(5) == []
    assert mine.get(query_id).evaluated_generation == 1
    mine.enable(query_id, "low", generation=5, catch_up=True)
    assert [one.after for one in stores.watches.due(5)] == [1]
    mine.remove(query_id)
    mine.enable(query_id, "low", generation=5)
    assert stores.watches.due(5) == []


def test_seen_muted_and_put_off_hits_do_not_wait(
    stores: Stores, anna: User, clock: Clock, wait: Wait
) -> None:
    mine = own(stores, anna)
    query_id = mine.add_manual("alphamab", "UNII:1", "low", generation=1).query_id
    fire(stores, clock, hit("a", 90), hit("b", 40), hit("c", 60, "patent"))
    assert [one.identity for one in mine.hits()] == ["a", "c", "b"]
    assert [one.identity for one in mine.hits(HitSearch(catalyst_type="patent"))] == ["c"]
    assert [one.identity for one in mine.hits(HitSearch(least_score=60, offset=1))] == ["c"]
    mine.snooze(mine.hits()[0].hit_id, clock() + timedelta(days=2))
    assert (mine.unseen(), len(mine.hits())) == (2, 2)
    mine.mute(query_id, clock() + timedelta(days=1))
    assert (mine.unseen(), len(mine.hits()), mine.mark_seen()) == (0, 0, 0)
    assert len(mine.hits(HitSearch(with_muted=True))) == 3
    wait(days=1)
    assert mine.unseen() == 2
    assert mine.mark_seen() == 2
    assert mine.get(query_id).seen_at == clock()
    wait(days=1)
    assert [one.identity for one in mine.hits(HitSearch(only_unseen=True))] == ["a"]


def test_a_failing_query_keeps_its_mark_and_tells_why(
    stores: Stores, anna: User, clock: Clock
) -> None:
    mine = own(stores, anna)
    query_id = mine.add_manual("alphamab", "UNII:1", "low", generation=1).query_id
    stores.watches.fail(stores.watches.due(2)[0], "no such table")
    told = mine.get(query_id)
    assert (told.error, told.evaluated_generation) == ("no such table", 1)
    assert stores.watches.counts().failing == 1
    fire(stores, clock)
    assert mine.get(query_id).error is None


def test_disabled_account_is_not_evaluated(stores: Stores, anna: User, boris: User) -> None:
    own(stores, anna).add_manual("alphamab", "UNII:1", "low", generation=1)
    stores.users.disable(anna.user_id)
    assert stores.watches.due(2) == []


def test_a_user_who_goes_takes_queries_and_hits_with_him(
    stores: Stores, anna: User, clock: Clock
) -> None:
    own(stores, anna).add_manual("alphamab", "UNII:1", "low", generation=1)
    fire(stores, clock, hit("a"))
    with stores.engine.write() as session:
        session.exec(delete(UserRow).where(col(UserRow.id) == anna.user_id))
    with stores.engine.read() as session:
        assert session.exec(select(SavedQueryRow)).all() == []
        assert session.exec(select(AlertHitRow)).all() == []


def test_seen_hits_go_after_a_year_and_unseen_ones_stay(
    stores: Stores, anna: User, clock: Clock, wait: Wait
) -> None:
    mine = own(stores, anna)
    mine.add_manual("alphamab", "UNII:1", "low", generation=1)
    fire(stores, clock, hit("a"), hit("b"))
    mine.mark_seen([mine.hits()[0].hit_id])
    kept = mine.hits()[1].identity
    wait(days=364)
    stores.upkeep.retain(at=clock())
    assert len(mine.hits()) == 2
    wait(days=2)
    stores.upkeep.retain(at=clock())
    assert [one.identity for one in mine.hits()] == [kept]


def test_backup_and_restore_keep_marks_and_hits(
    stores: Stores, anna: User, clock: Clock, tmp_path: Path, settings: Settings, on_sqlite: None
) -> None:
    mine = own(stores, anna)
    query_id = mine.add_manual("alphamab", "UNII:1", "low", generation=1).query_id
    mine.mute(query_id, clock())
    fire(stores, clock, hit("a"), hit("b"))
    mine.mark_seen([mine.hits()[0].hit_id])
    stores.upkeep.backup(tmp_path / "backup", at=clock())
    home = tmp_path / "restored"
    address = f"sqlite:///{home / 'workbench.db'}"
    there = settings.model_copy(update={"home": home, "database_url": address})
    first = open_stores(there, now=clock)
    first.upkeep.restore(tmp_path / "backup")
    first.engine.close()
    restored = open_stores(there, now=clock)
    assert own(restored, anna).list() == mine.list()
    assert own(restored, anna).hits() == mine.hits()
    assert restored.watches.due(2) == []
    restored.engine.close()
