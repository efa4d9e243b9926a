"""A question that runs agents: which agents, about what; then which sentences and rows answer it.

A model chooses among what is offered, by id. Requests are filled by code from the things that it
points at; sentences, rows and forms are those of stored runs and of rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from core.drafting.drafter import Drafter
from core.drafting.marking import LONGEST_EVIDENCE, on_one_line
from core.drafting.reading import MOST_PIECES, NameProposed
from core.evidence.readers.questions.left_over import Left
from core.records.model import ModelAnswer, Task

MOST_RUNS = 4
MOST_ABOUT = 12
"""Things that one run is asked about."""
MOST_CLAIMS = 8
MOST_NEXT = 3
PLAN_TOKENS, CHOICE_TOKENS = 700, 900
LONGEST_CELL = 90
LONGEST_CLAIM = 400
Cannot = Literal["", "not_covered", "not_an_agents", "unclear"]
PLANNING = (
    "You choose which agents of a workbench for drug development answer a question. You get the "
    "question, the things that it names by id, pieces of it that nobody understood with names that "
    "they may mean, and the agents. Return in 'runs' one to four agents, each with the ids of what "
    "it is asked about. If a piece names a disease, target or drug that is not offered, return its "
    "international English name in 'names' with the places of the piece; the first of these is x1. "
    "If no agent answers the question, leave 'runs' empty and say why in 'cannot': not_covered if "
    "it is about something unknown, not_an_agents if it is advice, a forecast or another topic, "
    "unclear if it does not tell what is wanted."
)
CHOOSING = (
    "You choose what answers a question about drugs. You get the question and, of each run of an "
    "agent, numbered sentences, columns and rows of its table; then forms for further questions. "
    "Return in 'claims' the sentences that answer the question best, at most eight, in 'tables' "
    "the rows and columns that matter, and in 'next' at most three forms. Use each id once. If the "
    "runs do not answer the question, say why in 'cannot'."
)


@dataclass(frozen=True)
class Tool:
    """An agent that may be chosen.

    Attributes:
        name: Its name.
        summary: What it answers.
        closed: Fields of its request that take words of a closed list, with these words.
    """

    name: str
    summary: str
    closed: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Offered:
    """What a question offers to a model.

    Attributes:
        text: The question.
        things: What it names, or what a piece of it may mean: kind and name by id.
        pieces: Pieces that nobody understood.
        tools: Agents.
    """

    text: str
    things: Mapping[str, tuple[str, str]]
    pieces: Sequence[Left]
    tools: Sequence[Tool]


class RunChosen(ModelAnswer):
    """An agent with what it is asked about; the task narrows ids and adds closed fields."""

    agent: str
    about: list[str]


class PlanChosen(ModelAnswer):
    """Which agents are run."""

    runs: list[RunChosen]
    names: Annotated[list[NameProposed], Field(max_length=MOST_PIECES)]
    cannot: Cannot


class TableChosen(ModelAnswer):
    """Rows and columns of a run's table."""

    run: str
    rows: list[str]
    columns: list[str]


class Choice(ModelAnswer):
    """What is shown of the runs."""

    claims: list[str]
    tables: list[TableChosen]
    next: list[str]
    cannot: Cannot


@dataclass(frozen=True)
class Shown:
    """What of a run is offered.

    Attributes:
        id: The run.
        title: What was asked of which agent.
        claims: Sentences by id.
        columns: Columns of its table by id.
        rows: Rows of its table by id.
    """

    id: str
    title: str
    claims: Mapping[str, str]
    columns: Mapping[str, str]
    rows: Mapping[str, Sequence[object]]


def choose_runs(offered: Offered, drafter: Drafter) -> PlanChosen | None:
    """Return which agents a model runs for a question; None where the rules' plan stands."""
    evidence = _describe_question(offered)
    if len(evidence) > LONGEST_EVIDENCE or not offered.tools:
        return None
    answer = _make_plan(offered)
    return drafter.ask(
        Task("ask", PLANNING, evidence, answer, PLAN_TOKENS, lambda x: _check_plan(x, offered))
    )


def _describe_question(offered: Offered) -> str:
    lines = [f"QUESTION: {on_one_line(offered.text)}"]
    of_pieces = {name for name in offered.things if name.startswith("k")}
    for name, (kind, label) in offered.things.items():
        word = "MAY MEAN" if name in of_pieces else "NAMES"
        lines.append(f"{word} {name} ({kind}): {on_one_line(label)}")
    lines += [
        f"PIECE {piece.start} {piece.end}: {on_one_line(piece.said)}" for piece in offered.pieces
    ]
    lines += [f"AGENT {tool.name}: {tool.summary}" for tool in offered.tools]
    return "\n".join(lines)


def _one_of(words: Sequence[str]) -> Any:
    return Literal[tuple(words)]


def _some_of(words: Sequence[str], most: int) -> Any:
    """Return the type of a list of words, at most so many."""
    word: Any = _one_of(words or ("",))
    return Annotated[list[word], Field(max_length=most)]


