"""Answers of live sources as they were sent: kept for the day and with the run that got them.

An answer is a blob. The day's notes and the run name it by its digest, so that it is kept once; the
notes may forget it, the run does not. A replay reads the answers of its run and opens no
connection. An answer that is no longer what was stored ends a replay, and is asked for again in a
run.
"""

import hashlib
import json
import threading
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from core.errors import ExecutionError, NotFound
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
        was_offline: Whether the run that is replayed could open no connection.
    """

    notes: Notes
    blobs: Blobs
    day: str
    parts: list[Artifact] = field(default_factory=list)
    stored: Mapping[str, str] | None = None
    is_fresh: bool = False
    was_offline: bool = False
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
            ExecutionError: `stored_answer_damaged`: it got one that is not there as it was.
        """
        if self.stored is not None:
            name = self._name(source, question)
            if name not in self.stored:
                raise NoAnswer("offline", f"{source}: no answer is stored with the run")
            stored = _unpack(read_stored(self.blobs, self.stored[name]), question)
            if stored is None:
                raise damaged_answer(name, self.stored[name])
            if isinstance(stored, NoAnswer):
                raise stored
            return stored
        key = self._key(source, question)
        digest = "" if self.is_fresh else self.notes.read([key]).get(key, "")
        packed = read_stored(self.blobs, digest)
        outcome = _unpack(packed, question)
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


def read_stored(blobs: Blobs, sha256: str) -> bytes:
    """Return the bytes that were stored; b"" where they are missing or no longer the same."""
    try:
        with blobs.open(sha256) as file:
            content = file.read()
    except (NotFound, OSError):
        return b""
    return content if hashlib.sha256(content).hexdigest() == sha256 else b""


def damaged_answer(name: str, sha256: str) -> ExecutionError:
    """Return what to raise for a stored part of a run that is missing or damaged.

    Args:
        name: Name of the part: the source, the digest of the question, how often it was asked.
        sha256: Its blob.
    """
    message = (
        f"the answer {name!r} stored with the run is missing or damaged; restore "
        f"blobs/{sha256[:2]}/{sha256} from a backup, or run the request again"
    )
    return ExecutionError(message, code="stored_answer_damaged")


class _Failure(BaseModel):
    """What a source that did not answer came to, as it is stored."""

    model_config = ConfigDict(extra="forbid", strict=True)
    status: Literal["refused", "unavailable", "not_configured", "over_budget", "offline"]
    message: str
    detail: str
    is_too_large: bool


class _Head(BaseModel):
    """First line of a stored answer; its body follows."""

    model_config = ConfigDict(extra="forbid", strict=True)
    request: str
    failure: _Failure | None = None
    status: Literal[200, 304, 404] = 200
    content_type: str = ""
    headers: dict[str, str] = {}


def _pack(question: bytes, outcome: Reply | NoAnswer) -> bytes:
    head: dict[str, object] = {"request": question.decode("utf-8", "replace")}
    if isinstance(outcome, NoAnswer):
        names = ("status", "message", "detail", "is_too_large")
        head["failure"] = {name: getattr(outcome, name) for name in names}
        return zlib.compress(json.dumps(head).encode() + b"\n")
    headers = {name: outcome.headers[name] for name in _HEADERS if name in outcome.headers}
    head |= {"status": outcome.status, "content_type": outcome.content_type, "headers": headers}
    return zlib.compress(json.dumps(head).encode() + b"\n" + outcome.content)


def _unpack(packed: bytes, question: bytes) -> Reply | NoAnswer | None:
    """Return what was packed for a question; None where there is nothing, or something else."""
    try:
        line, _, content = zlib.decompress(packed).partition(b"\n")
        head = _Head.model_validate_json(line)
    except (ValueError, zlib.error):
        return None
    if head.request != question.decode("utf-8", "replace"):
        return None
    if head.failure is not None:
        return NoAnswer(**head.failure.model_dump())
    return Reply(head.status, content, head.content_type, head.headers)
