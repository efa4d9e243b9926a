"""The quick reader of a body answers as the careful one, on every body."""

import json
import random

import pytest

from api import strict_json
from api.strict_json import MAX_DEPTH, MalformedJson, read_object
from tests.rows import over_rows


def nested(depth: int) -> bytes:
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


PLAIN = [
    b'{"returns":[{"date":"2020-05-15","stock":-1e-05,"market":0.00012345678901234567}]}',
    b'{"a":{"b":1},"c":[{"b":1},{"b":2}],"d":":{[","e":true,"f":null,"g":[]}',
    nested(MAX_DEPTH),
    b"{}",
]
REFUSED = [
    b'{"a":1,"a":2}',
    b'{"a":[{"b":{"c":1,"c":1}}]}',
    nested(MAX_DEPTH + 1),
    b'{"a":NaN}',
    b'{"a":-Infinity,"b":1,"b":2}',
    b'{"a":1e999}',
    b'{"a":1E+400}',
    b'{"a":' + b"9" * 400 + b".0}",
    b'{"a":123456789012345678901}',
    b'{"a":-12345678901234567890}',
    b'{"a":"\\ud800"}',
    b'{"a":"\\u0000"}',
    b'{"a":"\x00"}',
    b'{"a":1}{}',
    b'{"a":1,}',
    b"[1]",
    b'"a"',
]


def careful(body: bytes) -> object:
    return strict_json._read_careful(body, strict_json._decode(body))


def answer(read: object, body: bytes) -> tuple[str, str]:
    assert callable(read)
    try:
        return "read", json.dumps(read(body))
    except MalformedJson as failure:
        return "refused", str(failure)


@pytest.mark.parametrize("body", PLAIN)
def test_rows_need_no_second_look(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = careful(body)
    monkeypatch.setattr(strict_json, "_read_careful", lambda *_: pytest.fail("looked twice"))
    assert read_object(body) == expected


@over_rows("body", REFUSED)
def test_what_is_refused_is_refused_in_the_same_words(body: bytes) -> None:
    with pytest.raises(MalformedJson) as refused:
        careful(body)
    assert answer(read_object, body) == ("refused", str(refused.value))


def test_both_readers_agree_on_bodies_with_drawn_faults() -> None:
    draw = random.Random(20261124)
    n_read = 0
    for _ in range(4000):
        body = bytearray(draw.choice(PLAIN + REFUSED))
        for _ in range(draw.randint(0, 3)):
            place = draw.randrange(len(body) + 1)
            sign = bytes([draw.choice(b'{}[]":,\\ 12eE+-.aN\x00')])
            body[place : place + draw.randint(0, 2)] = sign
        found = answer(read_object, bytes(body))
        assert found == answer(careful, bytes(body)), bytes(body)
        n_read += found[0] == "read"
    assert n_read > 200
