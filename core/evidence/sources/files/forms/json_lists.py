"""Files of JSON objects: one a line, one list, or a list that is too large to read at once."""

import json
import re
from collections.abc import Iterator
from io import TextIOBase
from typing import Any

from core.tables.bounds import BROKEN, LARGEST_MEMBER
from core.tables.rows import LONGEST_ROW, SourceFile, is_intact, open_text, read_lines

PORTION = 1_000_000
_LISTS = ("studies", "results", "events", "data")
_BLANK = re.compile(r"[\s,\[]*")


class ListReader:
    """Reads the objects of one list one by one.

    A damaged entry costs itself alone where the next one is recognized by how it begins.
    """

    def __init__(self, source: SourceFile, beginning: re.Pattern[str]) -> None:
        """Keep the file.

        Args:
            source: The file: a JSON list of objects, or one object.
            beginning: How each object begins, to go on after a damaged one.
        """
        self._source = source
        self._beginning = beginning
        self._decoder = json.JSONDecoder()
        self._held = ""
        self._is_read = False

    def read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each object with its number in the list, from 1; report what is damaged."""
        number = 0
        with open_text(self._source.path) as text:
            while self._reach_entry(text):
                number += 1
                entry = self._next_entry(text)
                if isinstance(entry, dict):
                    yield number, entry
                else:
                    self._source.report(number, str(entry))

    def _reach_entry(self, text: TextIOBase) -> bool:
        """Drop what stands between entries; return whether one follows."""
        while True:
            match = _BLANK.match(self._held)
            self._held = self._held[match.end() :] if match else self._held
            if self._held or self._is_read:
                return bool(self._held) and not self._held.startswith("]")
            self._load(text)

    def _next_entry(self, text: TextIOBase) -> dict[str, Any] | str:
        """Return the next entry, or why it cannot be read."""
        while True:
            try:
                entry, end = self._decoder.raw_decode(self._held)
            except (ValueError, RecursionError):
                if self._is_damaged(text):
                    return "no JSON object"
                continue
            entry_text, self._held = self._held[:end], self._held[end:]
            if not is_intact(entry_text):
                return "not UTF-8"
            return entry if isinstance(entry, dict) else "entry is no JSON object"

    def _is_damaged(self, text: TextIOBase) -> bool:
        """Go past an entry that no further reading would mend; False where more was read."""
        following = self._beginning.search(self._held, 1)
        if following:
            self._held = self._held[following.start() :]
            return True
        if self._is_read or len(self._held) > LONGEST_ROW:
            self._held, self._is_read = "", True
            return True
        self._load(text)
        return False

    def _load(self, text: TextIOBase) -> None:
        """Read as much again as is held, so that a long entry is not read over and over."""
        try:
            portion = text.read(max(PORTION, len(self._held)))
        except BROKEN:
            portion = ""
        self._is_read = not portion
        self._held += portion


def read_objects(source: SourceFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield JSON objects, one a line; or those of a JSON document with a list of them."""
    if not source.path.name.removesuffix(".gz").endswith((".ndjson", ".jsonl")):
        yield from _read_document(source)
        return
    for number, line in read_lines(source):
        parsed_line = _parse_object(line)
        if isinstance(parsed_line, dict) and is_intact(line):
            yield number, parsed_line
        else:
            source.report(number, "no JSON object" if is_intact(line) else "not UTF-8")


def _parse_object(line: str) -> object:
    if len(line) > LONGEST_ROW:
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def read_document(source: SourceFile) -> dict[str, Any]:
    """Return the one JSON object of a file; an empty one, reported, where it is none."""
    document = _load(source)
    if document is not None and not isinstance(document, dict):
        source.report(1, "no JSON object")
    return document if isinstance(document, dict) else {}


def _load(source: SourceFile) -> object:
    """Return the JSON document of a file; None, reported, where it is none."""
    with open_text(source.path, largest=LARGEST_MEMBER) as text:
        try:
            document: object = json.load(text)
        except (ValueError, RecursionError, *BROKEN) as damage:
            source.report(getattr(damage, "lineno", 1), "no JSON document")
            return None
    return document


def _read_document(source: SourceFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON list, of one list inside an object, or the one object."""
    document = _load(source)
    if document is None:
        return
    entries = document
    if isinstance(document, dict):
        lists = [document[name] for name in _LISTS if name in document]
        entries = lists[0] if lists else [document]
    for number, entry in enumerate(entries if isinstance(entries, list) else [], start=1):
        if isinstance(entry, dict):
            yield number, entry
        else:
            source.report(number, "entry is no JSON object")
