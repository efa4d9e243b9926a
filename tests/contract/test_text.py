"""The language of sentences in the code: `docs/glossary.md` says which words to avoid."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.contract.test_layout import ROOT, SOURCES, parsed, shown

GLOSSARY = ROOT / "docs" / "glossary.md"
FEWEST_WORDS = 4
"""A shorter text is a name, a key or a heading rather than a sentence."""
CODE = re.compile(r"\b(?:EARLY_PHASE1|PHASE[1-4]|(?!BPW_)[A-Z]{3,}(?:_[A-Z0-9]+)+)\b")
"""A value of an enumeration; settings (BPW_PORT) are named as they are."""
PATTERN = re.compile(r"[\\\t]|\(\?|\w\|\w")
"""Signs of a regular expression or of an example of a file."""


def rows_of(heading: str) -> list[list[str]]:
    """Return the rows of the glossary's table below a heading."""
    section = GLOSSARY.read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    lines = section.partition("\n## ")[0].splitlines()
    table = [line for line in lines if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


@cache
def banned() -> re.Pattern[str]:
    phrases = "|".join(re.escape(phrase) for phrase, _ in rows_of("Words to avoid"))
    return re.compile(rf"\b(?:{phrases})\b", re.IGNORECASE)


def sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string that is long enough for a sentence, docstrings apart."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_long = len(node.value.split()) >= FEWEST_WORDS
            if is_long and id(node) not in docstrings and not PATTERN.search(node.value):
                yield node.lineno, node.value


def faults(path: Path, words: re.Pattern[str]) -> list[str]:
    return [
        f"{shown(path)}:{line} {match[0]!r}"
        for line, text in sentences(parsed(path))
        for match in words.finditer(text)
    ]


def test_sentences_use_none_of_the_words_to_avoid() -> None:
    assert [fault for path in SOURCES for fault in faults(path, banned())] == []


def test_sentences_hold_no_values_of_enumerations() -> None:
    assert [fault for path in SOURCES for fault in faults(path, CODE)] == []


def test_the_checks_find_what_they_look_for() -> None:
    tree = ast.parse('"""It stands in a docstring."""\nx = f"{n} drugs rests on PHASE3 data"\n')
    (found,) = sentences(tree)
    assert found == (2, " drugs rests on PHASE3 data")
    assert banned().findall(found[1]) == ["rests on"]
    assert CODE.findall(found[1]) == ["PHASE3"]


def test_the_glossary_defines_each_term_once_in_order() -> None:
    for heading in ("Terms", "Words to avoid"):
        words = [row[0].casefold() for row in rows_of(heading)]
        assert words == sorted(set(words))
        assert all(len(row) == 2 and row[1] for row in rows_of(heading))
