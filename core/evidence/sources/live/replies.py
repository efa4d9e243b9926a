"""Answers of live sources as they were sent: kept for the day and with the run that got them.

An answer is a blob. The day's notes and the run name it by its digest, so that it is kept once; the
notes may forget it, the run does not. A replay reads the answers of its run and opens no
connection.
"""

import hashlib
import json
import threading
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import NotFound
from core.evidence.sources.live.web import NoAnswer, Reply
from core.ports import Blobs, Notes
from core.records.runs import Artifact

_HEADERS = ("content-type", "date", "etag", "last-modified", "link")
"""Headers that are kept: those that a reader may need."""


@dataclass
class RunReplies:
    """What live sources sent to one run, also where that was no answer.

    Attributes:
        notes: Digests of the answers by day and question; they may be forgotten.
        blobs: The answers.
        day: Day of the run, YYYY-MM-DD: an equal question is sent once a day.
        parts: Answers of the run, as parts of its result.
        stored: Digests of the answers of the run that is replayed, by name; None in a run.
        is_fresh: Whether every question is asked again; what comes is kept all the same.
    """

    notes: Notes
    blobs: Blobs
    day: str
    parts: list[Artifact] = field(default_factory=list)
    stored: Mapping[str, str] | None = None
    is_fresh: bool = False
    _times: Counter[str] = field(default_factory=Counter, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def is_replay(self) -> bool:
        """Return whether all questions are answered as in an earlier run."""
        return self.stored is not None

    def find(self, source: str, question: bytes) -> Reply | None:
        """Return the answer to a question; None where it has to be asked.

        Raises:
            NoAnswer: The run that is replayed got none.
        """
        if self.stored is not None:
            stored = _unpack(self._read(self.stored.get(self._name(source, question), "")))
            if isinstance(stored, Reply):
                return stored
            raise stored or NoAnswer("offline", f"{source}: no answer is stored with the run")
        key = self._key(source, question)
        packed = b"" if self.is_fresh else self._read(self.notes.read([key]).get(key, ""))
        outcome = _unpack(packed)
        if not isinstance(outcome, Reply):
            return None
        self._add(source, question, packed)
        return outcome

    def add(self, source: str, question: bytes, outcome: Reply | NoAnswer) -> str:
        """Add to the run what a question came to, and return the digest of its blob."""
        return self._add(source, question, _pack(question, outcome))

    def keep(self, source: str, question: bytes, digest: str) -> None:
        """Keep an answer of the run for the day: its reader understood it."""
        self.notes.write({self._key(source, question): digest})

    def _add(self, source: str, question: bytes, packed: bytes) -> str:
        blob = self.blobs.put(packed)
        part = {"name": self._name(source, question), "media_type": "application/zlib"}
        self.parts.append(Artifact(kind="reply", **part, **blob.model_dump()))
        return blob.sha256

    def _name(self, source: str, question: bytes) -> str:
        """Return the name of an answer: its source, the question, how often that was asked."""
        name = f"{source} {hashlib.blake2b(question, digest_size=16).hexdigest()}"
        with self._lock:
            self._times[name] += 1
            return f"{name} {self._times[name]}"

    def _key(self, source: str, question: bytes) -> bytes:
        named = f"{self.day} {source} ".encode() + question
        return hashlib.blake2b(named, digest_size=16).digest()

    def _read(self, sha256: str) -> bytes:
        try:
            with self.blobs.open(sha256) as content:
                return content.read()
        except (NotFound, OSError):
            return b""


def _pack(question: bytes, outcome: Reply | NoAnswer) -> bytes:
    head: dict[str, object] = {"request": question.decode("utf-8", "replace")}
    if isinstance(outcome, NoAnswer):
        names = ("status", "message", "detail", "is_too_large")
        head["failure"] = {name: getattr(outcome, name) for name in names}
        return zlib.compress(json.dumps(head).encode() + b"\n")
    headers = {name: outcome.headers[name] for name in _HEADERS if name in outcome.headers}
    head |= {"status": outcome.status, "content_type": outcome.content_type, "headers": headers}
    return zlib.compress(json.dumps(head).encode() + b"\n" + outcome.content)


def _unpack(packed: bytes) -> Reply | NoAnswer | None:
    """Return what was packed; None where there is nothing, or it is damaged."""
    try:
        line, _, content = zlib.decompress(packed).partition(b"\n")
        head = json.loads(line)
        if failure := head.get("failure"):
            return NoAnswer(**failure)
        return Reply(head["status"], content, head["content_type"], head["headers"])
    except (ValueError, TypeError, KeyError, zlib.error):
        return None
