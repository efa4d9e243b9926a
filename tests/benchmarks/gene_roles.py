"""What a gene is in a patent: the reader next to a person, on documents drawn by a seed.

    python -m tests.benchmarks.gene_roles HOME          # precision and recall by seed
    python -m tests.benchmarks.gene_roles HOME SEED     # 60 further documents to read

HOME is an instance with the starter pack. A draw takes one document at most of a target, among
those that name it, and none that was read before. The person reads title and abstract (the pack
holds no claims) before the reader is asked; verdicts lie in `gene_role_verdicts.csv`. "target"
means that the document's agent acts on the gene, on its family as a whole, or through it; the
second agent of a combination is a partner.
"""

import csv
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from core.agents.compound_map.finding import find_sample, understand
from core.agents.compound_map.schema import CompoundMapRequest
from core.evidence.patents.pool import open_patents
from core.records.patents import PatentDocument
from core.settings import Settings
from core.vocabulary.targets import load_targets
from core.workbench import RunContext
from tests.benchmarks.frozen_answers import make_context
from tests.benchmarks.targets import say

VERDICTS = Path(__file__).with_name("gene_role_verdicts.csv")
N_DRAWN = 60
MOST_PATENTS = 100


def read_verdicts() -> list[dict[str, str]]:
    """Return the rows of the table of verdicts."""
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def read_roles(target: str, context: RunContext) -> dict[str, tuple[str, PatentDocument]]:
    """Return what a target is in each document that names it."""
    pool = open_patents(context.evidence, context.settings, context.now, context.rates)
    request = CompoundMapRequest(target=target, max_patents=MOST_PATENTS)
    sample = find_sample(understand(request, context), request, pool, context.resolver)
    read = [("target", document) for document in sample.candidates]
    read += [(mention.played.role, mention.document) for mention in sample.mentioned]
    return {document.publication_number: (role, document) for role, document in read}


def compare(context: RunContext) -> None:
    """Print precision and recall of each seed and of all, and each difference."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in read_verdicts():
        number = row["publication_number"]
        role = read_roles(row["target"], context).get(number, ("not found", None))[0]
        outcome = f"{role == 'target'} {row['role'] == 'target'}"
        counts[row["seed"]][outcome] += 1
        counts["all"][outcome] += 1
        if (role == "target") != (row["role"] == "target"):
            say(f"{row['target']} {number}: read {role}, person {row['role']} {row['note']}")
    for seed, count in sorted(counts.items()):
        right = count["True True"]
        told, meant = right + count["True False"], right + count["False True"]
        say(f"{seed}: precision {right}/{told} = {right / told:.1%}, recall {right}/{meant}")


def draw(seed: int, context: RunContext) -> Iterator[tuple[str, PatentDocument]]:
    """Yield documents that no person read before, one at most of a target."""
    taken = {row["publication_number"] for row in read_verdicts()}
    lot = random.Random(seed)
    targets = sorted({gene for row in load_targets() for gene in row.genes})
    lot.shuffle(targets)
    for target in targets:
        documents = read_roles(target, context)
        unread = sorted(documents.keys() - taken)
        if unread:
            number = lot.choice(unread)
            taken.add(number)
            yield target, documents[number][1]


def main(home: str, seed: str = "") -> None:
    """Compare with the verdicts, or print a reading list."""
    context = make_context(Settings(home=Path(home)))
    if not seed:
        compare(context)
        return
    drawn = draw(int(seed), context)
    for number, (target, document) in zip(range(1, N_DRAWN + 1), drawn, strict=False):
        say(f"{number} {target} {document.publication_number} {document.named_as}")
        say(f"  {document.title}\n  {document.abstract}")


if __name__ == "__main__":
    main(*sys.argv[1:])
