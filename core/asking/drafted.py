"""What a language model changes of a plan and an answer: it points, and requests are filled here.

The rules' plan and answer stand before it is asked. What it points at and the question does not
name is dropped; where nothing is left, they stay.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args, get_origin

from core.agent import Agent
from core.asking.digests import Digest, render_lines, render_table
from core.asking.filling import FORM_AGENTS, Subject, fill, list_offers
from core.asking.plans import Filled, Plan
from core.asking.questions import Reading, parse_question
from core.asking.records import AskedLine, AskedTable, Refusal
from core.asking.words import PHRASES
from core.briefs.entities.identifying import identify
from core.drafting.asking import (
    Offered,
    PlanChosen,
    RunChosen,
    Shown,
    Tool,
    choose_parts,
    choose_runs,
)
from core.drafting.drafter import BY_RULES, Drafter
from core.drafting.marking import show_only
from core.drafting.reading import MOST_PIECES
from core.evidence.readers.questions.left_over import Left, Offer, find_left, resolve_name
from core.evidence.readers.questions.parsed import ParsedText
from core.records.entities import Entity
from core.registry import all_agents

MOST_CLAIMS, MOST_ROWS = 24, 20
"""Sentences and rows that are offered of all runs together."""
_NOT_CHOSEN = frozenset({"model", "query_type"})
"""Closed fields that a model never fills: its own kind, and what the rules always fill."""
_THINGS = ("disease", "target", "drug")
HELP: Mapping[str, str] = {
    "not_covered": "The evidence does not have what this question is about. Check the names in it.",
    "not_an_agents": PHRASES.fill("off topic"),
    "unclear": PHRASES.fill("unclear"),
}


def closed_fields(agent: Agent) -> dict[str, tuple[str, ...]]:
    """Return the fields of a request that take one word of a closed list, with the words.

    A field that may stay empty narrows an answer: only the question's own words may do that.
    """
    fields = agent.request.model_fields
    kinds = {name: field.rebuild_annotation() for name, field in fields.items()}
    return {
        name: get_args(kind)
        for name, kind in kinds.items()
        if get_origin(kind) is Literal and name not in _NOT_CHOSEN
    }


def draft_plan(reading: Reading, allowed: Collection[str], drafter: Drafter | None) -> Plan:
    """Return the plan of a model; the rules' own where it has none.

    Args:
        reading: The question as the rules read it.
        allowed: Agents that the caller may run.
        drafter: Asks the model; None asks nobody.
    """
    plan, subject = reading.plan, reading.subject
    text = subject.parsed.text
    is_readable = bool(text) and show_only(text) == text
    if drafter is None or "ask" not in drafter.tasks or reading.is_settled or not is_readable:
        return plan
    resolver = subject.library.resolver
    pieces = list(find_left(subject.parsed, lambda x: _read(x, subject), resolver))[:MOST_PIECES]
    named = {f"e{number}": each for number, each in enumerate(subject.entities, 1)}
    may_mean = {
        key: (piece, offer)
        for piece in pieces
        for key, offer in piece.offers.items()
        if offer.kind in _THINGS
    }
    things = {name: (str(each.kind), each.name) for name, each in named.items()}
    things |= {key: (str(offer.kind), offer.label) for key, (_, offer) in may_mean.items()}
    tools = [
        Tool(name, agent.summary, closed_fields(agent))
        for name, agent in all_agents().items()
        if name in allowed and name not in FORM_AGENTS
    ]
    chosen = choose_runs(Offered(reading.text, things, pieces, tools), drafter)
    if chosen is None:
        return plan
    if chosen.cannot:
        drafter.note_use("ask")
        return _refuse(plan, chosen.cannot)
    may_mean |= _proposed(chosen, pieces, subject)
    filled = [_fill(run, named, may_mean, subject) for run in chosen.runs]
    runs = [each for each in filled if each is not None and not each.missing]
    if not runs:
        n = len(filled)
        message = f"{n} choices named nothing of the question; {BY_RULES}"
        drafter.warnings.append(f"model_answer_refused: language model: {message}.")
        return plan
    drafter.note_use("ask")
    unused = [run for run in plan.runs if run.agent not in {each.agent for each in runs}]
    offers = [*unused, *list_offers(subject, [run.agent for run in (*runs, *unused)])]
    about = tuple(dict.fromkeys(entity for run in runs for entity in run.about))
    told = tuple(_list_read(chosen, runs, may_mean))
    return Plan(
        tuple(runs),
        tuple(offers),
        about,
        warnings=told if unused else (*plan.warnings, *told),
    )


def _list_read(
    chosen: PlanChosen, runs: Sequence[Filled], may_mean: Mapping[str, tuple[Left, Offer]]
) -> Iterator[str]:
    """Yield what a model read that the question's words did not tell the rules."""
    used = dict.fromkeys(name for run in chosen.runs for name in run.about if name in may_mean)
    read = [f"“{piece.said}” as {offer.label}" for piece, offer in map(may_mean.__getitem__, used)]
    requests = {run.agent: run.request for run in runs}
    for run in chosen.runs:
        values = run.model_dump(exclude={"agent", "about"})
        taken = requests.get(run.agent, {})
        read += [
            f"{name.replace('_', ' ')} as {value}"
            for name, value in values.items()
            if value and taken.get(name) == value
        ]
    if read:
        yield f"read_by_model: the language model read {', '.join(dict.fromkeys(read))}."


