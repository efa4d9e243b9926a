"""Pydantic's findings as the error details of the contract.

A bad value is never echoed; the message says what would be right.
"""

import difflib
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from core.errors import InvalidInput
from core.records.failure import ErrorDetail
from core.records.wire import NOT_BLANK, JsonObject, Request

_MOST = 50
_WORDS = {
    "missing": "missing_field",
    "extra_forbidden": "unknown_field",
    "literal_error": "value_not_allowed",
    "enum": "value_not_allowed",
    "greater_than": "value_out_of_range",
    "greater_than_equal": "value_out_of_range",
    "less_than": "value_out_of_range",
    "less_than_equal": "value_out_of_range",
    "finite_number": "value_out_of_range",
    "string_too_short": "value_too_short",
    "string_too_long": "value_too_long",
    "string_pattern_mismatch": "value_malformed",
    "too_short": "too_few_items",
    "too_long": "too_many_items",
}


def read_request(model: type[Request], body: JsonObject) -> Request:
    """Return the request, or say which fields are wrong.

    Args:
        model: The agent's request model.
        body: The parsed JSON object.

    Raises:
        InvalidInput: With one detail a field.
    """
    try:
        return model.model_validate(body)
    except ValidationError as failure:
        errors = failure.errors(include_url=False, include_context=True)
        raise describe(errors, model) from None


def describe(errors: Sequence[ErrorDetails], model: type[BaseModel]) -> InvalidInput:
    """Return the error that names every field at fault."""
    details = [_detail(error, model) for error in errors[:_MOST]]
    first = details[0]
    more = f" ({len(errors) - 1} more in details)" if len(errors) > 1 else ""
    where = f"{first.field}: " if first.field else ""
    return InvalidInput(f"{where}{first.message}{more}", code=first.code, details=details)


def _detail(error: ErrorDetails, model: type[BaseModel]) -> ErrorDetail:
    context: dict[str, Any] = error.get("ctx") or {}
    word = _WORDS.get(error["type"], "wrong_type" if _is_type(error["type"]) else error["type"])
    field = context.get("field") or _path(error["loc"])
    return ErrorDetail(field=field, code=word, message=_message(error, context, model))


def _is_type(name: str) -> bool:
    return name.endswith(("_type", "_parsing", "_from_float")) or name in {"is_instance_of"}


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += ("." if path else "") + printable(step)
    return path


def printable(name: str) -> str:
    """Return a client's field name as it may be repeated: short, without control characters."""
    return "".join(char if char.isprintable() else "?" for char in name[:64])


def _message(error: ErrorDetails, context: dict[str, Any], model: type[BaseModel]) -> str:
    kind = error["type"]
    if kind == "missing":
        return "this field is required"
    if kind == "extra_forbidden":
        return _suggest(error["loc"], model)
    if context.get("pattern") == NOT_BLANK:
        return "must have at least one letter or digit"
    if kind in ("literal_error", "enum"):
        return f"must be one of {context.get('expected', '')}"
    if _is_type(kind):
        text = error["msg"].removeprefix("Input should be ")
        return f"must be {text}"
    return error["msg"].replace("Input should be", "must be").replace("Value error, ", "")


def _suggest(location: tuple[int | str, ...], model: type[BaseModel]) -> str:
    if len(location) != 1:
        return "this field is not known here; remove it"
    known_names = [field.alias or name for name, field in model.model_fields.items()]
    close_matches = difflib.get_close_matches(str(location[0]), known_names, n=1, cutoff=0.5)
    hint = (
        f"did you mean {close_matches[0]!r}?"
        if close_matches
        else f"known fields: {', '.join(known_names)}"
    )
    return f"this field is not known; {hint}"
