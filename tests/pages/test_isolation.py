"""Every page of the menu, opened by somebody else: nothing of the owner is on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.records.runs import Caller
from core.registry import all_agents
from core.runner import start_run

SHELL = Path(__file__).parents[2] / "pages" / "shell.py"
PAGES = sorted({path.name for path in SHELL.parent.glob("*.py")} - {"shell.py", "__init__.py"})
AGENT = all_agents()["differential-expression"]
SECRET = "zebra"


@pytest.fixture
def run(workbench, caller, complete):
    """A completed run, an upload, a key and a session of the owner, all with one word."""
    stores = workbench.stores
    request = AGENT.request.model_validate(AGENT.examples[0].request | {"method": "limma-voom"})
    queued = start_run(AGENT, request, caller, workbench, title=f"{SECRET} run")
    complete(queued, caller)
    stores.files.add(caller.user_id, f"{SECRET}.csv", stores.blobs.put(b"counts"))
    stores.keys.create(caller.user_id, f"{SECRET} key")
    stores.users.open_session(caller.user_id, address="192.0.2.1", agent=f"{SECRET} browser")
    held = stores.lists.make(caller.user_id, f"{SECRET} list", "drug")
    stores.lists.change(caller.user_id, held.list_id, add=[f"{SECRET}mab"])
    stores.audit.add(caller.name, "export", f"{SECRET} run")
    return stores.runs.get(caller.user_id, queued.run_uuid)


def shown(caller: Caller, page: str, run_uuid: str) -> str:
    """Return all that a page sends to the browser, with the run in its address."""
    app = AppTest.from_file(str(SHELL), default_timeout=60)
    app.session_state["caller"] = caller
    app.run().switch_page(page)
    app.query_params["run"] = run_uuid
    app.run()
    assert not app.exception, page
    return " ".join([*sent(app.main), *sent(app.sidebar)])


def sent(node) -> Iterator[str]:
    """Yield the message of every element below a node."""
    if node.proto is not None:
        yield str(node.proto)
    for child in getattr(node, "children", {}).values():
        yield from sent(child)


def test_the_owner_sees_the_word_where_a_stranger_sees_nothing(run, caller, stranger) -> None:
    with_word = set()
    for page in (page for page in PAGES if not page.startswith("admin_")):
        if SECRET in shown(caller, page, run.run_uuid):
            with_word.add(page)
        text = shown(stranger, page, run.run_uuid)
        marks = (SECRET, run.fingerprint, run.input_sha256)
        assert not [mark for mark in marks if mark in text], page
    assert with_word >= {
        "account.py",
        "differential_expression.py",
        "home.py",
        "keys.py",
        "lists.py",
        "runs.py",
    }


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("admin_")])
def test_administration_does_not_open_for_a_stranger(run, stranger, page) -> None:
    app = AppTest.from_file(str(SHELL.parent / page), default_timeout=60)
    app.session_state["caller"] = stranger
    app.run()
    assert SECRET not in " ".join(sent(app.main))
    assert [each.value for each in app.info] == ["There is nothing at this address."]


def test_a_foreign_run_looks_like_an_unknown_one(run, stranger) -> None:
    page = "differential_expression.py"
    nobody = "00000000-0000-4000-8000-000000000000"
    foreign = shown(stranger, page, run.run_uuid).replace(run.run_uuid, nobody)
    assert foreign == shown(stranger, page, nobody)


def open_link(caller: Caller, token: str) -> AppTest:
    app = AppTest.from_file(str(SHELL), default_timeout=60)
    app.session_state["caller"] = caller
    app.run().switch_page("differential_expression.py")
    app.query_params["shared"] = token
    app.run()
    assert not app.exception
    return app


def labels(app: AppTest) -> set[str]:
    return {one.label for one in app.button}


def test_whoever_has_a_link_reads_the_answer_and_nothing_else(
    run, workbench, caller, stranger
) -> None:
    shares = workbench.stores.shares
    whole, token = shares.create(caller.user_id, run.run_uuid)
    _, alone = shares.create(caller.user_id, run.run_uuid, hides_inputs=True)
    app = open_link(stranger, token)
    assert [one.value for one in app.title] == [f"{SECRET} run"]
    assert len(app.metric) > 0
    assert labels(app) & {"Run again", "Edit and run", "Make a link", "Run it as mine"} == {
        "Run it as mine"
    }
    assert "Run it as mine" not in labels(open_link(stranger, alone))
    opened = [one for one in workbench.stores.audit.list() if one.action == "open_shared"]
    assert {(one.actor, one.subject) for one in opened} == {(stranger.name, run.run_uuid)}
    shares.revoke(caller.user_id, whole.share_id)
    gone = open_link(stranger, token)
    assert SECRET not in " ".join(sent(gone.main))
    assert "not valid or was ended" in gone.warning[0].value


def test_the_owner_makes_and_ends_a_link_on_the_page(run, workbench, caller) -> None:
    app = AppTest.from_file(str(SHELL), default_timeout=60)
    app.session_state["caller"] = caller
    app.run().switch_page("differential_expression.py")
    app.query_params["run"] = run.run_uuid
    app.run()
    app.button(key="share").click().run()
    address = next(one.value for one in app.code if "shared=" in one.value)
    found, share = workbench.stores.shares.open(address.partition("shared=")[2])
    assert found.run_uuid == run.run_uuid
    app.button(key=f"end:{share.share_id}").click().run()
    assert not app.exception
    assert not [one for one in app.code if "shared=" in one.value]
    assert list(workbench.stores.shares.list(caller.user_id, run.run_uuid)) == []
