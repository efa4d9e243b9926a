"""Reading JSON strictly: what stock parsers let through is refused with one clear sentence.

Refused: another encoding than UTF-8 without a mark, NaN and Infinity, numbers beyond double
precision, integers of more than 20 digits, duplicate keys, NUL and lone surrogates, nesting
deeper than 32 (checked before parsing), anything but an object at the top.
"""

import json
import math
import re
from typing import Any

from core.errors import InvalidInput
from core.records.wire import JsonObject

MAX_DEPTH = 32
_MAX_DIGITS = 20
_BRACKETS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_ONE_DIGIT = bytes.maketrans(b"123456789E", b"000000000e")
_LARGE = (b"0" * 21, b"-" + b"0" * 20, b"0e000", b"0e+000")
"""What a number that may be too large holds, once all its digits are 0."""
_NO_FORM = bytes(set(range(256)) - set(b'[]{}":'))
"""All signs but those that tell where texts, objects and lists begin and end."""
_ALIKE = bytes.maketrans(b"[]", b"{}")


class MalformedJson(InvalidInput):
    """The body is no JSON that this service reads."""

    code = "malformed_json"


def read_object(body: bytes) -> JsonObject:
    """Return the JSON object in a request body.

    Args:
        body: The bytes as they came in.

    Raises:
        MalformedJson: Says what is wrong and what to send instead.
    """
    text = _decode(body)
    value = _read_plain(body, text)
    return _read_careful(body, text) if value is None else value


def _read_plain(body: bytes, text: str) -> JsonObject | None:
    """Return an object that plainly holds nothing of what is refused; None where one must look.

    Rows by the thousand are numbers and short texts: the stock parser reads them several times as
    fast as one that is called back for each, and a few counts tell whether it is enough.
    """
    digits = body.translate(_ONE_DIGIT)
    if b"\\" in body or b"\x00" in body or any(literal in digits for literal in _LARGE):
        return None
    form = b"".join(body.translate(_ALIKE, _NO_FORM).split(b'"')[::2])  # without its texts
    n_keys, remainder = form.count(b":"), form.replace(b":", b"")
    for _ in range(MAX_DEPTH):  # each time one level goes, the innermost
        remainder = remainder.replace(b"{}", b"")
    if remainder:
        return None
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError, MalformedJson):
        return None  # the careful reader says what is wrong
    return value if isinstance(value, dict) and _count_keys(value) == n_keys else None


def _count_keys(value: JsonObject) -> int:
    """Return the number of keys inside an object; fewer than were written where one came twice."""
    n_keys = 0
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if type(item) is dict:
            n_keys += len(item)
            item = item.values()
        for child in item:
            if type(child) is dict or type(child) is list:
                waiting.append(child)
    return n_keys


def _read_careful(body: bytes, text: str) -> JsonObject:
    """Return the object, checked sign by sign, or say what is refused."""
    _check_depth(body)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_read_pairs,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
            parse_int=_read_int,
        )
    except json.JSONDecodeError as failure:
        raise MalformedJson(
            f"the body is not valid JSON: {failure.msg} at line {failure.lineno}, column "
            f"{failure.colno}"
        ) from None
    except RecursionError:
        raise MalformedJson(f"the body is nested deeper than {MAX_DEPTH} levels") from None
    if not isinstance(value, dict):
        raise MalformedJson("the body must be one JSON object, written in braces")
    if b"\\u" in body or b"\x00" in body:
        _check_strings(value)
    return value


def _decode(body: bytes) -> str:
    if not body.strip():
        raise MalformedJson("the body is empty; send one JSON object")
    if body.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise MalformedJson("the body begins with a byte order mark; send plain UTF-8")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as failure:
        raise MalformedJson(f"the body is not UTF-8 (byte {failure.start})") from None


def _check_depth(body: bytes) -> None:
    depth = 0
    for match in _BRACKETS.finditer(body):
        token = match.group()
        if token in (b"{", b"["):
            depth += 1
            if depth > MAX_DEPTH:
                raise MalformedJson(f"the body is nested deeper than {MAX_DEPTH} levels")
        elif token in (b"}", b"]"):
            depth -= 1


def _read_pairs(pairs: list[tuple[str, Any]]) -> JsonObject:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise MalformedJson(f"the key {name[:64]!r} stands twice in one object")
            seen.add(name)
    return fields


def _refuse_constant(name: str) -> float:
    raise MalformedJson(f"{name} is not a JSON number; leave the field out or send null")


def _read_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise MalformedJson("a number is too large for double precision")
    return value


def _read_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise MalformedJson(f"a whole number has more than {_MAX_DIGITS} digits")
    return int(text)


def _check_strings(value: object) -> None:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            _check_string(item)
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _check_string(text: str) -> None:
    if "\x00" in text:
        raise MalformedJson("a text holds the character NUL; remove it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise MalformedJson(
            "a text holds half of a surrogate pair; send whole characters"
        ) from None
