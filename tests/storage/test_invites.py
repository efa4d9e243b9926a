"""Invitations, resets, changed passwords, sessions, roles."""

from collections.abc import Callable

import pytest

from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.ports import Stores
from core.records.runs import User
from core.settings import Settings

PASSWORD = "correct horse battery"
OTHER = "a quite different one"
HOME = "192.0.2.7"


def signs_in(stores: Stores, name: str, password: str) -> bool:
    """Return whether the password opens the account."""
    try:
        stores.users.check_password(name, password, address=HOME)
    except NotAuthenticated:
        return False
    return True


def test_an_invited_person_signs_in_only_after_setting_a_password(stores: Stores) -> None:
    user, token = stores.users.invite("carla", "admin")
    assert (user.role, user.state) == ("admin", "waiting for its password")
    assert not signs_in(stores, "carla", "")
    assert not signs_in(stores, "carla", PASSWORD)
    link = stores.users.find_link(token)
    assert (link.kind, link.user) == ("invite", user)
    assert stores.users.redeem_link(token, PASSWORD).state == "active"
    assert signs_in(stores, "carla", PASSWORD)


def test_a_link_sets_one_password_and_no_second(stores: Stores) -> None:
    _, token = stores.users.invite("carla")
    stores.users.redeem_link(token, PASSWORD)
    for use in (
        lambda: stores.users.redeem_link(token, OTHER),
        lambda: stores.users.find_link(token),
    ):
        with pytest.raises(NotFound, match="used"):
            use()
    assert signs_in(stores, "carla", PASSWORD)


@pytest.mark.parametrize(("kind", "days"), [("invite", 7), ("reset", 1)])
def test_a_link_ends_by_itself(
    stores: Stores, anna: User, wait: Callable[..., None], kind: str, days: int
) -> None:
    token = (
        stores.users.invite("carla")[1] if kind == "invite" else stores.users.reset(anna.user_id)
    )
    wait(days=days, seconds=-1)
    assert stores.users.find_link(token).kind == kind
    wait(seconds=1)
    with pytest.raises(NotFound):
        stores.users.redeem_link(token, PASSWORD)


def test_a_refused_password_leaves_the_link_usable(stores: Stores) -> None:
    _, token = stores.users.invite("carla")
    with pytest.raises(InvalidInput) as refused:
        stores.users.redeem_link(token, "short")
    assert refused.value.word == "weak_password"
    stores.users.redeem_link(token, PASSWORD)


def test_a_new_link_ends_the_former_one(stores: Stores, anna: User) -> None:
    first = stores.users.reset(anna.user_id)
    second = stores.users.reset(anna.user_id)
    with pytest.raises(NotFound):
        stores.users.find_link(first)
    assert stores.users.find_link(second).user.name == anna.name


def test_a_disabled_account_cannot_use_its_link(stores: Stores) -> None:
    user, token = stores.users.invite("carla")
    stores.users.disable(user.user_id)
    with pytest.raises(NotFound):
        stores.users.redeem_link(token, PASSWORD)


def test_a_reset_ends_password_and_sessions_until_a_new_one_is_set(
    stores: Stores, anna: User
) -> None:
    session = stores.users.open_session(anna.user_id, address=HOME, agent="")
    token = stores.users.reset(anna.user_id)
    assert not signs_in(stores, anna.name, PASSWORD)
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(session)
    stores.users.redeem_link(token, OTHER)
    assert signs_in(stores, anna.name, OTHER)
    assert not signs_in(stores, anna.name, PASSWORD)


def test_a_program_account_has_no_password_to_reset(stores: Stores) -> None:
    robot = stores.users.create("robot", PASSWORD, "api-only")
    with pytest.raises(InvalidInput) as refused:
        stores.users.reset(robot.user_id)
    assert refused.value.word == "cannot_sign_in"


def test_the_token_is_nowhere_on_the_disk(stores: Stores, settings: Settings) -> None:
    _, token = stores.users.invite("carla")
    stores.engine.close()
    for path in settings.home.rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes()


def test_changing_the_password_ends_every_other_session(stores: Stores, anna: User) -> None:
    mine, other = (stores.users.open_session(anna.user_id, address=HOME, agent="") for _ in "ab")
    stores.users.change_password(anna.user_id, PASSWORD, OTHER, token=mine)
    assert stores.users.find_session(mine).name == anna.name
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(other)
    assert signs_in(stores, anna.name, OTHER)
    assert not signs_in(stores, anna.name, PASSWORD)


def test_changing_needs_the_present_password_and_is_throttled(stores: Stores, anna: User) -> None:
    words = []
    for _ in range(6):
        with pytest.raises(NotAuthenticated) as refused:
            stores.users.change_password(anna.user_id, "wrong", OTHER, token=None)
        words.append(refused.value.word)
    assert words == ["wrong_credentials"] * 5 + ["throttled"]
    with pytest.raises(NotAuthenticated):
        stores.users.change_password(anna.user_id, PASSWORD, OTHER, token=None)


