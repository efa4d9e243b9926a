"""What was computed of structures, kept by content, so that a second run reads it.

A structure means the same in every document, so the key is its text, with the version of all that
judges it. What is kept is a convenience: without it everything is computed anew, and the answer
is the same. Structures of uploads are never kept.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from rdkit import rdBase

from core.chemistry.sharing import FEWEST, compute_all


class Notes(Protocol):
    """Keeps short texts by key; it may forget."""

    def read(self, keys: Collection[bytes]) -> Mapping[bytes, str]:
        """Return what is kept of keys."""
        ...

    def write(self, values: Mapping[bytes, str]) -> None:
        """Keep texts by key."""
        ...


class Notebook:
    """Values by kind and text."""

    def __init__(self, notes: Notes | None = None, version: str = "") -> None:
        """Keep nothing without notes.

        Args:
            notes: Where values lie.
            version: Digest of the code and tables by which structures are judged.
        """
        self._notes = notes
        self._version = f"{rdBase.rdkitVersion}/{version}"

    def compute(
        self, kind: str, texts: Iterable[str], call: Callable[[str], Any], fewest: int = FEWEST
    ) -> dict[str, Any]:
        """Return a value for each text: kept, or computed and then kept; None is not kept.

        Args:
            kind: What the values are.
            texts: Of structures.
            call: Computes a value that JSON can hold.
            fewest: Texts from which half are computed in a second process.
        """
        distinct = list(dict.fromkeys(texts))
        known_values = self._read(kind, distinct)
        left = [text for text in distinct if text not in known_values]
        fresh = dict(zip(left, compute_all(call, left, fewest), strict=True))
        if self._notes is not None and fresh:
            self._notes.write(
                {
                    self._key(kind, text): json.dumps(value, separators=(",", ":"))
                    for text, value in fresh.items()
                    if value is not None
                }
            )
        return {
            text: known_values[text] if text in known_values else fresh[text] for text in distinct
        }

    def _read(self, kind: str, texts: Sequence[str]) -> dict[str, Any]:
        if self._notes is None or not texts:
            return {}
        keys = {self._key(kind, text): text for text in texts}
        try:
            kept_notes = self._notes.read(list(keys))
            return {keys[key]: json.loads(value) for key, value in kept_notes.items()}
        except ValueError:
            return {}

    def _key(self, kind: str, text: str) -> bytes:
        content = f"{kind}\0{self._version}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=16).digest()