def _make_plan(offered: Offered) -> type[PlanChosen]:
    """Return the form of a plan: agents, ids and closed words are those that are offered."""
    proposed = [f"x{number}" for number in range(1, min(len(offered.pieces), MOST_PIECES) + 1)]
    about = _some_of((*offered.things, *proposed), MOST_ABOUT)
    calls: list[Any] = []
    for tool in offered.tools:
        closed: dict[str, Any] = {
            name: (_one_of(("", *words)), ...) for name, words in tool.closed.items()
        }
        title = f"Run_{tool.name.replace('-', '_')}"
        agent = (_one_of((tool.name,)), ...)
        calls.append(
            create_model(title, __base__=RunChosen, agent=agent, about=(about, ...), **closed)
        )
    call: Any = reduce(or_, calls)
    runs: Any = Annotated[list[call], Field(max_length=MOST_RUNS)]
    return create_model("Plan", __base__=PlanChosen, runs=(runs, ...))


def _check_plan(plan: PlanChosen, offered: Offered) -> str:
    """Return what is wrong with a plan."""
    if bool(plan.runs) == bool(plan.cannot):
        return "Either 'runs' or 'cannot' must be empty."
    places = [(name.start, name.end) for name in plan.names]
    if not {*places} <= {(piece.start, piece.end) for piece in offered.pieces}:
        return "A place is not that of a piece."
    proposed = {f"x{number}" for number in range(1, len(places) + 1)}
    for run in plan.runs:
        if len({*run.about}) != len(run.about):
            return "An id stands twice in one run."
        if not {each for each in run.about if each.startswith("x")} <= proposed:
            return "An id is that of no name."
    calls = [(run.agent, *sorted(run.about)) for run in plan.runs]
    return "An agent is asked twice about the same." if len({*calls}) != len(calls) else ""


def choose_parts(
    text: str, runs: Sequence[Shown], forms: Mapping[str, str], drafter: Drafter
) -> Choice | None:
    """Return which sentences, rows and forms a model shows; None where those by rules stand.

    Args:
        text: The question.
        runs: What is offered of the runs.
        forms: Forms for further questions by id.
        drafter: Asks the model.
    """
    if not any(run.claims for run in runs):
        return None
    evidence = _describe_runs(text, runs, forms)
    if len(evidence) > LONGEST_EVIDENCE:
        return None
    answer = _make_choice(runs, forms)
    return drafter.ask(
        Task("ask", CHOOSING, evidence, answer, CHOICE_TOKENS, lambda x: _check_choice(x, runs))
    )


def _describe_runs(text: str, runs: Sequence[Shown], forms: Mapping[str, str]) -> str:
    lines = [f"QUESTION: {on_one_line(text)}"]
    for run in runs:
        lines.append(f"RUN {run.id}: {on_one_line(run.title)}")
        lines += [
            f"{name} {on_one_line(claim)[:LONGEST_CLAIM]}" for name, claim in run.claims.items()
        ]
        columns = "; ".join(f"{name}={title}" for name, title in run.columns.items())
        lines += [f"COLUMNS {run.id}: {columns}"] if columns else []
        for name, cells in run.rows.items():
            told = " | ".join(on_one_line(str(cell or ""))[:LONGEST_CELL] for cell in cells)
            lines.append(f"{name} {told}")
    lines += [f"FORM {name}: {on_one_line(label)}" for name, label in forms.items()]
    return "\n".join(lines)


def _make_choice(runs: Sequence[Shown], forms: Mapping[str, str]) -> type[Choice]:
    """Return the form of a choice: every id is one that was sent."""
    rows = [name for run in runs for name in run.rows]
    columns = [name for run in runs for name in run.columns]
    table: Any = create_model(
        "Table",
        __base__=TableChosen,
        run=(_one_of([run.id for run in runs]), ...),
        rows=(_some_of(rows, len(rows)), ...),
        columns=(_some_of(columns, len(columns)), ...),
    )
    tables: Any = Annotated[list[table], Field(max_length=len(runs))]
    claims = [name for run in runs for name in run.claims]
    return create_model(
        "Choice",
        __base__=Choice,
        claims=(_some_of(claims, MOST_CLAIMS), ...),
        tables=(tables, ...),
        next=(_some_of([*forms], MOST_NEXT), ...),
    )


def _check_choice(choice: Choice, runs: Sequence[Shown]) -> str:
    """Return what is wrong with a choice."""
    if not choice.claims and not choice.cannot:
        return "Choose a sentence, or say why there is none."
    tables = [table.run for table in choice.tables]
    for ids in (choice.claims, choice.next, tables, *(table.rows for table in choice.tables)):
        if len({*ids}) != len(ids):
            return "An id stands twice in one list."
    by_id = {run.id: run for run in runs}
    for table in choice.tables:
        run = by_id[table.run]
        if not {*table.rows} <= run.rows.keys() or not {*table.columns} <= run.columns.keys():
            return "A row or column is of another run."
    return ""
