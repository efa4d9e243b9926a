"""Labels that stand for several atoms excuse missing strokes; lost letters and gaps are told."""

import cv2
import numpy as np
import pytest

from core.chemistry.ink import Drawing, PlacedAtom, PlacedBond
from core.chemistry.lettering import FONTS, print_letter
from core.chemistry.proof import (
    LOST,
    check_drawing,
    find_carbons,
    find_pieces,
    find_written,
    snap_labels,
)

HEIGHT = 22


def sheet():
    return np.full((220, 420), 255, np.uint8)


def put(picture, text, x, y):
    """Print letters side by side, the first one centered at a place."""
    for sign in text:
        printed = print_letter(sign, FONTS[0])
        width = max(4, round(HEIGHT * printed.shape[1] / printed.shape[0]))
        sized = cv2.resize(printed, (width, HEIGHT), interpolation=cv2.INTER_AREA)
        left, top = round(x - width / 2), round(y - HEIGHT / 2)
        picture[top : top + HEIGHT, left : left + width][sized > 110] = 0
        x += width + 4


def zigzag(picture, number=5):
    """Draw a chain from left to right and return its places."""
    places = [(40 + 52 * one, 130 - 30 * (one % 2)) for one in range(number)]
    for begin, end in zip(places, places[1:], strict=False):
        cv2.line(picture, begin, end, (0,), 3)
    return places


def chain(places, letters=None, extra=(), links=()):
    letters = letters or {}
    atoms = [PlacedAtom(x, y, letters.get(number, "")) for number, (x, y) in enumerate(places)]
    bonds = [PlacedBond(one, one + 1, "single") for one in range(len(places) - 1)]
    atoms += [PlacedAtom(x, y, letter) for x, y, letter in extra]
    bonds += [PlacedBond(begin, end, "single") for begin, end in links]
    return Drawing(tuple(atoms), tuple(bonds))


def texts(picture, drawing):
    return [one.text for one in check_drawing(picture, drawing)]


def draw_methoxy(label):
    """Return a chain that ends in a label, and its structure with a methyl nobody drew."""
    picture = sheet()
    places = zigzag(picture)
    x, y = places[-1][0] + 48, places[-1][1] - 26
    cv2.line(picture, places[-1], (x - 16, y + 9), (0,), 3)
    put(picture, label, x, y)
    number = len(places)
    drawing = chain(
        places,
        extra=((x, y, "O"), (x + 45, y - 25, "")),
        links=((number - 1, number), (number, number + 1)),
    )
    return picture, drawing


def test_only_a_label_that_names_the_group_excuses_its_missing_bond():
    assert texts(*draw_methoxy("OCH")) == []
    assert "single bond expected, none drawn" in texts(*draw_methoxy("O"))


def test_chlorine_read_as_methyl_is_lost_and_written_methyl_is_not():
    picture = sheet()
    places = zigzag(picture)
    put(picture, "CI", places[-1][0] + 18, places[-1][1])
    assert texts(picture, chain(places)) == [LOST]
    picture = sheet()
    places = zigzag(picture)
    put(picture, "CH", places[-1][0] + 18, places[-1][1])
    assert LOST not in texts(picture, chain(places))


def test_a_label_lies_on_its_letter_afterwards():
    picture = sheet()
    put(picture, "HN", 100, 100)
    drawing = chain([(40, 100), (108, 100)], {1: "N"})
    pieces = find_pieces(255 - picture, drawing)
    assert snap_labels(drawing, pieces).atoms[1].x == pytest.approx(120, abs=4)
    assert snap_labels(drawing, ()).atoms == drawing.atoms


def test_a_carbon_within_a_chain_may_be_written():
    picture = sheet()
    places = [(60, 100), (120, 100), (180, 100)]
    put(picture, "C", 120, 100)
    drawing = chain(places)
    assert find_carbons(find_pieces(255 - picture, drawing), drawing) == {1}


def test_without_letters_nothing_is_written():
    drawing = chain([(60, 100), (120, 100), (180, 100)])
    found = find_written((), drawing, frozenset({0, 1}))
    assert (found.bonds, found.ends, found.atoms) == (frozenset(),) * 3


def test_gaps_and_short_bonds_are_doubted():
    picture = sheet()
    places = zigzag(picture)
    begin, end = places[1], places[2]
    middle = ((begin[0] + end[0]) // 2, (begin[1] + end[1]) // 2)
    cv2.circle(picture, middle, 4, (255,), -1)
    assert texts(picture, chain(places)) == ["a bond with a gap"]
    picture = sheet()
    places = zigzag(picture)
    split = [*places[:2], (places[1][0] + 20, places[1][1] + 12), *places[2:]]
    assert "a bond far shorter than the others" in texts(picture, chain(split))
