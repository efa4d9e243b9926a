"""Specks, captions and numbers go; letters that touch a bond are parted from it."""

import cv2
import numpy as np

from core.chemistry.lettering import (
    FONTS,
    LARGEST,
    clean_drawing,
    despeckle,
    drop_captions,
    drop_numbers,
    print_letter,
)
from tests.rows import over_rows

HEIGHT = 24


def sheet(rows=240, columns=320):
    return np.full((rows, columns), 255, np.uint8)


def put(picture, sign, x, y, height=HEIGHT):
    """Print a letter with its upper left corner at a place."""
    printed = print_letter(sign, FONTS[0])
    width = max(4, round(height * printed.shape[1] / printed.shape[0]))
    sized = cv2.resize(printed, (width, height), interpolation=cv2.INTER_AREA)
    part = picture[y : y + height, x : x + width]
    part[sized > 110] = 0
    return width


def line(picture, begin, end):
    cv2.line(picture, begin, end, (0,), 3)


def draw_amine(gap):
    """Return a picture with free letters, and an N whose bonds end `gap` pixels before it."""
    picture = sheet()
    for sign, x in (("N", 30), ("O", 90), ("O", 150)):
        put(picture, sign, x, 20)
        line(picture, (x + 10, 52), (x + 30, 112))
    width = put(picture, "N", 150, 150)
    line(picture, (40, 160), (150 - gap, 162))
    line(picture, (150 + width + gap, 162), (300, 120))
    return picture


def n_pieces(picture):
    return cv2.connectedComponents(255 - picture, connectivity=8)[0] - 1


def test_a_letter_that_touches_its_bonds_stands_free_afterwards():
    touching = draw_amine(0)
    assert n_pieces(touching) == 7
    assert n_pieces(clean_drawing(touching)) == n_pieces(draw_amine(6))
    picture = draw_amine(6)
    assert np.array_equal(clean_drawing(picture), picture)
    picture = sheet()
    line(picture, (20, 200), (160, 40))
    line(picture, (160, 40), (300, 200))
    assert np.array_equal(clean_drawing(picture), picture)


def test_specks_and_pinholes_go_and_dots_of_a_broken_bond_stay():
    picture = sheet()
    cv2.rectangle(picture, (40, 40), (120, 60), (0,), -1)
    for place in range(6):
        cv2.rectangle(picture, (150 + 8 * place, 50), (153 + 8 * place, 58), (0,), -1)
    noisy = picture.copy()
    noisy[50, 80] = 255
    noisy[200:202, 200:202] = 0
    assert np.array_equal(despeckle(noisy), picture)


def test_only_a_caption_far_from_the_drawing_goes():
    picture = sheet()
    line(picture, (20, 100), (160, 20))
    line(picture, (160, 20), (300, 100))
    bare = 255 - picture
    put(picture, "3", 150, 200)
    put(picture, "H", 170, 200)
    assert np.array_equal(drop_captions(255 - picture, HEIGHT), bare)
    picture = sheet()
    line(picture, (20, 100), (160, 20))
    put(picture, "O", 168, 10)
    ink = 255 - picture
    assert np.array_equal(drop_captions(ink, HEIGHT), ink)
    picture = sheet()
    line(picture, (20, 100), (160, 20))
    for place in range(4):
        cv2.line(picture, (230 + 8 * place, 150), (236 + 8 * place, 170), (0,), 2)
    ink = 255 - picture
    assert np.array_equal(drop_captions(ink, HEIGHT), ink)
    picture = sheet()
    put(picture, "N", 40, 40)
    ink = 255 - picture
    assert np.array_equal(drop_captions(ink, HEIGHT), ink)


@over_rows(("digits", "is_numbered"), [("2358", True), ("23", False)])
def test_positions_count_as_numbered_from_three_digits_on(digits, is_numbered):
    picture = sheet()
    line(picture, (20, 120), (300, 100))
    bare = 255 - picture
    for place, digit in enumerate(digits):
        put(picture, digit, 30 + 70 * place, 160)
    ink = 255 - picture
    assert np.array_equal(drop_numbers(ink), bare if is_numbered else ink)


def test_a_digit_behind_a_letter_stays():
    picture = sheet()
    for place, digit in enumerate("2358"):
        width = put(picture, "H", 20 + 75 * place, 100)
        put(picture, digit, 20 + 75 * place + width + 2, 112, 18)
    ink = 255 - picture
    assert np.array_equal(drop_numbers(ink), ink)


def test_a_very_large_picture_is_only_despeckled():
    picture = sheet(2_500, 2_500)
    put(picture, "N", 100, 100)
    line(picture, (100 + 17, 112), (400, 112))
    assert picture.size > LARGEST
    assert np.array_equal(clean_drawing(picture), picture)


@over_rows("value", [0, 255])
def test_an_empty_picture_is_no_error(value):
    assert clean_drawing(np.full((30, 40), value, np.uint8)).shape == (30, 40)
