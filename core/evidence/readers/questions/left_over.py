"""Words that the rules left over: the names that they may mean, and the question read with one.

Nothing here decides: a name that is chosen elsewhere is put in the place of the words, and the
reading counts only if nothing else in the question changes. Where the rules understood something,
they win.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.likeness import (
    MOST_OFFERED,
    NUMBERS,
    Kind,
    Spellings,
    are_alike,
    known_spellings,
    tokens_of,
)
from core.evidence.readers.questions.parsed import WORD, Change, ParsedText, Piece

MOST_WORDS = 6
"""Words of one piece."""
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


def find_left(parsed: ParsedText, read: Read, resolver: Resolver) -> Iterator[Left]:
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


def resolve_name(name: str, piece: Left, read: Read, resolver: Resolver) -> Offer | None:
    """Return the one thing that a proposed name stands for, if one of its names is like the words.

    Without that a model could name anything.
    """
    said = tokens_of(piece.said)
    parsed = read(name)
    for kind in ("disease", "target", "drug"):
        if not (label := _label_of(kind, parsed)):
            continue
        (value,) = getattr(parsed, _FIELD[kind])
        keys = [value.key] if kind != "target" else list(value.gene_keys)
        names = [known.name for key in keys for known in resolver.identity.names(kind, key)]
        if any(are_alike(said, tokens_of(known)) for known in (label, name, *names)):
            return Offer(kind, label, label)
    return None


def read_with(parsed: ParsedText, chosen: Sequence[tuple[Left, Offer]], read: Read) -> ParsedText:
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
        replace(piece, said=said, meant=offer.label)
        if piece.became == offer.kind and piece.said == offer.text
        else piece
        for piece in pieces
    )
