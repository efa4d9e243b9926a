"""What liars can do to answers: nothing but an order.

python -m tests.benchmarks.model_liars HOME [ANSWERS]

HOME is an instance with names and starter pack; ANSWERS (10,000) of every liar are laid over the
memos of real answers. The honest and the eager model then answer 60 questions whose rows, scores,
ids and facts must be those of the rules; and every script of failures is played to both clients.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.briefs.drafts import arrange
from core.briefs.memo import Memo
from core.drafting.ledger import RESERVE_S
from core.drafting.opening import open_drafter
from core.drafting.selecting import find_needs, select
from core.registry import all_agents
from core.settings import Settings
from core.workbench import RunContext
from tests.benchmarks.frozen_answers import SEED, ask, draw_requests, make_context
from tests.benchmarks.targets import say
from tests.standin.inprocess import PAYER, InProcess, make_drafter
from tests.standin.models import (
    CANARY,
    KEY,
    SELECTION_LIES,
    Answer,
    eager,
    honest,
    idle,
    make_liar,
)
from tests.standin.server import SCRIPTS, StandIn, serve

BRIEFS = (
    *("clinical-trial-design", "company-asset-searcher", "competitive-landscaping"),
    *("deal-sourcing", "label-strategy", "new-developments"),
)
"""Agents on `Brief`."""
N_QUESTIONS = 60
N_ANSWERS = 10_000
FREE = {
    *("memo", "claims", "summary", "pipeline_summary", "narrative", "model", "warnings", "usage"),
    *("runs", "input_tokens", "output_tokens", "total_tokens", "web_search", "elapsed_s"),
}
"""Fields in which an answer with a model may differ: order, and what was used."""


@dataclass(frozen=True)
class Written:
    """An answer by rules with its proved claims."""

    fields: Mapping[str, Any]
    memo: Memo
    request: BaseModel
    fixed: frozenset[str]


def draw(most: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield requests of agents on `Brief`, the agents in turn."""
    by_agent: dict[str, list[dict[str, Any]]] = {name: [] for name in BRIEFS}
    for seed in range(SEED, SEED + 4):
        for name, request in draw_requests(seed):
            if name in by_agent and request not in by_agent[name]:
                by_agent[name].append(request)
    turns = [(name, requests) for name, requests in by_agent.items()]
    drawn = [
        (name, requests[n]) for n in range(30) for name, requests in turns if n < len(requests)
    ]
    yield from drawn[:most]


def write(context: RunContext, most: int) -> Iterator[Written]:
    """Yield answers by rules that have an order to choose."""
    for name, wanted in draw(most):
        agent = all_agents()[name]
        brief = sys.modules[agent.load().__module__].BRIEF
        request = agent.request.model_validate(wanted)
        fields, memo = brief.write(brief.study(request, context), context)
        fixed = frozenset(section.title for section in brief.sections if section.is_fixed)
        if len(memo.claims) > 2:
            yield Written(fields, memo, request, fixed)


