"""Second factors: codes of an app, each once, and recovery codes."""

from collections.abc import Callable, Sequence

import pyotp
import pytest

from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.ports import Stores
from core.records.runs import User
from storage.instants import Clock

PASSWORD = "correct horse battery"


@pytest.fixture
def app_of_anna(stores: Stores, anna: User, clock: Clock) -> tuple[pyotp.TOTP, Sequence[str]]:
    """Return anna's authenticator and her recovery codes; the factor is on."""
    offered = stores.factors.offer(anna)
    app = pyotp.TOTP(offered.secret)
    return app, stores.factors.confirm(offered.token, app.at(clock()))


def refuse(stores: Stores, user: User, code: str) -> str:
    """Try a code and return why it was not taken."""
    with pytest.raises(NotAuthenticated) as refused:
        stores.factors.check(user, code)
    return refused.value.word


def test_an_offer_changes_nothing_until_its_first_code(
    stores: Stores, anna: User, clock: Clock
) -> None:
    offered = stores.factors.offer(anna)
    assert "otpauth://totp/" in offered.address
    assert "anna" in offered.address
    with pytest.raises(NotAuthenticated):
        stores.factors.confirm(offered.token, "000000")
    assert not stores.factors.is_on(anna.user_id)
    stores.factors.confirm(offered.token, pyotp.TOTP(offered.secret).at(clock()))
    assert stores.factors.is_on(anna.user_id)
    again = stores.factors.offer(anna)
    with pytest.raises(InvalidInput):
        stores.factors.confirm(again.token, pyotp.TOTP(again.secret).at(clock()))


def test_an_offer_ends(stores: Stores, anna: User, wait: Callable[..., None]) -> None:
    offered = stores.factors.offer(anna)
    wait(minutes=16)
    for token in (offered.token, "forged", ""):
        with pytest.raises(NotFound):
            stores.factors.find_offer(token)


@pytest.mark.parametrize(
    ("shift_s", "is_right"), [(-61, False), (-30, True), (0, True), (30, True), (61, False)]
)
def test_clocks_may_differ_by_one_step(
    stores: Stores,
    anna: User,
    clock: Clock,
    wait: Callable[..., None],
    app_of_anna: tuple[pyotp.TOTP, Sequence[str]],
    shift_s: int,
    is_right: bool,
) -> None:
    wait(minutes=5)
    code = app_of_anna[0].at(int(clock().timestamp()) + shift_s)
    if is_right:
        stores.factors.check(anna, f"{code[:3]} {code[3:]}")
    else:
        assert refuse(stores, anna, code) == "wrong_code"


def test_no_code_is_taken_twice(
    stores: Stores,
    anna: User,
    clock: Clock,
    wait: Callable[..., None],
    app_of_anna: tuple[pyotp.TOTP, Sequence[str]],
) -> None:
    app, recovery_codes = app_of_anna
    assert refuse(stores, anna, app.at(clock())) == "wrong_code"  # it turned the factor on
    wait(seconds=30)
    code = app.at(clock())
    stores.factors.check(anna, code)
    assert refuse(stores, anna, code) == "wrong_code"
    stores.factors.check(anna, recovery_codes[0].upper())
    assert refuse(stores, anna, recovery_codes[0]) == "wrong_code"
    assert stores.factors.count_recovery_codes(anna.user_id) == 9


def test_guessing_has_to_wait_whatever_the_password_did(
    stores: Stores, anna: User, app_of_anna: tuple[pyotp.TOTP, Sequence[str]]
) -> None:
    words = []
    for _ in range(7):
        stores.users.check_password("anna", PASSWORD, address="192.0.2.7")
        words.append(refuse(stores, anna, "123456"))
    assert words == ["wrong_code"] * 5 + ["throttled"] * 2


def test_strangers_with_the_password_do_not_lock_a_known_browser(
    stores: Stores, anna: User, app_of_anna: tuple[pyotp.TOTP, Sequence[str]]
) -> None:
    for _ in range(6):
        refuse(stores, anna, "123456")
    assert refuse(stores, anna, app_of_anna[1][0]) == "throttled"
    device = stores.users.device_token(anna.name)
    stores.factors.check(anna, app_of_anna[1][0], device=device)
    words = []
    for _ in range(6):
        with pytest.raises(NotAuthenticated) as refused:
            stores.factors.check(anna, "123456", device=device)
        words.append(refused.value.word)
    assert words[-1] == "throttled"


@pytest.mark.parametrize("change", ["reset", "password", "disabled"])
def test_an_offer_ends_with_the_password_it_was_given_for(
    stores: Stores, anna: User, wait: Callable[..., None], change: str
) -> None:
    offered = stores.factors.offer(anna)
    wait(seconds=5)
    if change == "reset":
        stores.users.reset(anna.user_id)
    elif change == "password":
        stores.users.change_password(anna.user_id, PASSWORD, "another good phrase", token=None)
    else:
        stores.users.disable(anna.user_id)
    with pytest.raises(NotFound):
        stores.factors.find_offer(offered.token)


def test_a_factor_is_of_its_account_alone(
    stores: Stores,
    anna: User,
    boris: User,
    clock: Clock,
    wait: Callable[..., None],
    app_of_anna: tuple[pyotp.TOTP, Sequence[str]],
) -> None:
    wait(seconds=30)
    assert refuse(stores, boris, app_of_anna[0].at(clock())) == "wrong_code"
    assert refuse(stores, boris, app_of_anna[1][0]) == "wrong_code"
    assert not stores.factors.is_on(boris.user_id)
    assert stores.factors.remove(anna.user_id)
    assert not stores.factors.remove(anna.user_id)
    assert refuse(stores, anna, app_of_anna[1][0]) == "wrong_code"


def test_seals_open_for_their_purpose_and_time_alone(
    stores: Stores, wait: Callable[..., None]
) -> None:
    token = stores.seals.seal("one", "text")
    assert stores.seals.unseal("one", token, max_age_s=60) == "text"
    assert stores.seals.unseal("two", token) is None
    assert stores.seals.unseal("one", token[:-4] + "AAA=") is None
    assert stores.seals.unseal("one", "ü") is None
    wait(seconds=61)
    assert stores.seals.unseal("one", token, max_age_s=60) is None
    assert stores.seals.unseal("one", token) == "text"
