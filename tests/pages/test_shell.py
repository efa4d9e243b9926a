"""Every page draws; without a session none does."""

import ast
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.registry import all_agents
from tests.rows import over_rows

SHELL = Path(__file__).parents[2] / "pages" / "shell.py"
PAGES = [
    "home.py",
    "explore.py",
    "ask.py",
    "asset.py",
    "company.py",
    "field.py",
    "compare.py",
    "runs.py",
    "evidence.py",
    "keys.py",
    *(f"{agent.slug}.py" for agent in all_agents().values()),
]


@pytest.mark.parametrize("page", PAGES)
def test_page_draws(app, page) -> None:
    app.switch_page(page).run()
    assert not app.exception
    assert len(app.title) == 1


def test_nothing_is_drawn_without_a_session(workbench) -> None:
    test = AppTest.from_file(str(SHELL), default_timeout=30).run()
    assert not test.exception
    assert not test.title
    assert "not signed in" in test.info[0].value


def test_explore_offers_every_agent(app) -> None:
    links = app.switch_page("explore.py").run().get("page_link")
    assert {agent.name for agent in all_agents().values()} <= {one.proto.page for one in links}


def test_key_is_shown_once_and_can_be_revoked(app, workbench, caller) -> None:
    app.switch_page("keys.py").run()
    app.text_input[0].set_value("pipeline")
    app.button[0].click().run()
    secret = app.code[0].value
    assert workbench.stores.keys.find_caller(secret).user_id == caller.user_id
    app.run()
    assert secret not in "".join(code.value for code in app.code)
    key = workbench.stores.keys.list(caller.user_id)[0]
    app.button(key=f"revoke:{key.key_id}").click().run()
    assert workbench.stores.keys.list(caller.user_id)[0].revoked_at is not None


@over_rows("page", sorted(SHELL.parent.glob("*.py")))
def test_a_page_script_has_no_string_that_streamlit_would_draw(page) -> None:
    first, *others = ast.parse(page.read_text(encoding="utf-8")).body
    bare = [one.lineno for one in others if isinstance(one, ast.Expr) and _is_text(one.value)]
    assert isinstance(first, ast.Expr)
    assert bare == []


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


DRAWN = sorted(path for path in SHELL.parent.rglob("*.py") if "st." in path.read_text("utf-8"))
HEADINGS = {"title", "header", "subheader"}


@over_rows("module", DRAWN)
def test_no_heading_is_a_stop_of_the_tab_key(module) -> None:
    """Streamlit gives each heading a link to itself, which the keyboard stops at."""
    calls = [one for one in ast.walk(ast.parse(module.read_text("utf-8"))) if _draws_heading(one)]
    named = [{word.arg: ast.unparse(word.value) for word in one.keywords} for one in calls]
    assert all("False" in (one.get("anchor"), one.get("anchors")) for one in named)


def _draws_heading(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return False
    if node.func.attr in HEADINGS:
        return True
    return node.func.attr == "markdown" and bool(
        re.search(r"""['"]#{1,6}[ '"]""", ast.unparse(node.args[0]))
    )


def test_the_walk_over_headings_finds_those_of_the_home_page() -> None:
    tree = ast.parse((SHELL.parent / "home.py").read_text("utf-8"))
    assert sum(map(_draws_heading, ast.walk(tree))) > 1
