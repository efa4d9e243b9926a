"""Projects: members alone reach them, roles bound what they do, no edit is lost."""

import os
from datetime import date
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

import pytest

from core.errors import ChangedMeanwhile, InvalidInput, NotFound
from core.ports import Stores
from core.records.projects import BlockContent, FrozenTable
from core.records.runs import User
from core.settings import Settings
from storage import projects
from storage.stores import open_stores
from tests.storage.test_quotas import run_processes


def note(text: str) -> BlockContent:
    return BlockContent(kind="note", title=text, sentences=(text,))


def test_blocks_keep_their_order_versions_and_comments(stores: Stores, anna: User) -> None:
    store, me = stores.projects, anna.user_id
    made = store.make(me, "  Menin in AML ")
    assert (made.name, made.role, made.members) == (
        "Menin in AML",
        "owner",
        ((anna.name, "owner"),),
    )
    for text in ("a", "b", "c"):
        made = store.add(me, made.project_id, note(text))
    first, *_, last = made.blocks
    moved = store.move(me, made.project_id, last.block_id, -9)
    assert [one.content.title for one in moved.blocks] == ["c", "a", "b"]
    decision = BlockContent(kind="decision", title="Pass", decided_on=date(2026, 11, 26))
    edited = store.edit(me, made.project_id, first.block_id, decision, first.version)
    assert [one.version for one in edited.blocks] == [1, 2, 1]
    said = store.comment(me, made.project_id, first.block_id, " why? ")
    (comment,) = said.blocks[1].comments
    assert (comment.author, comment.text) == (anna.name, "why?")
    assert store.uncomment(me, made.project_id, comment.comment_id).blocks[1].comments == ()
    assert store.remove(me, made.project_id, first.block_id).n_blocks == 2
    assert store.get(me, made.project_id).blocks == store.get(me, made.project_id).blocks
    store.delete(me, made.project_id)
    assert store.of(me) == []


def test_a_stale_edit_is_refused_and_changes_nothing(
    stores: Stores, anna: User, boris: User
) -> None:
    store = stores.projects
    made = store.make(anna.user_id, "x")
    store.share(anna.user_id, made.project_id, boris.name, "editor")
    (block,) = store.add(anna.user_id, made.project_id, note("old")).blocks
    store.edit(boris.user_id, made.project_id, block.block_id, note("boris"), block.version)
    with pytest.raises(ChangedMeanwhile, match=boris.name):
        store.edit(anna.user_id, made.project_id, block.block_id, note("anna"), block.version)
    (now,) = store.get(anna.user_id, made.project_id).blocks
    assert (now.content.title, now.version, now.author) == ("boris", 2, boris.name)


def reach_all(store: projects.ProjectStore, user_id: int, project_id: int, block_id: int):  # noqa: ANN201
    """Return every way to a project, by name, as somebody tries it."""
    other = note("other")
    return {
        "get": lambda: store.get(user_id, project_id),
        "rename": lambda: store.rename(user_id, project_id, "mine"),
        "delete": lambda: store.delete(user_id, project_id),
        "share": lambda: store.share(user_id, project_id, "anna", "reader"),
        "add": lambda: store.add(user_id, project_id, other),
        "edit": lambda: store.edit(user_id, project_id, block_id, other, 1),
        "move": lambda: store.move(user_id, project_id, block_id, 1),
        "remove": lambda: store.remove(user_id, project_id, block_id),
        "comment": lambda: store.comment(user_id, project_id, block_id, "x"),
        "uncomment": lambda: store.uncomment(user_id, project_id, 1),
    }


def test_a_stranger_reaches_nothing_and_roles_bound_what_members_do(
    stores: Stores, anna: User, boris: User
) -> None:
    store = stores.projects
    made = store.make(anna.user_id, "x")
    (block,) = store.add(anna.user_id, made.project_id, note("a")).blocks
    store.comment(anna.user_id, made.project_id, block.block_id, "hers")
    ways = reach_all(store, boris.user_id, made.project_id, block.block_id)
    public = {name for name in dir(store) if not name.startswith("_")}
    assert public == {*ways, "of", "make"}
    for way in ways.values():
        with pytest.raises(NotFound, match="Project not found"):
            way()
    assert store.of(boris.user_id) == []
    allowed = {"reader": {"get", "comment"}, "editor": {"get", "comment", "add", "edit", "move"}}
    for role, names in allowed.items():
        store.share(anna.user_id, made.project_id, boris.name, role)
        for name in (one for one in ways if one not in {*names, "remove"}):
            with pytest.raises(InvalidInput, match=f"role in this project is {role}"):
                ways[name]()
        for name in names - {"edit"}:
            ways[name]()
    theirs = store.make(boris.user_id, "y")
    with pytest.raises(NotFound, match="Block not found"):
        store.edit(boris.user_id, theirs.project_id, block.block_id, note("z"), 1)


def test_a_project_keeps_an_owner_and_anybody_may_leave(
    stores: Stores, anna: User, boris: User
) -> None:
    store = stores.projects
    made = store.make(anna.user_id, "x")
    with pytest.raises(InvalidInput, match="needs an owner"):
        store.share(anna.user_id, made.project_id, anna.name, None)
    with pytest.raises(InvalidInput, match="nobody here"):
        store.share(anna.user_id, made.project_id, "nobody", "reader")
    store.share(anna.user_id, made.project_id, boris.name, "reader")
    store.share(boris.user_id, made.project_id, boris.name, None)
    assert store.of(boris.user_id) == []
    store.share(anna.user_id, made.project_id, boris.name, "owner")
    assert store.share(anna.user_id, made.project_id, anna.name, "reader").role == "reader"


def test_texts_and_sizes_are_bounded(
    stores: Stores, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = stores.projects
    for name in (" ", "x" * 121):
        with pytest.raises(InvalidInput, match="name"):
            store.make(anna.user_id, name)
    made = store.make(anna.user_id, "x")
    monkeypatch.setattr(projects, "LARGEST_BLOCK", 1_000)
    table = FrozenTable(caption="t", columns=("a",), rows=(("x" * 2_000,),))
    with pytest.raises(InvalidInput, match="MB"):
        store.add(
            anna.user_id, made.project_id, BlockContent(kind="table", title="t", tables=(table,))
        )
    monkeypatch.setattr(projects, "MOST_BLOCKS", 1)
    store.add(anna.user_id, made.project_id, note("a"))
    with pytest.raises(InvalidInput, match="at most 1 blocks"):
        store.add(anna.user_id, made.project_id, note("b"))


def edit_once(
    settings: Settings, barrier: Barrier, passed: "Queue[int]", owner_id: int, place: list[int]
) -> None:
    own = open_stores(settings)
    barrier.wait()
    try:
        own.projects.edit(owner_id, place[0], place[1], note(f"by {os.getpid()}"), 1)
        passed.put(1)
    except ChangedMeanwhile:
        passed.put(0)


def test_of_edits_at_once_exactly_one_is_saved(
    settings: Settings, stores: Stores, anna: User
) -> None:
    made = stores.projects.make(anna.user_id, "x")
    (block,) = stores.projects.add(anna.user_id, made.project_id, note("a")).blocks
    stores.engine.close()
    place = [made.project_id, block.block_id]
    assert run_processes(settings, edit_once, anna.user_id, place) == 1
    assert stores.projects.get(anna.user_id, made.project_id).blocks[0].version == 2
