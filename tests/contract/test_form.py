"""The checks of the contract tests find what they are there to find."""

from tests.contract.form import bare_objects, echoes, loose_citations, wrong_warnings
from tests.rows import over_rows

NAMED = {"type": "object", "properties": {"x": {"type": "number"}}, "additionalProperties": False}
ROOT = {"components": {"schemas": {"Named": NAMED}}}
REFERENCE = {"$ref": "#/components/schemas/Named"}


@over_rows(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": {}},
        {"type": "object", "additionalProperties": {"type": "object"}},
        {"type": "array"},
        {"type": "array", "items": {}},
        {"anyOf": [REFERENCE, {"type": "object"}]},
        {},
    ],
)
def test_part_that_says_nothing_of_its_inside_is_found(schema) -> None:
    outer = {"type": "object", "properties": {"part": schema, "named": REFERENCE}}
    assert [path.split(".")[0].split("[")[0] for path in bare_objects(outer, ROOT)] == ["part"]


@over_rows(
    "schema",
    [
        REFERENCE,
        {"type": "array", "items": REFERENCE},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"anyOf": [REFERENCE, {"type": "null"}]},
        {"enum": ["a", "b"]},
    ],
)
def test_part_with_named_inside_is_let_through(schema) -> None:
    assert list(bare_objects(schema, ROOT)) == []


def test_record_that_holds_itself_ends() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Tree"}}}
    root = {"components": {"schemas": {"Tree": tree}}}
    assert list(bare_objects(tree, root)) == []


def test_free_object_of_a_request_may_be_echoed() -> None:
    request = {"type": "object", "properties": {"constraints": {"type": "object"}, "n": NAMED}}
    assert echoes(request, ROOT) == {"input.constraints", "input.constraints.*"}


def source(number: str, **more: str) -> dict[str, str]:
    return {"id": number, "title": "t", **more}


@over_rows(
    ("data", "wrong"),
    [
        ({"memo": "no sources [7]"}, 0),
        ({"sources": [source("1")], "memo": "said [1]"}, 0),
        ({"sources": [source("1"), source("2")], "memo": ["both [1, 2]"]}, 0),
        ({"sources": [source("1")], "deals": [{"source_ids": ["1"]}]}, 0),
        ({"sources": [source("1", relevance="background")]}, 0),
        ({"sources": [source("1")], "memo": "said [1] and [2]"}, 1),
        ({"sources": [source("1")], "deals": [{"source_ids": ["1", "3"]}]}, 1),
        ({"sources": [source("1")], "memo": "nothing"}, 1),
        ({"sources": [source("5")], "memo": "said [5]"}, 1),
        ({"sources": [source("1"), source("1")], "memo": "said [1]"}, 1),
    ],
)
def test_loose_citations_are_counted(data, wrong: int) -> None:
    assert len(loose_citations(data)) == wrong


def test_warning_without_a_code_is_found() -> None:
    good = "rounded_counts: 3 cells had fractions."
    wrong = ["Rounded.", "rounded counts: x", "rounded_counts:x", ": x", "Rounded_counts: x"]
    assert wrong_warnings({"warnings": [good, *wrong]}) == wrong
