"""What words of a question mean that the rules left over: chosen by a model, read by the rules.

A model chooses one of the names that are like the words, or proposes a name. The question is then
read again with that name in their place. The reading counts only if nothing else in it changes:
where the rules understood something, they win.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from core.drafting.drafter import Drafter
from core.drafting.marking import on_one_line, show_only
from core.drafting.spellings import (
    MOST_OFFERED,
    NUMBERS,
    Kind,
    Spellings,
    are_alike,
    known_spellings,
    tokens_of,
)
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import WORD, Change, ParsedText, Piece
from core.records.model import ModelAnswer, Task

LONGEST_TEXT = 2_000
"""Characters of a question that is sent."""
MOST_PIECES = 6
MOST_WORDS = 6
"""Words of one piece."""
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
Read = Callable[[str], ParsedText]
_FIELD: dict[Kind, str] = {
    "disease": "diseases",
    "target": "targets",
    "drug": "drugs",
    "modality": "modalities",
    "route": "routes",
}
_FREE = frozenset(
    {"text", "words", "changes", "pieces", "unread", "unknown_diseases", "adjacent", "biomarkers"}
)
"""Fields that narrow nothing, or follow from the others."""


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


@dataclass(frozen=True)
class Offer:
    """A name that a piece may mean.

    Attributes:
        kind: What sort of thing.
        text: The name as the rules read it.
        label: What they read it as.
    """

    kind: Kind
    text: str
    label: str


@dataclass(frozen=True)
class Left:
    """Words that the rules left over.

    Attributes:
        start: First character in the text.
        end: One past the last.
        said: The words.
        offers: Names that they may mean, by key.
    """

    start: int
    end: int
    said: str
    offers: dict[str, Offer]


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
    left = list(_find_left(parsed, read, resolver))[:MOST_PIECES]
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
        offer = _resolve(proposed.name, piece, read, resolver)
        chosen += [(piece, offer)] if offer else []
    better = _apply(parsed, chosen, read)
    if better is not parsed:
        drafter.note_use("read")
    return better


def _find_left(parsed: ParsedText, read: Read, resolver: Resolver) -> Iterator[Left]:
    """Yield the pieces that are left over, each with the names that it may mean."""
    known = known_spellings(resolver)
    text, position, number = parsed.text, 0, 0
    for run in _runs(parsed):
        place = text.find(run[0].said, position)
        words = [word for word in WORD.finditer(text, max(place, 0))][: len(run)]
        if place < 0 or [word[0] for word in words] != [piece.said for piece in run]:
            continue  # the rules changed the text here: it is theirs
        position = words[-1].end()
        for first, last in _cut(text, words, known):
            start, end = words[first].start(), words[last].end()
            said = text[start:end]
            offers: dict[str, Offer] = {}
            for offer in _offers(said, known, read):
                number += 1
                offers[f"k{number}"] = offer
            yield Left(start, end, said, offers)


def _runs(parsed: ParsedText) -> Iterator[list[Piece]]:
    """Yield words left over that follow each other; number words may stand among them."""
    run: list[Piece] = []
    for piece in parsed.pieces:
        is_number = piece.became == "plain" and piece.said.casefold() in NUMBERS
        if piece.became == "left over" and not piece.meant or (run and is_number):
            run.append(piece)
            continue
        if run:
            yield run
        run = []
    if run:
        yield run


def _cut(text: str, words: Sequence[Any], known: Spellings) -> Iterator[tuple[int, int]]:
    """Yield the first and last words of the pieces of a run: the longest that are like a name."""
    first = start = 0
    while first < len(words):
        for last in range(min(first + MOST_WORDS, len(words)) - 1, first - 1, -1):
            if known.near(text[words[first].start() : words[last].end()]):
                if start < first:
                    yield start, first - 1
                yield first, last
                first, start = last, last + 1
                break
        first += 1
    if start < len(words):
        yield start, len(words) - 1


def _offers(said: str, known: Spellings, read: Read) -> Iterator[Offer]:
    """Yield names that some words may mean, each entity once."""
    labels: set[tuple[Kind, str]] = set()
    for spelling in known.near(said)[: 2 * MOST_OFFERED]:
        label = _label_of(spelling.kind, read(spelling.text))
        if label and (spelling.kind, label) not in labels and len(labels) < MOST_OFFERED:
            labels.add((spelling.kind, label))
            yield Offer(spelling.kind, spelling.text, label)


def _label_of(kind: Kind, parsed: ParsedText) -> str:
    """Return what a name is read as; "" where the rules do not read it as one thing of its kind."""
    if parsed.words or parsed.changes or parsed.unknown_diseases:
        return ""
    filled = {
        part.name: getattr(parsed, part.name)
        for part in fields(parsed)
        if part.name not in _FREE and getattr(parsed, part.name)
    }
    values = filled.pop(_FIELD[kind], ())
    filled.pop("mechanisms", None)
    return "" if filled or len(values) != 1 else _key_of(values[0])[1]


def _key_of(value: Any) -> tuple[str, str]:
    """Return key and label of what a question names."""
    label = str(getattr(value, "label", "") or getattr(value, "text", "") or value)
    return str(getattr(value, "key", "") or label), label


def _resolve(name: str, piece: Left, read: Read, resolver: Resolver) -> Offer | None:
    """Return the one thing that a proposed name stands for, if one of its names is like the words.

    Without that a model could name anything.
    """
    said = tokens_of(piece.said)
    parsed = read(on_one_line(name))
    for kind in ("disease", "target", "drug"):
        if not (label := _label_of(kind, parsed)):
            continue
        (value,) = getattr(parsed, _FIELD[kind])
        keys = [value.key] if kind != "target" else list(value.gene_keys)
        names = [known.name for key in keys for known in resolver.identity.names(kind, key)]
        if any(are_alike(said, tokens_of(known)) for known in (label, name, *names)):
            return Offer(kind, label, label)
    return None


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


def _apply(parsed: ParsedText, chosen: Sequence[tuple[Left, Offer]], read: Read) -> ParsedText:
    """Return a question with names in the place of pieces, as far as nothing else changes."""
    better, spelled = parsed, parsed.text
    taken: list[tuple[Left, Offer]] = []
    for piece, offer in sorted(chosen, key=lambda entry: -entry[0].start):
        respelled = f"{spelled[: piece.start]}{offer.text}{spelled[piece.end :]}"
        again = read(respelled)
        if _reads_piece(better, again, piece) and _only_adds(better, again, offer):
            better, spelled = again, respelled
            taken.insert(0, (piece, offer))
    if not taken:
        return parsed
    changes = [Change(piece.said, offer.label, "model") for piece, offer in taken]
    pieces = better.pieces
    for piece, offer in taken:
        pieces = _name_piece(pieces, offer, piece.said)
    return replace(better, text=parsed.text, changes=(*better.changes, *changes), pieces=pieces)


def _reads_piece(parsed: ParsedText, again: ParsedText, piece: Left) -> bool:
    """Return whether no words but those of a piece were read in addition, and none less."""
    before = {word for words in parsed.words for word in words.split()}
    after = {word for words in again.words for word in words.split()}
    own = {part for word in WORD.finditer(piece.said) for part in (word[0], word[0].strip("+'"))}
    return after < before and before - after <= own | {piece.said}


def _only_adds(parsed: ParsedText, again: ParsedText, offer: Offer) -> bool:
    """Return whether a reading differs from another one by the thing that was offered alone."""
    for part in fields(parsed):
        if part.name in _FREE:
            continue
        old, new = getattr(parsed, part.name), getattr(again, part.name)
        if isinstance(old, tuple):
            old_keys = {_key_of(value)[0] for value in old}
            new_keys = {_key_of(value): value for value in new}
            added = [label for key, label in new_keys if key not in old_keys]
            is_field = part.name == _FIELD[offer.kind]
            if not old_keys <= {key for key, _ in new_keys}:
                return False
            if added and (not is_field or added != [offer.label]):
                return False
            if is_field and not added:
                return False
        elif old != new:
            return False
    return True


def _name_piece(pieces: Sequence[Piece], offer: Offer, said: str) -> tuple[Piece, ...]:
    """Return pieces in which the one that was read has the words of the question again."""
    return tuple(
        replace(piece, said=said, meant=unmark(offer.label))
        if piece.became == offer.kind and piece.said == offer.text
        else piece
        for piece in pieces
    )
