"""Asks a model within what a run may spend; whatever goes wrong, the answer by rules stands."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict

from core.drafting.answers import RefusedAnswer, make_schema, read_answer
from core.drafting.ledger import Budget
from core.drafting.marking import write_prompt
from core.errors import StorageFull, StorageUnavailable
from core.evidence.sources.live.replies import RunReplies
from core.evidence.sources.live.web import NoAnswer
from core.evidence.sources.live.web import Reply as SiteReply
from core.model_ports import LanguageModel, NoReply
from core.ports import Notes
from core.records.model import Answer, Family, Prompt, Reply, Spend, Task, TaskName, Turn

FORMAT = "1"
"""Changes when a prompt means something else, so that no stored answer to an older one is used."""
PART = "model"
"""Name of the parts of a run that hold what a model was asked and what it chose."""
DEFAULT_FAMILY: Family = "sonnet"
BY_RULES = "this answer is composed by rules"
SHORTEST_WAIT_S = 0.5
_PROBED = "follows schemas"
WarningCode = Literal["model_unavailable", "model_answer_refused", "model_budget_spent"]


class _Word(BaseModel):
    """The answer of the probe."""

    model_config = ConfigDict(extra="forbid")
    word: Literal["cedar"]


PROBE = Task("read", "Answer with any word you like.", "Name a tree: oak.", _Word, 60)
"""A model that follows the schema can only answer with the word that nobody named."""


class _Stored(BaseModel):
    """What a task came to, as the run stores it."""

    model_config = ConfigDict(extra="forbid", strict=True)
    answer: str
    provider: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int


class _NotTaken(Exception):  # noqa: N818 - ends a task, never leaves this module
    """Why a task ends without an answer."""

    def __init__(self, code: WarningCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass
class Drafter:
    """What an agent may ask of a model during its run.

    Attributes:
        open_model: Returns the model of a family; it is opened at the first question.
        budget: What the run may spend.
        tasks: Tasks that this instance allows.
        notes: Answers to equal tasks of earlier runs; None keeps none.
        replies: Where the run stores what was asked and chosen; None stores nothing.
        sleep: Waits.
        family: The model that the request asks for.
        used: Tasks whose answers changed something.
        warnings: What a reader must know, one sentence each.
    """

    open_model: Callable[[Family], LanguageModel]
    budget: Budget
    tasks: frozenset[TaskName]
    notes: Notes | None = None
    replies: RunReplies | None = None
    sleep: Callable[[float], None] = time.sleep
    family: Family = DEFAULT_FAMILY
    used: list[TaskName] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _models: dict[Family, LanguageModel] = field(default_factory=dict, init=False)
    _answers: dict[bytes, BaseModel | None] = field(default_factory=dict, init=False)
    _replayed: Spend = field(default=Spend(), init=False)
    author: tuple[str, str] = field(default=("", ""), init=False)
    """Provider and model of the last answer that was taken."""

    @property
    def spend(self) -> Spend:
        """Return what the run used; a replay returns what the run had used."""
        return self._replayed if self._is_replay else self.budget.spend

    @property
    def model(self) -> LanguageModel:
        """Return the model of the family asked for."""
        if self.family not in self._models:
            self._models[self.family] = self.open_model(self.family)
        return self._models[self.family]

    @property
    def _is_replay(self) -> bool:
        return self.replies is not None and self.replies.is_replay

    def note_use(self, task: TaskName) -> None:
        """Note that an answer changed what is shown."""
        if task not in self.used:
            self.used.append(task)

    def ask(self, task: Task[Answer]) -> Answer | None:
        """Return a model's answer; None where the rules' own answer stands.

        Nothing is raised: what went wrong is among the warnings.
        """
        if task.name not in self.tasks:
            return None
        schema = make_schema(task.answer)
        question = self._question(task, schema)
        if question not in self._answers:
            self._answers[question] = self._ask(task, schema, question)
        return cast("Answer | None", self._answers[question])

    def search(self, question: bytes, searcher: LanguageModel | None, prompt: Prompt) -> Reply:
        """Search the web through a model's provider, within what the run may spend.

        Args:
            question: What tells this search from others of the run.
            searcher: Who searches; a replay needs nobody, and only counts what the run spent.
            prompt: What to search for.

        Raises:
            NoReply: There is no answer, or none can be paid for.
        """
        if self._is_replay or searcher is None:
            self._find_stored(question)
            return Reply("answered")
        before = self.budget.spend
        try:
            if self.budget.is_spent(prompt):
                raise NoReply("rejected", "this month's model budget is used up")
            if reason := self.budget.refuse(searcher, prompt):
                raise NoReply("rejected", reason)
            return self.budget.send(searcher, prompt, "search")
        except (StorageFull, StorageUnavailable):
            raise NoReply("rejected", "the ledger of its calls cannot be written") from None
        finally:
            self._store(question, "search", before)

    def _question(self, task: Task[Any], schema: Mapping[str, Any]) -> bytes:
        """Return what makes two tasks equal, as the run stores it; a model of its own answers."""
        asked = [FORMAT, self.family, task.name, task.system, task.evidence, schema]
        return json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace")

    def _ask(self, task: Task[Answer], schema: Mapping[str, Any], question: bytes) -> Answer | None:
        if self._is_replay:
            return self._replay(task, question)
        before = self.budget.spend
        key = self._key("answer", question)
        try:
            answer = self._find(task, key)
            if answer is None:
                answer = self._converse(task, schema)
        except _NotTaken as end:
            self._warn(end.code, end.message)
            self._store(question, f"{end.code}: {end.message}", before)
            return None
        text = answer.model_dump_json()
        if self.notes is not None:
            self.notes.write({key: text})
        self._store(question, text, before)
        self.author = (self.model.provider, self.model.name)
        return answer

    def _key(self, kind: str, question: bytes) -> bytes:
        """Return the key of what this model answered to a question."""
        named = f"{kind} {FORMAT} {self.model.provider} {self.model.name} ".encode()
        return hashlib.blake2b(named + question, digest_size=16).digest()

    def _find(self, task: Task[Answer], key: bytes) -> Answer | None:
        """Return the stored answer to an equal task."""
        text = self.notes.read([key]).get(key, "") if self.notes is not None else ""
        try:
            return read_answer(task, text) if text else None
        except RefusedAnswer:
            return None

    def _converse(self, task: Task[Answer], schema: Mapping[str, Any]) -> Answer:
        """Ask, and once again with what was wrong. Raises _NotTaken."""
        prompt = write_prompt(task, schema)
        if self.model.needs_probe:
            self._probe()
        reply = self._send(prompt, task.name)
        try:
            return read_answer(task, reply.text)
        except RefusedAnswer as fault:
            turns = (Turn("assistant", reply.text or "{}"), Turn("user", f"{fault} Answer again."))
            repaired = replace(prompt, turns=(*prompt.turns, *turns))
        try:
            return read_answer(task, self._send(repaired, task.name).text)
        except RefusedAnswer:
            message = f"2 answers did not fit what was asked; {BY_RULES}"
            raise _NotTaken("model_answer_refused", message) from None

    def _probe(self) -> None:
        """Let a model show that it follows a schema, once. Raises _NotTaken."""
        key = self._key("probe", b"")
        if self.notes is not None and self.notes.read([key]).get(key) == _PROBED:
            return
        reply = self._send(write_prompt(PROBE, make_schema(_Word)), "probe")
        try:
            read_answer(PROBE, reply.text)
        except RefusedAnswer:
            message = f"this server does not follow answer schemas; {BY_RULES}"
            raise _NotTaken("model_unavailable", message) from None
        if self.notes is not None:
            self.notes.write({key: _PROBED})

    def _send(self, prompt: Prompt, task: str) -> Reply:
        """Send a request, again where the service is busy or pauses. Raises _NotTaken."""
        has_waited = False
        while True:
            try:
                self._check(prompt)
                reply = self.budget.send(self.model, prompt, task)
            except (StorageFull, StorageUnavailable):
                raise _unavailable("the ledger of its calls cannot be written") from None
            except NoReply as failure:
                wait = max(failure.retry_after_s or 0.0, SHORTEST_WAIT_S)
                fits = failure.retry_after_s is not None and wait < self.budget.left_s
                if has_waited or not fits:
                    raise _unavailable(failure.message) from None
                self.sleep(wait)
                has_waited = True
                continue
            if reply.paused is None:
                break
            paused = Turn("assistant", reply.paused)
            prompt = replace(prompt, turns=(*prompt.turns, paused))
        if reply.outcome == "declined":
            raise _unavailable("it declined the question")
        if reply.outcome == "cut":
            raise _unavailable("its answer was cut off")
        return reply

    def _check(self, prompt: Prompt) -> None:
        """Raise _NotTaken where a request cannot be paid for."""
        if self.budget.is_spent(prompt):
            message = f"this month's model budget is used up; {BY_RULES}"
            raise _NotTaken("model_budget_spent", message)
        if reason := self.budget.refuse(self.model, prompt):
            raise _unavailable(reason)

    def _warn(self, code: str, message: str) -> None:
        warning = f"{code}: language model: {message}."
        if warning not in self.warnings:
            self.warnings.append(warning)

    def _store(self, question: bytes, outcome: str, before: Spend) -> None:
        """Store with the run what was asked, and the answer or the warning that it came to."""
        if self.replies is None:
            return
        spend = self.budget.spend
        stored = _Stored(
            answer=outcome,
            provider=self.model.provider,
            model=self.model.name,
            calls=spend.calls - before.calls,
            input_tokens=spend.input_tokens - before.input_tokens,
            output_tokens=spend.output_tokens - before.output_tokens,
        )
        content = stored.model_dump_json().encode()
        self.replies.add(PART, question, SiteReply(200, content, "application/json"))

    def _find_stored(self, question: bytes) -> _Stored | None:
        """Return what the run that is replayed was answered, and count what it spent."""
        try:
            reply = self.replies.find(PART, question) if self.replies is not None else None
        except NoAnswer:
            reply = None
        if reply is None:
            return None
        stored = _Stored.model_validate_json(reply.content)
        before = self._replayed
        if stored.calls:
            self._replayed = Spend(
                stored.provider,
                stored.model,
                before.calls + stored.calls,
                before.input_tokens + stored.input_tokens,
                before.output_tokens + stored.output_tokens,
            )
        return stored

    def _replay(self, task: Task[Answer], question: bytes) -> Answer | None:
        """Return what the run that is replayed was answered."""
        stored = self._find_stored(question)
        if stored is None:
            return None
        try:
            answer = read_answer(task, stored.answer)
        except RefusedAnswer:
            code, _, message = stored.answer.partition(": ")
            self._warn(code, message)
            return None
        self.author = (stored.provider, stored.model)
        return answer


def _unavailable(reason: str) -> _NotTaken:
    return _NotTaken("model_unavailable", f"{reason}; {BY_RULES}")
