"""Reading query parameters strictly."""

from collections.abc import Sequence

from fastapi import Request as HttpRequest

from core.errors import InvalidInput
from core.workbench import current

MOST_ROWS = 10**9
_MOST_DIGITS = 12


def read_number(request: HttpRequest, name: str, default: int, low: int, high: int) -> int:
    """Return a whole number within its bounds.

    Raises:
        InvalidInput: It is no whole number, or out of bounds.
    """
    text = request.query_params.get(name)
    if text is None:
        return default
    is_whole = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    if not is_whole or not low <= int(text) <= high:
        raise InvalidInput(
            f"{name} must be a whole number from {low} to {high}",
            field=name,
            code="value_out_of_range",
        )
    return int(text)


def read_choice(request: HttpRequest, name: str, words: Sequence[str], default: str) -> str:
    """Return one of the allowed words.

    Raises:
        InvalidInput: Another word.
    """
    text = request.query_params.get(name, default)
    if text not in words:
        raise InvalidInput(
            f"{name} must be one of {', '.join(words)}", field=name, code="value_not_allowed"
        )
    return text


def root_of(request: HttpRequest) -> str:
    """Return the address of the instance, for links: as people reach it, else as it was called."""
    root = current().settings.public_url or str(request.base_url).removesuffix("v1/")
    return root.rstrip("/")
