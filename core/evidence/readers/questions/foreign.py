"""Questions in other languages, word by word in English; what no table has stays as it is.

Chinese and Japanese put no blanks between words: the longest word of the table counts at every
place. A short word of a European language counts only beside another word of that language.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

from core.evidence.readers.disease_phrases import own_words
from core.evidence.readers.questions.parsed import Change
from core.records.names import fold_name
from core.vocabulary.foreign_words import UNSPACED, ForeignWordRow, load_foreign_words
from core.vocabulary.query_words import spellings

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
