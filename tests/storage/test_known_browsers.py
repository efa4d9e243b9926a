"""Strangers lock an account for strangers; sprayed guesses; sessions that nobody uses."""

from collections.abc import Callable

import pytest

from core.errors import InvalidInput, NotAuthenticated
from core.ports import Stores
from core.records.runs import User
from storage.users import check_new_password

PASSWORD = "correct horse battery"
HOME = "192.0.2.7"
Wait = Callable[..., None]


@pytest.fixture
def anna(stores: Stores) -> User:
    return stores.users.create("anna", PASSWORD)


def refusal(stores: Stores, name: str, address: str = HOME, device: str | None = None) -> str:
    with pytest.raises(NotAuthenticated) as refused:
        stores.users.check_password(name, "wrong", address=address, device=device)
    return refused.value.word


def test_guesses_of_strangers_do_not_lock_the_browser_of_the_owner(
    stores: Stores, anna: User
) -> None:
    device = stores.users.device_token("anna")
    for _ in range(5):
        refusal(stores, "anna")
    assert refusal(stores, "anna") == "throttled"
    assert stores.users.check_password("anna", PASSWORD, address=HOME, device=device) == anna
    assert refusal(stores, "anna") == "throttled"


def test_a_known_browser_has_as_few_guesses_and_a_count_of_its_own(
    stores: Stores, anna: User
) -> None:
    device = stores.users.device_token("anna")
    words = [refusal(stores, "anna", device=device) for _ in range(6)]
    assert words == ["wrong_credentials"] * 5 + ["throttled"]
    assert stores.users.check_password("anna", PASSWORD, address=HOME) == anna


@pytest.mark.parametrize("kind", ["of another account", "invented", "cut", "foreign sign"])
def test_a_made_up_device_is_a_stranger(stores: Stores, anna: User, kind: str) -> None:
    real = stores.users.device_token("anna")
    devices = {
        "of another account": stores.users.device_token("boris"),
        "invented": f"{'0' * 32}.{'0' * 64}",
        "cut": real[:-1],
        "foreign sign": real[:-1] + "ä",
    }
    for _ in range(5):
        refusal(stores, "anna", device=devices[kind])
    assert refusal(stores, "anna") == "throttled"


def test_guesses_at_the_sign_in_do_not_keep_the_owner_from_a_new_password(
    stores: Stores, anna: User
) -> None:
    for _ in range(5):
        refusal(stores, "anna")
    stores.users.change_password(anna.user_id, PASSWORD, "a quite different one", token=None)


def test_many_addresses_of_one_network_try_few_accounts(stores: Stores) -> None:
    words = [refusal(stores, f"guess{n}", f"198.51.100.{n}") for n in range(61)]
    assert words == ["wrong_credentials"] * 60 + ["throttled"]
    assert refusal(stores, "guess", "198.51.101.1") == "wrong_credentials"


def test_a_clock_that_is_set_back_lengthens_no_wait(stores: Stores, anna: User, wait: Wait) -> None:
    for _ in range(5):
        refusal(stores, "anna")
    wait(hours=-1)
    assert refusal(stores, "anna") == "throttled"  # the wait begins anew
    wait(seconds=61)
    assert stores.users.check_password("anna", PASSWORD, address=HOME) == anna


def test_a_session_that_nobody_uses_ends(stores: Stores, anna: User, wait: Wait) -> None:
    token = stores.users.open_session(anna.user_id, address=HOME, agent="")
    wait(hours=23)
    assert stores.users.find_session(token).name == "anna"
    wait(hours=23)
    assert stores.users.find_session(token, is_seen=False).name == "anna"
    wait(hours=1)
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(token)
    assert stores.users.sessions(anna.user_id) == []


@pytest.mark.parametrize(
    "password",
    [
        "elevensigns",
        "password1234",
        "Password12345!",
        "qwertyuiop12",
        "123456789012",
        "letmeinletmein",
        "anna-anna-1990",
        "aB3$aB3$aB3$aB3$",
    ],
)
def test_a_password_that_is_guessed_first_is_refused(stores: Stores, password: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        stores.users.create("anna", password)
    assert refused.value.word == "weak_password"
    assert password not in refused.value.message


@pytest.mark.parametrize(
    "password", [PASSWORD, "vT9#kq2LmZ0x", "four quiet owls dancing", "a" + "kQ7w" * 3 + "zEbRa"]
)
def test_a_password_that_nobody_guesses_soon_is_taken(password: str) -> None:
    check_new_password("anna", password)


def test_an_older_short_password_still_signs_in(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("storage.users.check_new_password", lambda name, password: None)
        stores.users.create("boris", "ten signs.")
    assert stores.users.check_password("boris", "ten signs.", address=HOME).name == "boris"


def test_all_keys_of_an_account_end_at_once(stores: Stores, anna: User) -> None:
    kept = stores.users.create("boris", PASSWORD)
    made = [stores.keys.create(anna.user_id, f"key {number}")[1] for number in range(3)]
    other = stores.keys.create(kept.user_id, "other")[1]
    assert stores.keys.revoke_all(anna.user_id) == 3
    assert stores.keys.revoke_all(anna.user_id) == 0
    for key in made:
        with pytest.raises(NotAuthenticated):
            stores.keys.find_caller(key)
    assert stores.keys.find_caller(other).name == "boris"


def test_a_lifetime_shorter_than_the_idle_limit_counts(
    stores: Stores, anna: User, wait: Wait
) -> None:
    token = stores.users.open_session(anna.user_id, address=HOME, agent="")
    for _ in range(8):
        wait(hours=20)
        stores.users.find_session(token)
    wait(hours=20)
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(token)