def _read(text: str, subject: Subject) -> ParsedText:
    return parse_question(text, subject.library)


def _refuse(plan: Plan, cannot: Refusal) -> Plan:
    """Return a plan that runs nothing; what the rules would have run is offered as a form."""
    if plan.cannot == cannot:
        return plan
    offers = (*plan.runs, *plan.offers)
    return replace(plan, runs=(), offers=offers, cannot=cannot, help=HELP[cannot], warnings=())


def _proposed(
    chosen: PlanChosen, pieces: Sequence[Left], subject: Subject
) -> dict[str, tuple[Left, Offer]]:
    """Return the proposed names that are like the words of their piece."""
    by_place = {(piece.start, piece.end): piece for piece in pieces}
    offers = {}
    for number, name in enumerate(chosen.names, 1):
        piece = by_place[name.start, name.end]
        resolver = subject.library.resolver
        offer = resolve_name(show_only(name.name), piece, lambda x: _read(x, subject), resolver)
        if offer is not None:
            offers[f"x{number}"] = (piece, offer)
    return offers


def _fill(
    run: RunChosen,
    named: Mapping[str, Entity],
    may_mean: Mapping[str, tuple[Left, Offer]],
    subject: Subject,
) -> Filled | None:
    """Return a request about what a model points at; None where the question does not name it."""
    entities = [named[each] for each in run.about if each in named]
    text = subject.parsed.text
    meant = [may_mean[each] for each in run.about if each in may_mean]
    if len(entities) + len(meant) < len(run.about):
        return None
    for piece, offer in sorted(meant, key=lambda pair: -pair[0].start):
        entity = identify(offer.kind, offer.label, subject.library).entity  # type: ignore[arg-type]
        if entity is None:
            return None
        entities.append(entity)
        text = f"{text[: piece.start]}{offer.label}{text[piece.end :]}"
    if not (entities or subject.entities or subject.parsed.modalities):
        return None
    is_whole = not entities or {*entities} >= {*subject.entities}
    asked = Subject(
        text if meant else subject.text,
        _read(text, subject) if meant else subject.parsed,
        tuple(entities) or subject.entities,
        subject.library,
        is_whole,
    )
    values = run.model_dump(exclude={"agent", "about"})
    return fill(run.agent, asked, {name: value for name, value in values.items() if value})


Parts = tuple[list[AskedLine], list[AskedTable], Plan]


def draft_parts(text: str, plan: Plan, digests: Sequence[Digest], drafter: Drafter) -> Parts | None:
    """Return the sentences, rows and forms that a model chooses; None where the rules' stand."""
    share = max(1, len(digests))
    runs = [_show(digest, MOST_CLAIMS // share, MOST_ROWS // share) for digest in digests]
    forms = {f"n{number}": form for number, form in enumerate(plan.offers, 1)}
    labels = {name: form.label for name, form in forms.items()}
    choice = choose_parts(text, runs, labels, drafter)
    if choice is None:
        return None
    drafter.note_use("ask")
    following = [forms[name] for name in choice.next]
    rest = [form for form in plan.offers if form not in following]
    plan = replace(plan, offers=(*following, *rest))
    if choice.cannot:
        plan = replace(plan, cannot=choice.cannot, help=HELP[choice.cannot])
    by_id = {run.id: run for run in runs}
    chosen = {table.run: table for table in choice.tables}
    lines, tables = [], []
    for digest in digests:
        ids = [name for name in choice.claims if name in by_id[digest.id].claims]
        lines += render_lines(digest, ids or digest.lead)
        if digest.id in chosen:
            rows, columns = chosen[digest.id].rows, by_id[digest.id].columns
            names = [columns[name] for name in chosen[digest.id].columns]
            table = render_table(digest, rows, names)
            tables += [table] if table else []
    return lines, tables, plan


def _show(digest: Digest, n_claims: int, n_rows: int) -> Shown:
    """Return what of a run is offered."""
    columns = digest.grid.columns if digest.grid else ()
    return Shown(
        digest.id,
        f"{digest.run.agent}: {digest.run.title}",
        {claim.id: claim.text for claim in digest.claims[:n_claims]},
        {f"{digest.id}.k{number}": title for number, title in enumerate(columns, 1)},
        dict(list(digest.rows.items())[:n_rows]),
    )
