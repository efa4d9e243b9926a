"""Free JSON of a request: of bounded depth and size, with known keys of a known type."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, JsonValue
from pydantic_core import PydanticCustomError

_DEEPEST = 8
_LONGEST = 64_000


def check_free(value: Mapping[str, JsonValue] | None) -> None:
    """Refuse free fields that are nested more than 8 deep or longer than 64 kB.

    Raises:
        PydanticCustomError: `too_deep` or `value_too_long`.
    """
    size = 0
    pending: list[tuple[JsonValue, int]] = [(dict(value or {}), 1)]
    while pending:
        node, depth = pending.pop()
        if depth > _DEEPEST:
            raise PydanticCustomError("too_deep", "free fields may be nested 8 deep at most")
        match node:
            case dict():
                size += sum(len(name) for name in node)
                pending += [(child, depth + 1) for child in node.values()]
            case list():
                pending += [(child, depth + 1) for child in node]
            case _:
                size += len(node) if isinstance(node, str) else 8
        if size > _LONGEST:
            raise PydanticCustomError("value_too_long", "free fields may hold 64 kB at most")


def _checked(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    check_free(value)
    return value


FreeObject = Annotated[dict[str, JsonValue], AfterValidator(_checked)]
"""An object of a request of which some keys are read; the others are named in a warning."""


def read_known(
    field: str, given: Mapping[str, JsonValue] | None, known_fields: Mapping[str, type]
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return the known keys of a free object that have the right type, and what is not used.

    Args:
        field: Name of the request's field.
        given: The object.
        known_fields: Keys that are read, with their types; `float` takes whole numbers, too. Texts
            and lists of texts may not be blank, numbers not be below 0.
    """
    taken: dict[str, JsonValue] = {}
    notices: list[str] = []
    for key, value in (given or {}).items():
        if key not in known_fields:
            notices.append(f"input_not_used: {field}.{key} is none of {', '.join(known_fields)}.")
        elif _fits(value, known_fields[key]):
            taken[key] = value
        else:
            notices.append(f"input_not_used: {field}.{key} {_ASKED[known_fields[key]]}.")
    return taken, notices


_ASKED: Mapping[type, str] = {
    str: "must be a text that is not blank",
    float: "must be a number of 0 or more",
    int: "must be a whole number of 0 or more",
    bool: "must be true or false",
    list: "must be a list of texts",
    dict: "must be an object",
}


def _fits(value: JsonValue, kind: type) -> bool:
    if kind is list:
        return (
            isinstance(value, list)
            and bool(value)
            and all(_fits(element, str) for element in value)
        )
    if kind is str:
        return isinstance(value, str) and bool(value.strip())
    if kind in (int, float):
        numbers = int if kind is int else int | float
        return isinstance(value, numbers) and not isinstance(value, bool) and value >= 0
    return isinstance(value, kind)
