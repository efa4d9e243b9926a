"""Account, keys, people and the audit log, as their owners and administrators see them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.records.runs import Caller
from core.workbench import Workbench

SHELL = Path(__file__).parents[2] / "pages" / "shell.py"
PASSWORD = "correct horse battery"
ADMIN_PAGES = ["admin_users.py", "admin_keys.py", "admin_audit.py", "admin_instance.py"]


@pytest.fixture
def chief(workbench: Workbench) -> Caller:
    user = workbench.stores.users.create("chief", PASSWORD, "admin")
    return Caller(user_id=user.user_id, name=user.name, role=user.role)


@pytest.fixture
def open_as(workbench: Workbench) -> Callable[[Caller, str], AppTest]:
    """Return what opens a page as a caller."""

    def open_page(caller: Caller, page: str) -> AppTest:
        test = AppTest.from_file(str(SHELL), default_timeout=30)
        test.session_state["caller"] = caller
        return test.run().switch_page(page).run()

    return open_page


def link_token(app: AppTest) -> str:
    return app.code[0].value.partition("token=")[2]


@pytest.mark.parametrize("page", ["account.py", "keys.py", *ADMIN_PAGES])
def test_page_draws_for_an_administrator(open_as, chief, page) -> None:
    app = open_as(chief, page)
    assert not app.exception
    assert len(app.title) == 1


@pytest.mark.parametrize("page", ADMIN_PAGES)
def test_administration_is_closed_to_analysts(open_as, caller, chief, page) -> None:
    app = AppTest.from_file(str(SHELL.parent / page), default_timeout=30)
    app.session_state["caller"] = caller
    app.run()
    assert not app.exception
    assert not app.title
    assert app.info[0].value == "There is nothing at this address."


def test_an_invitation_shows_its_link_once(open_as, workbench, chief) -> None:
    app = open_as(chief, "admin_users.py")
    app.text_input[0].set_value("Carla@example.org")
    app.button[0].click().run()
    token = link_token(app)
    assert workbench.stores.users.find_link(token).user.name == "carla@example.org"
    assert not app.run().code
    assert not app.exception


def test_a_taken_name_is_said_in_words(open_as, workbench, chief, caller) -> None:
    app = open_as(chief, "admin_users.py")
    app.text_input[0].set_value(caller.name)
    app.button[0].click().run()
    assert "this name is taken" in app.error[0].value


def test_a_new_password_link_ends_the_keys_when_it_is_ticked(
    open_as, workbench, chief, caller
) -> None:
    user_id = caller.user_id
    workbench.stores.keys.create(user_id, "program")
    app = open_as(chief, "admin_users.py")
    app.button(key=f"reset:{user_id}").click().run()
    assert workbench.stores.keys.list(user_id)[0].revoked_at is None
    app.checkbox(key=f"revoke:{user_id}").check().run()
    app.button(key=f"reset:{user_id}").click().run()
    assert workbench.stores.keys.list(user_id)[0].revoked_at is not None


def test_an_administrator_resets_disables_enables_limits_and_deletes(
    open_as, workbench, chief, caller
) -> None:
    users, user_id = workbench.stores.users, caller.user_id
    app = open_as(chief, "admin_users.py")
    app.button(key=f"reset:{user_id}").click().run()
    assert users.find_link(link_token(app)).kind == "reset"
    app.number_input(key=f"quota:{user_id}").set_value(7)
    app.button(key=f"set-quota:{user_id}").click().run()
    app.selectbox(key=f"role:{user_id}").set_value("api-only").run()
    app.button(key=f"set-role:{user_id}").click().run()
    app.button(key=f"disable:{user_id}").click().run()
    found = users.by_id(user_id)
    assert (found.quota_runs, found.role, found.state) == (7, "api-only", "disabled")
    app.button(key=f"enable:{user_id}").click().run()
    assert users.by_id(user_id).disabled_at is None
    lines = [line.action for line in workbench.stores.audit.list()]
    assert lines == ["user.enable", "user.disable", "user.role", "user.quota", "user.reset"]
    app.button(key=f"disable:{user_id}").click().run()
    app.checkbox(key=f"sure:{user_id}").check().run()
    app.button(key=f"delete:{user_id}").click().run()
    assert not app.exception
    assert user_id not in {user.user_id for user in users.list()}


def test_an_administrator_cannot_disable_himself(open_as, chief) -> None:
    app = open_as(chief, "admin_users.py")
    assert f"disable:{chief.user_id}" not in {button.key for button in app.button}


def test_the_account_page_shows_the_quota(open_as, workbench, caller) -> None:
    workbench.stores.users.set_quota(caller.user_id, 40)
    workbench.stores.quotas.charge(caller.user_id, limit=1000, at=workbench.now())
    app = open_as(caller, "account.py")
    assert "39 runs are left" in " ".join(each.value for each in app.caption)


def change_password(app: AppTest, *typed: str) -> AppTest:
    for box, text in zip(app.text_input, typed, strict=False):
        box.set_value(text)
    return app.button[0].click().run()


def test_the_account_page_says_that_no_model_is_asked(open_as, caller) -> None:
    app = open_as(caller, "account.py")
    assert any("answers are composed by rules" in caption.value for caption in app.caption)


def test_the_password_is_changed_and_other_sessions_end(open_as, workbench, caller) -> None:
    users = workbench.stores.users
    users.open_session(caller.user_id, address="192.0.2.1", agent="Browser/1.0")
    app = open_as(caller, "account.py")
    assert any("Browser" in each.value for each in app.markdown)
    change_password(app, PASSWORD, "a quite different one", "a quite different one")
    assert "password is changed" in app.success[0].value
    assert users.sessions(caller.user_id) == []
    assert users.check_password(caller.name, "a quite different one", address="x")


@pytest.mark.parametrize("typed", [" a quite different one", "a quite different one  "])
def test_blanks_around_a_new_password_lock_nobody_out(open_as, workbench, caller, typed) -> None:
    app = change_password(open_as(caller, "account.py"), PASSWORD, typed, typed)
    assert "password is changed" in app.success[0].value
    for entered in (typed, typed.strip()):
        assert workbench.stores.users.check_password(caller.name, entered, address="x")
    app = change_password(open_as(caller, "account.py"), typed, PASSWORD, PASSWORD)
    assert "password is changed" in app.success[0].value


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("wrong", "a quite different one", "a quite different one"), "current password is wrong"),
        ((PASSWORD, "a quite different one", "another"), "differ"),
        ((PASSWORD, "short", "short"), "at least 12"),
    ],
    ids=["wrong", "differing", "weak"],
)
def test_a_refused_change_says_why(open_as, workbench, caller, typed, said) -> None:
    app = change_password(open_as(caller, "account.py"), *typed)
    assert said in app.error[0].value
    assert workbench.stores.users.check_password(caller.name, PASSWORD, address="x")


def test_the_password_form_builds_no_cookie_and_keeps_nobody_elses_record(
    open_as, workbench, caller, stranger
) -> None:
    app = open_as(caller, "account.py")
    names = ("authentication_status", "name", "username", "logout")
    kept = repr([app.session_state[name] for name in names if name in app.session_state])
    kept += repr([one.value for one in app.text_input])
    assert stranger.name not in kept
    assert "$2" not in kept
    assert not app.get("component_instance")


def test_one_session_and_all_others_are_ended(open_as, workbench, caller) -> None:
    users = workbench.stores.users
    for number in range(3):
        users.open_session(caller.user_id, address=f"192.0.2.{number}", agent="")
    first = users.sessions(caller.user_id)[0].session_id
    app = open_as(caller, "account.py")
    for _ in range(5):  # no failure: none of them is throttled
        app.button(key="end-others").click().run()
        assert "current password" in app.error[0].value
    app.text_input(key="end-password").set_value("wrong")
    app.button(key="end-others").click().run()
    assert "password is wrong" in app.error[0].value
    assert len(users.sessions(caller.user_id)) == 3
    app.text_input(key="end-password").set_value(PASSWORD)
    app.button(key=f"end:{first}").click().run()
    assert len(users.sessions(caller.user_id)) == 2
    app.button(key="end-others").click().run()
    assert users.sessions(caller.user_id) == []


def test_a_key_is_rotated_and_its_successor_shown_once(open_as, workbench, caller) -> None:
    keys = workbench.stores.keys
    old, former = keys.create(caller.user_id, "pipeline")
    app = open_as(caller, "keys.py")
    app.button(key=f"rotate:{old.key_id}").click().run()
    secret = app.code[0].value
    assert keys.find_caller(secret).user_id == keys.find_caller(former).user_id == caller.user_id
    assert keys.find_caller(secret).key_id != old.key_id
    assert secret not in "".join(code.value for code in app.run().code)
    assert f"rotate:{old.key_id}" not in {button.key for button in app.button}


def test_an_administrator_makes_and_revokes_keys_of_others(
    open_as, workbench, chief, caller
) -> None:
    app = open_as(chief, "admin_keys.py")
    app.text_input[0].set_value("robot")
    app.selectbox[0].set_value(caller.name)
    app.button[0].click().run()
    assert workbench.stores.keys.find_caller(app.code[0].value).user_id == caller.user_id
    key = workbench.stores.keys.list(caller.user_id)[0]
    app.button(key=f"revoke:{key.key_id}").click().run()
    assert workbench.stores.keys.get(key.key_id).revoked_at is not None


def test_the_audit_log_is_filtered_by_action(open_as, workbench, chief) -> None:
    for action in ("signin", "key.create"):
        workbench.stores.audit.add("ana", action, "=cmd()")
    app = open_as(chief, "admin_audit.py")
    assert len(app.dataframe[0].value) == 2
    app.selectbox(key="action").set_value("signin").run()
    assert list(app.dataframe[0].value["action"]) == ["signin"]
    app.text_input(key="text").set_value("nowhere").run()
    assert "No row" in app.info[0].value
