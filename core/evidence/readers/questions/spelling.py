"""Words of a question that are one or two signs away from a known one.

A word that is a name itself is never mended, nor is a short one. One clear candidate is read and
told; of several, and of what is further away, the nearest are offered.

Chinese and Japanese put no blanks between words: the longest word of the table counts at every
place. A short word of a European language counts only beside another word of that language.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache

from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.disease_phrases import PLAIN_WORDS, WORD, own_words
from core.evidence.readers.questions.parsed import Change
from core.records.evidence import MentionKind
from core.records.names import fold_name
from core.vocabulary.companies import load_companies
from core.vocabulary.diseases import load_disease_words, load_own_diseases
from core.vocabulary.foreign_words import UNSPACED, ForeignWordRow, load_foreign_words
from core.vocabulary.query_words import spellings, words_of_modalities, words_said
from core.vocabulary.targets import load_targets

LONGEST_RUN = 10
SHORT = 3
"""Letters of a word that stands for too many things by itself."""
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile("[\u3040-\u30ff]")
"""Signs that Japanese alone has."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019](?=\w))?")


def translate(text: str) -> tuple[str, list[Change]]:
    """Return a question in English, and which words were translated.

    >>> translate("靶向CLDN18.2的抗体偶联药物")[0]
    'drugs targeting CLDN18.2 的 antibody-drug conjugate'
    >>> translate("orale Medikamente gegen Psoriasis")[0]
    'oral treatment for psoriasis'
    """
    changes: list[Change] = []
    if _UNSPACED.search(text):
        text = _translate_unspaced(text, changes)
    return _translate_spaced(text, changes), changes


def _translate_unspaced(text: str, changes: list[Change]) -> str:
    words = _unspaced_words("ja" if _KANA.search(text) else "zh")
    longest: dict[str, int] = defaultdict(int)
    for word in words:
        longest[word[0]] = max(longest[word[0]], len(word))
    plain = text.casefold()
    parts: list[str] = []
    start = 0
    while start < len(text):
        lengths = range(min(longest.get(plain[start], 0), len(text) - start), 0, -1)
        length = next((x for x in lengths if plain[start : start + x] in words), 0)
        matched = text[start : start + length]
        if length and _UNSPACED.search(matched):
            meant = words[matched.casefold()]
            changes.append(Change(matched, meant, "translated"))
            parts.append(f" {meant} ")
        else:
            length = 1
            is_turn = parts and _is_turn(parts[-1][-1:], text[start])
            parts.append(f" {text[start]}" if is_turn else text[start])
        start += length
    return " ".join("".join(parts).split())


def _is_turn(before: str, sign: str) -> bool:
    """Return whether one script ends and the other begins between two signs."""
    if not before.strip() or not sign.strip():
        return False
    return bool(_UNSPACED.match(before)) != bool(_UNSPACED.match(sign))


@cache
def _unspaced_words(language: str) -> Mapping[str, str]:
    """Return the words of both languages; where they differ, one's own counts."""
    rows = [row for row in load_foreign_words() if row.language in UNSPACED]
    rows.sort(key=lambda row: row.language == language)
    return {row.said.casefold(): row.meant for row in rows}


@cache
def _spaced_words() -> Mapping[str, tuple[ForeignWordRow, ...]]:
    words: dict[str, list[ForeignWordRow]] = defaultdict(list)
    for row in load_foreign_words():
        if row.language not in UNSPACED:
            words[fold_name(row.said)].append(row)
    return {folded: tuple(rows) for folded, rows in words.items()}


def _translate_spaced(text: str, changes: list[Change]) -> str:
    runs = list(_foreign_runs(text))
    languages = {row.language for _, _, rows in runs for row in rows if _is_telling(row)}
    if not languages:
        return text
    for start, end, rows in reversed(runs):
        chosen = next((row for row in rows if row.language in languages), None)
        if chosen is not None:
            if fold_name(text[start:end]) != fold_name(chosen.meant):
                changes.append(Change(text[start:end], chosen.meant, "translated"))
            text = text[:start] + chosen.meant + text[end:]
    return text


def _foreign_runs(text: str) -> Iterator[tuple[int, int, tuple[ForeignWordRow, ...]]]:
    """Yield the words of the table in a text, the longest one at each place."""
    words = list(_WORD.finditer(text))
    first = 0
    while first < len(words):
        for last in range(min(first + LONGEST_RUN, len(words)) - 1, first - 1, -1):
            start, end = words[first].start(), words[last].end()
            rows = _spaced_words().get(fold_name(text[start:end]))
            if rows and "," not in text[start:end]:
                yield start, end, rows
                first = last
                break
        first += 1


