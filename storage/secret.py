"""The instance's secret, and the keys for single purposes that derive from it."""

import base64
import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from core.settings import Settings
from storage.instants import Clock

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

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


class SealStore:
    """Texts encrypted and signed with the instance's secret (core.account_ports.Seals)."""

    def __init__(self, secret: bytes, now: Clock) -> None:
        """Keep what the seals need.

        Args:
            secret: The instance's secret.
            now: Decides whether a seal has expired.
        """
        self._secret = secret
        self._now = now

    def seal(self, purpose: str, text: str) -> str:
        """Return a text as a token that only this instance can read, for the same purpose."""
        return self._cipher(purpose).encrypt_at_time(text.encode(), self._second()).decode()

    def unseal(self, purpose: str, token: str, *, max_age_s: int | None = None) -> str | None:
        """Return the text of a token; None when it is forged, for another purpose or expired.

        Args:
            purpose: What it was sealed for.
            token: As it came back.
            max_age_s: Oldest age in seconds; None for any.
        """
        from cryptography.fernet import InvalidToken

        cipher, content = self._cipher(purpose), token.encode("utf-8", "replace")
        try:
            if max_age_s is None:
                return cipher.decrypt(content).decode()
            return cipher.decrypt_at_time(content, max_age_s, self._second()).decode()
        except InvalidToken:
            return None

    def _cipher(self, purpose: str) -> "Fernet":
        from cryptography.fernet import Fernet

        key = hmac.digest(self._secret, f"seal {purpose}".encode(), hashlib.sha256)
        return Fernet(base64.urlsafe_b64encode(key))

    def _second(self) -> int:
        return int(self._now().timestamp())
