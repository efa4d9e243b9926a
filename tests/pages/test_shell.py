"""Every page draws; without a session none does."""

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.registry import all_agents

SHELL = Path(__file__).parents[2] / "pages" / "shell.py"
PAGES = [
    "home.py",
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


def test_home_offers_every_agent(app) -> None:
    shown = " ".join(text.value for text in app.markdown)
    assert all(agent.title in shown for agent in all_agents().values())


def test_key_is_shown_once_and_can_be_revoked(app, workbench, caller) -> None:
    app.switch_page("keys.py").run()
    app.text_input[0].set_value("pipeline")
    app.button[0].click().run()
    secret = app.code[0].value
    assert workbench.stores.keys.find_caller(secret).user_id == caller.user_id
    app.run()
    assert not app.code
    key = workbench.stores.keys.list(caller.user_id)[0]
    app.button(key=f"revoke:{key.key_id}").click().run()
    assert workbench.stores.keys.list(caller.user_id)[0].revoked_at is not None


@pytest.mark.parametrize("page", sorted(SHELL.parent.glob("*.py")), ids=lambda page: page.stem)
def test_a_page_script_has_no_string_that_streamlit_would_draw(page) -> None:
    first, *others = ast.parse(page.read_text(encoding="utf-8")).body
    bare = [one.lineno for one in others if isinstance(one, ast.Expr) and _is_text(one.value)]
    assert isinstance(first, ast.Expr)
    assert bare == []


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
