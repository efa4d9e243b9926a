"""Quotes are bound to the page, whatever signs they are written with, and nowhere else."""

import pytest

from core.drafting.quotes import LONGEST, PageText

PAGE = PageText(
    "Acme\u2019s phase 2/3 study of ABC\u2011123 in \u201cnon-small cell\u201d lung cancer "
    "enrolled 1,500 pa-\ntients and met its endpoint (p\u00a0= 0.012). It cost $1.5 million.\n"
    "A second para\u200bgraph of 2\u00bd lines about DEF-456\u2122 follows here.\n\n"
    "Zymex stops trials\nof nobody in particular today."
)


@pytest.mark.parametrize(
    "quote",
    [
        "Acme's phase 2/3 study of ABC-123 in 'non-small cell' lung cancer",
        'study of ABC-123 in "non-small cell" lung  cancer enrolled 1,500 patients',
        "enrolled 1,500 pa-tients and met its endpoint (p = 0.012).",
        "A second paragraph of 2\u00bd lines about DEF-456 follows",
        "lines about DEF\u2013456\u00ae follows here.",
    ],
)
def test_honest_variants_are_found(quote: str) -> None:
    place = PAGE.bind(quote)

    assert place is not None
    assert PAGE.sentence_at(place) is not None


@pytest.mark.parametrize(
    "quote",
    [
        "study of ABC-124 in 'non-small cell' lung cancer",
        "study of ABC-12",
        "small cell' lung cancer enrolled 1,500 pat",
        "500 patients and met its endpoint",
        "enrolled 1,500 patients ... It cost",
        "cell' lung cancer in 'non-small study of ABC-123",
        "(p = 0.012). It cost $1.5 million.",
        "It cost $1.5 mil",
        "cost $1.5 million",
        "Zymex stops trials of nobody in particular",
        "cell lung cancer enrolled 1,500 patients",
        "",
        "x" * (LONGEST + 1),
    ],
)
def test_altered_cut_joined_and_short_quotes_are_not_found(quote: str) -> None:
    assert PAGE.bind(quote) is None


def test_the_page_gives_the_characters() -> None:
    place = PAGE.bind("study of ABC-123 in 'non-small cell' lung cancer")

    assert place is not None
    assert PAGE.text[place.start : place.end].startswith("study of ABC\u2011123 in \u201cnon")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the study enrolled 1.5 million people", "5 million"),
        ("the p value was <0.05 in the study", "0.05 in the study"),
        ("the change was -12 points in the study", "12 points"),
        ("it rose by 34% in the study", "rose by 34"),
        ("in non-small cell lung cancer", "small cell lung cancer"),
        ("PD-L1-negative patients", "PD-L1"),
    ],
)
def test_words_and_numbers_are_never_cut(text: str, words: str) -> None:
    assert not list(PageText(text).find(words))


def test_the_end_of_a_sentence_is_no_decimal_point() -> None:
    text = PageText("The study enrolled 15. In 2026 it ended.")

    assert list(text.find("The study enrolled 15"))
