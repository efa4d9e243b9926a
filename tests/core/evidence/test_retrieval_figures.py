"""Sixty questions of an analyst, and titles, on the evidence of the reference files.

The questions (`questions.csv`) were written from records drawn by seed, before retrieval was
measured on them. Needs the reference data and the identity packages.
"""

import csv
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.retrieval import find_records
from core.ports import Stores
from core.records.evidence_pack import TextQuery
from tests.core.evidence.identity_pairs import SEED

QUESTIONS = Path(__file__).with_name("questions.csv")
TOP = TextQuery((), limit=10)
pytestmark = [
    pytest.mark.reference,
    pytest.mark.slow,
    pytest.mark.xdist_group("reference"),
]
Asked = Sequence[tuple[str, Sequence[str]]]


@pytest.fixture
def stores(held: Stores) -> Stores:
    """Return the stores of an instance that holds the reference files."""
    return held


def measure(stores: Stores, asked: Asked) -> tuple[float, float, float]:
    """Return hit@10, MRR@10 and the median time in milliseconds."""
    resolver = Resolver(stores.identity, stores.learned_names)
    ranks: list[int] = []
    took: list[float] = []
    for question, wanted in asked:
        start = time.perf_counter()
        hits = find_records(question, stores.evidence, resolver, TOP).hits
        took.append(1_000 * (time.perf_counter() - start))
        places = [place for place, hit in enumerate(hits, start=1) if hit.record_id in wanted]
        ranks.append(places[0] if places else 0)
    found = [rank for rank in ranks if rank]
    hit, mrr = len(found) / len(ranks), sum(1 / rank for rank in found) / len(ranks)
    p50 = statistics.median(took)
    print(f"{len(ranks)} asked: hit@10 {hit:.3f}, MRR@10 {mrr:.3f}, p50 {p50:.1f} ms")  # noqa: T201
    return hit, mrr, p50


def test_records_are_found_for_an_analysts_questions(stores: Stores) -> None:
    with QUESTIONS.open(encoding="utf-8", newline="") as text:
        rows = [(row["question"], row["record_ids"].split("|")) for row in csv.DictReader(text)]
    assert len(rows) == 60
    known = stores.evidence.records([one for _, wanted in rows for one in wanted])
    assert all(any(one in known for one in wanted) for _, wanted in rows)
    hit, mrr, _ = measure(stores, rows)
    assert hit >= 0.93
    assert mrr >= 0.75


def test_a_trial_is_found_by_its_title(stores: Stores) -> None:
    ids = sorted(
        {one for one, kind, _, _ in stores.evidence.all_mentions("disease") if "ctgov:" in one}
    )
    drawn = random.Random(SEED).sample(ids, 400)
    titles = [(one.title, [key]) for key, one in stores.evidence.records(drawn).items()]
    hit, mrr, _ = measure(stores, [one for one in titles if len(one[0]) > 20])
    assert hit >= 0.97
    assert mrr >= 0.95
