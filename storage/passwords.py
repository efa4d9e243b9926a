"""Passwords: what a new one must be, and bcrypt hashes of it.

Length and how soon a guesser would come to it count (OWASP ASVS 2.1), not which kinds of signs
it has: `Password12345!` has all of them and is among the first tried.
"""

from functools import lru_cache

import bcrypt

from core.errors import InvalidInput

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD_BYTES = 72
FEWEST_GUESSES = 10**8
"""Guesses that a password stands at least, by the lists and patterns of zxcvbn (its score 3)."""


def check_new_password(name: str, password: str) -> None:
    """Refuse a password that is too short, too long, common, or made of the account's name.

    Raises:
        InvalidInput: `weak_password` or `password_too_long`.

    References:
        Wheeler 2016, zxcvbn: low-budget password strength estimation, USENIX Security.
    """
    if len(password.encode("utf-8", "replace")) > LONGEST_PASSWORD_BYTES:
        raise InvalidInput(
            f"the password is longer than {LONGEST_PASSWORD_BYTES} bytes; choose a shorter one",
            field="password",
            code="password_too_long",
        )
    if len(password) < SHORTEST_PASSWORD or not password.isprintable():
        raise InvalidInput(
            f"a password has at least {SHORTEST_PASSWORD} printable characters",
            field="password",
            code="weak_password",
        )
    if password != password.strip():
        raise InvalidInput(
            "a password does not begin or end with a blank; leave it out",
            field="password",
            code="weak_password",
        )
    if guesses_of(password, name) < FEWEST_GUESSES:
        raise InvalidInput(
            "this password is among those that are guessed first (common words, names, dates, "
            "rows of keys, repetitions); choose another, for example four words that nobody "
            "would put together",
            field="password",
            code="weak_password",
        )


def guesses_of(password: str, name: str) -> float:
    """Return after about how many guesses somebody who knows the account comes to a password."""
    from zxcvbn import zxcvbn  # its lists take a tenth of a second to read

    return float(zxcvbn(password, user_inputs=[name, "biopharma", "workbench"])["guesses"])


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


def matches_typed(password: str, hashed: str) -> bool:
    """Compare what a person typed; blanks around it do not matter."""
    bare = password.strip()
    return matches(password, hashed) or (bare != password and matches(bare, hashed))


def matches(password: str, hashed: str) -> bool:
    """Compare; a password over bcrypt's length costs the same time and never fits."""
    given = password.encode("utf-8", "replace")
    is_equal = bcrypt.checkpw(given[:LONGEST_PASSWORD_BYTES], hashed.encode())
    return is_equal and len(given) <= LONGEST_PASSWORD_BYTES
