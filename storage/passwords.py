"""Passwords: what a new one must be, and bcrypt hashes of it."""

from functools import lru_cache

import bcrypt

from core.errors import InvalidInput

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD_BYTES = 72
_FEWEST_SIGNS = 4


def check_new_password(name: str, password: str) -> None:
    """Refuse a password that is too short, too long, too simple or the account's name.

    Raises:
        InvalidInput: `weak_password` or `password_too_long`.
    """
    if len(password.encode("utf-8", "replace")) > LONGEST_PASSWORD_BYTES:
        raise InvalidInput(
            f"the password is longer than {LONGEST_PASSWORD_BYTES} bytes; choose a shorter one",
            field="password",
            code="password_too_long",
        )
    is_simple = len(set(password)) < _FEWEST_SIGNS or password.lower() == name
    if len(password) < SHORTEST_PASSWORD or is_simple or not password.isprintable():
        raise InvalidInput(
            f"a password has at least {SHORTEST_PASSWORD} printable characters, at least "
            f"{_FEWEST_SIGNS} different ones, and is not the account's name",
            field="password",
            code="weak_password",
        )


def hash_password(password: str, rounds: int) -> str:
    """Return the bcrypt hash of a password.

    Args:
        password: At most 72 bytes in UTF-8.
        rounds: Logarithm of the work.
    """
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(rounds)).decode()


@lru_cache(maxsize=2)
def decoy(rounds: int) -> str:
    """Return a hash that no password fits, so that unknown names cost the same time."""
    return bcrypt.hashpw(bcrypt.gensalt(4), bcrypt.gensalt(rounds)).decode()


def matches(password: str, hashed: str) -> bool:
    """Compare; a password over bcrypt's length costs the same time and never fits."""
    given = password.encode("utf-8", "replace")
    is_equal = bcrypt.checkpw(given[:LONGEST_PASSWORD_BYTES], hashed.encode())
    return is_equal and len(given) <= LONGEST_PASSWORD_BYTES