def test_a_poor_new_password_is_refused_and_changes_nothing(stores: Stores, anna: User) -> None:
    with pytest.raises(InvalidInput):
        stores.users.change_password(anna.user_id, PASSWORD, "short", token=None)
    assert signs_in(stores, anna.name, PASSWORD)


def test_sessions_are_listed_without_token_and_the_current_one_is_marked(
    stores: Stores, anna: User, boris: User
) -> None:
    mine = stores.users.open_session(anna.user_id, address=HOME, agent="Browser/1.0")
    stores.users.open_session(anna.user_id, address="192.0.2.8", agent="")
    stores.users.open_session(boris.user_id, address=HOME, agent="")
    found = stores.users.sessions(anna.user_id, token=mine)
    assert [(each.address, each.is_current) for each in found] == [
        ("192.0.2.8", False),
        (HOME, True),
    ]
    assert mine not in repr(found)


def test_a_session_is_ended_by_its_owner_alone(stores: Stores, anna: User, boris: User) -> None:
    token = stores.users.open_session(anna.user_id, address=HOME, agent="")
    session_id = stores.users.sessions(anna.user_id)[0].session_id
    with pytest.raises(NotFound):
        stores.users.end_session(boris.user_id, session_id)
    assert stores.users.find_session(token).name == anna.name
    stores.users.end_session(anna.user_id, session_id)
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(token)


def test_expired_sessions_are_not_listed(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    stores.users.open_session(anna.user_id, address=HOME, agent="")
    wait(days=7)
    assert stores.users.sessions(anna.user_id) == []


def test_an_enabled_account_works_again(stores: Stores, anna: User) -> None:
    _, key = stores.keys.create(anna.user_id, "notebook")
    stores.users.disable(anna.user_id)
    assert stores.users.by_id(anna.user_id).state == "disabled"
    stores.users.enable(anna.user_id)
    assert stores.keys.find_caller(key).name == anna.name
    assert signs_in(stores, anna.name, PASSWORD)


def test_a_person_who_becomes_a_program_leaves_the_pages(stores: Stores, anna: User) -> None:
    token = stores.users.open_session(anna.user_id, address=HOME, agent="")
    stores.users.set_role(anna.user_id, "api-only")
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(token)
    assert not signs_in(stores, anna.name, PASSWORD)


def test_a_session_of_a_program_account_opens_nothing(stores: Stores) -> None:
    robot = stores.users.create("robot", PASSWORD, "api-only")
    token = stores.users.open_session(robot.user_id, address=HOME, agent="")
    with pytest.raises(NotAuthenticated):
        stores.users.find_session(token)


def test_the_last_administrator_stays_one(stores: Stores) -> None:
    chief = stores.users.create("chief", PASSWORD, "admin")
    stores.users.invite("carla", "admin")
    for leave in (
        lambda: stores.users.disable(chief.user_id),
        lambda: stores.users.set_role(chief.user_id, "analyst"),
    ):
        with pytest.raises(InvalidInput) as refused:
            leave()
        assert refused.value.word == "last_administrator"
    stores.users.create("deputy", PASSWORD, "admin")
    stores.users.set_role(chief.user_id, "analyst")
    assert stores.users.by_id(chief.user_id).role == "analyst"


def test_an_account_s_own_quota_comes_before_the_instance_s(
    stores: Stores, anna: User, boris: User
) -> None:
    from datetime import UTC, datetime

    from core.errors import QuotaExceeded

    march = datetime(2025, 3, 1, tzinfo=UTC)
    stores.users.set_quota(anna.user_id, 1)
    stores.quotas.charge(anna.user_id, limit=1000, at=march)
    with pytest.raises(QuotaExceeded, match="all 1 runs"):
        stores.quotas.charge(anna.user_id, limit=1000, at=march)
    assert stores.quotas.state(anna.user_id, limit=1000, at=march).limit == 1
    assert stores.quotas.state(boris.user_id, limit=1000, at=march).limit == 1000
    stores.users.set_quota(anna.user_id, None)
    stores.quotas.charge(anna.user_id, limit=1000, at=march)
    with pytest.raises(InvalidInput):
        stores.users.set_quota(anna.user_id, -1)


def test_the_audit_log_is_searched_by_action_and_text(stores: Stores) -> None:
    stores.audit.add("anna", "key.create", "bpw_live_…beef", "notebook 100%")
    stores.audit.add("boris", "signin", "boris", "from 192.0.2.1")
    stores.audit.add("boris", "key.create", "bpw_live_…cafe")
    assert stores.audit.actions() == ["key.create", "signin"]
    assert [line.actor for line in stores.audit.list(action="key.create")] == ["boris", "anna"]
    assert [line.subject for line in stores.audit.list(text="BEEF")] == ["bpw_live_…beef"]
    assert [line.actor for line in stores.audit.list(text="%")] == ["anna"]
    assert [line.action for line in stores.audit.list(limit=1, offset=1)] == ["signin"]
