"""Accounts of people at an identity provider."""

import pytest

from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.ports import Stores
from core.records.runs import Role, SignOn, User

ISSUER = "https://login.example.org"


def person(subject: str = "248", name: str = "carla", role: Role = "analyst") -> SignOn:
    """Return a person as the provider describes one."""
    return SignOn(issuer=ISSUER, subject=subject, name=name, role=role)


def test_an_account_follows_the_person_not_the_name(stores: Stores) -> None:
    carla, former = stores.users.sign_on(person())
    assert former is None
    assert stores.users.sign_on(person(name="Ana O'Brien"))[0].user_id == carla.user_id
    with pytest.raises(InvalidInput) as refused:
        stores.users.sign_on(person(subject="999"))
    assert refused.value.word == "name_taken"
    assert [(user.name, user.state) for user in stores.users.list()] == [("carla", "active")]


def test_a_name_of_a_local_account_is_not_taken_over(stores: Stores, anna: User) -> None:
    with pytest.raises(InvalidInput):
        stores.users.sign_on(person(name="anna"))
    stores.users.link(anna.user_id, ISSUER, "248")
    assert stores.users.sign_on(person(name="anna"))[0].user_id == anna.user_id
    with pytest.raises(InvalidInput) as refused:
        stores.users.link(anna.user_id, ISSUER, "249")
    assert refused.value.word == "already_linked"
    token = stores.users.open_session(anna.user_id, address="x", agent="y")
    stores.users.unlink(anna.user_id)
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(token)
    with pytest.raises(NotFound):
        stores.users.unlink(anna.user_id)
    stores.users.link(anna.user_id, ISSUER, "249")


@pytest.mark.parametrize("name", ["ab", "carla borg", "../carla", "ç" * 5])
def test_a_malformed_name_makes_no_account(stores: Stores, name: str) -> None:
    with pytest.raises(InvalidInput):
        stores.users.sign_on(person(name=name))
    assert not stores.users.list()


def test_the_role_follows_each_sign_in(stores: Stores) -> None:
    stores.users.create("root", "correct horse battery", "admin")
    roles: tuple[Role, ...] = ("analyst", "admin", "analyst")
    seen = [stores.users.sign_on(person(role=role)) for role in roles]
    assert [user.role for user, _ in seen] == list(roles)
    assert [former for _, former in seen] == [None, "analyst", "admin"]


def test_the_last_administrator_stays_one(stores: Stores) -> None:
    root = stores.users.create("root", "correct horse battery", "admin")
    stores.users.link(root.user_id, ISSUER, "248")
    assert stores.users.sign_on(person(name="root"))[0].role == "admin"
    carla, _ = stores.users.sign_on(person(subject="1", name="carla", role="admin"))
    stores.users.unlink(root.user_id)
    with pytest.raises(InvalidInput) as refused:
        stores.users.disable(root.user_id)
    assert refused.value.word == "last_administrator"
    stores.users.link(root.user_id, ISSUER, "248")
    assert stores.users.sign_on(person(name="root"))[0].role == "analyst"


def test_who_may_not_sign_in_is_refused(stores: Stores, anna: User) -> None:
    stores.users.link(anna.user_id, ISSUER, "248")
    stores.users.disable(anna.user_id)
    with pytest.raises(NotAuthenticated):
        stores.users.sign_on(person())
    stores.users.enable(anna.user_id)
    stores.users.set_role(anna.user_id, "api-only")
    with pytest.raises(NotAuthenticated):
        stores.users.sign_on(person())
