"""Answers of JSON: asked for page by page, their fields read as whatever type they are."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from core.evidence.sources.live.base import SourceAnswer, count_answer
from core.evidence.sources.live.web import NoAnswer, Reply, Site, changed, unanswered
from core.records.evidence import Parsed
from core.records.sources import AnswerStatus
from core.tables.rows import SourceFile

Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """One answer as it was read.

    Attributes:
        records: What is kept of it.
        total: Hits that the source counts for the question; None where the field is missing.
        n_read: Hits that were understood; None: one a record.
        as_of: Day of the data; "" for the day of asking.
        field: Field by which the source counts, for a message.
    """

    records: Sequence[Parsed]
    total: int | None
    n_read: int | None = None
    as_of: str = ""
    field: str = "total"


@dataclass(frozen=True, slots=True)
class Asking:
    """How a source is asked.

    Attributes:
        source: Its short name.
        site: Where it is asked.
        today: Day of asking.
        noun: What its hits are, in the plural.
        size: Hits of one page.
        most: Hits of one question that are read; 0: one page.
    """

    source: str
    site: Site
    today: date
    noun: str
    size: int = 0
    most: int = 0


def ask_pages(
    asking: Asking, asked: str, questions: Sequence[Callable[[int], Page]]
) -> SourceAnswer:
    """Return what a source answers to questions; a page that fails leaves those before it.

    Args:
        asking: How it is asked.
        asked: The words that are sent.
        questions: Each sends one question and reads the page that begins with a hit, from 0.
            Raise NoAnswer.
    """
    records: dict[str, Parsed] = {}
    total, n_read, n_pages, as_of = 0, 0, 0, ""
    failure: NoAnswer | None = None
    try:
        for ask in questions:
            start = 0
            while True:
                page = ask(start)
                n_hits = len(page.records) if page.n_read is None else page.n_read
                if page.total is None or not start and (page.total > 0) != (n_hits > 0):
                    raise changed(asking.source, page.field)
                asking.site.accept()
                n_pages += 1
                fresh = [each for each in page.records if each.record.id not in records]
                total += 0 if start else page.total
                as_of = max(as_of, page.as_of)
                if start and not fresh:  # the page before once more, or nothing
                    break
                n_read += n_hits
                for parsed in page.records:
                    records[parsed.record.id] = _joined(records.get(parsed.record.id), parsed)
                start += asking.size
                if start >= min(page.total, asking.most):
                    break
    except NoAnswer as problem:
        failure = problem
    if failure and not n_pages:
        return replace(unanswered(asking.source, failure), asked=asked)
    answer = count_answer(
        asking.source,
        list(records.values()),
        total=total,
        n_read=n_read,
        noun=asking.noun,
        as_of=as_of or asking.today.isoformat(),
        asked=asked,
    )
    if total and not records:
        message = f"none of the {n_read:,} {asking.noun} read is what was asked for"
        message = "; ".join(filter(None, (answer.message, message)))
        status: AnswerStatus = "answered" if answer.status == "empty" else answer.status
        answer = replace(answer, status=status, message=message)
    if failure is None:
        return answer
    message = "; ".join(filter(None, (answer.message, failure.message)))
    return replace(answer, status="partial", message=message)


def _joined(known: Parsed | None, parsed: Parsed) -> Parsed:
    """Return a record with what an earlier question found that it mentions."""
    if known is None:
        return parsed
    mentions = dict.fromkeys((*known.record.mentions, *parsed.record.mentions))
    return Parsed(replace(parsed.record, mentions=tuple(mentions)), parsed.facts)


def live_file(name: str, today: date, as_of: str = "") -> SourceFile:
    """Return what a reader of files takes an answer of today for.

    Args:
        name: Name of the file by which the same records come.
        today: Day of asking.
        as_of: Day of the data; "" for the day of asking.
    """
    day = today.isoformat()
    return SourceFile(Path(name), as_of or day, day, lambda *_: None)


def read_object(source: str, reply: Reply) -> Object:
    """Return the object of an answer. Raises NoAnswer."""
    if "json" not in reply.content_type:
        kind = reply.content_type.split(";")[0][:40] or "no type"
        raise NoAnswer("unavailable", f"{source} answered with {kind} instead of JSON")
    try:
        document = json.loads(reply.content.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        raise NoAnswer("unavailable", f"the answer of {source} is incomplete JSON") from None
    if not isinstance(document, dict):
        raise changed(source)
    return document


def inner(value: object, *path: str) -> Object:
    """Return an object inside an object; an empty one where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def objects(value: object, *path: str) -> list[Object]:
    """Return the objects of a list inside an object; a lone object counts as a list of it."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    listed = value if isinstance(value, list) else [value]
    return [entry for entry in listed if isinstance(entry, dict)]


def word(value: object, name: str) -> str:
    """Return a text of an object; "" where there is none."""
    inner_value = value.get(name) if isinstance(value, dict) else None
    return inner_value.strip() if isinstance(inner_value, str) else ""


def words(value: object, name: str) -> list[str]:
    """Return the texts of a list inside an object."""
    inner_value = value.get(name) if isinstance(value, dict) else None
    return (
        [text for text in inner_value if isinstance(text, str)]
        if isinstance(inner_value, list)
        else []
    )


def count(value: object, name: str) -> int | None:
    """Return a whole number, also one that is sent as text; None where there is none."""
    inner_value = value.get(name) if isinstance(value, dict) else None
    if isinstance(inner_value, str) and inner_value.isdecimal() and len(inner_value) < 10:  # noqa: PLR2004 - a count
        return int(inner_value)
    return (
        inner_value if isinstance(inner_value, int) and not isinstance(inner_value, bool) else None
    )


def quoted(names: list[str], joint: str = " OR ") -> str:
    """Return names as phrases of a query; what could be query language is taken out.

    >>> quoted(["K-RAS", 'x" OR *:*', "Merck & Co."])
    '"K-RAS" OR "x OR" OR "Merck Co."'
    """
    signs = ("".join(s if s.isalnum() or s in "-./" else " " for s in name) for name in names)
    cleaned = (" ".join(name.split()) for name in signs)
    return joint.join(f'"{name}"' for name in cleaned if any(map(str.isalnum, name)))
