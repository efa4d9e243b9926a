"""The page Check: upload, counts, what differs first, filters, files and refusals."""

from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from core.checking.results import (
    CheckedAssertion,
    CheckedSentence,
    CitedRecord,
    DocumentCheck,
)
from core.records.runs import Caller
from tests.pages.conftest import SHELL

HOSTILE = "=cmd()<script>alert(1)</script> :red[x]"


def sentence(number: int, verdict: str, url: str = "https://example.org/a") -> CheckedSentence:
    source = CitedRecord(record_id="ema:1", title="A register", url=url, as_of="2026-01-09")
    assertion = CheckedAssertion(
        kind="approval",
        subject=f"drug {number}",
        stated=f"stated {number} {HOSTILE}",
        recorded="recorded",
        verdict=verdict,
        source=None if verdict == "not_covered" else source,
    )
    return CheckedSentence(
        number=number,
        text=f"Sentence {number}. {HOSTILE}",
        page=1,
        heading="",
        paragraph=number,
        table=0,
        row=0,
        start=0,
        end=9,
        verdict=verdict,
        assertions=[assertion],
    )


def checked(*sentences: CheckedSentence) -> DocumentCheck:
    counts = {each.verdict: 1 for each in sentences}
    return DocumentCheck(
        name=f"{HOSTILE}.md",
        form="md",
        pages=1,
        checked_on=date(2026, 11, 28).isoformat(),
        counts=counts,
        n_assertions=len(sentences),
        sentences=list(sentences),
        notices=[],
    )


@pytest.fixture
def page(caller: Caller) -> AppTest:
    test = AppTest.from_file(str(SHELL), default_timeout=30)
    test.session_state["caller"] = caller
    return test.run().switch_page("check_document.py")


def test_page_asks_for_a_document(page: AppTest) -> None:
    page.run()
    assert not page.exception
    assert page.title[0].value == "Check a document"
    page.button[0].click().run()
    assert "Choose a document" in page.error[0].value


def test_what_differs_comes_first_and_filters_narrow(page: AppTest) -> None:
    page.session_state["document-check"] = checked(
        sentence(1, "supported", "javascript:alert(1)"),
        sentence(2, "not_covered"),
        sentence(3, "differs"),
    )
    page.run()
    assert not page.exception
    frame = page.dataframe[0].value
    assert list(frame["Verdict"]) == ["differs", "supported"]
    assert list(frame["Source"])[1] in {None, ""}
    assert [metric.value for metric in page.metric] == ["1", "0", "1", "1", "0"]
    page.text_input(key="check:filter").set_value("drug 1").run()
    assert list(page.dataframe[0].value["Verdict"]) == ["supported"]
    page.text_input(key="check:filter").set_value("nothing like it").run()
    assert not page.dataframe


def test_texts_of_a_document_are_no_markup(page: AppTest) -> None:
    page.session_state["document-check"] = checked(sentence(1, "differs"))
    page.run()
    assert not page.exception
    shown = page.subheader[0].value
    assert "<script>" not in shown
    assert ":red[" not in shown


def test_document_without_statements_says_so(page: AppTest) -> None:
    page.session_state["document-check"] = checked()
    page.run()
    assert "No statement" in page.info[0].value
