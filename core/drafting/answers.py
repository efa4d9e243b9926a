"""Answers of a model: their JSON schema, and what becomes of the text that came back."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from core.records.model import Answer, Task

LONGEST_ANSWER = 40_000
"""Characters of an answer; a longer one is refused unread."""
MOST_FAULTS = 8
_BOUNDS = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "title", "default"}
)
"""Parts of a schema that services refuse or that say nothing; our own check knows the bounds."""


class RefusedAnswer(Exception):  # noqa: N818 - what the drafter sends back once
    """An answer that is not taken, with what a model is told about it."""


@lru_cache(maxsize=64)
def make_schema(answer: type[BaseModel]) -> Mapping[str, Any]:
    """Return the JSON schema that is sent: enumerations stay, bounds are left to our own check."""
    schema: dict[str, Any] = _without_bounds(answer.model_json_schema())
    return schema


def _without_bounds(node: Any, *, is_names: bool = False) -> Any:
    """Return a part of a schema; in `properties` and `$defs` the keys are names."""
    if isinstance(node, list):
        return [_without_bounds(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_bounds(value, is_names=key in {"properties", "$defs"})
        for key, value in node.items()
        if is_names or key not in _BOUNDS
    }


def read_answer(task: Task[Answer], text: str) -> Answer:
    """Return an answer of the task's form. Raises RefusedAnswer."""
    if len(text) > LONGEST_ANSWER:
        raise RefusedAnswer("The answer is too long.")
    try:
        plain = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
        answer = task.answer.model_validate_json(json.dumps(plain))
    except ValidationError as failure:
        raise RefusedAnswer(_describe(failure)) from None
    except (ValueError, RecursionError):
        raise RefusedAnswer("The answer is not one JSON object.") from None
    if fault := task.check(answer):
        raise RefusedAnswer(fault)
    return answer


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys stand once. Raises ValueError."""
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key stands twice")
    return values


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _describe(failure: ValidationError) -> str:
    """Return what is wrong, without the values that came."""
    errors = failure.errors(include_input=False, include_url=False, include_context=False)
    lines = [
        f"{'.'.join(map(str, error['loc'])) or 'answer'}: {error['type']}"
        for error in errors[:MOST_FAULTS]
    ]
    return "The answer does not fit the schema: " + "; ".join(lines)[:1_000]
