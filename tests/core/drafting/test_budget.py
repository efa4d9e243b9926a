"""No script of answers makes a run exceed its calls, tokens and time; nor a caller the month."""

import random
from datetime import UTC, datetime, timedelta

from core.drafting.drafter import Drafter
from core.drafting.ledger import (
    MOST_CALLS,
    MOST_INPUT,
    MOST_OUTPUT,
    Budget,
    Payer,
    estimate_tokens,
)
from core.drafting.selecting import select
from core.model_ports import NoReply
from core.records.model import ModelCall, Prompt, Reply
from tests.core.drafting.claims import memo

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
OUTCOMES = ("busy", "rejected", "timed_out", "dropped", "malformed")
N_SCRIPTS = 1_000


class Clock:
    """Seconds that pass only while somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Ledger:
    """The lines of calls, in memory."""

    def __init__(self) -> None:
        self.lines: list[ModelCall] = []

    def add(self, call: ModelCall) -> None:
        self.lines.append(call)

    def tokens_since(self, user_id: int, since: datetime) -> int:
        return sum(
            line.input_tokens + line.output_tokens
            for line in self.lines
            if line.user_id == user_id and line.at >= since
        )

    def totals_since(self, user_id: int, since: datetime) -> list[object]:
        return []

    def last_failures(self, provider: str, model: str, most: int) -> list[datetime]:
        failures: list[datetime] = []
        for line in self.lines[::-1]:
            if line.outcome not in OUTCOMES:
                break
            failures.append(line.at)
        return failures[:most]


class Chance:
    """A model that does anything; it notes what it was asked."""

    provider = "local"
    name = "chance"
    needs_probe = False

    def __init__(self, seed: int, clock: Clock) -> None:
        self.chance, self.clock = random.Random(seed), clock
        self.prompts: list[Prompt] = []
        self.ends: list[float] = []
        self.written = 0

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        chance = self.chance
        self.prompts.append(prompt)
        self.clock.now += chance.uniform(0, timeout_s)
        self.ends.append(self.clock.now)
        read, written = chance.choice([(0, 0), (900, 300), (30_000, 10), (10**7, 10**7)])
        kind = chance.randrange(6)
        self.written += min(written, prompt.most_tokens)
        if kind == 0:
            wait = chance.choice([None, 0.0, 1.0, 50.0, 10_000.0])
            raise NoReply(chance.choice(OUTCOMES), "it failed", wait)
        if kind == 1:
            return Reply(
                "answered", "", read, written, paused=[{"type": "text", "text": "x" * 900}]
            )
        if kind == 2:
            return Reply(chance.choice(["declined", "cut"]), "", read, written)
        text = '{"lead": ["c1"], "lines": [], "answers": true}' if kind == 3 else "{}" * 2_000
        return Reply("answered", text, read, written)


def make_drafter(model: Chance, clock: Clock, ledger: Ledger | None, **fields: float) -> Drafter:
    payer = Payer(1, "run", int(fields.get("month", 10**12)))
    budget = Budget(payer, fields.get("ends_at", 100.0), ledger, clock, lambda: NOW)
    tasks = frozenset({"select"})
    return Drafter(lambda _: model, budget, tasks, sleep=clock.sleep)


def test_no_script_of_answers_exceeds_calls_tokens_or_time() -> None:
    most = 0
    for seed in range(N_SCRIPTS):
        clock = Clock()
        model = Chance(seed, clock)
        ends_at = model.chance.choice([5.0, 40.0, 500.0])
        drafter = make_drafter(model, clock, None, ends_at=ends_at)
        for number in range(4):
            select(f"question {number} {'long ' * (number * 90)}", memo(), drafter)
        sent = [estimate_tokens(prompt) for prompt in model.prompts]
        assert len(model.prompts) <= MOST_CALLS
        assert sum(sent) <= MOST_INPUT
        assert model.written <= MOST_OUTPUT
        assert clock.now <= ends_at
        assert all(end <= ends_at for end in model.ends)
        most = max(most, len(model.prompts))
    assert most > 3


def test_a_month_that_is_used_up_leaves_the_rules() -> None:
    clock, ledger = Clock(), Ledger()
    model = Chance(5, clock)
    drafter = make_drafter(model, clock, ledger, month=500)
    assert select("question", memo(), drafter) is None
    assert model.prompts == []
    assert drafter.warnings[0].startswith("model_budget_spent: ")


def test_a_model_that_fails_five_times_is_left_alone_for_ten_minutes() -> None:
    clock, ledger = Clock(), Ledger()
    line = ModelCall(NOW, 2, "run", "select", "local", "chance", "timed_out", 0, 0, 0, 1)
    for minutes in (9, 7, 5, 3, 1):
        ledger.add(ModelCall(NOW - timedelta(minutes=minutes), *tuple(vars_of(line))[1:]))
    drafter = make_drafter(Chance(3, clock), clock, ledger)
    assert select("question", memo(), drafter) is None
    assert "not asked for ten minutes" in drafter.warnings[0]
    later = Budget(drafter.budget.payer, 100.0, ledger, clock, lambda: NOW + timedelta(minutes=10))
    model = Chance(3, clock)
    again = Drafter(lambda _: model, later, frozenset({"select"}), sleep=clock.sleep)
    select("question", memo(), again)
    assert model.prompts


def vars_of(line: ModelCall) -> list[object]:
    """Return the values of a line in order."""
    return [getattr(line, name) for name in ModelCall.__dataclass_fields__]
