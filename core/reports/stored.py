"""The report of an answer that an earlier release stored: its content without the present layout.

The answer is read as plain JSON, so it opens whatever has become of the agent's records since.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.reports.document import (
    About,
    Block,
    Bullets,
    Document,
    Front,
    Grid,
    Heading,
    Paragraph,
    SourceLine,
    Sources,
    TableReader,
)

NOTICE = (
    "Stored by an earlier release: shown as it was stored, without charts. Run it again for the "
    "current layout and rules."
)
MOST_ROWS = 200
_LONGEST_CELL = 300
_LONGEST_DETAIL = 100
_MOST_LINES = 60
_MOST_COLUMNS = 12
_MOST_SENTENCES = 3
_Cell = str | float | int | None
_APART = frozenset(
    {"cached", "run_id", "run_uuid", "query_id", "status", "model", "usage", "narrative"}
    | {"input_tokens", "output_tokens", "total_tokens", "generated_at"}
    | {"warnings", "sources", "source_table"}
)
"""Fields that the head, the appendix or the list of sources shows, or that say nothing alone."""
_SUMMARIES = ("summary", "executive_summary", "findings", "memo")


def compose_stored(view: Mapping[str, Any], tables: TableReader, about: About) -> Document:
    """Compose a report from a stored answer, whichever release stored it.

    Args:
        view: The answer as it was stored.
        tables: The run's tables.
        about: What the document says of the run.
    """
    blocks: list[Block] = []
    shown = {name: value for name, value in view.items() if name not in _APART}
    details = {name: value for name, value in shown.items() if _is_detail(value)}
    for name, value in (*shown.items(), ("details", details)):
        if name not in details and value not in (None, "", [], {}):
            caption = f"{_humanize(name)}, as stored"
            blocks += [Heading(_humanize(name)), *_compose_value(caption, value)]
    for name in tables.names():
        frame = tables.read(name)
        rows = frame.head(MOST_ROWS).astype(object).where(lambda cells: cells.notna(), None)
        grid = Grid(
            columns=tuple(map(str, frame.columns)),
            rows=_align([list(map(_as_cell, row)) for row in rows.itertuples(index=False)]),
            caption=_humanize(name),
            total=len(frame),
            most=20,
        )
        blocks += [Heading(f"Table: {_humanize(name)}"), grid]
    sources = tuple(_read_sources(view.get("sources") or ()))
    return Document(
        title=about.label,
        subtitle=about.agent_title,
        about=about,
        blocks=(*_name_apart(blocks), *([Sources(sources)] if sources else [])),
        warnings=(NOTICE, *map(str, view.get("warnings") or ())),
        front=Front(sentences=tuple(_find_sentences(view))[:_MOST_SENTENCES]),
    )


def _name_apart(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks whose tables all have different captions, by which a page tells them apart."""
    seen: Counter[str] = Counter()
    for block in blocks:
        if not isinstance(block, Grid):
            yield block
            continue
        seen[block.caption] += 1
        number = seen[block.caption]
        yield block if number == 1 else replace(block, caption=f"{block.caption} ({number})")


def _find_sentences(view: Mapping[str, Any]) -> Iterator[str]:
    for name in _SUMMARIES:
        value = view.get(name)
        texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        for sentence in texts:
            text = sentence.get("text") if isinstance(sentence, dict) else sentence
            if isinstance(text, str) and text:
                yield text


def _is_detail(value: Any) -> bool:
    """Return whether a value is a word or number that needs no heading of its own."""
    is_short = isinstance(value, str) and len(value) <= _LONGEST_DETAIL and "\n" not in value
    return is_short or isinstance(value, int | float)


def _compose_value(name: str, value: Any) -> Iterator[Block]:
    """Yield the blocks of one field: text, a list, a table, or its parts one by one."""
    if isinstance(value, str):
        lines = [line.strip().lstrip("#-*> ") for line in value.splitlines() if line.strip()]
        if len(lines) > _MOST_LINES:
            yield Paragraph(f"A text of {len(lines)} lines; the JSON export holds it.")
        elif len(lines) > 1:
            yield Bullets(tuple(lines))
        elif lines:
            yield Paragraph(lines[0])
    elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        yield _compose_grid(name, value)
    elif isinstance(value, list):
        yield Bullets(tuple(str(_as_cell(child)) for child in value[:MOST_ROWS]))
    elif isinstance(value, dict):
        plain = {key: child for key, child in value.items() if not _is_nested(child)}
        if plain:
            rows = [[_humanize(key), _as_cell(child)] for key, child in plain.items()]
            yield Grid(("Field", "Value"), _align(rows), name)
        for key, child in value.items():
            if _is_nested(child) and child:
                yield Heading(_humanize(key), 2)
                yield from _compose_value(_humanize(key), child)
    else:
        yield Paragraph(str(_as_cell(value)))


def _compose_grid(name: str, rows: Sequence[Mapping[str, Any]]) -> Grid:
    names = dict.fromkeys(key for row in rows for key in row)
    columns = [name for name in names if any(_is_shown(row.get(name)) for row in rows)]
    columns = columns[:_MOST_COLUMNS]
    cells = [[_as_cell(row.get(key)) for key in columns] for row in rows[:MOST_ROWS]]
    return Grid(tuple(map(_humanize, columns)), _align(cells), name, total=len(rows), most=20)


def _align(rows: Sequence[Sequence[_Cell]]) -> tuple[tuple[_Cell, ...], ...]:
    """Return rows in whose columns numbers and text never stand together."""
    aligned = []
    for column in zip(*rows, strict=True):
        is_mixed = any(isinstance(cell, str) for cell in column)
        aligned.append([str(x) if is_mixed and x is not None else x for x in column])
    return tuple(zip(*aligned, strict=True))


def _is_shown(value: Any) -> bool:
    """Return whether a cell says something that fits into one; the JSON export holds the rest."""
    is_text = isinstance(value, list) and any(isinstance(x, dict) and "text" in x for x in value)
    return value not in (None, "", [], {}) and (is_text or not _is_nested(value))


def _is_nested(value: Any) -> bool:
    is_list = isinstance(value, list) and any(isinstance(child, dict | list) for child in value)
    return isinstance(value, dict) or is_list


def _as_cell(value: Any) -> _Cell:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple) and not _is_nested(value):
        text = "; ".join(map(str, value))
    elif isinstance(value, list) and all(isinstance(x, dict) and "text" in x for x in value):
        text = " ".join(str(child["text"]) for child in value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"


def _humanize(name: str) -> str:
    words = "".join(f" {sign.lower()}" if sign.isupper() else sign for sign in name)
    text = " ".join(words.replace("_", " ").split())
    return f"{text[:1].upper()}{text[1:]}"


def _read_sources(sources: Sequence[Any]) -> Iterator[SourceLine]:
    for source in sources:
        if isinstance(source, dict):
            fields = ("id", "title", "url", "source_type", "date")
            yield SourceLine(*(str(source.get(field) or "") for field in fields))