def faults_of(written: Written, changed: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an answer that a model arranged."""
    fields = {**written.fields, **changed}
    before = Counter(claim.text for claim in written.fields["claims"])
    after = Counter(claim.text for section in fields["memo"] for claim in section.claims)
    if before != after or Counter(claim.text for claim in fields["claims"]) != before:
        yield "a sentence that is not proved, or one lost"
    if not changed.keys() <= FREE:
        yield "another field"
    shown = {name: changed[name] for name in changed if name not in {"memo", "claims"}}
    told = json.dumps(
        [*shown.values()], default=lambda value: value.model_dump(mode="json", by_alias=True)
    )
    if CANARY in told:
        yield "text of a model"
    sentences = [claim.text[1:].removesuffix(".") for claim in written.fields["claims"]]
    if "summary" in changed and not all(text in changed["summary"] for text in sentences):
        yield "a sentence of the summary that is not whole"
    claims = written.memo.claims
    texts = [claim.text for claim in written.fields["claims"]]
    numbers = {text: number for number, text in enumerate(texts)}
    needs = find_needs(claims)
    lead = getattr(fields["narrative"], "lead", [])
    placed = [numbers[claim.text] for claim in lead]
    if any(not {*needs[number]} <= {*placed} for number in placed):
        yield "a figure without its caveat"


def tell_lies(written: list[Written], kind: str, answer: Answer, n: int) -> Counter[str]:
    """Return the faults of many answers of one model, and how many orders it chose."""
    faults: Counter[str] = Counter()
    model = InProcess(answer, random.Random(kind))
    for each in islice(cycle(written), n):
        drafter = make_drafter(model, ("select",))
        changed = arrange(each.fields, each.memo, each.request, drafter, each.fixed)
        faults["orders chosen"] += "memo" in changed
        faults.update(faults_of(each, changed))
    return faults


def compare(context: RunContext, answer: Answer, most: int = N_QUESTIONS) -> int:
    """Return in how many questions rows, scores, ids or facts differ with a model."""
    differing = 0
    for name, wanted in draw(most):
        by_rules = ask(name, wanted, context)
        drafter = make_drafter(InProcess(answer), ("select",))
        drafted = ask(name, wanted, replace(context, model=drafter))
        plain, other = (
            {k: v for k, v in data.model_dump(mode="json").items() if k not in FREE}
            for data in (by_rules, drafted)
        )
        if plain != other:
            differing += 1
            say(f"  {name} differs in {[k for k in plain if plain[k] != other[k]]}")
    return differing


def play_scripts(written: Written) -> tuple[int, float]:
    """Return how many scripts left no label or text of a model, and the longest seconds."""
    unlabeled, longest = 0, 0.0
    sections = [(title, claims) for title, claims in written.memo.sections if claims]
    for provider in ("anthropic", "local"):
        for script in SCRIPTS:
            with serve(StandIn(script=(script,), sleep_s=60)) as stand_in:
                path = "/v1" if provider == "local" else ""
                fields = {"model": provider, "model_base_url": f"{stand_in.base_url}{path}"}
                fields["model_api_key" if path else "anthropic_api_key"] = KEY
                settings = Settings.model_validate(fields)
                drafter = open_drafter(settings, PAYER, RESERVE_S + 6)
                assert drafter is not None
                began = time.monotonic()
                chosen = select("question", sections, drafter)
                longest = max(longest, time.monotonic() - began)
            told = " ".join(drafter.warnings)
            is_labeled = chosen is not None or len(drafter.warnings) == 1
            unlabeled += not is_labeled or CANARY in told or KEY in told
    return unlabeled, longest


def main(home: str, n: int = N_ANSWERS) -> int:
    """Print the figures; return how many bars are missed."""
    context = make_context(Settings(home=Path(home)))
    written = list(write(context, N_QUESTIONS))
    say(f"{len(written)} memos, {sum(len(each.memo.claims) for each in written)} sentences")
    models = {"honest": honest, "eager": eager, "idle": idle}
    models |= {kind: make_liar(kind) for kind in SELECTION_LIES}
    missed = 0
    for kind, answer in models.items():
        began = time.perf_counter()
        faults = tell_lies(written, kind, answer, n)
        orders = faults.pop("orders chosen", 0)
        missed += sum(faults.values())
        say(
            f"{kind}: {n:,} answers, {orders:,} orders chosen, faults {dict(faults) or 0}, "
            f"{time.perf_counter() - began:.0f} s"
        )
    for title in ("honest", "eager"):
        differing = compare(context, models[title])
        missed += differing
        say(f"{title}: {N_QUESTIONS} questions, {differing} with other rows, scores, ids or facts")
    unlabeled, longest = play_scripts(written[0])
    missed += unlabeled
    say(f"{2 * len(SCRIPTS)} scripts, {unlabeled} not labeled, longest {longest:.1f} s of 6")
    return missed


if __name__ == "__main__":
    HOME, *more = sys.argv[1:]
    sys.exit(bool(main(HOME, int(more[0]) if more else N_ANSWERS)))
