"""Own compounds against claim drawings, measured on claimed examples of documents drawn by seed.

Twenty documents of the weekly records that draw both R-groups and whole molecules in their claims
are drawn by seed. Each claimed molecule is held against the R-group drawings of its own document,
where it should be in, and against those of the others, where it should be out. The molecule itself
is taken from its claims first, so that the drawings answer, tested by the other molecules alone.
"""

import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.agents.compound_map.claims import MOST_DRAWINGS, Claims, judge_document
from core.chemistry.open_ends import has_open_end
from core.chemistry.structures import read_structure
from tests.benchmarks.targets import say

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
SEED, N_DOCUMENTS, MOST_EXAMPLES = 30, 20, 25


@dataclass(frozen=True)
class Claimed:
    """What the claims of one document draw."""

    number: str
    drawings: tuple[str, ...]
    examples: dict[str, str]


def read_weeks() -> Iterator[dict[str, Any]]:
    """Yield the documents of the weekly records, each once."""
    seen = set()
    for path in sorted((REFERENCE / "patents" / "uspto_2024_weeks").glob("*.json.gz")):
        for document in json.loads(gzip.decompress(path.read_bytes())):
            number = document["publication"]["doc_number"]
            if number not in seen:
                seen.add(number)
                yield document


def read_claims(document: dict[str, Any]) -> Claimed:
    """Return the drawings and whole molecules of the claims of a document."""
    drawings: dict[str, None] = {}
    examples: dict[str, str] = {}
    for file in document["external_files"]:
        if file["section"] != "claims":
            continue
        for text in file["compounds"]:
            found = read_structure(text)
            if found.verdict == "generic":
                drawings[found.smiles] = None
            elif found.verdict == "molecule" and not has_open_end(text):
                examples[found.inchikey] = found.smiles
    number = document["publication"]["doc_number"]
    return Claimed(number, tuple(drawings)[:MOST_DRAWINGS], examples)


def draw_documents() -> list[Claimed]:
    """Return twenty documents with drawings and at least three claimed molecules, by seed."""
    fit = [
        one
        for one in map(read_claims, read_weeks())
        if one.drawings and len(one.examples) >= 3  # noqa: PLR2004 - fewer are no set
    ]
    chance = random.Random(SEED)  # noqa: S311 - a draw, no secret
    return chance.sample(sorted(fit, key=lambda one: one.number), N_DOCUMENTS)


def measure() -> tuple[Counter[str], Counter[str]]:
    """Print and return the answers for a document's own claimed molecules and for others'."""
    documents = draw_documents()
    drawings = {one.number: one.drawings for one in documents}
    drawn = {one.number: one.examples for one in documents}
    chance = random.Random(SEED)  # noqa: S311 - a draw, no secret
    own: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for one in documents:
        examples = chance.sample(sorted(one.examples), min(len(one.examples), MOST_EXAMPLES))
        told: Counter[str] = Counter()
        for key in examples:
            smiles = one.examples[key]
            left = {name: held for name, held in one.examples.items() if name != key}
            claims = Claims(drawings, {**drawn, one.number: left}, [])
            told[judge_document(smiles, key, one.number, claims).answer] += 1
            for other in documents:
                if other is not one:
                    others[judge_document(smiles, key, other.number, claims).answer] += 1
        own += told
        say(f"US{one.number}: {len(one.drawings)} drawings, {dict(told)}")
    for name, counts in (("own claims", own), ("others' claims", others)):
        whole = sum(counts.values())
        told = ", ".join(
            f"{word} {counts[word]}/{whole} {counts[word] / whole:.3f}"
            for word in ("in", "cannot tell", "out")
        )
        say(f"{name}: {told}")
    return own, others


if __name__ == "__main__":
    measure()
