"""What was computed of structures, kept by content, so that a second run reads it.

A structure means the same in every document, so the key is its text, with the version of all that
judges it. What is kept is a convenience: without it everything is computed anew, and the answer
is the same. Structures of uploads are never kept.

Values of many structures, half of them computed by a copy of this process on another core. RDKit
keeps Python's lock while it works, so threads gain nothing, and a fresh interpreter starts for
longer than most lists take. A copy (fork) has all imports and begins in milliseconds. It computes,
writes to a pipe and ends, without running anything else of the process it came from; it ends with
that process, and stays in its group and session. What the copy does not deliver is computed here,
so the values are the same with it and without.
"""

import ctypes
import gc
import hashlib
import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from rdkit import rdBase

FEWEST = 200
"""Texts from which a second process pays, where one takes about a millisecond."""
LEAST_PATIENCE_S = 10.0
PATIENCE = 10
"""A copy may take so many times as long as the other half took here."""
_PR_SET_PDEATHSIG = 1
_CHUNK = 1 << 20
_LOAD = Path("/proc/loadavg")


def compute_all(
    call: Callable[[str], Any], texts: Sequence[str], fewest: int = FEWEST
) -> list[Any]:
    """Return the value of each text.

    Args:
        call: Computes a value that JSON can hold; it changes nothing.
        texts: Of structures.
        fewest: Fewer texts are computed here.
    """
    theirs = texts[1::2]
    copy = _start_copy(call, theirs) if theirs and len(texts) >= fewest and may_copy() else None
    if copy is None:
        return [call(text) for text in texts]
    pid, pipe = copy
    try:
        began = time.monotonic()
        ours = [call(text) for text in texts[::2]]
        patience_s = max(LEAST_PATIENCE_S, PATIENCE * (time.monotonic() - began))
        results = _read_values(pipe, patience_s)
    finally:
        os.close(pipe)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    if len(results) != len(theirs):
        results = [call(text) for text in theirs]
    values: list[Any] = [None] * len(texts)
    values[::2], values[1::2] = ours, results
    return values


def may_copy() -> bool:
    """Return whether a copy is safe and finds a core that nothing else uses at this moment.

    A lock that another thread holds would stay locked in a copy for ever. Where all cores are at
    work, two processes need more of their time than one and end no sooner.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    return len(os.sched_getaffinity(0)) > 1 and _count_running() < (os.cpu_count() or 1)


def _count_running() -> int:
    """Return the threads of the whole machine that run or wait for a core, this one too.

    Where the kernel does not tell, they count as very many.
    """
    try:
        words = _LOAD.read_text(encoding="ascii").split()
        return int(words[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return sys.maxsize


def _start_copy(call: Callable[[str], Any], texts: Sequence[str]) -> tuple[int, int] | None:
    """Return the id of a copy that computes values, and the pipe to which it writes them.

    None where the system has no room for another process.
    """
    reading, writing = os.pipe()
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return None
    if pid:
        os.close(writing)
        return pid, reading
    try:  # in the copy: whatever happens, nothing of the caller runs on
        os.close(reading)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        gc.disable()
        with os.fdopen(writing, "w", encoding="ascii") as stream:
            stream.write(json.dumps([call(text) for text in texts]))
    finally:
        os._exit(0)


def _read_values(pipe: int, patience_s: float) -> list[Any]:
    """Return what a copy wrote; nothing where it failed or was too slow."""
    end = time.monotonic() + patience_s
    parts: list[bytes] = []
    while True:
        is_ready, _, _ = select.select([pipe], [], [], max(end - time.monotonic(), 0))
        if not is_ready:
            return []
        chunk = os.read(pipe, _CHUNK)
        if not chunk:
            break
        parts.append(chunk)
    try:
        values: list[Any] = json.loads(b"".join(parts))
    except ValueError:
        return []
    return values


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
