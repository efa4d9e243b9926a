"""The page Ask: an address runs nothing, a press does; answer, forms, refusals, cancelling."""

import time

import pytest
from streamlit.testing.v1 import AppTest

from core.asking.answering import Asking
from core.asking.records import AskAnswer, AskRequest
from core.records.runs import Caller
from core.workbench import Workbench
from tests.hostile import spoil
from tests.pages.conftest import SHELL

QUESTION = "Which PD-1 x VEGF bispecifics are in phase 3?"
KEY = "ask:asking"


@pytest.fixture
def page(caller: Caller) -> AppTest:
    test = AppTest.from_file(str(SHELL), default_timeout=30)
    test.session_state["caller"] = caller
    return test.run().switch_page("ask.py")


def answered(request: AskRequest, **fields: object) -> AskAnswer:
    usage = dict.fromkeys(("runs_charged", "calls"), 1)
    usage |= dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), 0)
    empty = {name: [] for name in ("about", "lines", "tables", "runs", "next", "warnings")}
    told = {"query": request.query, "cannot": "", "help": "", "narrative": {"mode": "rules"}}
    return AskAnswer.model_validate({**empty, **told, "usage": usage, **fields})


def over(workbench: Workbench, caller: Caller, **fields: object) -> Asking:
    """Return a question that is answered."""
    request = AskRequest(query=QUESTION)
    asking = Asking(request, caller, workbench, answer=answered(request, **fields))
    asking._ended.set()
    return asking


def test_an_address_fills_the_form_and_runs_nothing(page: AppTest, workbench, caller) -> None:
    page.query_params["q"] = QUESTION
    page.run()
    assert not page.exception
    assert page.text_area[0].value == QUESTION
    assert workbench.stores.runs.list(caller.user_id) == []


def test_a_press_asks_and_a_refusal_says_what_would_help(page: AppTest) -> None:
    page.run()
    page.text_area[0].set_value("Should I buy Pfizer stock?")
    page.button[0].click().run()
    end = time.monotonic() + 30
    while not page.info and time.monotonic() < end:
        page.run()
    assert not page.exception
    assert "no medical or investment advice" in page.info[0].value
    assert page.query_params["q"] in ("Should I buy Pfizer stock?", ["Should I buy Pfizer stock?"])


def test_a_blank_question_is_not_asked(page: AppTest) -> None:
    page.run()
    page.text_area[0].set_value("?!")
    page.button[0].click().run()
    assert "Type a question" in page.error[0].value


def test_texts_of_an_answer_are_no_markup(page: AppTest, workbench, caller) -> None:
    run = {
        "id": "r1",
        "run_id": "0" * 8,
        "agent": "deal-sourcing",
        "title": spoil("title"),
        "status": "completed",
        "cached": False,
        "request": {},
        "url": "/deal-sourcing",
        "warnings": [spoil("warning")],
    }
    place = {"run_id": "0" * 8, "url": "/deal-sourcing"}
    source = {"id": "1", "title": spoil("source"), "url": "javascript:alert(1)"}
    line = {"id": "r1.c1", "text": f"{spoil('line')} [1]", "sources": [source], **place}
    table = {
        "title": spoil("table"),
        "columns": ["Drug"],
        "row_ids": ["r1.1"],
        "rows": [[spoil("cell")]],
        "total": 1,
        "note": "",
        "sources": [],
        **place,
    }
    page.session_state[KEY] = over(workbench, caller, runs=[run], lines=[line], tables=[table])
    page.query_params["q"] = QUESTION
    page.run()
    assert not page.exception
    words = " ".join(each.value for each in (*page.markdown, *page.caption, *page.title))
    assert "<script" not in words
    assert "](javascript" not in words
    assert len(page.dataframe) == 1


def test_a_question_under_way_is_followed_and_cancelled(page: AppTest, workbench, caller) -> None:
    asking = Asking(AskRequest(query=QUESTION), caller, workbench)
    page.session_state[KEY] = asking
    page.query_params["q"] = QUESTION
    page.run()
    assert "Reading the question" in " ".join(each.value for each in page.markdown)
    page.button(key="ask:cancel").click().run()
    asking._work()
    page.run()
    assert "cancelled" in page.info[0].value


def test_somebody_elses_question_is_not_shown_under_an_address(page, workbench, caller) -> None:
    page.session_state[KEY] = over(workbench, caller)
    page.query_params["q"] = "Another question?"
    page.run()
    assert page.text_area[0].value == "Another question?"
