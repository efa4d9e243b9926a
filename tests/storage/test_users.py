"""Accounts, throttled sign-in and sessions."""

from collections.abc import Callable
from datetime import datetime

import pytest

from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.ports import Stores
from core.records.projects import BlockContent
from core.records.runs import Caller, NewRun, User
from core.settings import Settings
from storage.throttle import LONGEST_WAIT, wait_after

PASSWORD = "correct horse battery"
HOME = "192.0.2.7"


def refusal(stores: Stores, name: str, password: str, address: str = HOME) -> NotAuthenticated:
    """Try to sign in and return why it failed."""
    with pytest.raises(NotAuthenticated) as refused:
        stores.users.check_password(name, password, address=address)
    return refused.value


def test_name_and_password_give_the_account(stores: Stores, anna: User) -> None:
    assert stores.users.check_password(" Anna ", PASSWORD, address=HOME) == anna
    assert stores.users.by_name("anna") == anna


def test_accounts_are_listed_by_name(stores: Stores, boris: User, anna: User) -> None:
    assert stores.users.list() == [anna, boris]


def test_an_unknown_account_is_not_there(stores: Stores) -> None:
    with pytest.raises(NotFound):
        stores.users.by_name("nobody")
    with pytest.raises(NotFound):
        stores.users.disable(99)


