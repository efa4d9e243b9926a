"""How well Ask chooses agents and names what a question is about; by rules, and with a model.

python -m tests.benchmarks.ask_questions HOME [--show] [--answers N]

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from core.asking.plans import Plan
from core.asking.questions import read_question
from core.briefs.entities.identifying import Library, identify
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.reading import load_rows
from core.registry import all_agents
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.targets import say

TABLE = Path(__file__).with_name("ask_questions.csv")
DAY = date(2026, 11, 23)
SEED = 20_261_129
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
REFUSED = ("", "", "Should my sister take {}?")


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
    if asked.kind not in {"drug", "company", "target", "disease"}:
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
        plan = read_question(asked.question, library, list(all_agents())).plan
        fault = judge(asked, plan, library)
        faults[fault.partition(" ")[0] or "right"] += 1
        if fault and is_shown:
            say(f"  {asked.question} -> {fault}; {plan.help}")
    return faults


def main(home: str, *, is_shown: bool) -> int:
    """Print the figures; return how many bars are missed."""
    library = open_library(Path(home))
    sets = {
        "written": read_table("written"),
        "held out": read_table("held out"),
        "drawn": list(draw()),
    }
    for name, questions in sets.items():
        faults = ask_rules(questions, library, is_shown=is_shown)
        say(f"{name}: {len(questions)} questions, by rules {dict(faults)}")
    return 0


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1], is_shown="--show" in sys.argv)))
