"""The instance's secret, and the keys for single purposes that derive from it."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from core.settings import Settings

FILE_NAME = "secret_key"


def read_secret(settings: Settings) -> bytes:
    """Return the instance's secret; the first opener of the instance folder makes it.

    Args:
        settings: `secret_key` wins over the file `secret_key` of the instance folder.

    Raises:
        ValueError: The file is there but empty.
    """
    if settings.secret_key:
        return settings.secret_key.encode()
    path = settings.home / FILE_NAME
    if not path.exists():
        _create(path)
    secret = path.read_bytes().strip()
    if not secret:
        raise ValueError(f"{FILE_NAME} in the instance folder is empty; restore it from a backup")
    return secret


def _create(path: Path) -> None:
    """Write a random secret that only this account may read; the first of two writers wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{FILE_NAME}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        draft.unlink(missing_ok=True)


class Pepper:
    """A key for one purpose, derived from the instance's secret."""

    def __init__(self, secret: bytes, purpose: str) -> None:
        """Derive the key.

        Args:
            secret: The instance's secret.
            purpose: One word; keys of different purposes are unrelated.
        """
        self._key = hmac.digest(secret, purpose.encode(), hashlib.sha256)

    def digest(self, value: str) -> str:
        """Return the keyed hash of a secret value as 64 hexadecimal digits."""
        return hmac.digest(self._key, value.encode("utf-8", "replace"), hashlib.sha256).hex()
