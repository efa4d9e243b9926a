"""Mailings: an address counts once confirmed, links of a former end, a digest is taken once."""

from collections.abc import Callable

import pytest

from core.errors import InvalidInput, NotFound
from core.ports import Stores
from core.records.runs import User

ADDRESS = "ana@example.org"


def test_nothing_is_due_before_the_address_is_confirmed(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    tokens = stores.mailings.ask(anna.user_id, f" {ADDRESS} ", "day")
    wait(days=3)
    assert list(stores.mailings.due()) == []
    held = stores.mailings.confirm(tokens.confirm)
    assert (held.address, held.is_confirmed, held.period) == (ADDRESS, True, "day")
    assert list(stores.mailings.due()) == []
    wait(hours=25)
    assert [one.owner_id for one, _ in stores.mailings.due()] == [anna.user_id]


def test_a_link_that_confirms_ends_after_a_week_and_with_the_next(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    first = stores.mailings.ask(anna.user_id, ADDRESS, "day")
    with pytest.raises(InvalidInput, match="ten minutes"):
        stores.mailings.ask(anna.user_id, "eve@example.org", "day")
    wait(minutes=11)
    second = stores.mailings.ask(anna.user_id, "other@example.org", "week")
    for dead in (first.confirm, first.stop, "", "1.", f"{anna.user_id}.é", "x" * 10_000, "9" * 50):
        with pytest.raises(NotFound, match="not valid"):
            stores.mailings.confirm(dead)
        with pytest.raises(NotFound, match="not valid"):
            stores.mailings.stop(dead)
    wait(days=8)
    with pytest.raises(NotFound, match="not valid"):
        stores.mailings.confirm(second.confirm)


def test_who_ends_and_asks_anew_waits_as_well(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    mailings = stores.mailings
    tokens = mailings.ask(anna.user_id, ADDRESS, "day")
    mailings.end(anna.user_id)
    assert mailings.get(anna.user_id) is None
    with pytest.raises(NotFound):
        mailings.confirm(tokens.confirm)
    with pytest.raises(InvalidInput, match="ten minutes"):
        mailings.ask(anna.user_id, "eve@example.org", "day")
    wait(minutes=11)
    mailings.stop(mailings.ask(anna.user_id, ADDRESS, "day").stop)
    with pytest.raises(InvalidInput, match="ten minutes"):
        mailings.ask(anna.user_id, ADDRESS, "day")
    wait(minutes=11)
    mailings.ask(anna.user_id, ADDRESS, "day")
    mailings.withdraw(anna.user_id)
    mailings.ask(anna.user_id, ADDRESS, "day")


def test_one_link_does_not_do_what_the_other_does(stores: Stores, anna: User) -> None:
    tokens = stores.mailings.ask(anna.user_id, ADDRESS, "day")
    with pytest.raises(NotFound):
        stores.mailings.stop(tokens.confirm)
    with pytest.raises(NotFound):
        stores.mailings.confirm(tokens.stop)
    stores.mailings.stop(tokens.stop)
    assert stores.mailings.get(anna.user_id) is None


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ana",
        "ana@host",
        "a na@example.org",
        "ana@example.org\nBcc: b@example.org",
        "ana@example.org, eve@example.org",
        '"ana"@example.org',
        "аna@example.org",
        f"{'a' * 65}@example.org",
        f"a@{'b' * 250}.org",
    ],
)
def test_what_is_no_address_is_refused(stores: Stores, anna: User, address: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        stores.mailings.ask(anna.user_id, address, "day")
    assert [one.field for one in refused.value.details] == ["address"]
    assert stores.mailings.get(anna.user_id) is None


def test_a_digest_is_taken_once_and_can_be_given_back(
    stores: Stores, anna: User, wait: Callable[..., None], clock: Callable[[], object]
) -> None:
    stores.mailings.confirm(stores.mailings.ask(anna.user_id, ADDRESS, "week").confirm)
    wait(days=7)
    ((mailing, _),) = stores.mailings.due()
    until = clock()
    assert stores.mailings.take(mailing, until)
    assert not stores.mailings.take(mailing, until)
    assert list(stores.mailings.due()) == []
    stores.mailings.give_back(mailing, until)
    assert [one for one, _ in stores.mailings.due()] == [mailing]


def test_a_disabled_account_gets_nothing(
    stores: Stores, anna: User, boris: User, wait: Callable[..., None]
) -> None:
    for user in (anna, boris):
        stores.mailings.confirm(stores.mailings.ask(user.user_id, ADDRESS, "day").confirm)
    wait(days=2)
    stores.users.disable(anna.user_id)
    assert [one.owner_id for one, _ in stores.mailings.due()] == [boris.user_id]
