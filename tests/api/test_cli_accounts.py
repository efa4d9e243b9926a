"""`users` and `keys` on the command line."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.cli import main
from core.errors import NotAuthenticated
from core.ports import Stores
from core.settings import Settings, read_settings
from storage.stores import open_stores

Run = Callable[..., str]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    monkeypatch.setenv("BPW_HOME", str(tmp_path / "instance"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    read_settings.cache_clear()
    yield read_settings()
    read_settings.cache_clear()


@pytest.fixture
def run(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs a command that must succeed and gives its standard output."""
    assert main(["setup"]) == 0
    capsys.readouterr()

    def command(*arguments: str) -> str:
        assert main(arguments) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return command


@pytest.fixture
def stores(settings: Settings) -> Iterator[Stores]:
    opened = open_stores(settings)
    yield opened
    opened.engine.close()


def test_a_created_account_signs_in_with_the_printed_password(run: Run, stores: Stores) -> None:
    told = re.fullmatch(
        r"analyst: carla  password: (\w{20})\n", run("users", "create", "--name", "carla")
    )
    assert told
    assert stores.users.check_password("carla", told[1], address="x").role == "analyst"


def test_an_invitation_prints_a_link_that_works(run: Run, stores: Stores) -> None:
    link = run("users", "invite", "--name", "carla", "--role", "admin")
    token = re.fullmatch(r"http://127\.0\.0\.1:\d+/auth/password#token=(\S+)\n", link)
    assert token
    assert stores.users.find_link(token[1]).user.role == "admin"


def test_a_link_names_the_address_at_which_the_instance_is_served(
    run: Run, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (settings.home / "address").write_text("127.0.0.1:8650")
    assert run("users", "invite", "--name", "carla").startswith("http://127.0.0.1:8650/auth/")
    monkeypatch.setenv("BPW_PUBLIC_URL", "https://bench.example.org/")
    read_settings.cache_clear()
    assert run("users", "reset", "carla").startswith("https://bench.example.org/auth/")


def test_single_sign_on_of_an_account_is_ended(run: Run, stores: Stores) -> None:
    run("users", "create", "--name", "carla")
    carla = stores.users.by_name("carla")
    stores.users.link(carla.user_id, "https://login.example.org", "1")
    run("users", "unlink", "carla")
    assert [user.is_linked for user in stores.users.list() if user.name == "carla"] == [False]
    assert main(["users", "unlink", "carla"]) == 1


def test_a_reset_ends_the_keys_when_it_is_asked_to(run: Run, stores: Stores) -> None:
    run("users", "create", "--name", "carla")
    key = run("keys", "create", "--name", "k", "--user", "carla").strip()
    run("users", "reset", "carla")
    assert stores.keys.find_caller(key).name == "carla"
    run("users", "reset", "carla", "--revoke-keys")
    with pytest.raises(NotAuthenticated):
        stores.keys.find_caller(key)


def test_accounts_are_disabled_enabled_reset_and_deleted_by_name(run: Run, stores: Stores) -> None:
    run("users", "create", "--name", "carla")
    run("users", "disable", "carla")
    assert "\tcarla\tanalyst\tdisabled\n" in run("users", "list")
    run("users", "enable", "carla")
    token = run("users", "reset", "carla").strip().partition("token=")[2]
    assert stores.users.find_link(token).kind == "reset"
    assert "\tcarla\tanalyst\twaiting for its password\n" in run("users", "list")
    run("users", "disable", "carla")
    run("users", "delete", "carla")
    assert "carla" not in run("users", "list")
    actions = [line.action for line in stores.audit.list()]
    assert actions[:3] == ["user.delete", "user.disable", "user.reset"]
    assert actions[3:] == ["user.enable", "user.disable", "user.create"]


def test_an_unknown_name_and_the_last_administrator_exit_with_1(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["users", "disable", "nobody"]) == 1
    assert main(["users", "disable", "admin"]) == 1
    assert "only administrator" in capsys.readouterr().err


def test_a_key_is_printed_alone_listed_rotated_and_revoked(run: Run, stores: Stores) -> None:
    key = run("keys", "create", "--name", "robot", "--agent", "differential-expression").strip()
    assert re.fullmatch(r"bpw_live_[0-9a-f]{32}", key)
    caller = stores.keys.find_caller(key)
    assert caller.scopes == ("differential-expression",)
    row = run("keys", "list").strip().split("\t")
    assert row[1:3] == ["admin", "robot"]
    assert row[5:7] == ["active", "differential-expression"]
    new = run("keys", "rotate", row[0], "--grace-hours", "0").strip()
    assert stores.keys.find_caller(new).scopes == caller.scopes
    with pytest.raises(NotAuthenticated):
        stores.keys.find_caller(key)
    run("keys", "revoke", str(stores.keys.list()[0].key_id))
    with pytest.raises(NotAuthenticated):
        stores.keys.find_caller(new)


def test_a_key_for_an_agent_that_is_not_there_is_refused(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keys", "create", "--name", "robot", "--agent", "nothing"]) == 1
    assert "there is no agent 'nothing'" in capsys.readouterr().err
