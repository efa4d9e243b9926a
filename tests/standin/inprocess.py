"""A model without a server, for thousands of answers; and a drafter that asks it."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.drafting.drafter import Drafter
from core.drafting.ledger import Budget, Payer
from core.model_ports import LanguageModel
from core.records.model import Prompt, Provider, Reply, TaskName
from tests.standin.models import Answer, as_text, data_of

PAYER = Payer(1, "00000000-0000-0000-0000-000000000001", 10**12)


@dataclass
class InProcess:
    """One model in this process.

    Attributes:
        answer: What it says.
        chance: Its chance.
        n: Requests that came.
    """

    answer: Answer
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    n: int = 0
    name: str = "stand-in"

    @property
    def provider(self) -> Provider:
        return "local"

    @property
    def needs_probe(self) -> bool:
        return False

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        self.n += 1
        data = data_of(prompt.turns[0].content)
        return Reply("answered", as_text(self.answer(data, prompt.schema, self.chance)), 100, 20)


def make_drafter(
    model: LanguageModel, tasks: Sequence[TaskName] = ("select", "read"), seconds: float = 600
) -> Drafter:
    """Return a drafter that asks one model and keeps nothing."""
    budget = Budget(PAYER, time.monotonic() + seconds)
    return Drafter(lambda _: model, budget, frozenset(tasks))
