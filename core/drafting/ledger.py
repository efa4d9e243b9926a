"""What a run may spend on a model, and the line that every call leaves."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from core.model_ports import LanguageModel, ModelCalls, NoReply
from core.records.model import CallOutcome, ModelCall, Prompt, Reply, Spend

MOST_CALLS = 8
MOST_INPUT = 60_000
MOST_OUTPUT = 6_000
"""Requests and tokens of one run."""
RESERVE_S = 20.0
"""Seconds of a run's allowance in which no model is waited for."""
LONGEST_CALL_S = 60.0
SHORTEST_CALL_S = 2.0
"""A call for which less time is left is not made."""
BYTES_A_TOKEN = 2
"""A cautious estimate: English has about four bytes a token, names of drugs three."""
MOST_FAILURES = 5
REST = timedelta(minutes=10)
"""A model that fails so often within this time is left alone for as long."""
DEADLINE = "the time of the run is nearly used up"


def estimate_tokens(prompt: Prompt) -> int:
    """Return how many tokens a request has at most, by its bytes."""
    texts = [prompt.system, str(dict(prompt.schema)), *(str(turn.content) for turn in prompt.turns)]
    return sum(len(text.encode("utf-8", "replace")) for text in texts) // BYTES_A_TOKEN


def is_resting(failures: Sequence[datetime], now: datetime) -> bool:
    """Return whether a model is left alone.

    Args:
        failures: When it failed since it last answered, the newest first.
        now: The present instant.

    >>> start = datetime(2026, 11, 28, 12, 0)
    >>> often = [start - timedelta(minutes=minute) for minute in range(5)]
    >>> [is_resting(often, start + timedelta(minutes=minute)) for minute in (1, 10)]
    [True, False]
    """
    if len(failures) < MOST_FAILURES:
        return False
    newest, oldest = failures[0], failures[MOST_FAILURES - 1]
    return newest - oldest <= REST and now - newest < REST


def begin_of_month(now: datetime) -> datetime:
    """Return the instant at which a month's budget began."""
    return now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True)
class Payer:
    """Who pays for the calls of a run.

    Attributes:
        user_id: The caller.
        run_uuid: The run.
        tokens_a_month: Tokens that the caller may use in a calendar month.
    """

    user_id: int
    run_uuid: str
    tokens_a_month: int


@dataclass
class Budget:
    """What is left to a run, and where its calls are noted.

    Attributes:
        payer: Who pays.
        ends_at: When no model is waited for any more, by `clock`.
        calls: The ledger; None notes nothing.
        clock: Seconds that only grow.
        now: The instant of a ledger line.
    """

    payer: Payer
    ends_at: float
    calls: ModelCalls | None = None
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    n_calls: int = 0
    n_input: int = field(default=0, init=False)
    n_output: int = field(default=0, init=False)
    spend: Spend = field(default=Spend(), init=False)

    @property
    def left_s(self) -> float:
        """Return the seconds in which a model may be waited for."""
        return self.ends_at - self.clock()

    def refuse(self, model: LanguageModel, prompt: Prompt) -> str:
        """Return why a request cannot be paid for; "" where it can."""
        if self.left_s < SHORTEST_CALL_S:
            return DEADLINE
        tokens = estimate_tokens(prompt)
        if (
            self.n_calls >= MOST_CALLS
            or self.n_input + tokens > MOST_INPUT
            or self.n_output + prompt.most_tokens > MOST_OUTPUT
        ):
            return "the run has used its calls and tokens"
        if self.calls is None:
            return ""
        failures = self.calls.last_failures(model.provider, model.name, MOST_FAILURES)
        if is_resting(failures, self.now()):
            return "it failed several times and is not asked for ten minutes"
        return ""

    def is_spent(self, prompt: Prompt) -> bool:
        """Return whether the caller's month does not pay for a request."""
        if self.calls is None:
            return False
        used = self.calls.tokens_since(self.payer.user_id, begin_of_month(self.now()))
        return used + estimate_tokens(prompt) + prompt.most_tokens > self.payer.tokens_a_month

    def send(self, model: LanguageModel, prompt: Prompt, task: str) -> Reply:
        """Send one request that was not refused, and note it. Raises NoReply."""
        self.n_calls += 1
        estimate = estimate_tokens(prompt)
        began = self.clock()
        try:
            reply = model.ask(prompt, min(LONGEST_CALL_S, self.left_s))
        except NoReply as failure:
            self.n_input += estimate
            if failure.outcome in {"timed_out", "dropped"}:  # it may have been written all the same
                self.n_output += prompt.most_tokens
            self._note(model, task, failure.outcome, Reply(failure.outcome), began)
            raise
        self.n_input += max(estimate, reply.input_tokens)
        self.n_output += max(reply.output_tokens, 0 if reply.output_tokens else prompt.most_tokens)
        self._note(model, task, reply.outcome, reply, began)
        return reply

    def _note(
        self, model: LanguageModel, task: str, outcome: CallOutcome, reply: Reply, began: float
    ) -> None:
        before = self.spend
        self.spend = Spend(
            model.provider,
            model.name,
            before.calls + 1,
            before.input_tokens + reply.input_tokens,
            before.output_tokens + reply.output_tokens,
        )
        if self.calls is not None:
            self.calls.add(
                ModelCall(
                    at=self.now(),
                    user_id=self.payer.user_id,
                    run_uuid=self.payer.run_uuid,
                    task=task,
                    provider=model.provider,
                    model=model.name,
                    outcome=outcome,
                    input_tokens=reply.input_tokens,
                    output_tokens=reply.output_tokens,
                    cached_tokens=reply.cached_tokens,
                    elapsed_ms=round((self.clock() - began) * 1_000),
                )
            )
