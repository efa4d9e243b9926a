"""Tables are found wherever the fields of a result can hold one, and nowhere else is looked."""

from collections.abc import Mapping

import pandas as pd
import pytest

from core.records.table import Table, find_tables
from core.records.wire import Answer


class Row(Answer):
    number: float


class Rows(Table):
    row_model = Row


class Leaf(Answer):
    name: str
    unread: float = 1.0


class Part(Answer):
    rows: Rows
    leaves: list[Leaf]


class Whole(Answer):
    first: Rows | None
    parts: list[Part]
    by_name: Mapping[str, Part]
    leaves: list[Leaf]


def table(name: str) -> Rows:
    return Rows(name, pd.DataFrame({"number": [1.0]}))


def part(name: str) -> Part:
    return Part(rows=table(name), leaves=[])


def test_tables_come_in_the_order_of_fields_from_every_depth() -> None:
    leaves = [Leaf(name="a")]
    whole = Whole(first=table("one"), parts=[part("two")], by_name={"x": part("three")}, leaves=[])
    assert [one.name for one in find_tables(whole)] == ["one", "two", "three"]
    none = Whole(first=None, parts=[], by_name={}, leaves=leaves)
    assert list(find_tables([none, leaves])) == []


def test_records_that_cannot_hold_a_table_are_not_gone_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def note(self: Leaf, name: str) -> object:
        seen.append(name)
        return object.__getattribute__(self, name)

    whole = Whole(first=None, parts=[], by_name={}, leaves=[Leaf(name="a")])
    monkeypatch.setattr(Leaf, "__getattribute__", note)
    assert list(find_tables(whole)) == []
    assert "unread" not in seen
