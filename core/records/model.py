"""What passes between the product and a language model: tasks, replies, and lines of the ledger."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Provider = Literal["anthropic", "local"]
Family = Literal["sonnet", "opus", "haiku"]
TaskName = Literal["select", "read", "web", "ask"]
CallOutcome = Literal[
    "answered",
    "declined",
    "cut",
    "busy",
    "rejected",
    "timed_out",
    "dropped",
    "malformed",
]
"""What became of one call: `declined` by the model itself, `cut` at its length, `rejected` by the
service (key, region, spending limit), `malformed` where nothing readable came."""
_FAILURES: tuple[CallOutcome, ...] = ("busy", "rejected", "timed_out", "dropped", "malformed")
FAILING = frozenset(_FAILURES)
"""Outcomes after which a model that gives several in a row is left alone for a while."""

Answer = TypeVar("Answer", bound=BaseModel)


class ModelAnswer(BaseModel):
    """What a model may return: ids, places and words of closed lists."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ModelPrice(BaseModel):
    """What a model costs.

    Attributes:
        input: US dollars for a million tokens read.
        output: US dollars for a million tokens written.
        as_of: Day of the price list, YYYY-MM-DD.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    as_of: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True)
class Task(Generic[Answer]):
    """A question to a model.

    Attributes:
        name: Which of the tasks it is.
        system: The instruction; it holds no words of a question or record.
        evidence: Words of the question and of records: data, no instruction.
        answer: Form of the answer; its enumerations hold only what was sent.
        most_tokens: Tokens of the longest answer.
        check: Returns what is wrong with an answer of the right form; "" where nothing is.
    """

    name: TaskName
    system: str
    evidence: str
    answer: type[Answer]
    most_tokens: int
    check: Callable[[Answer], str] = lambda _: ""


@dataclass(frozen=True)
class Turn:
    """What one side said; the content of a paused answer goes back as it came."""

    role: Literal["user", "assistant"]
    content: Any


@dataclass(frozen=True)
class Prompt:
    """One request to a model.

    Attributes:
        system: The instruction.
        turns: What was said so far, the last by the user.
        schema: JSON schema of the answer.
        most_tokens: Tokens that it may write.
    """

    system: str
    turns: tuple[Turn, ...]
    schema: Mapping[str, Any]
    most_tokens: int


@dataclass(frozen=True)
class Reply:
    """What a model sent.

    Attributes:
        outcome: Whether it is a whole answer.
        text: The answer, not yet checked.
        input_tokens: Tokens read, cached ones among them.
        output_tokens: Tokens written.
        cached_tokens: Tokens read from the provider's cache.
        paused: Content of an answer that goes on when it is sent back; None where it is whole.
    """

    outcome: CallOutcome
    text: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    paused: Any = None


@dataclass(frozen=True)
class ModelCall:
    """One line of the ledger.

    Attributes:
        at: Instant of its end.
        user_id: Who pays with the month's budget.
        run_uuid: The run.
        task: What was asked, or "probe".
        provider: Who was asked.
        model: Which model.
        outcome: What became of it.
        input_tokens: Tokens read.
        output_tokens: Tokens written.
        cached_tokens: Tokens read from the provider's cache.
        elapsed_ms: Its duration.
    """

    at: datetime
    user_id: int
    run_uuid: str
    task: str
    provider: str
    model: str
    outcome: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    elapsed_ms: int


@dataclass(frozen=True)
class ModelTotal:
    """What a caller used of one model in one task and month."""

    task: str
    provider: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class Spend:
    """What a run used of language models.

    Attributes:
        provider: Who was asked; "" where nobody was.
        model: Which model.
        calls: Requests that were sent, failed ones among them.
        input_tokens: Tokens read.
        output_tokens: Tokens written.
    """

    provider: str = ""
    model: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Return the tokens read and written."""
        return self.input_tokens + self.output_tokens