@pytest.mark.parametrize("name", ["ab", "a" * 65, "Anna", "anna b", "änna", "anna\n", "../anna"])
def test_a_malformed_name_is_refused(stores: Stores, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        stores.users.create(name, PASSWORD)
    assert refused.value.details[0].field == "name"


def test_a_name_is_given_once(stores: Stores, anna: User) -> None:
    with pytest.raises(InvalidInput) as refused:
        stores.users.create(anna.name, PASSWORD)
    assert refused.value.word == "name_taken"


@pytest.mark.parametrize(
    ("password", "word"),
    [
        ("short", "weak_password"),
        ("aaaaaaaaaaaa", "weak_password"),
        ("long.enough.name", "weak_password"),
        ("correct\x00horse", "weak_password"),
        ("correct horse " * 6, "password_too_long"),
        ("ä" * 37, "password_too_long"),
    ],
    ids=["short", "one letter", "the name", "control character", "73 bytes", "74 bytes"],
)
def test_a_poor_password_is_refused(stores: Stores, password: str, word: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        stores.users.create("long.enough.name", password)
    assert refused.value.word == word


def test_a_password_of_72_bytes_is_compared_whole(stores: Stores) -> None:
    password = "correct horse battery staple " * 2 + "0123456789abcd"
    assert len(password) == 72
    stores.users.create("carla", password)
    assert stores.users.check_password("carla", password, address=HOME).name == "carla"
    assert refusal(stores, "carla", password[:-1] + "x").word == "wrong_credentials"
    assert refusal(stores, "carla", password + "x").word == "wrong_credentials"


def test_unknown_wrong_disabled_and_program_are_refused_in_one_way(
    stores: Stores, anna: User, boris: User
) -> None:
    stores.users.create("robot", PASSWORD, "api-only")
    stores.users.disable(boris.user_id)
    refusals = [
        refusal(stores, "nobody", PASSWORD),
        refusal(stores, anna.name, "wrong password"),
        refusal(stores, boris.name, PASSWORD),
        refusal(stores, "robot", PASSWORD),
        refusal(stores, "not a name", PASSWORD),
    ]
    assert len({error.record().model_dump_json() for error in refusals}) == 1


@pytest.mark.parametrize("name", ["anna", "nobody"])
def test_the_sixth_attempt_on_an_account_waits_a_minute(
    stores: Stores, anna: User, wait: Callable[..., None], name: str
) -> None:
    for number in range(5):
        assert refusal(stores, name, "wrong", f"192.0.2.{number}").word == "wrong_credentials"
    error = refusal(stores, name, PASSWORD, "192.0.2.9")
    assert (error.word, error.details[0].message) == ("throttled", "60")
    wait(seconds=59)
    assert refusal(stores, name, PASSWORD).details[0].message == "1"


def test_after_the_wait_the_right_password_works_and_clears_the_count(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    for _ in range(5):
        refusal(stores, anna.name, "wrong")
    wait(seconds=60)
    assert stores.users.check_password(anna.name, PASSWORD, address=HOME) == anna
    for _ in range(4):
        assert refusal(stores, anna.name, "wrong").word == "wrong_credentials"


def test_each_further_failure_doubles_the_wait(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    for _ in range(5):
        refusal(stores, anna.name, "wrong")
    wait(seconds=60)
    refusal(stores, anna.name, "wrong")
    assert refusal(stores, anna.name, "wrong").details[0].message == "120"


def test_the_wait_has_an_end() -> None:
    assert wait_after(4, 5) is None
    assert wait_after(1000, 5) == LONGEST_WAIT


def test_one_address_cannot_try_many_accounts(stores: Stores, anna: User) -> None:
    for number in range(20):
        assert refusal(stores, f"guess{number}", "wrong").word == "wrong_credentials"
    assert refusal(stores, anna.name, PASSWORD).word == "throttled"
    assert stores.users.check_password(anna.name, PASSWORD, address="198.51.100.1") == anna


def test_one_ipv6_network_counts_as_one_address(stores: Stores) -> None:
    for number in range(20):
        refusal(stores, f"guess{number}", "wrong", f"2001:db8::{number + 1:x}")
    assert refusal(stores, "more", "wrong", "2001:db8::ffff").word == "throttled"
    assert refusal(stores, "more", "wrong", "2001:db8:0:1::1").word == "wrong_credentials"


def test_signing_in_does_not_clear_the_address(stores: Stores, anna: User) -> None:
    for number in range(19):
        refusal(stores, f"guess{number}", "wrong")
    stores.users.check_password(anna.name, PASSWORD, address=HOME)
    refusal(stores, "guess", "wrong")
    assert refusal(stores, "guess", "wrong").word == "throttled"


def test_failures_are_forgotten_after_an_hour(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    for _ in range(4):
        refusal(stores, anna.name, "wrong")
    wait(minutes=61)
    for _ in range(4):
        assert refusal(stores, anna.name, "wrong").word == "wrong_credentials"


def test_a_session_tells_who_is_signed_in(stores: Stores, anna: User) -> None:
    token = stores.users.open_session(anna.user_id, address=HOME, agent="Browser/1.0")
    assert len(token) == 43
    assert stores.users.find_session(token) == Caller(
        user_id=anna.user_id, name="anna", role="analyst"
    )


@pytest.mark.parametrize("end", ["closed", "expired", "disabled", "unknown"])
def test_an_ended_session_is_refused(
    stores: Stores, anna: User, wait: Callable[..., None], end: str
) -> None:
    token = stores.users.open_session(anna.user_id, address=HOME, agent="")
    if end == "closed":
        stores.users.close_session(token)
    elif end == "expired":
        wait(days=7)
    elif end == "disabled":
        stores.users.disable(anna.user_id)
    else:
        token = token[:-1]
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(token)


def test_closing_one_session_leaves_the_others(stores: Stores, anna: User) -> None:
    first, second = (
        stores.users.open_session(anna.user_id, address=HOME, agent="") for _ in range(2)
    )
    stores.users.close_session(first)
    assert stores.users.find_session(second).name == "anna"


def test_neither_password_nor_token_is_on_the_disk(
    stores: Stores, settings: Settings, anna: User
) -> None:
    token = stores.users.open_session(anna.user_id, address=HOME, agent="")
    stores.engine.close()
    for path in settings.home.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert token.encode() not in content
        assert PASSWORD.encode() not in content


def test_wait_after_failed_sign_ins_does_not_grow_when_the_clock_is_set_back(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    for _ in range(5):
        refusal(stores, anna.name, "wrong")
    wait(hours=-1)
    first_s = int(refusal(stores, anna.name, PASSWORD).details[0].message)
    assert first_s == 60
    wait(seconds=first_s)
    assert stores.users.check_password(anna.name, PASSWORD, address=HOME) == anna


def test_a_generated_password_ends_unless_it_is_changed(
    stores: Stores, clock: Callable[[], datetime], wait: Callable[..., None]
) -> None:
    made = [stores.users.create(name, PASSWORD, is_generated=True) for name in ("carla", "diego")]
    stores.users.change_password(made[1].user_id, PASSWORD, "a quite different one", token=None)
    wait(days=7, seconds=-1)
    assert stores.users.check_password("carla", PASSWORD, address=HOME) == made[0]
    wait(seconds=1)
    stores.upkeep.retain(at=clock())
    assert refusal(stores, "carla", PASSWORD).word == "password_ended"
    assert refusal(stores, "carla", "wrong").word == "wrong_credentials"
    assert stores.users.check_password("diego", "a quite different one", address=HOME)
    stores.users.redeem_link(stores.users.reset(made[0].user_id), PASSWORD)
    wait(days=99)
    assert stores.users.check_password("carla", PASSWORD, address=HOME)


def test_a_deleted_account_leaves_what_others_share_and_its_number(
    stores: Stores, anna: User, boris: User, new_run: Callable[..., NewRun]
) -> None:
    stores.keys.create(anna.user_id, "notebook")
    stores.lists.make(anna.user_id, "Watch", "drug")
    run = stores.runs.open(new_run())
    shared, alone = (stores.projects.make(anna.user_id, name) for name in ("shared", "alone"))
    clara = stores.users.create("clara", PASSWORD)
    for member, role in ((boris, "reader"), (clara, "editor")):
        stores.projects.share(anna.user_id, shared.project_id, member.name, role)
    stores.users.disable(clara.user_id)
    note = BlockContent(kind="note", title="why", sentences=("why",))
    (block,) = stores.projects.add(anna.user_id, shared.project_id, note).blocks
    stores.projects.comment(anna.user_id, shared.project_id, block.block_id, "because")
    for word in ("not_disabled", "runs_in_progress"):
        with pytest.raises(InvalidInput) as refused:
            stores.users.delete(anna.user_id)
        assert refused.value.word == word
        stores.users.disable(anna.user_id)
    stores.runs.finish(run.run_uuid, "cancelled", at=run.created_at)
    stores.users.delete(anna.user_id)
    kept = stores.projects.get(boris.user_id, shared.project_id)
    assert {*kept.members} == {(boris.name, "owner"), (clara.name, "editor")}
    assert kept.blocks[0].comments[0].author == anna.name
    assert [user.name for user in stores.users.list()] == [boris.name, clara.name]
    with pytest.raises(NotFound):
        stores.users.enable(anna.user_id)
    for gone in (
        lambda: stores.users.by_name(anna.name),
        lambda: stores.runs.get(anna.user_id, run.run_uuid),
        lambda: stores.projects.get(anna.user_id, alone.project_id),
    ):
        with pytest.raises(NotFound):
            gone()
    assert stores.keys.list() == stores.lists.of(anna.user_id) == []
    assert stores.users.create(anna.name, PASSWORD).user_id > clara.user_id
