"""Values of structures are computed once and kept by content; damaged ones are made anew."""

from collections.abc import Collection, Mapping

from core.chemistry.keeping import Notebook


class Held:
    """Notes in memory."""

    def __init__(self) -> None:
        self.values: dict[bytes, str] = {}

    def read(self, keys: Collection[bytes]) -> Mapping[bytes, str]:
        return {key: self.values[key] for key in keys if key in self.values}

    def write(self, values: Mapping[bytes, str]) -> None:
        self.values |= values


def test_values_are_kept_by_kind_and_version_unless_damaged() -> None:
    held, asked = Held(), []

    def call(text: str) -> int:
        asked.append(text)
        return len(text)

    assert Notebook(held).compute("size", ["CC", "C", "CC"], call) == {"CC": 2, "C": 1}
    assert Notebook(held).compute("size", ["C", "CCC"], call) == {"C": 1, "CCC": 3}
    assert asked == ["CC", "C", "CCC"]
    held = Held()
    assert Notebook(held, "1").compute("size", ["CC"], len) == {"CC": 2}
    assert Notebook(held, "2").compute("size", ["CC"], lambda _: 7) == {"CC": 7}
    assert Notebook(held, "1").compute("other", ["CC"], lambda _: 8) == {"CC": 8}
    assert Notebook(held, "1").compute("size", ["CC"], lambda _: 9) == {"CC": 2}
    Notebook(held).compute("size", ["CC"], len)
    held.values = dict.fromkeys(held.values, "{")
    assert Notebook(held).compute("size", ["CC"], len) == {"CC": 2}
    assert Notebook(held).compute("size", ["CC"], lambda _: 0) == {"CC": 2}


def test_without_notes_or_a_value_nothing_is_kept() -> None:
    held = Held()
    assert Notebook(held).compute("size", ["CC"], lambda _: None) == {"CC": None}
    assert Notebook(held).compute("size", ["CC"], len) == {"CC": 2}
    assert Notebook().compute("size", ["CC", "\ud800"], len) == {"CC": 2, "\ud800": 1}
