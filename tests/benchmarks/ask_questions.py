"""How well Ask chooses agents and names what a question is about; by rules, and with a model.

python -m tests.benchmarks.ask_questions HOME [--show] [ANSWERS]

HOME is an instance with names and the starter pack. `ask_questions.csv` has 60 questions that were
written before the words of the rules, and 40 held out that no word was chosen for; 30 more are
drawn by seed from templates and the entities of the pack. The honest stand-in knows agent and
entity of each question and chooses among what is offered, so its figures show what the contract can
carry, not how clever a model is. Liars answer with everything that is not theirs to say.
"""

import csv
import random
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from core.asking.digests import Digest, make_digest
from core.asking.drafted import draft_parts, draft_plan
from core.asking.filling import FORM_AGENTS
from core.asking.plans import MOST_RUNS, Plan
from core.asking.questions import Reading, parse_question, read_question
from core.asking.records import AskedLine, AskedTable
from core.briefs.entities.identifying import Library, identify
from core.drafting.ledger import MOST_CALLS
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.left_over import find_left
from core.evidence.sources.pack.reading import load_rows
from core.records.runs import RunRecord
from core.registry import all_agents
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.frozen_answers import _compose, ask, make_context
from tests.benchmarks.targets import say
from tests.standin.inprocess import InProcess, make_drafter
from tests.standin.models import ASK_LIES, CANARY, make_asker, make_liar

TABLE = Path(__file__).with_name("ask_questions.csv")
DAY = date(2026, 11, 23)
SEED = 20_261_129
AGENTS = (*all_agents(),)
KINDS = ("drug", "company", "target", "disease")
BAR = 0.95
"""Share of questions that the honest stand-in answers right."""
N_DRAWN = 30
TEMPLATES: tuple[tuple[str, str, str], ...] = (
    ("competitive-landscaping", "target", "Which companies are developing {} inhibitors?"),
    ("competitive-landscaping", "disease", "What treatments are in development for {}?"),
    ("competitive-landscaping", "target", "Who leads the race on {}?"),
    ("company-asset-searcher", "company", "What drugs does {} have?"),
    ("company-asset-searcher", "company", "Give me the portfolio of {}"),
    ("new-developments", "drug", "What has happened with {} in the last year?"),
    ("new-developments", "drug", "Latest news on {}"),
    ("deal-sourcing", "disease", "Which assets in {} are available for licensing?"),
    ("deal-sourcing", "target", "Find a {} program without a partner"),
    ("label-strategy", "drug", "What might the label of {} say?"),
    ("clinical-trial-design", "drug", "How should we design the next trial of {}?"),
)


@dataclass(frozen=True)
class Asked:
    """A question with its key.

    Attributes:
        question: The question.
        agent: Who answers; "" where nobody does.
        kind: What sort of thing it is about.
        entity: Its name.
        cannot: Why nobody answers; "" where somebody does.
    """

    question: str
    agent: str
    kind: str
    entity: str
    cannot: str