def _is_telling(row: ForeignWordRow) -> bool:
    """Return whether a word is one of its language alone."""
    folded = fold_name(row.said)
    is_english = folded in own_words() or folded in spellings() or folded == fold_name(row.meant)
    return not is_english and len(folded) > SHORT


SHORTEST = 5
"""Letters of a word that may be corrected."""
TWO_SIGNS = 8
"""Letters from which on two signs may be wrong."""
MOST_OFFERED = 3
_KINDS: tuple[MentionKind, ...] = ("drug", "disease", "target")
Words = Mapping[tuple[str, int], frozenset[str]]


def mend(words: Iterable[str], resolver: Resolver) -> list[Change]:
    """Return what the words that were not understood may be meant as."""
    changes: list[Change] = []
    known_words = _known_words(resolver)
    for word in dict.fromkeys(word for text in words for word in text.split()):
        plain = _plain(word)
        if (
            len(plain) < SHORTEST
            or not plain.isalpha()
            or any(
                pack.lookup(kind, [fold_name(plain)])
                for kind in _KINDS
                for pack in (resolver.packs if kind == "drug" else resolver.packs[:1])
            )
        ):
            continue
        candidates = [word for word in _nearest(plain, known_words) if word != plain]
        exact = [word for word in candidates if word in own_words()]
        candidates = exact if len(exact) == 1 else candidates
        is_clear = len(candidates) == 1 and candidates[0] not in _words_of_targets()
        if is_clear:
            changes.append(Change(word, candidates[0], "mended"))
        changes += [
            Change(word, candidate, "offered")
            for candidate in candidates[:MOST_OFFERED]
            if not is_clear
        ]
    return changes


def _plain(word: str) -> str:
    return word.casefold().removesuffix("'s").removesuffix("\u2019s")


@cache
def _words_of_targets() -> frozenset[str]:
    """Return the words of names of targets, which are like too many others to mend to."""
    return frozenset(
        _plain(word)
        for row in load_targets()
        for alias in row.aliases
        for word in WORD.findall(alias)
    )


@lru_cache(maxsize=4)
def _known_words(resolver: Resolver) -> Words:
    """Return the words that a question may be mended to, by first letter and length."""
    texts = [*words_said()]
    texts += [text for row in load_disease_words() for text in (row.said, *row.meant)]
    texts += [text for row in load_own_diseases() for text in (row.label, *row.also)]
    texts += [alias for row in load_targets() for alias in row.aliases]
    texts += [name for row in load_companies() for name in (row.name, row.group)]
    texts += [all_name.name for all_name in resolver.packs[-1].all_names("starter")]
    words_by_key: dict[tuple[str, int], set[str]] = defaultdict(set)
    for text in texts:
        for word in WORD.findall(text):
            plain = _plain(word)
            is_plain = plain in PLAIN_WORDS and plain not in words_of_modalities()
            if len(plain) >= SHORTEST - 1 and plain.isalpha() and not is_plain:
                words_by_key[plain[0], len(plain)].add(plain)
    return {key: frozenset(words) for key, words in words_by_key.items()}


def _nearest(misspelled: str, known_words: Words) -> list[str]:
    """Return the known words nearest to one.

    Of two wrong signs at most one may be too many or too few: thrombolysis is no thrombosis.
    """
    most = 2 if len(misspelled) >= TWO_SIGNS else 1
    first = {misspelled[0], misspelled[1]}
    distances = {
        word: distance
        for length in range(len(misspelled) - most, len(misspelled) + most + 1)
        for letter in first
        for word in known_words.get((letter, length), ())
        if (distance := _distance(misspelled, word, most)) <= most
        and distance > abs(len(word) - len(misspelled)) - (distance == 1)
    }
    least = min(distances.values(), default=0)
    words = sorted(word for word, distance in distances.items() if distance == least)
    stems = {word.removesuffix("s") for word in words}
    return words[:1] if len(stems) == 1 else words


def _distance(word: str, other: str, most: int) -> int:
    """Return how many signs differ, a turned pair counting one; more than `most` is not counted.

    >>> _distance("caner", "cancer", 2), _distance("osimertnib", "osimertinib", 2)
    (1, 1)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, sign in enumerate(word, start=1):
        older, before, row = before, row, [index]
        for there, letter in enumerate(other, start=1):
            cost = min(before[there] + 1, row[-1] + 1, before[there - 1] + (sign != letter))
            if older and there > 1 and sign == other[there - 2] and word[index - 2] == letter:
                cost = min(cost, older[there - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
