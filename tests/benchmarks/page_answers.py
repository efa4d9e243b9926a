"""How many questions of analysts an entity page answers without a run.

    python -m tests.benchmarks.page_answers HOME [SEED]

Ten things of each kind are drawn by seed from the names that the bar suggests, each put into a
phrasing of `tests.benchmarks.questions`. A question is answered where it leads to the page of
the thing drawn, and that page has an owner, the highest stage (by region once it is approved) and
the next catalyst of at least one drug, each with a record that it cites. Two draws are made:
"read", in proportion to the records that name a thing, since people ask about what is written
about; and "uniform", among all that at least LEAST records name, most of which are old products
and universities. "Nothing ahead" counts pages that have the owner and the stage, and say that no
catalyst was found.
"""

import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from core.briefs.entities.asking import find_page
from core.briefs.entities.identifying import Library
from core.briefs.entities.index import build_index
from core.briefs.entities.profiles import DrugProfile
from core.briefs.entities.views import read_company, read_drug, read_field
from core.evidence.names.identity.resolver import Resolver
from core.records.entities import Entity
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.questions import PHRASINGS

KINDS = ("drug", "company", "target", "disease")
EACH = 10
LEAST = 3
SEED = 20261126


def drugs_of(page: str, params: dict[str, str], library: Library) -> list[DrugProfile]:
    """Return the drugs that a page shows."""
    if page == "asset.py":
        drug = read_drug(params["id"], library)
        return [drug.drug] if drug else []
    if page == "company.py":
        company = read_company(params["id"], library)
        return list(company.drugs) if company else []
    field = read_field(params.get("target", ""), params.get("disease", ""), library)
    return field.within("narrow") if field else []


def missing_of(drug: DrugProfile) -> Iterator[str]:
    """Yield what a page does not answer about a drug."""
    if not drug.owners:
        yield "owner"
    approved = drug.stage == "APPROVED"
    if not drug.stage_records() or (approved and not drug.asset.regions):
        yield "stage"
    if not drug.catalyst.record_ids:
        yield "catalyst"


def ask(entity: Entity, question: str, library: Library) -> str:
    """Return why a question is not answered; "" where it is."""
    answer = find_page(question, library)
    params = {name: value for name, value in answer.params.items() if isinstance(value, str)}
    if answer.page not in {"asset.py", "company.py", "field.py"}:
        return f"leads to {answer.page or 'nothing'}"
    if entity.id.casefold() not in {value.casefold() for value in params.values()}:
        return f"leads to {answer.label}"
    drugs = drugs_of(answer.page, params, library)
    least = min((list(missing_of(one)) for one in drugs), key=len, default=["drug"])
    return f"no {', '.join(least)}" if least else ""


def main(home: Path, seed: int) -> None:
    """Ask and print."""
    stores = open_stores(Settings(home=home, database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    library = Library(stores.evidence, resolver, datetime.now(UTC).date())
    known = [(one, number) for one, number in build_index(library).entities if number >= LEAST]
    for draw in ("read", "uniform"):
        chance = random.Random(seed)
        counts: Counter[str] = Counter()
        elapsed: list[float] = []
        for kind in KINDS:
            for entity in drawn([one for one in known if one[0].kind == kind], draw, chance):
                question = chance.choice(PHRASINGS).format(entity.name)
                began = time.perf_counter()
                reason = ask(entity, question, library)
                elapsed.append(time.perf_counter() - began)
                counts[kind] += not reason
                counts["nothing ahead"] += reason == "no catalyst"
                sys.stdout.write(f"{kind:<9}{question[:70]:<72}{reason or 'answered'}\n")
        total = sum(counts[kind] for kind in KINDS)
        sys.stdout.write(
            f"{draw}, seed {seed}: {total} of {len(elapsed)} answered, "
            f"{total / len(elapsed):.0%}: "
            f"{', '.join(f'{kind} {counts[kind]}' for kind in KINDS)}; nothing ahead "
            f"{counts['nothing ahead']}; seconds a question {statistics.median(elapsed):.2f} "
            f"(median), {max(elapsed):.2f} (slowest)\n"
        )


def drawn(things: list[tuple[Entity, int]], draw: str, chance: random.Random) -> list[Entity]:
    """Return things of one kind, without repetition."""
    if draw == "uniform":
        return [one for one, _ in chance.sample(things, EACH)]
    # Efraimidis and Spirakis (2006): the largest of u ** (1 / weight) are a weighted sample.
    keyed = sorted(things, key=lambda one: chance.random() ** (1 / one[1]), reverse=True)
    return [one for one, _ in keyed[:EACH]]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else SEED)
