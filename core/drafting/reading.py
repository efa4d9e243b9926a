"""What words of a question mean that the rules left over: chosen by a model, read by the rules.

A model chooses one of the names that are like the words, or proposes a name.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from core.drafting.drafter import Drafter
from core.drafting.marking import on_one_line, show_only
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.left_over import (
    Left,
    Read,
    find_left,
    read_with,
    resolve_name,
)
from core.evidence.readers.questions.parsed import ParsedText
from core.records.model import ModelAnswer, Task

LONGEST_TEXT = 2_000
"""Characters of a question that is sent."""
MOST_PIECES = 6
LONGEST_NAME = 60
MOST_TOKENS = 600
SYSTEM = (
    "You help to read questions about drugs in development. Rules have read the question; pieces "
    "of it are left. For each piece you get its first and last place and names that it may mean, "
    "by key. If a piece means one of them, return it in 'pieces' with its places, the kind in "
    "'became' and the key. If it means another disease, target or drug, return its international "
    "English name in 'names' with the places of the piece. Leave out a piece of which you are not "
    "sure, and every piece that names nothing."
)


class PieceRead(ModelAnswer):
    """A piece that means an offered name; the task narrows kinds and keys to those offered."""

    start: int
    end: int
    became: str
    key: str


class NameProposed(ModelAnswer):
    """A piece that means another name."""

    start: int
    end: int
    name: Annotated[str, Field(min_length=2, max_length=LONGEST_NAME)]


class Reading(ModelAnswer):
    """What a model returns."""

    pieces: list[PieceRead]
    names: Annotated[list[NameProposed], Field(max_length=MOST_PIECES)]


def read_left_over(
    parsed: ParsedText, read: Read, resolver: Resolver, drafter: Drafter | None
) -> ParsedText:
    """Return a question with what a model reads of the words that are left over.

    Args:
        parsed: As the rules read it.
        read: Reads a text by the rules.
        resolver: Knows names.
        drafter: Asks the model; None leaves the question as it is.
    """
    text = parsed.text
    is_readable = 0 < len(text) <= LONGEST_TEXT and show_only(text) == text
    if drafter is None or "read" not in drafter.tasks or not is_readable or not parsed.words:
        return parsed
    left = list(find_left(parsed, read, resolver))[:MOST_PIECES]
    if not left:
        return parsed
    reading = drafter.ask(_make_task(text, left))
    if reading is None:
        return parsed
    by_place = {(piece.start, piece.end): piece for piece in left}
    chosen = [
        (by_place[each.start, each.end], by_place[each.start, each.end].offers[each.key])
        for each in reading.pieces
    ]
    for proposed in reading.names:
        piece = by_place[proposed.start, proposed.end]
        offer = resolve_name(on_one_line(proposed.name), piece, read, resolver)
        chosen += [(piece, offer)] if offer else []
    better = read_with(parsed, chosen, read)
    if better is not parsed:
        drafter.note_use("read")
    return better


def _make_task(text: str, left: Sequence[Left]) -> Task[Reading]:
    """Return the task whose keys are those of the names that are offered."""
    lines = [f"QUESTION: {on_one_line(text)}"]
    for piece in left:
        offers = "; ".join(
            f"{key}={offer.kind}: {on_one_line(offer.label)}" for key, offer in piece.offers.items()
        )
        lines.append(f"PIECE {piece.start} {piece.end} ({offers}): {on_one_line(piece.said)}")
    keys = [key for piece in left for key in piece.offers]
    kinds = sorted({offer.kind for piece in left for offer in piece.offers.values()})
    key: Any = Literal[tuple(keys) or ("",)]
    became: Any = Literal[tuple(kinds) or ("",)]
    inner: Any = create_model("PieceRead", __base__=PieceRead, became=(became, ...), key=(key, ...))
    pieces: Any = Annotated[list[inner], Field(max_length=len(left))]
    reading = create_model("Reading", __base__=Reading, pieces=(pieces, ...))
    return Task("read", SYSTEM, "\n".join(lines), reading, MOST_TOKENS, lambda x: _check(x, left))


def _check(reading: Reading, left: Sequence[Left]) -> str:
    """Return what is wrong with a reading."""
    by_place = {(piece.start, piece.end): piece for piece in left}
    places = [(each.start, each.end) for each in reading.pieces]
    places += [(each.start, each.end) for each in reading.names]
    if not {*places} <= by_place.keys():
        return "A place is not that of a piece."
    if len({*places}) != len(places):
        return "A piece stands twice."
    for each in reading.pieces:
        offer = by_place[each.start, each.end].offers.get(each.key)
        if offer is None or offer.kind != each.became:
            return "A key was not offered for this piece."
    return ""
