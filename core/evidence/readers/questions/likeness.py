"""Known names that some words may stand for: written in another language, with number words.

Two phrases are alike where each word of one has its own like word in the other; digits and short
words must be equal. The rules read none of these by themselves, since likeness is no proof; a
model may only choose among them.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from core.evidence.names.identity.resolver import Resolver
from core.vocabulary.diseases import load_disease_words, load_own_diseases
from core.vocabulary.query_words import spellings
from core.vocabulary.targets import load_targets

Kind = Literal["disease", "target", "drug", "modality", "route"]
LEAST_ALIKE = 0.72
"""Likeness of two words of five letters or more."""
LEAST_ALIKE_ALONE = 0.86
SHORT = 4
MOST_OFFERED = 4
MARGIN = 0.06
"""Names that are less like the words than the best one by more than this are not offered."""
OFFICIAL = 1
_TOKEN = re.compile(r"[a-z]+|\d+")
_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBERS = {word: value for value, word in enumerate(_UNITS)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_LINKS = frozenset(
    (
        *("a", "al", "and", "by", "d", "da", "das", "de", "del", "della", "der", "des", "di"),
        *("die", "do", "du", "e", "el", "en", "et", "gli", "il", "in", "l", "la", "le", "les"),
        *("los", "of", "or", "the", "to", "und", "van", "von", "with", "y"),
    )
)
"""Words of several languages that join others; "A" of hemophilia A is one of them, too."""


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text that carry its meaning, without accents.

    >>> tokens_of("Interleukin twenty-three"), tokens_of("reumato\u00efde artritis")
    (('interleukin', '23'), ('reumatoide', 'artritis'))
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    words = _TOKEN.findall("".join(sign for sign in plain if not unicodedata.combining(sign)))
    tokens: list[str] = []
    tens = 0
    for word in words:
        number = NUMBERS.get(word)
        if number is not None and tens and number < 10:
            tokens[-1] = str(tens + number)
            tens = 0
            continue
        tens = number if number is not None and number >= 20 else 0
        tokens.append(word if number is None else str(number))
    kept = [token for token in tokens if token not in _LINKS]
    return tuple(kept if len(kept) > 1 or len(tokens) == len(kept) else tokens)


def likeness(word: str, other: str) -> float:
    """Return how like two words are, from 0 to 1; short words and numbers are equal or not."""
    if word == other:
        return 1.0
    if word[0] != other[0] or min(len(word), len(other)) <= SHORT or word.isdigit():
        return 0.0
    matcher = SequenceMatcher(None, word, other, autojunk=False)
    if matcher.real_quick_ratio() < LEAST_ALIKE or matcher.quick_ratio() < LEAST_ALIKE:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= LEAST_ALIKE else 0.0


def are_alike(tokens: Sequence[str], others: Sequence[str]) -> float:
    """Return how like two phrases are; 0 where a word of either has no like word in the other.

    A word alone must be nearly the same: amiloidose is no amiloride, nor is gravis Graves.
    """
    if not tokens or len(tokens) != len(others):
        return 0.0
    least = LEAST_ALIKE_ALONE if len(tokens) == 1 else LEAST_ALIKE
    left, total = list(others), 0.0
    for token in sorted(tokens, key=len, reverse=True):
        best = max(left, key=lambda other: likeness(token, other))
        score = likeness(token, best)
        if score < least:
            return 0.0
        total += score
        left.remove(best)
    return total / len(tokens)


@dataclass(frozen=True)
class Spelling:
    """A name that the rules read."""

    kind: Kind
    text: str
    tokens: tuple[str, ...]


@dataclass
class Spellings:
    """Known names by their words."""

    entries: list[Spelling] = field(default_factory=list)
    _by_token: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _by_letter: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, kind: Kind, texts: Iterable[str]) -> None:
        """Add names of a kind."""
        for text in texts:
            tokens = tokens_of(text)
            if not tokens or len(max(tokens, key=len)) < 2:
                continue
            for token in tokens:
                self._by_token[token].add(len(self.entries))
                self._by_letter[token[0]].add(token)
            self.entries.append(Spelling(kind, text, tokens))

    def near(self, text: str) -> list[Spelling]:
        """Return the names that some words may stand for, the likest first."""
        tokens = tokens_of(text)
        numbers: set[int] | None = None
        for token in tokens:
            like = (word for word in self._by_letter.get(token[0], ()) if likeness(token, word))
            having = {number for word in like for number in self._by_token[word]}
            numbers = having if numbers is None else numbers & having
        return _rank(tokens, [self.entries[number] for number in numbers or ()])


def _rank(tokens: Sequence[str], entries: Iterable[Spelling]) -> list[Spelling]:
    scores = {entry: are_alike(tokens, entry.tokens) for entry in entries}
    best = max(scores.values(), default=0.0)
    near = [entry for entry, score in scores.items() if score and score >= best - MARGIN]
    return sorted(near, key=lambda entry: (-scores[entry], len(entry.text), entry.text))


@lru_cache(maxsize=2)
def known_spellings(resolver: Resolver) -> Spellings:
    """Return the names that a question may be read to."""
    known = Spellings()
    known.add("disease", _names_of_diseases(resolver))
    known.add("target", dict.fromkeys(alias for row in load_targets() for alias in row.aliases))
    known.add("drug", dict.fromkeys(name.name for name in resolver.packs[-1].all_names("starter")))
    for kind in ("modality", "route"):
        rows = [row for rows in spellings().values() for row in rows if row.kind == kind]
        known.add(kind, dict.fromkeys(row.said for row in rows))
    return known


def _names_of_diseases(resolver: Resolver) -> Iterator[str]:
    names = [name for row in load_own_diseases() for name in (row.label, *row.also)]
    names += [name for row in load_disease_words() for name in (row.said, *row.meant)]
    official = resolver.identity.all_names("disease")
    names += [name.name for name in official if name.level == OFFICIAL]
    yield from dict.fromkeys(names)
