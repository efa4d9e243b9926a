"""What a question comes to before anything runs: requests, forms, or why there is none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from pydantic import JsonValue

from core.agent import Agent
from core.asking.records import NextQuestion, Refusal
from core.drafting.drafter import Drafter
from core.records.entities import Entity
from core.records.model import Spend

MOST_RUNS = 4
MOST_NEXT = 3
Fields = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Filled:
    """A request of an agent.

    Attributes:
        agent: Its name.
        label: What a link to its form says.
        request: The fields that are filled.
        missing: Required fields that the question does not tell.
        about: What of the question it is about.
        without: Company whose drugs the answer leaves out; "" for none.
        drugs: Names, as agents list them, of the drugs that alone are asked about.
    """

    agent: str
    label: str
    request: Fields
    missing: tuple[str, ...] = ()
    about: tuple[Entity, ...] = ()
    without: str = ""
    drugs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What a language model was asked for a question, over all its children.

    Attributes:
        question_id: Under which its calls stand in the ledger; "" where none may be asked.
        calls: Requests that were sent.
        input_tokens: Tokens that count against the limits, estimates among them.
        output_tokens: Tokens written or paid for.
        spend: What the service counted.
        author: Provider and model of the last answer that was taken.
    """

    question_id: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    spend: Spend = Spend()
    author: tuple[str, str] = ("", "")

    def resume(self, drafter: Drafter) -> None:
        """Let a drafter go on with what is left of the question's calls and tokens."""
        budget = drafter.budget
        budget.n_calls, budget.n_input = self.calls, self.input_tokens
        budget.n_output, budget.spend = self.output_tokens, self.spend

    def after(self, drafter: Drafter) -> "Asked":
        """Return what was asked once a drafter is done."""
        budget = drafter.budget
        author = drafter.author if drafter.used else self.author
        return Asked(
            self.question_id,
            budget.n_calls,
            budget.n_input,
            budget.n_output,
            budget.spend,
            author,
        )


@dataclass(frozen=True)
class Plan:
    """What is run for a question.

    Attributes:
        runs: Requests, at most four; none where `cannot` says why.
        offers: Forms for the next question, the most useful first.
        about: What the question names.
        cannot: Why nothing runs.
        help: What would help.
        warnings: What a reader must know.
        asked: What a model was asked for it.
    """

    runs: tuple[Filled, ...] = ()
    offers: tuple[Filled, ...] = ()
    about: tuple[Entity, ...] = ()
    cannot: Refusal = ""
    help: str = ""
    warnings: tuple[str, ...] = ()
    asked: Asked = Asked()


def show_form(filled: Filled, agents: Mapping[str, Agent]) -> NextQuestion:
    """Return a form as the answer lists it, with the address that opens it."""
    values = {
        f"ask.{name}": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in filled.request.items()
        if value not in ("", [], None)
    }
    page = filled.agent if filled.agent in agents else ""
    return NextQuestion(
        agent=filled.agent,
        label=filled.label,
        request=dict(filled.request),
        missing=list(filled.missing),
        url=f"/{page}?{urlencode(values)}" if values else f"/{page}",
    )
