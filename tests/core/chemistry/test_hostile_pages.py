"""Pages of PDFs that are made to harm cost themselves alone, and are told."""

import time

import pytest

from core.agents.compound_map.uploads import cut_pages
from core.chemistry import pages
from core.chemistry.pages import (
    MOST_FAULTS,
    TOO_COSTLY,
    LeftOut,
    PageProcess,
    read_pages,
    read_text,
)
from core.errors import InvalidInput
from tests.core.chemistry.hostile_pdf import missing_page, self_drawing


def test_form_that_draws_itself_costs_its_page_alone() -> None:
    left_out, began = LeftOut(), time.monotonic()
    (page,) = read_pages(self_drawing(), left_out=left_out)
    assert page.number == 2
    assert left_out == {1: TOO_COSTLY}
    assert time.monotonic() - began < 40
    assert [text.number for text in read_text(self_drawing())] == [1, 2]


def test_page_that_is_not_there_is_told() -> None:
    left_out = LeftOut()
    assert list(read_pages(missing_page(), left_out=left_out)) == []
    assert left_out.say() == "page 1 skipped: it is damaged"
    assert [text.lines for text in read_text(missing_page())] == [()]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (self_drawing(), "page 1 skipped: it takes too much memory or time"),
        (missing_page(), "page 1 skipped: it is damaged"),
    ],
)
def test_row_of_the_upload_says_why(
    content: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE_S", 3.0)
    assert cut_pages("a", content, 10, 10).message == message


def test_page_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with PageProcess(self_drawing(), 40_000_000) as document:
        monkeypatch.setattr(pages, "PAGE_S", 0.01)
        assert document.read("image", 0).fault == TOO_COSTLY
        monkeypatch.setattr(pages, "PAGE_S", 15.0)
        assert document.read("image", 1).fault == ""


def test_document_of_such_pages_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_S", 0.01)
    with PageProcess(self_drawing(), 40_000_000) as document:
        faults = [document.read("image", 0).fault for _ in range(MOST_FAULTS + 1)]
    assert len(set(faults[:MOST_FAULTS])) == 1
    assert "too many pages before it" in faults[-1]


def test_no_pdf_is_refused_and_leaves_no_process() -> None:
    with pytest.raises(InvalidInput, match="no readable PDF"):
        list(read_pages(b"%PDF-1.4 nothing"))
