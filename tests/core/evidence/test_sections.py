"""Sections of a patent by its headings: pages, columns, languages, pages that are pictures."""

import pytest

from core.chemistry.pages import PageText, Placed, read_text
from core.errors import InvalidInput
from core.evidence.readers.patents.sections import find_sections, read_sections, split_text
from tests.rows import over_rows


def page(number: int, *lines: tuple[str, float], has_columns: bool = False) -> PageText:
    """Return a page of lines at heights; a line that begins with > stands on the right."""
    placed = [
        Placed(text.lstrip(">"), number, *((0.55, 0.9) if text[0] == ">" else (0.1, 0.45)), y)
        for text, y in lines
    ]
    return PageText(number, tuple(placed), has_columns)


@over_rows(
    ("heading", "section"),
    [
        ("What is claimed is:", "claims"),
        ("We claim:", "claims"),
        ("The invention claimed is: 1. A compound of formula", "claims"),
        ("CLAIMS", "claims"),
        ("20 Claims", "claims"),
        ("Patentansprüche", "claims"),
        ("특허청구범위", "claims"),
        ("【청구범위】", "claims"),
        ("청구항 1", "claims"),
        ("【청구항 1】", "claims"),
        ("请求保护", ""),
        ("명 세 서", "description"),
        ("발명의 상세한 설명", "description"),
        ("DETAILED DESCRIPTION OF THE INVENTION", "description"),
        ("TECHNICAL FIELD", "description"),
        ("(57) ABSTRACT", "abstract"),
        ("(57) 요 약", "abstract"),
        ("The claims of the patent are described here", ""),
        ("in the background of the invention there was", ""),
    ],
)
def test_heading_tells_what_begins_below_it(heading, section) -> None:
    sections = find_sections([page(1, ("first words", 0.1), (heading, 0.5))])
    assert sections.find(1, 0.1, 0.3, 0.7) == section


def test_what_stands_before_the_claims_is_the_description() -> None:
    sections = find_sections([page(1, ("words", 0.1)), page(2, ("We claim:", 0.5), ("1. A", 0.6))])
    assert [sections.find(1, 0, 1, 0.9), sections.find(2, 0, 1, 0.4)] == ["description"] * 2
    assert sections.find(2, 0, 1, 0.55) == "claims"
    assert sections.has_claims


def test_description_after_the_claims_ends_them() -> None:
    """As in Korean publications."""
    sections = find_sections([page(1, ("특허청구범위", 0.2)), page(2, ("명세서", 0.3))])
    found = [sections.find(1, 0, 1, 0.8), sections.find(2, 0, 1, 0.1), sections.find(2, 0, 1, 0.5)]
    assert found == ["claims", "claims", "description"]


def test_columns_are_read_left_then_right() -> None:
    held = page(1, ("words", 0.1), ("What is claimed is:", 0.6), (">1. A", 0.1), has_columns=True)
    sections = find_sections([held])
    assert sections.find(1, 0.1, 0.4, 0.3) == "description"
    assert sections.find(1, 0.6, 0.9, 0.3) == "claims"


def test_page_that_is_a_picture_tells_nothing() -> None:
    sections = find_sections([page(1, ("We claim:", 0.5)), PageText(2, (), has_columns=False)])
    assert sections.find(2, 0, 1, 0.5) == ""
    assert find_sections([]).find(1, 0, 1, 0.5) == ""


def test_document_without_headings_tells_nothing() -> None:
    assert find_sections([page(1, ("some words", 0.5))]).find(1, 0, 1, 0.9) == ""


def test_text_comes_back_by_section() -> None:
    text = "TECHNICAL FIELD\nwords\n\nWe claim:\n1. A compound\n2. Another"
    found = split_text(text)
    assert [(one.section, len(one.lines)) for one in found] == [("description", 2), ("claims", 3)]
    pages = find_sections([page(3, ("words", 0.2), ("We claim:", 0.4), ("1. A", 0.6))])
    (before, claims) = read_sections(pages)
    assert (before.section, claims.section) == ("description", "claims")
    assert claims.lines[-1].page == 3


def test_file_that_is_no_pdf_is_refused() -> None:
    with pytest.raises(InvalidInput):
        list(read_text(b"no pdf"))