def read_table(name: str) -> list[Asked]:
    """Return the questions of a set: "written" or "held out"."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        rows = [row for row in csv.DictReader(text) if row.pop("set") == name]
    return [Asked(**row) for row in rows]


def draw(seed: int = SEED, n: int = N_DRAWN) -> Iterator[Asked]:
    """Yield questions by templates, each about a thing of the pack."""
    chance = random.Random(seed)
    drugs = [row for row in load_rows("drugs") if row["target"] and row["modality"]]
    stages = [row for row in load_rows("stages") if row["indication"]]
    names = {
        "drug": sorted({row["drug"] for row in drugs}),
        "target": sorted({row["target"] for row in drugs}),
        "company": sorted({row["originator"] for row in drugs if row["originator"]}),
        "disease": sorted({row["indication"] for row in stages}),
    }
    for number in range(n):
        if number % 10 == 9:
            drug = chance.choice(names["drug"])
            yield Asked(f"Should my sister take {drug}?", "", "", "", "not_an_agents")
            continue
        agent, kind, template = TEMPLATES[number % len(TEMPLATES)]
        name = chance.choice(names[kind])
        yield Asked(template.format(name), agent, kind, name, "")


def open_library(home: Path) -> Library:
    """Return evidence and names of an instance."""
    stores = open_stores(Settings(home=home, database_url=None))
    return Library(stores.evidence, Resolver(stores.identity, stores.learned_names), DAY)


def judge(asked: Asked, plan: Plan, library: Library) -> str:
    """Return what is wrong with a plan; "" where nothing is."""
    if asked.cannot:
        return "" if plan.cannot and not plan.runs else "not refused"
    if not plan.runs:
        is_form = plan.cannot == "unclear" and plan.offers and plan.offers[0].agent == asked.agent
        return "form" if is_form else f"refused: {plan.cannot}"
    if any(run.agent != asked.agent for run in plan.runs):
        return f"agent {plan.runs[0].agent}"
    if asked.kind not in KINDS:
        return ""
    entity = identify(asked.kind, asked.entity, library).entity  # type: ignore[arg-type]
    named = {each.id for run in plan.runs for each in run.about}
    return "" if entity is None or entity.id in named else f"entity {sorted(named)}"


def ask_rules(
    questions: Sequence[Asked], library: Library, *, is_shown: bool = False
) -> Counter[str]:
    """Return how many questions the rules answer right, and what is wrong with the others."""
    faults: Counter[str] = Counter()
    for asked in questions:
        plan = read_question(asked.question, library, AGENTS).plan
        fault = judge(asked, plan, library)
        faults[fault.partition(" ")[0] or "right"] += 1
        if fault and is_shown:
            say(f"  {asked.question} -> {fault}; {plan.help}")
    return faults


def ask_model(
    questions: Sequence[Asked], library: Library, *, is_shown: bool = False
) -> Counter[str]:
    """Return how many questions the honest stand-in answers right, and what is wrong elsewhere."""
    faults: Counter[str] = Counter()
    for asked in questions:
        names = identify(asked.kind, asked.entity, library).entity if asked.kind in KINDS else None  # type: ignore[arg-type]
        key = (asked.agent, names.name if names else asked.entity, asked.cannot)
        drafter = make_drafter(InProcess(make_asker({asked.question: key})), ("ask",))
        reading = read_question(asked.question, library, AGENTS)
        fault = judge(asked, draft_plan(reading, AGENTS, drafter), library)
        faults[fault.partition(" ")[0] or "right"] += 1
        if fault and is_shown:
            say(f"  {asked.question} -> {fault} (model)")
    return faults


def check_plan(plan: Plan, offered: Collection[str], calls: int) -> Iterator[str]:
    """Yield what a liar brought into a plan.

    Args:
        plan: After the lie.
        offered: Identifiers of what the question names or a piece of it may mean.
        calls: Requests to the model.
    """
    if calls > MOST_CALLS or len(plan.runs) > MOST_RUNS:
        yield "cap exceeded"
    for run in plan.runs:
        if run.agent in FORM_AGENTS:
            yield "form run"
        if {each.id for each in run.about} - {*offered}:
            yield "entity not named"
        all_agents()[run.agent].request.model_validate(dict(run.request))
    if CANARY in repr(plan):
        yield "model text"


def check_parts(
    lines: Sequence[AskedLine], tables: Sequence[AskedTable], plan: Plan, digests: Sequence[Digest]
) -> Iterator[str]:
    """Yield sentences, cells and forms that are not those of the runs and the rules."""
    texts = {claim.text for digest in digests for claim in digest.claims}
    if not {line.text for line in lines} <= texts:
        yield "invented sentence"
    by_run = {digest.run.run_uuid: digest for digest in digests}
    for table in tables:
        digest = by_run[table.run_id]
        grid = digest.grid
        for row_id, row in zip(table.row_ids, table.rows, strict=True):
            whole = dict(zip(grid.columns, digest.rows[row_id], strict=True)) if grid else {}
            if [whole[column] for column in table.columns] != row:
                yield "invented cell"
    if CANARY in repr((lines, tables, plan)):
        yield "model text"


def make_digests(home: Path) -> list[Digest]:
    """Return what two runs show: a landscape and the assets of a company."""
    context = make_context(Settings(home=home, database_url=None))
    requests = (
        ("competitive-landscaping", {"query": "GLP-1 agonists in obesity"}),
        ("company-asset-searcher", {"company": "BioMarin"}),
    )
    digests = []
    for number, (name, request) in enumerate(requests, 1):
        data = ask(name, request, context)
        run = RunRecord(
            run_uuid=f"{number:036}",
            query_id=None,
            agent=name,
            owner_id=1,
            title=name,
            status="completed",
            fingerprint="",
            data_version="",
            input_sha256="",
            created_at=context.now,
        )
        document = _compose(name, request, data)
        view = data.model_dump(mode="json", by_alias=True)
        digests.append(make_digest(number, run, document, view))
    return digests


def tell_lies(
    library: Library, digests: Sequence[Digest], n_each: int, kinds: Sequence[str] = ASK_LIES
) -> Counter[str]:
    """Return the faults that liars bring into plans and answers, `n_each` of each kind."""
    faults: Counter[str] = Counter(answers=0)
    questions = [asked for asked in read_table("held out") if not asked.cannot]
    readings = [read_question(each.question, library, AGENTS) for each in questions]
    for kind in kinds:
        for number in range(n_each):
            reading = readings[number % len(readings)]
            model = InProcess(make_liar(kind), random.Random(f"{kind} {number}"))
            drafter = make_drafter(model, ("ask",))
            plan = draft_plan(reading, AGENTS, drafter)
            offered = {each.id for each in reading.subject.entities}
            offered |= set(list_meant(reading))
            faults.update(check_plan(plan, offered, model.n))
            parts = draft_parts(reading.text, plan, digests, drafter)
            lines, tables, plan = parts or ([], [], plan)
            faults.update(check_parts(lines, tables, plan, digests))
            faults.update(["cap exceeded"] if model.n > MOST_CALLS else [])
            faults["answers"] += 1
            faults["taken"] += parts is not None
    return faults


def list_meant(reading: Reading) -> Iterator[str]:
    """Yield the identifiers of what left-over pieces of a question may mean."""
    library = reading.subject.library
    pieces = find_left(
        reading.subject.parsed, lambda x: parse_question(x, library), library.resolver
    )
    for offer in (offer for piece in pieces for offer in piece.offers.values()):
        if offer.kind in KINDS:
            entity = identify(offer.kind, offer.label, library).entity  # type: ignore[arg-type]
            yield from [entity.id] if entity else []


def main(home: str, n_answers: int, *, is_shown: bool) -> int:
    """Print the figures; return how many bars are missed."""
    library, missed = open_library(Path(home)), 0
    sets = {
        "written": read_table("written"),
        "held out": read_table("held out"),
        "drawn": list(draw()),
    }
    for name, questions in sets.items():
        rules = ask_rules(questions, library, is_shown=is_shown)
        model = ask_model(questions, library, is_shown=is_shown)
        say(f"{name}: {len(questions)} questions, by rules {dict(rules)}, honest {dict(model)}")
        missed += model["right"] < BAR * len(questions)
    faults = tell_lies(library, make_digests(Path(home)), -(-n_answers // len(ASK_LIES)))
    say(f"liars: {dict(faults)}")
    return missed + sum(faults.values()) - faults["answers"] - faults["taken"]


if __name__ == "__main__":
    HOME, *MORE = sys.argv[1:]
    COUNT = next((int(word) for word in MORE if word.isdigit()), 2_000)
    sys.exit(bool(main(HOME, COUNT, is_shown="--show" in MORE)))
