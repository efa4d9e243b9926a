"""Saved lists: the owner's alone, each name once, bounded, gone with the account."""

import os
from collections.abc import Sequence
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

import pytest

from core.errors import InvalidInput, NotFound
from core.ports import Stores
from core.records.runs import User
from core.settings import Settings
from storage import lists
from storage.stores import open_stores
from tests.storage.test_quotas import PROCESSES, run_processes


def test_a_name_stands_once_whatever_its_case_hyphens_and_accents(
    stores: Stores, anna: User
) -> None:
    made = stores.lists.make(anna.user_id, "  PD-1  in  lung ", "drug")
    assert (made.name, made.kind, made.entries) == ("PD-1 in lung", "drug", ())
    stores.lists.change(anna.user_id, made.list_id, add=["MK-3475", "mk 3475", " nivolumab "])
    held = stores.lists.change(anna.user_id, made.list_id, add=["Nivolumab", "cemiplimab"])
    assert held.entries == ("mk 3475", "nivolumab", "cemiplimab")
    assert stores.lists.of(anna.user_id) == [held]
    left = stores.lists.change(anna.user_id, made.list_id, remove=["NIVOLUMAB", "not there"])
    assert left.entries == ("mk 3475", "cemiplimab")


def test_the_same_name_is_the_same_list_but_of_another_kind_refused(
    stores: Stores, anna: User
) -> None:
    made = stores.lists.make(anna.user_id, "Watch", "drug")
    assert stores.lists.make(anna.user_id, "WATCH", "drug").list_id == made.list_id
    with pytest.raises(InvalidInput, match="of this name for a drug"):
        stores.lists.make(anna.user_id, "watch", "company")


@pytest.mark.parametrize(
    ("entries", "said"),
    [(["a", " "], "blank"), (["a", "x" * 201], "201"), (["a", "!?"], "no letter")],
)
def test_one_bad_name_adds_nothing(
    stores: Stores, anna: User, entries: Sequence[str], said: str
) -> None:
    made = stores.lists.make(anna.user_id, "Watch", "drug")
    with pytest.raises(InvalidInput, match=said) as refused:
        stores.lists.change(anna.user_id, made.list_id, add=entries)
    assert [one.field for one in refused.value.details] == ["entries"]
    assert stores.lists.of(anna.user_id)[0].entries == ()


def test_lists_and_names_are_bounded(
    stores: Stores, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "MOST_LISTS", 2)
    monkeypatch.setattr(lists, "MOST_ENTRIES", 3)
    made = stores.lists.make(anna.user_id, "one", "company")
    stores.lists.make(anna.user_id, "two", "company")
    with pytest.raises(InvalidInput, match="as many as may be"):
        stores.lists.make(anna.user_id, "three", "company")
    stores.lists.change(anna.user_id, made.list_id, add=["a", "b"])
    with pytest.raises(InvalidInput, match="has 2 and would get 2 more"):
        stores.lists.change(anna.user_id, made.list_id, add=["b", "c", "d"])
    assert stores.lists.change(anna.user_id, made.list_id, add=["b", "c"]).entries == (
        "a",
        "b",
        "c",
    )


def test_nobody_reaches_anothers_list(stores: Stores, anna: User, boris: User) -> None:
    made = stores.lists.make(anna.user_id, "Watch", "drug")
    stores.lists.change(anna.user_id, made.list_id, add=["alphamab"])
    assert stores.lists.of(boris.user_id) == []
    for reach in (
        lambda: stores.lists.change(boris.user_id, made.list_id, add=["betamab"]),
        lambda: stores.lists.change(boris.user_id, made.list_id, remove=["alphamab"]),
        lambda: stores.lists.change(boris.user_id, made.list_id, name="Mine"),
        lambda: stores.lists.delete(boris.user_id, made.list_id),
    ):
        with pytest.raises(NotFound):
            reach()
    assert stores.lists.of(anna.user_id)[0].entries == ("alphamab",)


def test_a_list_is_renamed_and_deleted(stores: Stores, anna: User) -> None:
    made = stores.lists.make(anna.user_id, "one", "drug")
    stores.lists.make(anna.user_id, "two", "drug")
    with pytest.raises(InvalidInput, match="another list"):
        stores.lists.change(anna.user_id, made.list_id, name="Two")
    assert stores.lists.change(anna.user_id, made.list_id, name="ONE").name == "ONE"
    stores.lists.change(anna.user_id, made.list_id, add=["alphamab"])
    stores.lists.delete(anna.user_id, made.list_id)
    assert [one.name for one in stores.lists.of(anna.user_id)] == ["two"]


def add(settings: Settings, barrier: Barrier, passed: "Queue[int]", owner_id: int) -> None:
    """Add a name of one's own and one that all add, at the same time as the others."""
    own = open_stores(settings)
    made = own.lists.make(owner_id, "Watch", "drug")
    barrier.wait()
    own.lists.change(owner_id, made.list_id, add=["shared", f"drug {os.getpid()}"])
    passed.put(1)


def test_eight_processes_add_to_one_list_and_lose_nothing(
    settings: Settings, stores: Stores, anna: User
) -> None:
    stores.engine.close()
    assert run_processes(settings, add, anna.user_id) == PROCESSES
    (held,) = stores.lists.of(anna.user_id)
    assert len(held.entries) == PROCESSES + 1
    assert "shared" in held.entries
