"""Request and answer of Ask."""

from typing import Literal

from pydantic import Field

from core.records.entities import EntityKind
from core.records.free_fields import FreeObject
from core.records.model import Family, Provider
from core.records.runs import RunStatus
from core.records.wire import NOT_BLANK, Answer, Request

Refusal = Literal["", "not_covered", "not_an_agents", "unclear"]
Cell = str | int | float | None


class AskRequest(Request):
    """A question."""

    query: str = Field(
        min_length=1,
        max_length=1000,
        pattern=NOT_BLANK,
        description="A question about drugs, companies, targets, diseases, trials or deals.",
        examples=["Which PD-1 x VEGF bispecifics are in phase 3?"],
    )
    model: Family = Field(
        default="sonnet", description="Family of the language model, where one is configured."
    )


class AskedThing(Answer):
    """What a question names."""

    kind: EntityKind
    id: str = Field(description="Its identifier on this instance.")
    name: str
    url: str = Field(description="Its page on this instance.")


class CitedSource(Answer):
    """What a number in a sentence or cell refers to."""

    id: str = Field(description="The number, as the run gives it.")
    title: str
    url: str = Field(description="Its address; a page of this instance where it has no other.")


class AskedRun(Answer):
    """A run that answers the question."""

    id: str = Field(description='Its name in this answer, such as "r1".')
    run_id: str
    agent: str
    title: str = Field(description="What was asked of the agent.")
    status: RunStatus
    cached: bool = Field(description="Whether a stored answer served.")
    request: FreeObject = Field(description="The request as the agent got it.")
    url: str = Field(description="Its page on this instance.")
    warnings: list[str] = Field(description="What a reader of the run must know.")


class AskedLine(Answer):
    """A sentence of a run."""

    id: str = Field(description='Its name in this answer, such as "r1.c2".')
    text: str = Field(description="The sentence with its citations.")
    run_id: str
    url: str = Field(description="Page of the run.")
    sources: list[CitedSource]


class AskedTable(Answer):
    """Rows of a table of a run."""

    title: str
    run_id: str
    url: str = Field(description="Page of the run, which has all rows.")
    columns: list[str]
    row_ids: list[str] = Field(description='Names of the rows in this answer, such as "r1.3".')
    rows: list[list[Cell]]
    total: int = Field(ge=0, description="Rows of the whole table.")
    note: str = Field(description="What a mark in the cells means; empty without one.")
    sources: list[CitedSource]


class NextQuestion(Answer):
    """A filled form of an agent; nothing of it has run."""

    agent: str
    label: str
    request: FreeObject
    missing: list[str] = Field(description="Fields that are left to you.")
    url: str = Field(description="The form on this instance.")


class AskNarrative(Answer):
    """Who chose agents, sentences and rows: rules, or a language model among what was offered."""

    mode: Literal["rules", "language_model"]
    provider: Provider | None = None
    model: str | None = None


class AskUsage(Answer):
    """What the question cost."""

    runs_charged: int = Field(ge=0, description="Runs of the quota; stored answers cost none.")
    calls: int = Field(ge=0, description="Requests to a language model, apart from the runs' own.")
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    total_tokens: int = Field(ge=0)


class AskAnswer(Answer):
    """Sentences and rows of runs, and what can be asked next."""

    ok: Literal[True] = True
    query: str
    about: list[AskedThing]
    lines: list[AskedLine]
    tables: list[AskedTable]
    runs: list[AskedRun]
    next: list[NextQuestion] = Field(description="At most three.")
    cannot: Refusal = Field(
        description='Why there is no full answer; "" where there is one. not_covered: the evidence '
        "does not have it. not_an_agents: no agent answers it from words alone; the form of one "
        "that needs a file or your decision is in `next`. unclear: it may mean several things."
    )
    help: str = Field(description="What would help; empty where nothing is missing.")
    narrative: AskNarrative
    usage: AskUsage
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
